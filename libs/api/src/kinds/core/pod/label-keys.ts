import type { Affinity, PodAffinity, PodAffinityTerm } from "./affinity-types.js";
import type { Pod } from "./types.js";

type Labels = Readonly<Record<string, string>>;

/**
 * A new pod whose affinity asks for its own values of the labels that `matchLabelKeys` and `mismatchLabelKeys` name:
 * they are written into the selectors, where the scheduler reads them.
 */
export function withLabelKeys(pod: Pod): Pod {
  const { spec } = pod;
  const affinity = spec?.affinity;
  if (affinity?.podAffinity === undefined && affinity?.podAntiAffinity === undefined) return pod;
  const labels = pod.metadata.labels ?? {};
  const filled: Affinity = {
    ...affinity,
    ...(affinity.podAffinity === undefined ? {} : { podAffinity: filledAffinity(affinity.podAffinity, labels) }),
    ...(affinity.podAntiAffinity === undefined
      ? {}
      : { podAntiAffinity: filledAffinity(affinity.podAntiAffinity, labels) }),
  };
  return { ...pod, spec: { ...spec, affinity: filled } };
}

function filledAffinity(affinity: PodAffinity, labels: Labels): PodAffinity {
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution;
  const preferred = affinity.preferredDuringSchedulingIgnoredDuringExecution;
  return {
    ...(required === undefined
      ? {}
      : { requiredDuringSchedulingIgnoredDuringExecution: required.map((term) => filledTerm(term, labels)) }),
    ...(preferred === undefined
      ? {}
      : {
          preferredDuringSchedulingIgnoredDuringExecution: preferred.map((weighted) => ({
            ...weighted,
            podAffinityTerm: filledTerm(weighted.podAffinityTerm ?? {}, labels),
          })),
        }),
  };
}

/** Without a selector a term matches nothing, and stays as it is. */
function filledTerm(term: PodAffinityTerm, labels: Labels): PodAffinityTerm {
  const { labelSelector: selector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  if (selector === undefined || matchLabelKeys.length + mismatchLabelKeys.length === 0) return term;
  const asked = (keys: readonly string[], operator: string) =>
    keys.flatMap((key) => {
      const value = labels[key];
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  const matchExpressions = [
    ...(selector.matchExpressions ?? []),
    ...asked(matchLabelKeys, "In"),
    ...asked(mismatchLabelKeys, "NotIn"),
  ];
  return matchExpressions.length === 0 ? term : { ...term, labelSelector: { ...selector, matchExpressions } };
}
