import type { Log } from "@orch/runtime/log.js";
import { Redis } from "ioredis";
import { drop, isRefusal, isUp, optionsOf, type RedisAddress } from "./redis-connection.js";

/** Token buckets that all processes of a cluster take from, in Redis. */
export interface SharedBuckets {
  /** Takes a token from each bucket that has one, and says which had. Rejects, soon, while Redis is away. */
  take(
    buckets: readonly { readonly name: string; readonly qps: number; readonly burst: number }[],
  ): Promise<readonly boolean[]>;
  start(): void;
  stop(): void;
}

/**
 * Of each bucket (KEYS) the tokens and when they were counted, by the clock of Redis: those that came since are added,
 * one is taken where there is one. ARGV: qps and burst of each. A bucket that is full again by then is forgotten.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local taken = {}
for i, name in ipairs(KEYS) do
  local qps, burst = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local kept = redis.call('HMGET', name, 'tokens', 'at')
  local tokens, at = tonumber(kept[1]) or burst, tonumber(kept[2]) or now
  tokens = math.min(burst, tokens + math.max(0, now - at) * qps / 1000)
  taken[i] = 0
  if tokens >= 1 then
    tokens = tokens - 1
    taken[i] = 1
  end
  redis.call('HSET', name, 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', now))
  redis.call('PEXPIRE', name, string.format('%.0f', math.min(2147483647, burst / qps * 1000 + 1000)))
end
return taken
`;

/** A name is a client's text: a longer one shares a bucket with those that begin alike. */
const maxNameLength = 1000;

/** @throws Error in one line, without the address, for one that cannot be */
export function createSharedBuckets(
  address: RedisAddress,
  { log }: { readonly log: Pick<Log, "info" | "warn"> },
): SharedBuckets {
  const redis = new Redis(address.url, optionsOf(address));
  let failing = false;
  const failed = (error: Error): void => {
    if (!failing) log.warn({ reason: error.message }, "the shared buckets are away; each process counts for itself");
    failing = true;
  };
  redis.on("error", failed);
  redis.on("ready", () => {
    if (failing) log.info({}, "the shared buckets are there again");
    failing = false;
  });
  return {
    start: () => void redis.connect().catch(() => {}), // told as an `error`, and tried again
    stop() {
      redis.disconnect();
      drop(redis);
    },
    async take(buckets) {
      if (!isUp(redis)) throw new Error("the shared buckets are away");
      const names = buckets.map(({ name }) => `${address.prefix}${name.slice(0, maxNameLength)}`);
      const rates = buckets.flatMap(({ qps, burst }) => [qps, burst]);
      try {
        const taken: unknown = await redis.eval(script, names.length, ...names, ...rates);
        if (!Array.isArray(taken)) throw new Error("the shared buckets answer in other words");
        return taken.map((one) => one === 1);
      } catch (error) {
        const why = error instanceof Error ? error : new Error(String(error));
        failed(why);
        if (!isRefusal(why)) drop(redis);
        throw why;
      }
    },
  };
}
