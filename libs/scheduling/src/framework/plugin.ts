import type { ClusterView } from "../cluster/view.js";
import type { NodeInfo } from "../model/node-info.js";
import type { PodInfo } from "../model/pod-info.js";
import type { Registration } from "./events.js";
import type { Rejection, Skip, Wait } from "./status.js";

/** One attempt to find a node for a pod. */
export interface Cycle {
  readonly pod: PodInfo;
  readonly cluster: ClusterView;
  /** Milliseconds since 1970, the same for the whole cycle. */
  readonly now: number;
}

/** A plugin's filter of one cycle; absent answer: the pod fits as far as this plugin goes. */
export interface NodeFilter {
  (node: NodeInfo): Rejection | undefined;
  /**
   * The filter as it would be with one pod more (`1`) or less (`-1`) on a node, asked about that node alone. Absent: the
   * filter looks at nothing but the node that it is given, whose pods are then others.
   */
  readonly changed?: (node: NodeInfo, pod: PodInfo, by: 1 | -1) => NodeFilter;
  /**
   * The answer depends on nothing but the pod's spec, labels and namespace and the value of the node: the same for both,
   * it may be remembered.
   */
  readonly isLocal?: true;
}

/** A filter that is {@link NodeFilter.isLocal}. */
export const localFilter = (filter: (node: NodeInfo) => Rejection | undefined): NodeFilter =>
  Object.assign(filter, { isLocal: true as const });

export interface Prepared {
  readonly code: "Ready";
  readonly filter?: NodeFilter;
  /** The only nodes to look at. */
  readonly nodes?: ReadonlySet<string>;
}

/** A plugin's scores of one cycle. */
export interface NodeScore {
  score(node: NodeInfo): number;
  /** Brings the scores of `nodes` to 0 … 100, in place. Absent: they are. */
  readonly normalize?: (scores: Float64Array, nodes: readonly NodeInfo[]) => void;
}

/** What failed to fit, for whoever may make room. */
export interface Unfit {
  readonly cycle: Cycle;
  /** Nodes that filters were run on, and the rejection of each at its place. */
  readonly looked: readonly NodeInfo[];
  readonly rejections: readonly (Rejection | undefined)[];
  /** Of all other nodes. */
  readonly absent: Rejection | undefined;
  /** All of the cycle's filters are {@link NodeFilter.isLocal}. */
  readonly isLocal: boolean;
  /** Runs the cycle's filters on a node as it would be. */
  readonly filtersOn: FiltersOn;
}

/** Filters of a cycle on one node, whose pods change; each change gives another value. */
export interface WhatIf {
  readonly node: NodeInfo;
  rejection(): Rejection | undefined;
  with(pod: PodInfo): WhatIf;
  without(pods: readonly PodInfo[]): WhatIf;
}
export type FiltersOn = (node: NodeInfo) => WhatIf;

export interface Nomination {
  readonly node: string;
  /** Pods to make go, most important first. */
  readonly victims: readonly PodInfo[];
  readonly violations: number;
}

/** What came of making room: a node to wait for, or a sentence why not. */
export type PostFiltered =
  | {
      readonly code: "Success";
      readonly nomination: Nomination;
      /** Among which it was chosen, for those who ask others about them. */
      readonly candidates: readonly Nomination[];
    }
  | { readonly code: "Unschedulable"; readonly message: string; readonly clearNomination: boolean };

/** A pod in the queue, as the order of the queue sees it. */
export interface Queued {
  readonly pod: PodInfo;
  /** When it was last added, milliseconds of the caller's clock. */
  readonly timestamp: number;
}

type Placed = (pod: PodInfo, node: string, signal: AbortSignal) => Promise<Rejection | undefined>;

/**
 * A part of the scheduler's decisions. Each member is an extension point; a plugin has those that it implements. The
 * members of one cycle are called in their order here, on one thread; none may change what it is given.
 *
 * `"prepared"` stands where the plugin's earlier member (`preFilter`, `preScore`) gives what this one does.
 */
export interface Plugin {
  readonly name: string;
  /** Whether a pod may enter the queue. */
  readonly preEnqueue?: (pod: PodInfo) => Rejection | undefined;
  /** Negative: `a` is tried before `b`. */
  readonly queueSort?: (a: Queued, b: Queued) => number;
  readonly preFilter?: (cycle: Cycle) => Prepared | Skip | Rejection;
  readonly filter?: "prepared" | ((cycle: Cycle) => NodeFilter | Skip);
  /** Only where no node is left. */
  readonly postFilter?: (unfit: Unfit) => PostFiltered;
  readonly preScore?: (cycle: Cycle, nodes: readonly NodeInfo[]) => NodeScore | Skip | Rejection;
  readonly score?: "prepared" | ((cycle: Cycle) => NodeScore);
  /** Keeps what the pod will need; `unreserve` is called on failure, also where `reserve` was not. */
  readonly reserve?: {
    readonly reserve: (pod: PodInfo, node: string) => Rejection | undefined;
    readonly unreserve: (pod: PodInfo, node: string) => void;
  };
  readonly permit?: (pod: PodInfo, node: string) => Rejection | Wait | undefined;
  readonly preBind?: Placed;
  readonly bind?: (pod: PodInfo, node: string, signal: AbortSignal) => Promise<Rejection | Skip | undefined>;
  readonly postBind?: (pod: PodInfo, node: string) => void;
  /** Events after which pods that this plugin refused are worth a try. Absent: all of them. */
  readonly events?: readonly Registration[];
}

export const isRejection = (answer: { readonly code: string }): answer is Rejection =>
  answer.code !== "Skip" && answer.code !== "Ready" && answer.code !== "Wait";
