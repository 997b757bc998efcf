import { LRUCache } from "lru-cache";
import type { EventLimit } from "./configuration.js";

/** A question for one token. */
export interface BucketQuestion {
  /** The limit by its place in the configuration. */
  readonly limit: number;
  readonly key: string;
}

/** Token buckets: each holds `burst` tokens at most and is given `qps` of them a second. */
export interface Buckets {
  /** Takes a token from each of them that has one, and says which had. */
  take(questions: readonly BucketQuestion[]): Promise<readonly boolean[]>;
}

/** Buckets that several processes take from. */
export interface SharedBuckets {
  /** Rejects while they are away. */
  take(
    buckets: readonly { readonly name: string; readonly qps: number; readonly burst: number }[],
  ): Promise<readonly boolean[]>;
}

interface Bucket {
  tokens: number;
  /** When they were counted, in milliseconds. */
  at: number;
}

/** Buckets of this process. `now` is a clock that never goes back, in milliseconds. */
export function localBuckets(limits: readonly EventLimit[], now: () => number): Buckets {
  const caches = limits.map(({ cacheSize }) => new LRUCache<string, Bucket>({ max: cacheSize }));
  const takeOne = ({ limit, key }: BucketQuestion): boolean => {
    const [cache, rate] = [caches[limit], limits[limit]];
    if (cache === undefined || rate === undefined) return true;
    const at = now();
    const bucket = cache.get(key) ?? { tokens: rate.burst, at };
    cache.set(key, bucket);
    bucket.tokens = Math.min(rate.burst, bucket.tokens + ((at - bucket.at) * rate.qps) / 1000);
    bucket.at = at;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };
  return { take: (questions) => Promise.resolve(questions.map(takeOne)) };
}

/** Buckets that all processes share, or this one's own while the shared ones are away. */
export function sharedOrLocal(limits: readonly EventLimit[], shared: SharedBuckets, local: Buckets): Buckets {
  return {
    take: (questions) =>
      shared
        .take(
          questions.flatMap(({ limit, key }) => {
            const rate = limits[limit];
            // Two limits of one type have buckets of their own.
            return rate === undefined ? [] : { name: `${limit}:${rate.type}:${key}`, qps: rate.qps, burst: rate.burst };
          }),
        )
        .catch(() => local.take(questions)),
  };
}
