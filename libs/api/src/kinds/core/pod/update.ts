import { equalJson, jsonKey } from "@orch/schema/equal.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { NodeSelectorTerm } from "../node-selector.js";
import type { Affinity, NodeAffinity } from "./affinity-types.js";
import type { Container, PodSpec, Toleration } from "./types.js";

/**
 * What may change in the spec of a pod that exists: images, a deadline (set or lowered), tolerations (added), a
 * negative time to end (to 1); its gates (removed), and while it is gated its node selector and the nodes it needs
 * (narrowed).
 */
export function validatePodUpdate(spec: PodSpec, old: PodSpec): FieldError[] {
  const counted = (["containers", "initContainers"] as const).find(
    (name) => (spec[name] ?? []).length !== (old[name] ?? []).length,
  );
  if (counted !== undefined) {
    return [fieldError.forbidden(`spec.${counted}`, "pod updates may not add or remove containers")];
  }
  const deadline = validateDeadline(spec.activeDeadlineSeconds, old.activeDeadlineSeconds);
  // The reference looks no further than a deadline that was raised.
  if (spec.activeDeadlineSeconds !== undefined && deadline.length > 0) return deadline;
  return [
    ...deadline,
    ...validateTolerations(spec.tolerations ?? [], old.tolerations ?? []),
    ...validateGates(spec, old),
    ...(isGated(old) ? validateNarrowed(spec, old) : []),
    ...validateRest(spec, old),
  ];
}

function isGated({ schedulingGates = [] }: PodSpec): boolean {
  return schedulingGates.length > 0;
}

const longestDeadline = 2 ** 31 - 1;

function validateDeadline(value: number | undefined, old: number | undefined): FieldError[] {
  const at = "spec.activeDeadlineSeconds";
  if (value !== undefined && (value < 0 || value > longestDeadline)) {
    return [fieldError.invalid(at, value, `must be between 0 and ${longestDeadline}, inclusive`)];
  }
  if (old === undefined) return [];
  if (value === undefined) {
    return [fieldError.invalid(at, null, "must not update from a positive integer to nil value")];
  }
  return value > old ? [fieldError.invalid(at, value, "must be less than or equal to previous value")] : [];
}

function validateTolerations(tolerations: readonly Toleration[], old: readonly Toleration[]): FieldError[] {
  const timeless = ({ tolerationSeconds, ...rest }: Toleration): object => rest;
  const given = new Set(tolerations.map((t) => jsonKey(timeless(t))));
  const kept = old.every((o) => given.has(jsonKey(timeless(o))));
  const detail = "existing toleration can not be modified except its tolerationSeconds";
  return kept ? [] : [fieldError.forbidden("spec.tolerations", detail)];
}

function validateGates(spec: PodSpec, old: PodSpec): FieldError[] {
  const names = new Set((old.schedulingGates ?? []).map((g) => g.name));
  return (spec.schedulingGates ?? []).flatMap(({ name }, i) =>
    names.has(name)
      ? []
      : [
          fieldError.forbidden(
            `spec.schedulingGates[${i}].name`,
            `only deletion is allowed, but found new scheduling gate '${name ?? ""}'`,
          ),
        ],
  );
}

function validateNarrowed(spec: PodSpec, old: PodSpec): FieldError[] {
  const selector = spec.nodeSelector ?? {};
  const kept = Object.entries(old.nodeSelector ?? {}).every(([key, value]) => selector[key] === value);
  const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  return [
    ...(kept ? [] : [fieldError.invalid("spec.nodeSelector", selector, detail)]),
    ...validateNarrowedAffinity(spec.affinity?.nodeAffinity, old.affinity?.nodeAffinity),
  ];
}

/** Each term may ask for more than it did; where there was none, anything may be asked for. */
function validateNarrowedAffinity(affinity: NodeAffinity | undefined, old: NodeAffinity | undefined): FieldError[] {
  const terms = requiredTerms(affinity);
  const before = requiredTerms(old);
  const at = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  if (before.length === 0) return [];
  if (terms.length !== before.length) {
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return [fieldError.invalid(at, terms, detail)];
  }
  return terms.flatMap((term, i) =>
    isNarrower(term, before[i] ?? {})
      ? []
      : [fieldError.invalid(`${at}[${i}]`, term, "only additions are allowed (no mutations or deletions)")],
  );
}

function requiredTerms(affinity: NodeAffinity | undefined): readonly NodeSelectorTerm[] {
  return affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
}

function isNarrower(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const lists = ["matchExpressions", "matchFields"] as const;
  // An empty term chooses nothing: with anything in it, it would choose more.
  const wasEmpty = lists.every((name) => (old[name] ?? []).length === 0);
  if (wasEmpty) return lists.every((name) => (term[name] ?? []).length === 0);
  return lists.every((name) => {
    const before = old[name] ?? [];
    return equalJson((term[name] ?? []).slice(0, before.length), before);
  });
}

// The reference adds a dump of both specs in its own notation, which nothing else can write.
const rule =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

function validateRest(spec: PodSpec, old: PodSpec): FieldError[] {
  return equalJson(fixed(spec, old), fixed(old, old)) ? [] : [fieldError.forbidden("spec", rule)];
}

/** The spec without what may change, or has been looked at. */
function fixed(spec: PodSpec, old: PodSpec): object {
  const { activeDeadlineSeconds, tolerations, schedulingGates, terminationGracePeriodSeconds: grace, ...rest } = spec;
  const imageless = (containers: readonly Container[] | undefined) => containers?.map(({ image, ...others }) => others);
  const { nodeSelector, affinity, ...others } = rest;
  const wasNegative = (old.terminationGracePeriodSeconds ?? 0) < 0;
  return {
    ...(isGated(old) ? { ...others, affinity: withoutNodes(affinity) } : rest),
    containers: imageless(spec.containers),
    initContainers: imageless(spec.initContainers),
    terminationGracePeriodSeconds: wasNegative && grace === 1 ? old.terminationGracePeriodSeconds : grace,
  };
}

function withoutNodes(affinity: Affinity | undefined): Affinity {
  const { nodeAffinity: _, ...others } = affinity ?? {};
  return others;
}
