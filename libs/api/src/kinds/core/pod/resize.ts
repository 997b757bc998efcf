import { equalJson } from "@orch/schema/equal.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { Part } from "../../../behavior.js";
import type { Requirements, Resources } from "../resources.js";
import type { PodAnnotationKeys } from "./annotation-keys.js";
import { withStoredMeta } from "./ephemeral-containers.js";
import { qosClass } from "./qos.js";
import { validateMetadataUpdate } from "./status.js";
import type { Container, Pod, PodSpec } from "./types.js";

/** More or less of processor and memory for the containers of a pod that runs (alpha in 1.32). */
export function resizePart(keys: PodAnnotationKeys): Part<Pod> {
  return {
    whole: true,
    changes: ["spec.containers"],
    prepare: (object, old) => {
      const spec = resized(object.spec ?? {}, old.spec ?? {});
      const asks = !equalJson(amounts(spec), amounts(old.spec ?? {}));
      const pod = withStoredMeta({ ...old, spec }, object);
      return asks ? { ...pod, status: { ...pod.status, resize: "Proposed" } } : pod;
    },
    validate: (object, old) => [
      ...validateMetadataUpdate(object, old, keys),
      ...validateResize(object.spec ?? {}, old, keys),
    ],
  };
}

function amounts({ containers = [] }: PodSpec): readonly (Requirements | undefined)[] {
  return containers.map((c) => c.resources);
}

/** The stored spec with the containers' resources from the request; a list of other containers is left to fail. */
function resized(spec: PodSpec, old: PodSpec): PodSpec {
  const given = new Map((spec.containers ?? []).map((c) => [c.name, c]));
  return {
    ...old,
    containers: (old.containers ?? []).map(({ resources, resizePolicy, ...container }): Container => {
      const asked = given.get(container.name);
      const wanted = asked === undefined ? { resources, resizePolicy } : asked;
      return {
        ...container,
        ...(wanted.resources === undefined ? {} : { resources: wanted.resources }),
        ...(wanted.resizePolicy === undefined ? {} : { resizePolicy: wanted.resizePolicy }),
      };
    }),
  };
}

function validateResize(spec: PodSpec, old: Pod, keys: PodAnnotationKeys): FieldError[] {
  const before = old.spec ?? {};
  const refused = (detail: string) => [fieldError.forbidden("", detail)];
  if (before.resources !== undefined) return refused("pods with pod-level resources cannot be resized");
  if (old.metadata.annotations?.[keys.mirror] !== undefined) return refused("static pods cannot be resized");
  if (before.os?.name === "windows") return refused("windows pods cannot be resized");
  const quality = qosClass(spec);
  return [
    ...(quality === qosClass(before)
      ? []
      : [fieldError.invalid("spec", quality, "Pod QOS Class may not change as a result of resizing")]),
    ...(spec.containers ?? []).flatMap((container, i) =>
      validateAmounts(container.resources ?? {}, before.containers?.[i]?.resources ?? {}, {
        at: `spec.containers[${i}].resources`,
      }),
    ),
    ...(equalJson(withoutProcessorAndMemory(spec), withoutProcessorAndMemory(before))
      ? []
      : [fieldError.forbidden("spec", "only cpu and memory resources are mutable")]),
  ];
}

function validateAmounts(now: Requirements, old: Requirements, { at }: { readonly at: string }): FieldError[] {
  const removed = (list: Resources = {}, before: Resources = {}) =>
    Object.keys(before).some((name) => list[name] === undefined);
  return [
    ...(removed(now.limits, old.limits)
      ? [fieldError.forbidden(`${at}.limits`, "resource limits cannot be removed")]
      : []),
    ...(removed(now.requests, old.requests)
      ? [fieldError.forbidden(`${at}.requests`, "resource requests cannot be removed")]
      : []),
  ];
}

function withoutProcessorAndMemory(spec: PodSpec): object {
  const others = ({ cpu: _cpu, memory: _memory, ...rest }: Resources = {}) => rest;
  return {
    ...spec,
    containers: (spec.containers ?? []).map(({ resizePolicy: _, resources = {}, ...container }) => ({
      ...container,
      claims: resources.claims,
      limits: others(resources.limits),
      requests: others(resources.requests),
    })),
  };
}
