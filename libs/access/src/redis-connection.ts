import type { Redis } from "ioredis";

export interface RedisAddress {
  readonly url: string;
  readonly ca?: string;
  /** Before all names; clusters that share a Redis have different ones. */
  readonly prefix: string;
}

const connectTimeoutMs = 2000;
/** What is shared and slower than this is no help. */
const commandTimeoutMs = 250;
const maxPauseMs = 2000;

/** Ends a connection at once: a Redis that hangs would not answer to an orderly end. */
export function drop(redis: Redis): void {
  if (isUp(redis)) redis.stream.destroy();
}

/** ioredis learns a moment later that a connection was ended. */
export const isUp = (redis: Redis): boolean => redis.status === "ready" && !redis.stream.destroyed;

/** An answer of Redis, not a lack of one. */
export const isRefusal = (error: unknown): boolean => error instanceof Error && error.name === "ReplyError";

/** @throws Error in one line, without the address, for one that cannot be */
export function optionsOf({ url, ca }: RedisAddress) {
  // Anything else would be taken for the path of a socket.
  if (!URL.canParse(url) || !["redis:", "rediss:"].includes(new URL(url).protocol)) {
    throw new Error("the address of the shared cache is no redis:// or rediss:// address");
  }
  return {
    lazyConnect: true,
    connectTimeout: connectTimeoutMs,
    // ioredis waits so long for the end of a connection that may have ended before.
    disconnectTimeout: 100,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), maxPauseMs),
    ...(ca === undefined ? {} : { tls: { ca } }),
  };
}
