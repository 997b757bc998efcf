import type { ClusterView } from "../cluster/view.js";
import { type Rejection, unresolvable } from "../framework/status.js";
import type { NodeInfo } from "../model/node-info.js";
import type { Judge } from "./filter-memory.js";
import { type Filters, rejectionOn } from "./filters.js";
import { enoughFeasible } from "./sample.js";

export interface Search {
  /** Where in the list to begin. */
  readonly start: number;
  /** Of all nodes, 0 … 100; 0: by the size of the cluster. */
  readonly percentage: number;
  /** One node is enough: nothing would tell several apart. */
  readonly anyNode: boolean;
}

export interface Found {
  readonly feasible: readonly NodeInfo[];
  readonly looked: readonly NodeInfo[];
  /** At the place of each node of `looked`; empty where no node was refused. */
  readonly rejections: readonly (Rejection | undefined)[];
  readonly absent: Rejection | undefined;
  /** How many nodes were looked at, and how far in the list the search has come. */
  readonly evaluated: number;
  readonly advance: number;
  /** A filter failed: nothing can be said. */
  readonly error: Rejection | undefined;
}

/** Looks at nodes in turn until enough fit. */
export function findFeasible(filters: Filters, judge: Judge, { start, percentage, anyNode }: Search): Found {
  const { cycle, narrowed } = filters;
  const { nodes } = cycle.cluster;
  const nominee = feasibleNominee(filters);
  if (nominee !== undefined) {
    return {
      feasible: [nominee],
      looked: nodes,
      rejections: [],
      absent: undefined,
      evaluated: 1,
      advance: 0,
      error: undefined,
    };
  }
  const looked = narrowed === undefined ? nodes : namedNodes(narrowed.names, cycle.cluster);
  const absent =
    narrowed === undefined
      ? undefined
      : unresolvable(
          narrowed.plugins[0] ?? "",
          `node(s) didn't satisfy plugin(s) [${narrowed.plugins.toSorted().join(" ")}]`,
        );
  const enough = anyNode ? 1 : enoughFeasible(looked.length, percentage);
  const feasible: NodeInfo[] = [];
  let rejections: (Rejection | undefined)[] = [];
  let evaluated = 0;
  for (let i = start % Math.max(1, looked.length); evaluated < looked.length && feasible.length < enough; evaluated++) {
    const node = looked[i];
    if (node === undefined) break;
    const rejection = judge(node, i);
    if (rejection === undefined) feasible.push(node);
    else if (rejection.code === "Error") {
      return { feasible: [], looked, rejections, absent, evaluated, advance: evaluated, error: rejection };
    } else {
      if (rejections.length === 0) rejections = new Array<Rejection | undefined>(looked.length).fill(undefined);
      rejections[i] = rejection;
    }
    i = i + 1 === looked.length ? 0 : i + 1;
  }
  return { feasible, looked, rejections, absent, evaluated, advance: evaluated, error: undefined };
}

/** A pod of a daemon set names one node of thousands: the others are not looked at, not even by name. */
const namedNodes = (names: ReadonlySet<string>, cluster: ClusterView): readonly NodeInfo[] =>
  [...names].flatMap((name) => cluster.node(name) ?? []);

/** The node on which room was made for this pod, if it fits there by now. */
function feasibleNominee(filters: Filters): NodeInfo | undefined {
  const { pod, cluster } = filters.cycle;
  const { narrowed } = filters;
  if (pod.nominatedNode === "" || narrowed?.names.has(pod.nominatedNode) === false) return undefined;
  const node = cluster.node(pod.nominatedNode);
  return node === undefined || rejectionOn(filters, node) !== undefined ? undefined : node;
}
