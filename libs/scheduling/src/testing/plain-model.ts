import { selectorMatches } from "@orch/api/kinds/shared/label-selector.js";
import { nanoOf } from "@orch/schema/formats/quantity.js";
import type { RawNode, RawPod, RawPodTerm, RawSpread, RawTaint, RawToleration } from "../model/objects.js";
import { naming } from "./cluster-of.js";

/** The rules of filters once more, as plainly as can be: each asks all nodes and all pods. What is left out: claims. */
export interface PlainCluster {
  readonly nodes: readonly RawNode[];
  /** Labels of namespaces. */
  readonly namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** With `spec.nodeName`. */
  readonly pods: readonly RawPod[];
}

type Rule = (pod: RawPod, node: RawNode, cluster: PlainCluster) => boolean;

const labelsOf = ({ metadata }: RawPod | RawNode) => metadata?.labels ?? {};
const nameOf = ({ metadata }: RawPod | RawNode): string => metadata?.name ?? "";
const namespaceOf = ({ metadata }: RawPod): string => metadata?.namespace ?? "";
const on = (node: RawNode, { pods }: PlainCluster): readonly RawPod[] =>
  pods.filter(({ spec }) => spec?.nodeName === nameOf(node));
const nodeOf = (pod: RawPod, { nodes }: PlainCluster): RawNode | undefined =>
  nodes.find((node) => nameOf(node) === pod.spec?.nodeName);
const sum = (numbers: readonly bigint[]): bigint => numbers.reduce((a, b) => a + b, 0n);
const asks = ({ spec }: RawPod, name: string): bigint =>
  sum((spec?.containers ?? []).map(({ resources }) => nanoOf(String(resources?.requests?.[name] ?? "0"))));
const domain = (node: RawNode | undefined, key: string): string | undefined =>
  node === undefined ? undefined : labelsOf(node)[key];

const covers = (t: RawToleration, taint: RawTaint): boolean =>
  ((t.effect ?? "") === "" || t.effect === taint.effect) &&
  ((t.key ?? "") === "" || t.key === taint.key) &&
  (t.operator === "Exists" || (t.value ?? "") === (taint.value ?? ""));
const tolerated = ({ spec }: RawPod, taint: RawTaint): boolean =>
  (spec?.tolerations ?? []).some((t) => covers(t, taint));

const fits: Rule = (pod, node, cluster) => {
  const has = node.status?.allocatable ?? {};
  const held = on(node, cluster);
  return (
    nanoOf(String(has["pods"] ?? "0")) >= BigInt(held.length + 1) * 1_000_000_000n &&
    ["cpu", "memory"].every(
      (name) =>
        asks(pod, name) === 0n ||
        asks(pod, name) + sum(held.map((other) => asks(other, name))) <= nanoOf(String(has[name] ?? "0")),
    )
  );
};

const isTolerant: Rule = (pod, { spec }) =>
  (spec?.taints ?? []).every((t) => t.effect === "PreferNoSchedule" || tolerated(pod, t)) &&
  (spec?.unschedulable !== true ||
    tolerated(pod, { key: `node.${naming.key("unschedulable")}`, effect: "NoSchedule" }));

const isSelected: Rule = ({ spec }, node) =>
  Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labelsOf(node)[key] === value);

const hasPorts: Rule = (pod, node, cluster) => {
  const ports = ({ spec }: RawPod) => (spec?.containers ?? []).flatMap((c) => (c.ports ?? []).map((p) => p.hostPort));
  return !on(node, cluster).some((other) => ports(other).some((port) => ports(pod).includes(port)));
};

/** Labels that a constraint asks for beside its selector: the pod's own values. */
const asksToo = (pod: RawPod, { matchLabelKeys = [] }: RawSpread): Readonly<Record<string, string>> =>
  Object.fromEntries(
    matchLabelKeys.flatMap((key) => (labelsOf(pod)[key] === undefined ? [] : [[key, labelsOf(pod)[key] ?? ""]])),
  );

const isCounted = (pod: RawPod, constraint: RawSpread, other: RawPod): boolean =>
  namespaceOf(other) === namespaceOf(pod) &&
  selectorMatches(constraint.labelSelector, labelsOf(other)) &&
  selectorMatches({ matchLabels: asksToo(pod, constraint) }, labelsOf(other));

const counts = (pod: RawPod, constraint: RawSpread, node: RawNode, cluster: PlainCluster): boolean =>
  (constraint.nodeAffinityPolicy === "Ignore" || isSelected(pod, node, cluster)) &&
  (constraint.nodeTaintsPolicy !== "Honor" ||
    (node.spec?.taints ?? []).every((t) => t.effect === "PreferNoSchedule" || tolerated(pod, t)));

const constraintsOf = ({ spec }: RawPod, action: string): readonly RawSpread[] =>
  (spec?.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action);

/** Nodes whose pods a constraint counts. */
const countedNodes = (pod: RawPod, constraint: RawSpread, cluster: PlainCluster): readonly RawNode[] => {
  const keys = constraintsOf(pod, constraint.whenUnsatisfiable ?? "").map(({ topologyKey = "" }) => topologyKey);
  return cluster.nodes.filter(
    (each) => keys.every((key) => domain(each, key) !== undefined) && counts(pod, constraint, each, cluster),
  );
};

const matchingIn = (pod: RawPod, constraint: RawSpread, nodes: readonly RawNode[], { pods }: PlainCluster): number =>
  pods.filter((other) => isCounted(pod, constraint, other) && nodes.some((n) => nameOf(n) === other.spec?.nodeName))
    .length;

const isSpread: Rule = (pod, node, cluster) =>
  constraintsOf(pod, "DoNotSchedule").every((constraint) => {
    const { topologyKey = "", maxSkew = 1, minDomains = 1 } = constraint;
    const own = domain(node, topologyKey);
    if (own === undefined) return false;
    const counted = countedNodes(pod, constraint, cluster);
    const matching = (name: string): number =>
      matchingIn(
        pod,
        constraint,
        counted.filter((each) => domain(each, topologyKey) === name),
        cluster,
      );
    const domains = [...new Set(counted.map((each) => domain(each, topologyKey) ?? ""))];
    const min = domains.length < minDomains ? 0 : Math.min(...domains.map(matching));
    const self = isCounted(pod, constraint, pod) ? 1 : 0;
    return matching(own) + self - min <= maxSkew;
  });

/** The raw score by which pods are spread as well as may be; `scored` are the nodes that fit. */
export function plainSpreadScore(
  pod: RawPod,
  node: RawNode,
  { scored, cluster }: { readonly scored: readonly RawNode[]; readonly cluster: PlainCluster },
): number {
  const constraints = constraintsOf(pod, "ScheduleAnyway");
  const hasAll = (each: RawNode) =>
    constraints.every(({ topologyKey = "" }) => domain(each, topologyKey) !== undefined);
  if (!hasAll(node)) return 0;
  const whole = scored.filter(hasAll);
  let sum = 0;
  for (const constraint of constraints) {
    const { topologyKey = "", maxSkew = 1 } = constraint;
    const isHost = topologyKey === naming.key("hostname");
    const size = isHost ? whole.length : new Set(whole.map((each) => domain(each, topologyKey))).size;
    const near = isHost
      ? [node]
      : countedNodes(pod, constraint, cluster).filter(
          (each) => domain(each, topologyKey) === domain(node, topologyKey),
        );
    sum += matchingIn(pod, constraint, near, cluster) * Math.log(size + 2) + maxSkew - 1;
  }
  return Math.round(sum);
}

const matches = (
  { namespaces: listed = [], namespaceSelector, labelSelector }: RawPodTerm,
  { owner, other, cluster }: { readonly owner: RawPod; readonly other: RawPod; readonly cluster: PlainCluster },
): boolean => {
  const names = listed.length === 0 && namespaceSelector === undefined ? [namespaceOf(owner)] : listed;
  const isNamed =
    names.includes(namespaceOf(other)) || selectorMatches(namespaceSelector, cluster.namespaces[namespaceOf(other)]);
  return isNamed && selectorMatches(labelSelector, labelsOf(other));
};

const terms = (pod: RawPod, sort: "podAffinity" | "podAntiAffinity"): readonly RawPodTerm[] =>
  pod.spec?.affinity?.[sort]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

const isAmongFriends: Rule = (pod, node, cluster) => {
  const wanted = terms(pod, "podAffinity");
  const friends = cluster.pods.filter(
    (other) =>
      nodeOf(other, cluster) !== undefined && wanted.every((term) => matches(term, { owner: pod, other, cluster })),
  );
  const keys = wanted.map(({ topologyKey = "" }) => topologyKey);
  if (keys.some((key) => domain(node, key) === undefined)) return false;
  const isNear = (other: RawPod, key: string): boolean => domain(nodeOf(other, cluster), key) === domain(node, key);
  if (keys.every((key) => friends.some((other) => isNear(other, key)))) return true;
  const areAnywhere = friends.some((other) => keys.some((key) => domain(nodeOf(other, cluster), key) !== undefined));
  return !areAnywhere && wanted.every((term) => matches(term, { owner: pod, other: pod, cluster }));
};

const isFarFromFoes: Rule = (pod, node, cluster) =>
  cluster.pods.every((other) => {
    const isNear = ({ topologyKey = "" }: RawPodTerm): boolean => {
      const own = domain(node, topologyKey);
      return own !== undefined && own === domain(nodeOf(other, cluster), topologyKey);
    };
    return (
      !terms(pod, "podAntiAffinity").some((term) => isNear(term) && matches(term, { owner: pod, other, cluster })) &&
      !terms(other, "podAntiAffinity").some(
        (term) => isNear(term) && matches(term, { owner: other, other: pod, cluster }),
      )
    );
  });

/** The raw score by which pods are near to whom they like, and who likes them, with a weight of 1 for required terms. */
export function plainAffinityScore(pod: RawPod, node: RawNode, cluster: PlainCluster): number {
  const preferred = (owner: RawPod, sort: "podAffinity" | "podAntiAffinity") =>
    owner.spec?.affinity?.[sort]?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  let sum = 0;
  for (const held of cluster.pods) {
    const add = (term: RawPodTerm, owner: RawPod, weight: number): void => {
      const own = domain(node, term.topologyKey ?? "");
      const isNear = own !== undefined && own === domain(nodeOf(held, cluster), term.topologyKey ?? "");
      const other = owner === pod ? held : pod;
      if (isNear && matches(term, { owner, other, cluster })) sum += weight;
    };
    for (const [sort, sign] of [
      ["podAffinity", 1],
      ["podAntiAffinity", -1],
    ] as const) {
      for (const owner of [pod, held]) {
        for (const { weight = 0, podAffinityTerm = {} } of preferred(owner, sort))
          add(podAffinityTerm, owner, sign * weight);
      }
    }
    for (const term of terms(held, "podAffinity")) add(term, held, 1);
  }
  return sum;
}

const rules: readonly Rule[] = [fits, isTolerant, isSelected, hasPorts, isSpread, isAmongFriends, isFarFromFoes];

/** Names of nodes that the pod may stand on, sorted. */
export const plainlyFeasible = (pod: RawPod, cluster: PlainCluster): readonly string[] =>
  cluster.nodes
    .filter((node) => rules.every((rule) => rule(pod, node, cluster)))
    .map(nameOf)
    .sort();
