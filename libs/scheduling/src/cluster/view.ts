import type { NodeInfo } from "../model/node-info.js";
import type { PodInfo } from "../model/pod-info.js";
import type { NamespaceLabels } from "../model/pod-terms.js";
import type { DomainCounts, DomainQuestion } from "./domain-counts.js";
import type { OtherObjects } from "./objects.js";
import type { PlaceLog } from "./place-log.js";
import type { PodGroups } from "./pod-groups.js";
import type { Tally } from "./tally.js";
import type { TermIndex } from "./term-index.js";

/**
 * The cluster as a cycle sees it. It is live: a cycle runs without a pause between its first look and its decision, so
 * that nothing is copied for it. What it hands out of nodes and pods never changes; lists and counts do, with the next
 * change that the cluster is told.
 */
export interface ClusterView {
  /** In the order in which cycles visit them. */
  readonly nodes: readonly NodeInfo[];
  /** Of {@link nodes}, to be read after them. */
  readonly changes: PlaceLog;
  node(name: string): NodeInfo | undefined;
  readonly namespaceLabels: NamespaceLabels;
  /** How often {@link namespaceLabels} has changed. */
  readonly namespaceChanges: number;
  /** Answers that follow changes from the first time that somebody asks. */
  domains(question: DomainQuestion): DomainCounts;
  /** The same, where domains without pods are no matter. */
  tally(question: DomainQuestion): Tally;
  /** Pods on nodes, those that are alike together. */
  readonly groups: Pick<PodGroups, "candidates" | "changes">;
  /** Some node has a label of this key. */
  hasNodeLabel(key: string): boolean;
  /** Terms of pods on nodes, about other pods. */
  readonly terms: {
    readonly affinity: TermIndex;
    readonly antiAffinity: TermIndex;
    readonly preferred: TermIndex;
    readonly preferredAnti: TermIndex;
  };
  /** How many nodes hold an image. */
  nodesWithImage(name: string): number;
  /** Pods that wait for a node on which room is made for them. */
  nominated(node: string): readonly PodInfo[];
  /** The node that a pod is {@link nominated} to. */
  nominatedNodeOf(pod: string): string | undefined;
  /** Somebody is {@link nominated} somewhere. */
  readonly hasNominated: boolean;
  /** One of them wants to be far from others. */
  readonly nominatedKeepAway: boolean;
  /** Pods that use a claim (`namespace/name`). */
  podsWithClaim(claim: string): number;
  readonly objects: OtherObjects;
}
