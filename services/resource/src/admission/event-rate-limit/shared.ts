import type { SharedBuckets as Connected } from "@orch/access/shared-buckets.js";
import type { Log } from "@orch/runtime/log.js";
import type { SharedBuckets } from "./buckets.js";

export interface ConnectedBuckets extends SharedBuckets {
  start(): Promise<void>;
  stop(): void;
}

/** Buckets in Redis. Its client is loaded by those alone who have one. */
export function bucketsIn(url: string, log: Pick<Log, "info" | "warn">): ConnectedBuckets {
  let connected: Connected | undefined;
  return {
    async start() {
      const { createSharedBuckets } = await import("@orch/access/shared-buckets.js");
      connected = createSharedBuckets({ url, prefix: "orch:event-limits:" }, { log });
      connected.start();
    },
    stop: () => connected?.stop(),
    take: (buckets) => connected?.take(buckets) ?? Promise.reject(new Error("the shared buckets are not there yet")),
  };
}
