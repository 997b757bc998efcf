import { LRUCache } from "lru-cache";

/**
 * Owners that left their dependents behind, by uid, the latest of them. Each kind has a watch of its own: an owner may
 * be heard of and be gone before the last of its dependents is heard of, which is as free as the others.
 */
export interface Orphaners {
  add(uid: string): void;
  has(uid: string): boolean;
}

const remembered = 4096;

export function createOrphaners(): Orphaners {
  const uids = new LRUCache<string, true>({ max: remembered });
  return {
    add: (uid) => void uids.set(uid, true),
    has: (uid) => uids.has(uid),
  };
}
