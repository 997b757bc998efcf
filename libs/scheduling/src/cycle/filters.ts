import type { Cycle, FiltersOn, NodeFilter, WhatIf } from "../framework/plugin.js";
import { isRejection } from "../framework/plugin.js";
import type { Profile } from "../framework/profile.js";
import { failed, type Rejection, unresolvable } from "../framework/status.js";
import { type NodeInfo, withoutPods, withPod } from "../model/node-info.js";
import type { PodInfo } from "../model/pod-info.js";

/** What a cycle's filters are, once every plugin has prepared what it needs. */
export interface Filters {
  readonly cycle: Cycle;
  readonly filters: readonly NodeFilter[];
  /** The nodes to look at, and the plugins that say so; absent: all. */
  readonly narrowed: { readonly names: ReadonlySet<string>; readonly plugins: readonly string[] } | undefined;
  /** Refuses the pod as a whole. */
  readonly rejection: Rejection | undefined;
}

/** Names that all plugins allow. */
interface Narrowing {
  names: ReadonlySet<string>;
  readonly plugins: string[];
}

/**
 * Runs `preFilter` of each plugin. A rejection that preemption may mend lets the others prepare still, because preemption
 * runs their filters.
 */
export function prepareFilters(profile: Profile, cycle: Cycle): Filters {
  const prepared = new Map<string, NodeFilter | undefined>();
  let rejection: Rejection | undefined;
  let narrowing: Narrowing | undefined;
  const ended = (last: Rejection | undefined): Filters => ({
    cycle,
    filters: last === undefined || last.code === "Unschedulable" ? filtersOf(profile, cycle, prepared) : [],
    narrowed: narrowing,
    rejection: last,
  });
  for (const plugin of profile.preFilter) {
    const answer = plugin.preFilter(cycle);
    if (answer.code === "Skip") {
      prepared.set(plugin.name, undefined);
      continue;
    }
    if (isRejection(answer)) {
      if (answer.code === "Error") {
        return ended(
          failed(plugin.name, `running PreFilter plugin ${JSON.stringify(plugin.name)}: ${answer.reasons.join(", ")}`),
        );
      }
      if (answer.code !== "Unschedulable") return ended(answer);
      rejection = answer;
      continue;
    }
    prepared.set(plugin.name, answer.filter);
    if (answer.nodes === undefined) continue;
    narrowing = narrow(narrowing, answer.nodes, plugin.name);
    if (narrowing.names.size === 0) return ended(disjoint(narrowing.plugins));
  }
  return ended(rejection);
}

function narrow(before: Narrowing | undefined, names: ReadonlySet<string>, plugin: string): Narrowing {
  if (before === undefined) return { names, plugins: [plugin] };
  const both = new Set([...before.names].filter((name) => names.has(name)));
  return { names: both, plugins: [...before.plugins, plugin] };
}

function disjoint(plugins: readonly string[]): Rejection {
  const [first = ""] = plugins;
  if (plugins.length === 1) return unresolvable(first, `node(s) didn't satisfy plugin ${first}`);
  return unresolvable(first, `node(s) didn't satisfy plugin(s) [${plugins.toSorted().join(" ")}] simultaneously`);
}

function filtersOf(
  profile: Profile,
  cycle: Cycle,
  prepared: ReadonlyMap<string, NodeFilter | undefined>,
): readonly NodeFilter[] {
  return profile.filter.flatMap(({ name, filter }) => {
    if (filter !== "prepared") {
      const begun = filter(cycle);
      return "code" in begun ? [] : [begun];
    }
    if (!prepared.has(name)) return [unprepared(name, "PreFilter")];
    const own = prepared.get(name);
    return own === undefined ? [] : [own];
  });
}

/** A profile that runs the second half of a plugin without the first. */
function unprepared(plugin: string, point: string): NodeFilter {
  const rejection = failed(plugin, `reading ${JSON.stringify(point + plugin)} from cycleState: not found`);
  return () => rejection;
}

export function firstRejection(filters: readonly NodeFilter[], node: NodeInfo): Rejection | undefined {
  for (const filter of filters) {
    const rejection = filter(node);
    if (rejection !== undefined) return rejection;
  }
  return undefined;
}

/**
 * The rejection of a node. Where pods of no less priority are to come to it the pod must fit beside them and also
 * without them: they are not there yet, and others may depend on their presence.
 */
export function rejectionOn(
  { filters, cycle }: Pick<Filters, "filters" | "cycle">,
  node: NodeInfo,
): Rejection | undefined {
  if (!cycle.cluster.hasNominated) return firstRejection(filters, node);
  const nominated = cycle.cluster.nominated(node.name);
  if (nominated.length === 0) return firstRejection(filters, node);
  return withNominated(filters, cycle, node, nominated);
}

function withNominated(
  filters: readonly NodeFilter[],
  { pod }: Cycle,
  node: NodeInfo,
  nominated: readonly PodInfo[],
): Rejection | undefined {
  const rivals = nominated.filter((other) => other.priority >= pod.priority && other.key !== pod.key);
  let [changedFilters, changedNode] = [filters, node];
  for (const rival of rivals) {
    changedFilters = changed(changedFilters, changedNode, rival, 1);
    changedNode = withPod(changedNode, rival);
  }
  const rejection = firstRejection(changedFilters, changedNode);
  return rejection !== undefined || rivals.length === 0 ? rejection : firstRejection(filters, node);
}

/** Most filters look at nothing but the node. */
const changed = (filters: readonly NodeFilter[], node: NodeInfo, pod: PodInfo, by: 1 | -1): readonly NodeFilter[] =>
  filters.some((filter) => filter.changed !== undefined)
    ? filters.map((filter) => filter.changed?.(node, pod, by) ?? filter)
    : filters;

/** Filters on a node whose pods come and go. */
export function filtersOn({ filters: own, cycle }: Filters): FiltersOn {
  const whatIf = (filters: readonly NodeFilter[], node: NodeInfo): WhatIf => ({
    node,
    rejection: () => rejectionOn({ filters, cycle }, node),
    with: (pod) => whatIf(changed(filters, node, pod, 1), withPod(node, pod)),
    without: (pods) => {
      let left = filters;
      for (const pod of pods) left = changed(left, node, pod, -1);
      return whatIf(left, withoutPods(node, pods));
    },
  });
  return (node) => whatIf(own, node);
}
