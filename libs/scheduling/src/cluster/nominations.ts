import type { PodInfo } from "../model/pod-info.js";

/** Which waiting pods are to have which node, once room is made there. */
export interface Nominations {
  set(pod: PodInfo, node: string): void;
  clear(key: string): void;
  on(node: string): readonly PodInfo[];
  nodeOf(key: string): string | undefined;
  readonly size: number;
  /** One of them wants to be far from others. */
  readonly hasAntiAffinity: boolean;
}

const nobody: readonly PodInfo[] = [];

/** `changed` is told of each node that has others than before. */
export function createNominations(changed: (node: string) => void): Nominations {
  const nodes = new Map<string, readonly PodInfo[]>();
  const byPod = new Map<string, string>();
  const keepingAway = new Set<string>();
  const clear = (key: string): void => {
    const node = byPod.get(key);
    if (node === undefined) return;
    byPod.delete(key);
    keepingAway.delete(key);
    const left = (nodes.get(node) ?? nobody).filter((pod) => pod.key !== key);
    if (left.length === 0) nodes.delete(node);
    else nodes.set(node, left);
    changed(node);
  };
  return {
    set(pod, node) {
      clear(pod.key);
      if (node === "") return;
      byPod.set(pod.key, node);
      if (pod.terms.antiAffinity.length > 0) keepingAway.add(pod.key);
      nodes.set(node, [...(nodes.get(node) ?? nobody), pod]);
      changed(node);
    },
    clear,
    on: (node) => nodes.get(node) ?? nobody,
    nodeOf: (key) => byPod.get(key),
    get size() {
      return byPod.size;
    },
    get hasAntiAffinity() {
      return keepingAway.size > 0;
    },
  };
}
