import type { OtherKinds } from "../cluster/objects.js";
import type { PodInfo } from "../model/pod-info.js";
import { selectorOf } from "../model/pod-terms.js";

type Budget = OtherKinds["PodDisruptionBudget"];

/**
 * Which pods would break a budget if they went one after the other in this order. A pod that its budget counts as
 * disrupted already breaks nothing; a selector that is empty chooses nobody.
 */
export function violators(pods: readonly PodInfo[], budgetsIn: (namespace: string) => Iterable<Budget>): Set<PodInfo> {
  const found = new Set<PodInfo>();
  const left = new Map<Budget, number>();
  for (const pod of pods) {
    if (Object.keys(pod.labels).length === 0) continue;
    for (const budget of budgetsIn(pod.namespace)) {
      const selector = selectorOf(budget.spec?.selector);
      if (selector === undefined || selector.everything || !selector.matches(pod.labels)) continue;
      if (Object.hasOwn(budget.status?.disruptedPods ?? {}, pod.name)) continue;
      const allowed = (left.get(budget) ?? budget.status?.disruptionsAllowed ?? 0) - 1;
      left.set(budget, allowed);
      if (allowed < 0) found.add(pod);
    }
  }
  return found;
}
