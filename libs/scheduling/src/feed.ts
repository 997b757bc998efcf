import type { Labels } from "@orch/api/selectors/labels.js";
import type { Cluster } from "./cluster/cluster.js";
import type { OtherKinds } from "./cluster/objects.js";
import { type Action, type ClusterEvent, nodeActions, podActions } from "./framework/events.js";
import type { Profile } from "./framework/profile.js";
import type { RawNode, RawPod } from "./model/objects.js";
import { type PodInfo, podInfoOf } from "./model/pod-info.js";
import type { SchedulingQueue } from "./queue/scheduling-queue.js";

/** Changes of objects as a mirror tells them → the cluster, and events for the queue. Times are of the caller's clock. */
export interface Feed {
  /** A node came or changed. */
  node(raw: RawNode, now: number): void;
  nodeGone(name: string, now: number): void;
  /** A pod came or changed: one that waits, one on a node, or one that has ended. */
  pod(raw: RawPod, now: number): void;
  /** By `namespace/name`. */
  podGone(key: string, now: number): void;
  /** Undefined: the namespace is gone. */
  namespace(name: string, labels: Labels | undefined, now: number): void;
  /** Of one of the kinds that plugins look at; undefined: it is gone. The key is `namespace/name` or the name. */
  object<K extends keyof OtherKinds>(kind: K, key: string, object: OtherKinds[K] | undefined, now: number): void;
  /** Pods that have no node, or are on their way to one. */
  waiting(): Iterable<PodInfo>;
  /** Of a kind that only plugins of others know. */
  foreign(kind: string, change: { readonly before?: object; readonly after?: object }, now: number): void;
}

interface FeedOptions {
  readonly cluster: Cluster;
  readonly queue: SchedulingQueue;
  readonly profiles: ReadonlyMap<string, Profile>;
}

const only = (action: Action): ReadonlySet<Action> => new Set([action]);
const hasEnded = ({ status }: RawPod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";

export function createFeed({ cluster, queue, profiles }: FeedOptions): Feed {
  /** Pods of our profiles that have no node, also those on their way to one. */
  const waiting = new Map<string, PodInfo>();
  const { nominations } = cluster;

  const assigned = (
    actions: ReadonlySet<Action>,
    change: { readonly before?: PodInfo; readonly after?: PodInfo },
    now: number,
  ): void => queue.happened({ ...change, resource: "AssignedPod", actions }, now);

  const placedPod = (pod: PodInfo, now: number): void => {
    const isConfirmed = cluster.isAssumed(pod.key);
    waiting.delete(pod.key);
    queue.delete(pod.key);
    nominations.clear(pod.key);
    const before = cluster.setPod(pod);
    if (before === undefined || isConfirmed) assigned(only("Add"), { after: pod }, now);
    else assigned(podActions(before, pod), { before, after: pod }, now);
  };

  const waitingPod = (pod: PodInfo, now: number): void => {
    const before = waiting.get(pod.key);
    waiting.set(pod.key, pod);
    if (before?.nominatedNode !== pod.nominatedNode && (before !== undefined || pod.nominatedNode !== "")) {
      nominations.set(pod, pod.nominatedNode);
    } else {
      const node = nominations.nodeOf(pod.key);
      if (node !== undefined) nominations.set(pod, node);
    }
    if (cluster.isAssumed(pod.key)) return;
    if (before !== undefined) queue.update(before, pod, now);
    else queue.add(pod, now);
  };

  const podGone = (key: string, now: number): void => {
    waiting.delete(key);
    queue.delete(key);
    const nominated = nominations.nodeOf(key) !== undefined;
    nominations.clear(key);
    const before = cluster.removePod(key);
    // Room that was kept for it is free again.
    if (before !== undefined || nominated) assigned(only("Delete"), before === undefined ? {} : { before }, now);
  };

  return {
    node(raw, now) {
      const { before, after } = cluster.setNode(raw);
      if (before === undefined) return queue.happened({ resource: "Node", actions: only("Add"), after }, now);
      const actions = nodeActions(before, after);
      if (actions.size > 0) queue.happened({ resource: "Node", actions, before, after }, now);
    },
    nodeGone(name, now) {
      const before = cluster.removeNode(name);
      if (before !== undefined) queue.happened({ resource: "Node", actions: only("Delete"), before }, now);
    },
    pod(raw, now) {
      const pod = podInfoOf(raw);
      // Another pod of the same name has nothing of what the first one went through.
      const known = waiting.get(pod.key) ?? cluster.pod(pod.key);
      if (known !== undefined && known.uid !== pod.uid) podGone(pod.key, now);
      if (hasEnded(raw)) podGone(pod.key, now);
      else if (pod.nodeName !== "") placedPod(pod, now);
      else if (profiles.has(pod.schedulerName)) waitingPod(pod, now);
    },
    podGone,
    waiting: () => waiting.values(),
    namespace(name, labels, now) {
      const isNew = cluster.namespaceLabels(name) === undefined;
      cluster.setNamespace(name, labels);
      if (labels !== undefined) {
        queue.happened({ resource: "Other", kind: "Namespace", actions: only(isNew ? "Add" : "Update") }, now);
      }
    },
    object(kind, key, object, now) {
      const table = cluster.objects[kind];
      const before = table.get(key);
      if (object === undefined) table.delete(key);
      else table.set(key, object);
      const action = object === undefined ? "Delete" : before === undefined ? "Add" : "Update";
      queue.happened(otherEvent(kind, action, { before, after: object }), now);
    },
    foreign(kind, { before, after }, now) {
      const action = after === undefined ? "Delete" : before === undefined ? "Add" : "Update";
      queue.happened(otherEvent(kind, action, { before, after }), now);
    },
  };
}

const otherEvent = (
  kind: string,
  action: Action,
  { before, after }: { readonly before: object | undefined; readonly after: object | undefined },
): ClusterEvent => ({
  resource: "Other",
  kind,
  actions: only(action),
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
});
