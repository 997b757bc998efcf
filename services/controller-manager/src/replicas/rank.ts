import { compareText, timeOf } from "../rim/objects.js";
import { isReady, mostRestarts, mostSidecarRestarts, type Pod, readySince } from "../rim/pods.js";

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
      const byUid = compareText(a.pod.metadata.uid ?? "", b.pod.metadata.uid ?? "");
      for (const [i, key] of a.keys.entries()) {
        const other = b.keys[i] ?? key;
        if (key.value === other.value) continue;
        if (key.rank !== other.rank) return key.rank - other.rank;
        // Not the same and about as much: nothing that weighs less decides then.
        return byUid;
      }
      return byUid;
    })
    .map(({ pod }) => pod);
}

/** What two pods are compared by: the smaller rank goes earlier, where values differ at all. */
interface Key {
  readonly value: number;
  readonly rank: number;
}

const exact = (value: number): Key => ({ value, rank: value });

/** The weightiest first. */
function keysOf(pod: Pod, { costKey, siblingsOnNode, now }: RankFacts): readonly Key[] {
  const { spec, status, metadata } = pod;
  const node = spec?.nodeName ?? "";
  return [
    exact(node === "" ? 0 : 1),
    exact(phases.indexOf(status?.phase ?? "")),
    exact(isReady(pod) ? 1 : 0),
    exact(costOf(metadata.annotations?.[costKey])),
    exact(-siblingsOnNode(node)),
    ageKey(readySince(pod), now),
    exact(-mostRestarts(pod)),
    exact(-mostSidecarRestarts(pod)),
    ageKey(timeOf(metadata.creationTimestamp), now),
  ];
}

const nanoseconds = 1_000_000;

/** By the age in powers of two nanoseconds: pods that are about as old as each other are the same to it. */
function ageKey(since: number | undefined, now: number): Key {
  if (since === undefined) return exact(0);
  const age = now - since;
  return { value: -since, rank: age > 0 ? Math.floor(Math.log2(age * nanoseconds)) : -1 };
}

/** A number of 32 bits without signs or zeros before it; everything else costs nothing. */
function costOf(text: string | undefined): number {
  if (text === undefined || !/^(0|-?[1-9][0-9]{0,9})$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}
