import { LRUCache } from "lru-cache";
import type { Identity } from "./references.js";

/** Owners that are known to be gone, so that many dependents do not ask for the same one. */
export interface AbsentOwners {
  add(identity: Identity): void;
  has(identity: Identity): boolean;
}

const remembered = 500;

export function createAbsentOwners(): AbsentOwners {
  const keys = new LRUCache<string, true>({ max: remembered });
  const keyOf = ({ namespace, apiVersion, kind, name, uid }: Identity): string =>
    [namespace, apiVersion, kind, name, uid].join("\n");
  return {
    add: (identity) => void keys.set(keyOf(identity), true),
    has: (identity) => keys.has(keyOf(identity)),
  };
}
