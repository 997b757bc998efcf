import type { Naming } from "@orch/naming/naming.js";
import { LRUCache } from "lru-cache";
import type { ImagePolicyConfiguration } from "./configuration.js";
import { type ReviewSpec, type ReviewStatus, readStatus, reviewBody } from "./review.js";

/** Asks the backend once. Rejects where there is no answer of status 2xx: with its status, where there was another. */
export type CallBackend = (body: Buffer) => Promise<Buffer>;

export interface AskDeps {
  readonly naming: Naming;
  readonly call: CallBackend;
  /** Whether a failure may be over at the next try. */
  readonly isPassing: (error: unknown) => boolean;
  readonly pause: (ms: number) => Promise<void>;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

const remembered = 1024;
const tries = 5;
const backoffFactor = 1.5;

/** Asks the backend, which is asked the same only once for a while. Rejects where it does not answer after all. */
export function createAsk(
  { allowTtlMs, denyTtlMs, retryBackoffMs }: ImagePolicyConfiguration,
  { naming, call, isPassing, pause, now }: AskDeps,
): (spec: ReviewSpec) => Promise<ReviewStatus> {
  const answers = new LRUCache<string, { readonly status: ReviewStatus; readonly until: number }>({ max: remembered });
  const callAgain = async (body: Buffer): Promise<Buffer> => {
    for (let left = tries, pauseMs = retryBackoffMs; ; left--, pauseMs *= backoffFactor) {
      try {
        return await call(body);
      } catch (error) {
        if (left === 1 || !isPassing(error)) throw error;
      }
      if (pauseMs > 0) await pause(pauseMs);
    }
  };
  return async (spec) => {
    const key = JSON.stringify(spec);
    const known = answers.get(key);
    if (known !== undefined && known.until > now()) return known.status;
    const status = readStatus(await callAgain(reviewBody(spec, naming)));
    const ttlMs = status.allowed ? allowTtlMs : denyTtlMs;
    if (ttlMs > 0) answers.set(key, { status, until: now() + ttlMs });
    return status;
  };
}
