import type { PodEdges, VolumeEdges } from "./edges.js";

/**
 * Who has to do with what. Of objects only their edges are kept:
 *
 *     pod a/p on n1 with secret a/s and claim a/c       n1 → pod/a/p, secret/a/s, claim/a/c
 *     volume v bound to a/c with secret b/t             claim/a/c ← v ← secret/b/t: n1 may read v and b/t
 */
export interface NodeGraph {
  /** In place of what was known of that pod; undefined: nothing is. */
  setPod(pod: string, edges: PodEdges | undefined): void;
  setVolume(volume: string, edges: VolumeEdges | undefined): void;
  /** An object that belongs to one node; "": to none. */
  setOwner(ref: string, node: string): void;
  /** Forgets all pods, all volumes, or all owned objects whose reference begins so. */
  clear(what: "pods" | "volumes" | { readonly owned: string }): void;
  reaches(node: string, ref: string): boolean;
}

export function createNodeGraph(): NodeGraph {
  const pods = new Map<string, PodEdges>();
  // How many pods of a node name an object: the pods of a node are few, so that its objects are found at once.
  const counts = new Map<string, Map<string, number>>();
  const volumes = new Map<string, VolumeEdges>();
  const secretVolumes = new Map<string, Set<string>>();
  const owners = new Map<string, string>();

  const count = ({ node, refs }: PodEdges, by: 1 | -1): void => {
    const named = counts.get(node) ?? new Map<string, number>();
    for (const ref of refs) {
      const times = (named.get(ref) ?? 0) + by;
      if (times === 0) named.delete(ref);
      else named.set(ref, times);
    }
    if (named.size === 0) counts.delete(node);
    else counts.set(node, named);
  };
  const namesVolume = (node: string, volume: string): boolean => {
    const edges = volumes.get(volume);
    return edges !== undefined && counts.get(node)?.has(edges.claim) === true;
  };

  return {
    setPod(pod, edges) {
      const before = pods.get(pod);
      if (before !== undefined) count(before, -1);
      if (edges === undefined) {
        pods.delete(pod);
        return;
      }
      pods.set(pod, edges);
      count(edges, 1);
    },
    setVolume(volume, edges) {
      for (const secret of volumes.get(volume)?.secrets ?? []) {
        const users = secretVolumes.get(secret);
        users?.delete(volume);
        if (users?.size === 0) secretVolumes.delete(secret);
      }
      if (edges === undefined) {
        volumes.delete(volume);
        return;
      }
      volumes.set(volume, edges);
      for (const secret of edges.secrets) {
        const users = secretVolumes.get(secret) ?? new Set<string>();
        secretVolumes.set(secret, users.add(volume));
      }
    },
    setOwner(ref, node) {
      if (node === "") owners.delete(ref);
      else owners.set(ref, node);
    },
    clear(what) {
      if (what === "pods") {
        pods.clear();
        counts.clear();
      } else if (what === "volumes") {
        volumes.clear();
        secretVolumes.clear();
      } else {
        for (const ref of owners.keys()) if (ref.startsWith(what.owned)) owners.delete(ref);
      }
    },
    reaches(node, ref) {
      if (counts.get(node)?.has(ref) === true || owners.get(ref) === node) return true;
      if (volumes.has(ref)) return namesVolume(node, ref);
      for (const volume of secretVolumes.get(ref) ?? []) if (namesVolume(node, volume)) return true;
      return false;
    },
  };
}
