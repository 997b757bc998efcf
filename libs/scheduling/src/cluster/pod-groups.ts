import { jsonText } from "@orch/status/json-text.js";
import type { Matcher } from "../model/matcher.js";
import type { PodInfo } from "../model/pod-info.js";

/** What questions about pods elsewhere read of them. */
export type Countable = Pick<PodInfo, "namespace" | "labels" | "terminating">;

/** Pods that no question can tell apart, and how many of them stand on each node. */
export interface PodGroup {
  /** Any of them. */
  readonly like: Countable;
  readonly nodes: ReadonlyMap<string, number>;
}

/** The pods on nodes by what questions read of them: those of one template are one, however many there are. */
export interface PodGroups {
  change(pod: Countable, node: string, by: 1 | -1): void;
  /** All that a selector may match. */
  candidates(selector: Matcher): Iterable<PodGroup>;
}

interface Group extends PodGroup {
  readonly nodes: Map<string, number>;
}

/** The same for pods of one group. */
export const groupText = ({ namespace, labels, terminating }: Countable): string =>
  jsonText([namespace, terminating, labels]);

const none: ReadonlySet<PodGroup> = new Set();

export function createPodGroups(): PodGroups {
  const groups = new Map<string, Group>();
  const byLabel = new Map<string, Map<string, Set<Group>>>();
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
    change(pod, node, by) {
      const text = groupText(pod);
      let group = groups.get(text);
      if (group === undefined) {
        const { namespace, labels, terminating } = pod;
        group = { like: { namespace, labels, terminating }, nodes: new Map() };
        groups.set(text, group);
        enter(group);
      }
      const count = (group.nodes.get(node) ?? 0) + by;
      if (count !== 0) group.nodes.set(node, count);
      else group.nodes.delete(node);
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
