import { type DecisionCache, defaultCacheSize, localCache } from "@orch/auth/webhook/decision-cache.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import { ConfigurationError, inPart, textOfFile } from "./configuration.js";
import type { AuthorizationValues } from "./flags.js";
import type { SharedCacheObserver } from "./redis-cache.js";
import { minSecretBytes } from "./sealed-entry.js";

/** A cache of one sort of decisions by the name of the sort, asked for once; `parse` gives undefined for what is none of them. */
export type DecisionCaches = <T>(name: string, parse: (value: unknown) => T | undefined) => DecisionCache<T>;

export interface DecisionCachesDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly observer: SharedCacheObserver;
}

/** In the memory of this process, or shared through Redis where a flag names one. @throws ConfigurationError */
export async function createDecisionCaches(
  values: Pick<AuthorizationValues, "redis" | "redis-key-file">,
  { clock, log, observer }: DecisionCachesDeps,
): Promise<{ readonly caches: DecisionCaches; readonly stop: () => void }> {
  const { redis: url, "redis-key-file": path } = values;
  if (url === "") {
    return { caches: () => localCache({ max: defaultCacheSize, now: () => clock.monotonic() }), stop: () => {} };
  }
  if (path === "") throw new ConfigurationError("--redis needs --redis-key-file");
  const secret = Buffer.from(textOfFile("--redis-key-file", path).trim());
  if (secret.length < minSecretBytes) {
    throw new ConfigurationError(`--redis-key-file: the secret must have at least ${minSecretBytes} bytes`);
  }
  const { createSharedCache } = await import("./redis-cache.js");
  const shared = await inPart("--redis", () =>
    createSharedCache({ url, secret, prefix: "orch:decisions:" }, { clock, log, observer }),
  );
  shared.start();
  return { caches: (name, parse) => shared.part(name, { parse }), stop: shared.stop };
}
