import { equalJson } from "@orch/schema/equal.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { Container, PodSpec, Toleration } from "./types.js";

/**
 * What may change in the spec of a pod that exists: images, a deadline (set or lowered), tolerations
 * (added), a negative grace period; and while it is gated its gates (removed) and node selector (added to).
 */
export function validatePodUpdate(spec: PodSpec, old: PodSpec): FieldError[] {
  const counts = (["containers", "initContainers"] as const).filter(
    (name) => (spec[name] ?? []).length !== (old[name] ?? []).length,
  );
  if (counts.length > 0) {
    return counts.map((name) => fieldError.forbidden(`spec.${name}`, "pod updates may not add or remove containers"));
  }
  return [
    ...validateDeadline(spec.activeDeadlineSeconds, old.activeDeadlineSeconds),
    ...validateTolerations(spec.tolerations ?? [], old.tolerations ?? []),
    ...validateGates(spec, old),
    ...validateRest(spec, old),
  ];
}

function validateDeadline(value: number | undefined, old: number | undefined): FieldError[] {
  const at = "spec.activeDeadlineSeconds";
  if (old === undefined) return [];
  if (value === undefined)
    return [fieldError.invalid(at, null, "must not update from a positive integer to nil value")];
  return value > old ? [fieldError.invalid(at, value, "must be less than or equal to previous value")] : [];
}

function validateTolerations(tolerations: readonly Toleration[], old: readonly Toleration[]): FieldError[] {
  const forever = ({ tolerationSeconds, ...rest }: Toleration): object => rest;
  const kept = old.every((o) => tolerations.some((t) => equalJson(forever(t), forever(o))));
  const detail = "existing toleration can not be modified except its tolerationSeconds";
  return kept ? [] : [fieldError.forbidden("spec.tolerations", detail)];
}

function validateGates(spec: PodSpec, old: PodSpec): FieldError[] {
  const names = new Set((old.schedulingGates ?? []).map((g) => g.name));
  const added = (spec.schedulingGates ?? []).filter((g) => !names.has(g.name));
  if (added.length === 0) return [];
  const detail = `only deletion is allowed, but found new scheduling gates ${added.map((g) => `'${g.name ?? ""}'`).join(", ")}`;
  return [fieldError.forbidden("spec.schedulingGates", detail)];
}

const rule =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

function validateRest(spec: PodSpec, old: PodSpec): FieldError[] {
  return equalJson(fixed(spec, old), fixed(old, old)) ? [] : [fieldError.forbidden("spec", rule)];
}

/** The spec without what may change. */
function fixed(spec: PodSpec, old: PodSpec): object {
  const { activeDeadlineSeconds, tolerations, schedulingGates, terminationGracePeriodSeconds: grace, ...rest } = spec;
  const gated = (old.schedulingGates ?? []).length > 0;
  const imageless = (containers: readonly Container[] | undefined) => containers?.map(({ image, ...others }) => others);
  return {
    ...rest,
    containers: imageless(spec.containers),
    initContainers: imageless(spec.initContainers),
    terminationGracePeriodSeconds: (old.terminationGracePeriodSeconds ?? 0) < 0 && grace === 1 ? "free" : grace,
    ...(gated && extendsSelector(spec, old) ? { nodeSelector: "free" } : {}),
  };
}

function extendsSelector(spec: PodSpec, old: PodSpec): boolean {
  return Object.entries(old.nodeSelector ?? {}).every(([key, value]) => spec.nodeSelector?.[key] === value);
}
