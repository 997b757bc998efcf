import { maxDuplicates } from "./decoded.js";

/** Paths of keys that stand in a body more than once, each once, in the order met; as many as answers name. */
export interface RepeatedKeys {
  add(path: () => string): void;
  paths(): readonly string[];
}

/** How many repeats are looked at: a body may repeat a few paths half a million times. */
const maxLooks = 1000;

export function createRepeatedKeys(): RepeatedKeys {
  const found = new Set<string>();
  let looks = 0;
  return {
    add(path) {
      if (found.size === maxDuplicates || looks === maxLooks) return;
      looks++;
      found.add(path());
    },
    paths: () => [...found],
  };
}
