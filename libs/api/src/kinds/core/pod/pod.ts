import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../../behavior.js";
import { podAnnotationKeys } from "./annotation-keys.js";
import { validateAnnotationUpdates, validatePodAnnotations } from "./annotations.js";
import { validateImages } from "./containers.js";
import { defaultPodOnly, defaultPodSpec } from "./defaults.js";
import { withoutDisabledFields, withoutDisabledStatus } from "./dropped-fields.js";
import { ephemeralContainersPart } from "./ephemeral-containers.js";
import { withLabelKeys } from "./label-keys.js";
import { validateOs } from "./os.js";
import { qosClass } from "./qos.js";
import { resizePart } from "./resize.js";
import { validateAppArmorMatch, withAppArmor } from "./security/app-armor.js";
import { validatePodSpec } from "./spec.js";
import { statusPart, withAddresses } from "./status.js";
import type { Pod, PodSpec, PodStatus } from "./types.js";
import { validatePodUpdate } from "./update.js";
import { podWarnings } from "./warning/warnings.js";

export const pod = behavior<Pod>((naming) => {
  const keys = podAnnotationKeys(naming);
  const warnings = podWarnings(naming);
  return {
    // Whoever changes pods is mostly no person, and does so often.
    warnings: (_pod, { old, given }) => (old === undefined ? warnings.ofPod(given) : []),
    withoutDisabled: ({ spec = {}, status, ...object }, old, features) => ({
      ...object,
      spec: withoutDisabledFields(spec, old?.spec, features),
      ...(status === undefined ? {} : { status: withoutDisabledStatus(status, old?.spec, features) }),
    }),
    setDefaults: ({ spec, status, ...object }) => ({
      ...object,
      spec: defaultPodOnly(defaultPodSpec(spec ?? {})),
      ...(status === undefined ? {} : { status: withAddresses(status) }),
    }),
    prepareForCreate: (object, { now }) => {
      const prepared = withAppArmor(withLabelKeys(object), keys);
      return { ...prepared, status: { ...prepared.status, ...firstStatus(prepared.spec ?? {}, now) } };
    },
    validate: ({ metadata, spec = {} }, found) => [
      ...validatePodAnnotations(metadata.annotations ?? {}, spec, { keys, at: "metadata.annotations" }),
      ...validatePodSpec(spec, "spec", { naming, pod: metadata.name ?? "", found }),
    ],
    validateLast: ({ spec = {} }) => [
      ...validateOs(spec, "spec"),
      ...validateTokens(spec),
      ...validateImages(spec, "spec"),
    ],
    validateCreate: (object) => [...validateFirstSpec(object.spec ?? {}), ...validateAppArmorMatch(object, keys)],
    validateUpdate: (object, old) => [
      ...validateAnnotationUpdates(object.metadata.annotations ?? {}, old.metadata.annotations ?? {}, {
        keys,
        at: "metadata.annotations",
      }),
      ...validatePodUpdate(object.spec ?? {}, old.spec ?? {}),
    ],
    parts: {
      status: statusPart(keys),
      ephemeralcontainers: ephemeralContainersPart(keys),
      resize: resizePart(keys),
    },
  };
});

function firstStatus(spec: PodSpec, now: string): PodStatus {
  const gated = {
    type: "PodScheduled",
    status: "False",
    lastTransitionTime: now,
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  return {
    qosClass: qosClass(spec),
    ...((spec.schedulingGates ?? []).length > 0 ? { conditions: [gated] } : {}),
  };
}

/** A token is a service account's: admission gives every pod one, and a pod without has none to show. */
function validateTokens({ serviceAccountName = "", volumes = [] }: PodSpec): FieldError[] {
  if (serviceAccountName !== "") return [];
  return volumes.flatMap(({ projected }, v) =>
    (projected?.sources ?? []).flatMap((source, s) =>
      source.serviceAccountToken === undefined
        ? []
        : [
            fieldError.forbidden(
              `spec.volumes[${v}].projected.sources[${s}].serviceAccountToken`,
              "must not be specified when serviceAccountName is not set",
            ),
          ],
    ),
  );
}

/** What may come only later, or only at once. */
function validateFirstSpec({ ephemeralContainers = [], schedulingGates = [], nodeName = "" }: PodSpec): FieldError[] {
  return [
    // Containers for debugging come through their own subresource, never with the pod.
    ...(ephemeralContainers.length > 0
      ? [fieldError.forbidden("spec.ephemeralContainers", "cannot be set on create")]
      : []),
    ...(schedulingGates.length > 0 && nodeName !== ""
      ? [fieldError.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")]
      : []),
  ];
}
