import { isGoing, timeOf } from "../rim/objects.js";
import { hasEnded } from "../rim/pods.js";
import { isReady } from "../seen/conditions.js";
import type { SeenNode } from "../seen/node.js";
import type { SeenPod } from "../seen/pod.js";

export type CollectReason = "terminated" | "orphaned" | "unscheduled" | "out-of-service";

export interface Collected {
  readonly pod: SeenPod;
  readonly reason: CollectReason;
}

export interface CollectorState {
  readonly pods: Iterable<SeenPod>;
  readonly nodeOf: (name: string) => SeenNode | undefined;
  /** Nodes that are gone for certain. */
  readonly absent: ReadonlySet<string>;
}

export interface CollectorRules {
  /** Pods that have ended and are kept; all of them where it is not above 0. */
  readonly threshold: number;
  /** Key of the taint of a node that will not come back by itself. */
  readonly outOfService: string;
}

/** The pods that nobody else takes away. */
export function decideCollection(
  { pods, nodeOf, absent }: CollectorState,
  rules: CollectorRules,
): readonly Collected[] {
  const collected: Collected[] = [];
  const ended: SeenPod[] = [];
  for (const pod of pods) {
    const { nodeName = "" } = pod.spec ?? {};
    const reason = reasonOf(pod, { node: nodeOf(nodeName), absent: nodeName !== "" && absent.has(nodeName), rules });
    if (reason !== undefined) collected.push({ pod, reason });
    else if (hasEnded(pod) && !isGoing(pod)) ended.push(pod);
  }
  const tooMany = rules.threshold > 0 ? Math.max(0, ended.length - rules.threshold) : 0;
  const first = tooMany === 0 ? [] : ended.sort(byUse).slice(0, tooMany);
  return [...collected, ...first.map((pod) => ({ pod, reason: "terminated" as const }))];
}

function reasonOf(
  pod: SeenPod,
  {
    node,
    absent,
    rules,
  }: { readonly node: SeenNode | undefined; readonly absent: boolean; readonly rules: CollectorRules },
): CollectReason | undefined {
  if (absent) return "orphaned";
  if (!isGoing(pod)) return undefined;
  if ((pod.spec?.nodeName ?? "") === "") return "unscheduled";
  const isOut =
    node !== undefined && !isReady(node) && node.spec?.taints?.some(({ key }) => key === rules.outOfService);
  return isOut === true ? "out-of-service" : undefined;
}

/** Evicted ones first, then the oldest. */
function byUse(a: SeenPod, b: SeenPod): number {
  const evicted = Number(isEvicted(b)) - Number(isEvicted(a));
  if (evicted !== 0) return evicted;
  return (
    timeOf(a.metadata.creationTimestamp) - timeOf(b.metadata.creationTimestamp) ||
    ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1)
  );
}

const isEvicted = ({ status }: SeenPod): boolean => status?.reason === "Evicted";

/** Nodes that pods name and that are not there. */
export function missingNodes(pods: Iterable<SeenPod>, nodeOf: (name: string) => unknown): ReadonlySet<string> {
  const missing = new Set<string>();
  for (const { spec } of pods) {
    const { nodeName = "" } = spec ?? {};
    if (nodeName !== "" && nodeOf(nodeName) === undefined) missing.add(nodeName);
  }
  return missing;
}
