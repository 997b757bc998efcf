import type { ClusterView } from "../cluster/view.js";
import type { Nomination, WhatIf } from "../framework/plugin.js";
import { type Rejection, unresolvable } from "../framework/status.js";
import { moreImportant, type PodInfo } from "../model/pod-info.js";
import { violators } from "./budgets.js";

const nobodyLower = unresolvable("DefaultPreemption", "No preemption victims found for incoming pod");

const nobody: ReadonlySet<PodInfo> = new Set();

/** The fewest pods of a node that must go for a pod to fit, or why it does not fit even so. */
export function victimsOn(
  start: WhatIf,
  pod: PodInfo,
  { cluster, now }: { readonly cluster: ClusterView; readonly now: number },
): Nomination | Rejection {
  const lower = start.node.pods.filter(({ priority }) => priority < pod.priority);
  if (lower.length === 0) return nobodyLower;
  let state = start.without(lower);
  const rejection = state.rejection();
  if (rejection !== undefined) return rejection;
  const sorted = lower.toSorted((a, b) => moreImportant(a, b, now));
  const { PodDisruptionBudget: budgets } = cluster.objects;
  const breaking = budgets.size === 0 ? nobody : violators(sorted, (namespace) => budgets.in(namespace));
  const inOrder =
    breaking.size === 0
      ? sorted
      : [...sorted.filter((p) => breaking.has(p)), ...sorted.filter((p) => !breaking.has(p))];
  const victims: PodInfo[] = [];
  let violations = 0;
  // Those whose going breaks a budget are given back first, while there is the most room.
  for (const candidate of inOrder) {
    const kept = state.with(candidate);
    if (kept.rejection() === undefined) {
      state = kept;
      continue;
    }
    victims.push(candidate);
    if (breaking.has(candidate)) violations += 1;
  }
  return { node: start.node.name, victims: victims.sort((a, b) => moreImportant(a, b, now)), violations };
}
