import { LRUCache } from "lru-cache";

/** What was decided, for a while. It forgets whatever and whenever it likes, and never gives what was not set. */
export interface DecisionCache<T> {
  /** Never rejects. */
  get(key: string): T | undefined | Promise<T | undefined>;
  /** Nothing is kept for a `ttlMs` of 0. Never throws. */
  set(key: string, value: T, ttlMs: number): void;
  /** Forgets it everywhere. */
  invalidate(key: string): void;
}

export interface LocalCache<T> extends DecisionCache<T> {
  get(key: string): T | undefined;
  clear(): void;
}

export interface LocalCacheOptions {
  /** Entries at most: those that were not asked for the longest go. */
  readonly max: number;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** As many answers as the reference keeps of a webhook. */
export const defaultCacheSize = 8192;

/** A cache in the memory of this process. */
export function localCache<T>({ max, now }: LocalCacheOptions): LocalCache<T> {
  // Expiry is looked at here: the library takes an entry of the moment 0 for one that never expires.
  const entries = new LRUCache<string, { readonly value: T; readonly until: number }>({ max });
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (entry.until > now()) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value, ttlMs) {
      if (ttlMs > 0) entries.set(key, { value, until: now() + ttlMs });
    },
    invalidate: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
}
