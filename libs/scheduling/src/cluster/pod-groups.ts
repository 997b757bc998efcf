import { jsonText } from "@orch/status/json-text.js";
import type { Matcher } from "../model/matcher.js";
import type { PodInfo } from "../model/pod-info.js";
import { type ChangeLog, createChangeLog } from "./change-log.js";

/** What questions about pods elsewhere read of them. */
export type Countable = Pick<PodInfo, "namespace" | "labels" | "terminating">;

/** Pods that no question can tell apart, and how many of them stand on each node. */
export interface PodGroup {
  /** Any of them. */
  readonly like: Countable;
  readonly nodes: ReadonlyMap<string, number>;
}

/** So many more of a group stand on a node with these labels. */
export interface GroupChange {
  readonly group: PodGroup;
  readonly labels: ReadonlyMap<string, string>;
  readonly by: 1 | -1;
}

interface Place {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
}

/** The pods on nodes by what questions read of them: those of one template are one, however many there are. */
export interface PodGroups {
  change(pod: Countable, node: Place, by: 1 | -1): void;
  /** The labels of a pod's node have changed. */
  relabelled(pod: Countable, before: Place, after: Place): void;
  /** All that a selector may match. */
  candidates(selector: Matcher): Iterable<PodGroup>;
  readonly changes: ChangeLog<GroupChange>;
}

interface Group extends PodGroup {
  readonly nodes: Map<string, number>;
  /** About what it takes in memory. */
  readonly weight: number;
}

/** Those that begin or end a group weigh what its labels do. */
const mostChanges = 1 << 16;
const charactersOfOne = 128;

/** The same for pods of one group. */
export const groupText = ({ namespace, labels, terminating }: Countable): string =>
  jsonText([namespace, terminating, labels]);

const none: ReadonlySet<PodGroup> = new Set();

export function createPodGroups(): PodGroups {
  const groups = new Map<string, Group>();
  const byLabel = new Map<string, Map<string, Set<Group>>>();
  const changes = createChangeLog<GroupChange>(mostChanges);
  const enter = (group: Group): void => {
    for (const [key, value] of Object.entries(group.like.labels)) {
      const values = byLabel.get(key) ?? new Map<string, Set<Group>>();
      const set = values.get(value) ?? new Set<Group>();
      byLabel.set(key, values);
      values.set(value, set);
      set.add(group);
    }
  };
  const leave = (group: Group): void => {
    for (const [key, value] of Object.entries(group.like.labels)) {
      const values = byLabel.get(key);
      const set = values?.get(value);
      set?.delete(group);
      if (set?.size === 0) values?.delete(value);
      if (values?.size === 0) byLabel.delete(key);
    }
  };
  return {
    changes,
    relabelled(pod, before, after) {
      const group = groups.get(groupText(pod));
      if (group === undefined) return;
      changes.record({ group, labels: before.labels, by: -1 }, 1);
      changes.record({ group, labels: after.labels, by: 1 }, 1);
    },
    change(pod, { name, labels: nodeLabels }, by) {
      const text = groupText(pod);
      let group = groups.get(text);
      const isNew = group === undefined;
      if (group === undefined) {
        const { namespace, labels, terminating } = pod;
        const weight = 1 + Math.floor(text.length / charactersOfOne);
        group = { like: { namespace, labels, terminating }, nodes: new Map(), weight };
        groups.set(text, group);
        enter(group);
      }
      const count = (group.nodes.get(name) ?? 0) + by;
      if (count !== 0) group.nodes.set(name, count);
      else group.nodes.delete(name);
      changes.record({ group, labels: nodeLabels, by }, isNew || group.nodes.size === 0 ? group.weight : 1);
      if (group.nodes.size > 0) return;
      groups.delete(text);
      leave(group);
    },
    candidates({ exact }) {
      let fewest: ReadonlySet<PodGroup> | undefined;
      for (const { key, value } of exact) {
        const found = byLabel.get(key)?.get(value) ?? none;
        if (fewest === undefined || found.size < fewest.size) fewest = found;
      }
      return fewest ?? groups.values();
    },
  };
}
