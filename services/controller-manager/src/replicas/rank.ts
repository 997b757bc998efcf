import { compareText, timeOf } from "../rim/objects.js";
import { isReady, type Pod, readySince, restartsOf } from "../rim/pods.js";

/** What tells which of some pods goes first. */
export interface RankFacts {
  /** Annotation with the cost of deleting a pod; a lower one goes earlier. */
  readonly costKey: string;
  /** Pods of the same group of sets on a pod's node. */
  readonly siblingsOnNode: (node: string) => number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const phases: readonly string[] = ["Pending", "Unknown", "Running"];

/** Pods in the order in which they are deleted: what is lost least with each comes first. */
export function rankForDeletion(pods: readonly Pod[], facts: RankFacts): readonly Pod[] {
  const ranked = pods.map((pod) => ({ pod, keys: keysOf(pod, facts) }));
  return ranked
    .sort((a, b) => {
      for (const [i, key] of a.keys.entries()) {
        const other = b.keys[i] ?? 0;
        if (key !== other) return key - other;
      }
      return compareText(a.pod.metadata.uid ?? "", b.pod.metadata.uid ?? "");
    })
    .map(({ pod }) => pod);
}

/** By which two pods are compared, the weightiest first: the smaller goes earlier. */
function keysOf(pod: Pod, { costKey, siblingsOnNode, now }: RankFacts): readonly number[] {
  const { spec, status, metadata } = pod;
  const node = spec?.nodeName ?? "";
  return [
    node === "" ? 0 : 1,
    phases.indexOf(status?.phase ?? ""),
    isReady(pod) ? 1 : 0,
    costOf(metadata.annotations?.[costKey]),
    -siblingsOnNode(node),
    logarithmicAge(readySince(pod), now),
    -restartsOf(pod),
    logarithmicAge(timeOf(metadata.creationTimestamp), now),
  ];
}

/** An age in powers of two: pods that are about as old as each other are the same to it. */
function logarithmicAge(since: number | undefined, now: number): number {
  if (since === undefined) return 0;
  return Math.floor(Math.log2(Math.max(1, now - since)));
}

/** A number of 32 bits without signs or zeros before it; everything else costs nothing. */
function costOf(text: string | undefined): number {
  if (text === undefined || !/^(0|-?[1-9][0-9]{0,9})$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}
