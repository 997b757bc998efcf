import type { Naming } from "@orch/naming/naming.js";
import { isListed, type Kind } from "../api/discovery.js";

/** Kinds under a heading. */
export interface Section {
  readonly title: string;
  readonly kinds: readonly Kind[];
}

/** By the names of the catalog: groups of ours without what a dialect puts behind them. */
const known: readonly (readonly [title: string, kinds: readonly string[]])[] = [
  [
    "Workloads",
    [
      "pods",
      "apps/deployments",
      "apps/statefulsets",
      "apps/daemonsets",
      "apps/replicasets",
      "batch/jobs",
      "batch/cronjobs",
      "autoscaling/horizontalpodautoscalers",
      "policy/poddisruptionbudgets",
      "replicationcontrollers",
      "podtemplates",
    ],
  ],
  ["Configuration", ["configmaps", "secrets", "resourcequotas", "limitranges"]],
  [
    "Network",
    [
      "services",
      "networking/ingresses",
      "networking/networkpolicies",
      "discovery/endpointslices",
      "endpoints",
      "networking/ingressclasses",
    ],
  ],
  [
    "Storage",
    [
      "persistentvolumeclaims",
      "persistentvolumes",
      "storage/storageclasses",
      "storage/volumeattachments",
      "storage/csidrivers",
      "storage/csinodes",
    ],
  ],
  [
    "Access",
    [
      "serviceaccounts",
      "rbac.authorization/roles",
      "rbac.authorization/rolebindings",
      "rbac.authorization/clusterroles",
      "rbac.authorization/clusterrolebindings",
    ],
  ],
  ["Cluster", ["nodes", "namespaces", "events", "coordination/leases", "scheduling/priorityclasses"]],
];

/** Groups whose name is the same in each dialect. */
const plainGroups: ReadonlySet<string> = new Set(["", "apps", "batch", "autoscaling", "policy"]);

export const groupName = (naming: Naming, short: string): string =>
  plainGroups.has(short) ? short : naming.group(short);

/** Every kind that can be listed: the known ones under their headings, the rest by what serves them. */
export function sectionsOf(kinds: readonly Kind[], naming: Naming): readonly Section[] {
  const byName = new Map(kinds.filter(isListed).map((kind) => [`${kind.group}/${kind.plural}`, kind]));
  const take = (name: string): readonly Kind[] => {
    const [plural = "", short = ""] = name.split("/").reverse();
    const key = `${groupName(naming, short)}/${plural}`;
    const kind = byName.get(key);
    byName.delete(key);
    return kind === undefined ? [] : [kind];
  };
  const sections = known.map(([title, names]) => ({ title, kinds: names.flatMap(take) }));
  const isOwn = ({ group }: Kind): boolean => plainGroups.has(group) || group.endsWith(naming.group(""));
  const rest = [...byName.values()];
  return [
    ...sections,
    { title: "Custom resources", kinds: rest.filter((kind) => !isOwn(kind)) },
    { title: "API and policy", kinds: rest.filter(isOwn) },
  ].filter((section) => section.kinds.length > 0);
}
