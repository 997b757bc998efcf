import type { Labels } from "@orch/api/selectors/labels.js";
import type { Naming } from "@orch/naming/naming.js";
import { jsonText } from "@orch/status/json-text.js";
import {
  emptyNode,
  type NodeFacts,
  type NodeInfo,
  nodeFactsOf,
  withFacts,
  withoutPod,
  withPod,
} from "../model/node-info.js";
import type { RawNode } from "../model/objects.js";
import { type PodInfo, placed } from "../model/pod-info.js";
import { preferredTerms, requiredTerms } from "../model/term-list.js";
import type { Taint } from "../model/tolerations.js";
import { createByLabel } from "./by-label.js";
import { createDomainCounter, type DomainCounter, type DomainQuestion, type Follower } from "./domain-counts.js";
import { interleaved } from "./node-order.js";
import { createNominations, type Nominations } from "./nominations.js";
import { createOtherObjects } from "./objects.js";
import { createPlaceLog } from "./place-log.js";
import { createPodGroups } from "./pod-groups.js";
import { createTally, type TallyFollower } from "./tally.js";
import { createTermIndex } from "./term-index.js";
import type { ClusterView } from "./view.js";

/** The cluster that cycles look at, and what it is told. */
export interface Cluster extends ClusterView {
  /** A node came or changed. */
  setNode(raw: RawNode): { readonly before: NodeFacts | undefined; readonly after: NodeFacts };
  removeNode(name: string): NodeFacts | undefined;
  /** A pod that has a node came or changed; confirms an assumed one. Answers its state before. */
  setPod(pod: PodInfo): PodInfo | undefined;
  /** A pod is gone, or has ended. */
  removePod(key: string): PodInfo | undefined;
  /** The pod counts on the node from now on, before the server knows. */
  assume(pod: PodInfo, node: string): void;
  /** An assumed pod did not come to its node. Does nothing to one that the server has confirmed. */
  forget(key: string): void;
  pod(key: string): PodInfo | undefined;
  /** Those that have a node, assumed ones too. */
  pods(): Iterable<PodInfo>;
  isAssumed(key: string): boolean;
  /** Undefined: the namespace is gone. */
  setNamespace(name: string, labels: Labels | undefined): void;
  readonly nominations: Nominations;
  sizes(): { readonly nodes: number; readonly pods: number; readonly assumed: number };
}

interface Slot {
  info: NodeInfo;
  index: number;
}

/** Counters that nobody has asked for of late are dropped beyond so many; a pod that changes is shown to each that it may concern. */
const mostCounters = 1024;

/** Of so many nodes one may stand out of place before all are put in order again. */
const mostInPlace = 16;

export function createCluster({ naming }: { readonly naming: Naming }): Cluster {
  const slots = new Map<string, Slot>();
  const order: NodeInfo[] = [];
  let isOrdered = true;
  /** Nodes that have come, gone or changed their zone since the order was made. */
  let outOfPlace = 0;
  const pods = new Map<string, PodInfo>();
  const assumed = new Set<string>();
  /** Pods whose node is not known yet, or no longer. */
  const homeless = new Map<string, Map<string, PodInfo>>();
  const namespaces = new Map<string, Labels>();
  let namespaceChanges = 0;
  const images = new Map<string, number>();
  const claims = new Map<string, number>();
  const labelKeys = new Map<string, number>();
  const counters = new Map<string, DomainCounter>();
  const tallies = new Map<string, TallyFollower>();
  const bySelector = createByLabel<Follower>();
  const groups = createPodGroups();
  const terms = {
    affinity: createTermIndex(),
    antiAffinity: createTermIndex(),
    preferred: createTermIndex(),
    preferredAnti: createTermIndex(),
  };
  const changes = createPlaceLog();
  const nominations = createNominations((node) => {
    const slot = slots.get(node);
    if (slot !== undefined) changes.changed(slot.index);
  });
  const objects = createOtherObjects();

  const put = (slot: Slot, info: NodeInfo): void => {
    slot.info = info;
    if (!isOrdered) return;
    order[slot.index] = info;
    changes.changed(slot.index);
  };

  /** A new order costs all nodes, so a few of them may stand out of place: one that came is the last. */
  const disturb = (): void => {
    outOfPlace += 1;
    if (outOfPlace * mostInPlace > order.length) isOrdered = false;
  };
  const enter = (slot: Slot): void => {
    slot.index = order.length;
    if (isOrdered) order.push(slot.info);
    changes.changed(slot.index);
    disturb();
  };
  /** The last one takes its place. */
  const leave = ({ index, info }: Slot): void => {
    const last = isOrdered ? order.pop() : undefined;
    const moved = last === undefined || last === info ? undefined : slots.get(last.name);
    if (moved !== undefined) {
      order[index] = moved.info;
      moved.index = index;
    }
    changes.changed(index);
    disturb();
  };

  const countTerms = ({ terms: own }: PodInfo, node: NodeFacts, by: 1 | -1): void => {
    const { labels } = node;
    const { affinity, antiAffinity, preferred, preferredAnti } = own;
    if (affinity.length > 0) terms.affinity.change(requiredTerms(affinity), labels, by);
    if (antiAffinity.length > 0) terms.antiAffinity.change(requiredTerms(antiAffinity), labels, by);
    if (preferred.length > 0) terms.preferred.change(preferredTerms(preferred), labels, by);
    if (preferredAnti.length > 0) terms.preferredAnti.change(preferredTerms(preferredAnti), labels, by);
  };

  const countPod = (pod: PodInfo, node: NodeFacts, by: 1 | -1): void => {
    countTerms(pod, node, by);
    groups.change(pod, node, by);
    bySelector.candidates(pod.labels, (counter) => counter.podChanged(pod, node, by));
  };

  const countClaims = (pod: PodInfo, by: 1 | -1): void => {
    for (const { persistentVolumeClaim } of pod.volumes) {
      if (persistentVolumeClaim !== undefined) {
        change(claims, `${pod.namespace}/${persistentVolumeClaim.claimName ?? ""}`, by);
      }
    }
  };

  const place = (pod: PodInfo): void => {
    pods.set(pod.key, pod);
    countClaims(pod, 1);
    const slot = slots.get(pod.nodeName);
    if (slot === undefined) {
      const waiting = homeless.get(pod.nodeName) ?? new Map<string, PodInfo>();
      homeless.set(pod.nodeName, waiting);
      waiting.set(pod.key, pod);
      return;
    }
    put(slot, withPod(slot.info, pod));
    countPod(pod, slot.info, 1);
  };

  const displace = (key: string): PodInfo | undefined => {
    const pod = pods.get(key);
    if (pod === undefined) return undefined;
    pods.delete(key);
    countClaims(pod, -1);
    const slot = slots.get(pod.nodeName);
    if (slot === undefined) {
      const waiting = homeless.get(pod.nodeName);
      waiting?.delete(key);
      if (waiting?.size === 0) homeless.delete(pod.nodeName);
      return pod;
    }
    put(slot, withoutPod(slot.info, pod));
    countPod(pod, slot.info, -1);
    return pod;
  };

  const forAllCounters = (
    before: NodeFacts | undefined,
    after: NodeFacts | undefined,
    on: readonly PodInfo[],
  ): void => {
    for (const counter of counters.values()) counter.nodeChanged(before, after, on);
    for (const tally of tallies.values()) tally.nodeChanged(before, after, on);
  };

  const drop = <F extends Follower>(kept: Map<string, F>, { question }: F): void => {
    const follower = kept.get(question.text);
    if (follower === undefined) return;
    kept.delete(question.text);
    if (question.selector !== undefined) bySelector.remove(follower, question.selector);
  };
  /** The follower of a question that is asked, made where there is none. */
  const followed = <F extends Follower>(kept: Map<string, F>, question: DomainQuestion, make: () => F): F => {
    const known = kept.get(question.text);
    if (known !== undefined) {
      // To the end of the map: what is at its beginning has not been asked for the longest.
      kept.delete(question.text);
      kept.set(question.text, known);
      return known;
    }
    const made = make();
    kept.set(question.text, made);
    if (question.selector !== undefined) bySelector.add(made, question.selector);
    const oldest = kept.values().next();
    if (kept.size > mostCounters && oldest.done !== true) drop(kept, oldest.value);
    return made;
  };
  function* held({ selector, counts }: DomainQuestion): Iterable<readonly [NodeFacts, number]> {
    if (selector === undefined) return;
    for (const { like, nodes } of groups.candidates(selector)) {
      if (!counts(like)) continue;
      for (const [name, count] of nodes) {
        const slot = slots.get(name);
        if (slot !== undefined) yield [slot.info, count];
      }
    }
  }

  const reorder = (): void => {
    const zones = new Map<string, string[]>();
    for (const { info } of slots.values()) {
      const zone = zones.get(info.zone);
      if (zone === undefined) zones.set(info.zone, [info.name]);
      else zone.push(info.name);
    }
    order.length = 0;
    for (const name of interleaved(zones.values())) {
      const slot = slots.get(name);
      if (slot === undefined) continue;
      slot.index = order.length;
      order.push(slot.info);
    }
    isOrdered = true;
    outOfPlace = 0;
    changes.allChanged();
  };

  return {
    get nodes() {
      if (!isOrdered) reorder();
      return order;
    },
    changes,
    node: (name) => slots.get(name)?.info,
    namespaceLabels: (name) => namespaces.get(name),
    get namespaceChanges() {
      return namespaceChanges;
    },
    terms,
    objects,
    nominations,
    nodesWithImage: (name) => images.get(name) ?? 0,
    nominated: (node) => nominations.on(node),
    nominatedNodeOf: (pod) => nominations.nodeOf(pod),
    get hasNominated() {
      return nominations.size > 0;
    },
    get nominatedKeepAway() {
      return nominations.hasAntiAffinity;
    },
    podsWithClaim: (claim) => claims.get(claim) ?? 0,
    domains: (question) =>
      followed(counters, question, () =>
        createDomainCounter(question, { nodes: infosOf(slots), held: held(question) }),
      ),
    tally: (question) => followed(tallies, question, () => createTally(question, held(question))),
    groups,
    hasNodeLabel: (key) => labelKeys.has(key),
    setNode(raw) {
      const read = nodeFactsOf(raw, naming);
      const slot = slots.get(read.name);
      const before = slot?.info.facts;
      // Logs of changes keep labels: not those of every heartbeat.
      const hasLabels = before !== undefined && sameLabels(before.labels, read.labels);
      const after = hasLabels ? { ...read, labels: before.labels } : read;
      for (const name of before?.images.keys() ?? []) change(images, name, -1);
      for (const name of after.images.keys()) change(images, name, 1);
      for (const key of before?.labels.keys() ?? []) change(labelKeys, key, -1);
      for (const key of after.labels.keys()) change(labelKeys, key, 1);
      if (slot === undefined) {
        const entered = { info: emptyNode(after), index: -1 };
        slots.set(after.name, entered);
        enter(entered);
        forAllCounters(undefined, after, []);
        const waiting = homeless.get(after.name);
        homeless.delete(after.name);
        for (const pod of waiting?.values() ?? []) {
          countClaims(pod, -1);
          place(pod);
        }
        return { before, after };
      }
      const { pods: on, facts } = slot.info;
      if (!hasLabels) {
        for (const pod of on) {
          countTerms(pod, facts, -1);
          countTerms(pod, after, 1);
          groups.relabelled(pod, facts, after);
        }
      }
      // Most changes of a node are its heartbeats: they concern no counter.
      if (!hasLabels || !sameTaints(facts.taints, after.taints)) forAllCounters(facts, after, on);
      if (facts.zone !== after.zone) disturb();
      put(slot, withFacts(slot.info, after));
      return { before, after };
    },
    removeNode(name) {
      const slot = slots.get(name);
      if (slot === undefined) return undefined;
      const { facts, pods: on } = slot.info;
      for (const image of facts.images.keys()) change(images, image, -1);
      for (const key of facts.labels.keys()) change(labelKeys, key, -1);
      for (const pod of on) {
        countTerms(pod, facts, -1);
        groups.change(pod, facts, -1);
      }
      forAllCounters(facts, undefined, on);
      leave(slot);
      slots.delete(name);
      if (on.length > 0) homeless.set(name, new Map(on.map((pod) => [pod.key, pod])));
      return facts;
    },
    setPod(pod) {
      const before = displace(pod.key);
      assumed.delete(pod.key);
      place(pod);
      return before;
    },
    removePod(key) {
      assumed.delete(key);
      return displace(key);
    },
    assume(pod, node) {
      displace(pod.key);
      assumed.add(pod.key);
      place(placed(pod, node));
    },
    forget(key) {
      if (assumed.delete(key)) displace(key);
    },
    pod: (key) => pods.get(key),
    pods: () => pods.values(),
    isAssumed: (key) => assumed.has(key),
    setNamespace(name, labels) {
      const before = namespaces.get(name);
      if (labels === undefined) namespaces.delete(name);
      else namespaces.set(name, labels);
      // Most changes of a namespace are of its status.
      if (before !== undefined && labels !== undefined && jsonText(before) === jsonText(labels)) return;
      namespaceChanges += 1;
      for (const index of Object.values(terms)) index.namespacesChanged();
      for (const tally of [...tallies.values()]) if (tally.question.byNamespaceLabels === true) drop(tallies, tally);
    },
    sizes: () => ({ nodes: slots.size, pods: pods.size, assumed: assumed.size }),
  };
}

function change(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}

function sameLabels(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}

const sameTaints = (a: readonly Taint[], b: readonly Taint[]): boolean =>
  a.length === b.length &&
  a.every(({ key, value, effect }, i) => b[i]?.key === key && b[i].value === value && b[i].effect === effect);

function* infosOf(slots: ReadonlyMap<string, Slot>): Iterable<NodeInfo> {
  for (const { info } of slots.values()) yield info;
}
