import type { Kind } from "@orch/api/catalog.js";

/**
 * Resources in the order in which they are written: what others need comes before them, and what judges others last, so that
 * no webhook of a set is asked about the set it came in. They are deleted the other way round.
 */
const phases: readonly (readonly string[])[] = [
  ["namespaces", "priorityclasses"],
  ["customresourcedefinitions"],
  ["clusterroles", "roles", "serviceaccounts"],
  ["clusterrolebindings", "rolebindings"],
  ["networkpolicies", "resourcequotas", "limitranges", "poddisruptionbudgets"],
  ["secrets", "configmaps", "storageclasses", "persistentvolumes", "ingressclasses", "runtimeclasses"],
  ["persistentvolumeclaims"],
  ["services", "endpoints", "endpointslices"],
  // Whatever no line names.
  [],
  ["daemonsets", "pods", "replicationcontrollers", "replicasets", "deployments", "statefulsets", "jobs", "cronjobs"],
  ["horizontalpodautoscalers", "ingresses"],
  // Custom resources: who converts and reconciles them may be a workload of the same set.
  ["*"],
  ["apiservices"],
  [
    "validatingadmissionpolicies",
    "mutatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "mutatingadmissionpolicybindings",
  ],
  ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"],
];

const ranks: ReadonlyMap<string, number> = new Map(
  phases.flatMap((phase, rank) => phase.map((plural) => [plural, rank] as const)),
);
const others = phases.findIndex((phase) => phase.length === 0);

/** Of a kind among {@link phases}: lower ones are written first. */
export function rankOf({ plural, definition }: Pick<Kind, "plural" | "definition">): number {
  return ranks.get(definition === undefined ? plural : "*") ?? others;
}

/** Things in groups of one rank, the lowest first. */
export function inPhases<T>(things: readonly T[], rank: (thing: T) => number): readonly (readonly T[])[] {
  const byRank = new Map<number, T[]>();
  for (const thing of things) {
    const at = rank(thing);
    const some = byRank.get(at);
    if (some === undefined) byRank.set(at, [thing]);
    else some.push(thing);
  }
  return [...byRank].sort(([a], [b]) => a - b).map(([, some]) => some);
}
