import {
  type DecisionCache,
  defaultCacheSize,
  type LocalCache,
  localCache,
} from "@orch/auth/webhook/decision-cache.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import { createRedisLink, type RedisLink } from "./redis-link.js";
import { createEntrySeal, type EntrySeal } from "./sealed-entry.js";

/**
 * Decisions that the gateways of a cluster share (`--redis`): a cache in memory in front, Redis behind it.
 *
 * Redis is not trusted. What stands there decides who may do what, so entries are sealed with a secret that all
 * gateways share ({@link EntrySeal}); whoever can write to Redis can make gateways ask again, and undo an invalidation
 * by putting back an entry until its time is over, but can not give anybody anything. Names of users and groups can be
 * read there, tokens can not.
 *
 * While Redis is away everybody asks for himself. What was taken from it or is to be told to it is then kept in memory
 * for {@link unsharedTtlMs} at most, since nobody would tell that it is to be forgotten.
 */
export interface SharedCache {
  /**
   * A cache of one sort of decisions. The name says what they depend on beside the key (a webhook and its version, for
   * example): where that differs, the name must differ. @throws Error for a name that was taken
   */
  part<T>(name: string, options: PartOptions<T>): DecisionCache<T>;
  /** Connects, now and whenever the connection is lost. */
  start(): void;
  stop(): void;
}

export interface PartOptions<T> {
  /** Undefined for what is no such decision. */
  readonly parse: (value: unknown) => T | undefined;
  /** Entries in memory at most. */
  readonly max?: number;
}

export interface SharedCacheObserver {
  /** Of each look: found in memory, found in Redis, not found. */
  looked(part: string, found: "local" | "shared" | "nowhere"): void;
  /** A command that Redis did not answer, or answered with what nobody of us has sealed (`open`). */
  failed(operation: "get" | "set" | "invalidate" | "open"): void;
}

export interface SharedCacheSettings {
  /** `redis://` or `rediss://`, with user and password if there are any. */
  readonly url: string;
  /** PEM, for `rediss://`. */
  readonly ca?: string;
  /** Known to all gateways and to nobody else: 32 bytes or more. */
  readonly secret: Uint8Array;
  /** Before all names in Redis; clusters that share one have different ones. */
  readonly prefix: string;
}

export interface SharedCacheDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  readonly observer: SharedCacheObserver;
}

/** How long what is in memory is believed while nobody could tell that it is to be forgotten. */
export const unsharedTtlMs = 10_000;
/** How long nothing is kept under a key that was invalidated: whoever is asking now asked before that. */
const tombstoneMs = 30_000;
/** However far the clock of whoever kept it is ahead. */
const maxTtlMs = 3_600_000;
const maxEntryLength = 64 * 1024;
/** Invalidations that wait for Redis; its entries live no longer than their time in any case. */
const maxUnsent = 10_000;

/** @throws Error in one line, without the address, for settings that cannot be */
export function createSharedCache(settings: SharedCacheSettings, deps: SharedCacheDeps): SharedCache {
  const { clock, observer } = deps;
  const locals = new Map<string, Pick<LocalCache<unknown>, "invalidate" | "clear">>();
  const tombstones = localCache<true>({ max: maxUnsent, now: () => clock.monotonic() });
  const unsent = new Set<string>();
  // Grows with everything that is to be forgotten: what was read from Redis before may have been forgotten since.
  let generation = 0;

  const forget = (name: string): void => {
    generation += 1;
    tombstones.set(name, true, tombstoneMs);
    locals.get(name.slice(0, name.lastIndexOf(":")))?.invalidate(name);
  };
  const forgetAll = (): void => {
    generation += 1;
    for (const local of locals.values()) local.clear();
  };
  const link = createRedisLink(settings, {
    ...deps,
    told: forget,
    // Whichever way it changed: what was told while nobody listened is lost.
    listening: forgetAll,
    connected: () => {
      for (const name of unsent) send(name);
    },
  });
  const send = (name: string): void => {
    link.tombstone(name, tombstoneMs).then(
      () => void unsent.delete(name),
      () => observer.failed("invalidate"),
    );
  };
  const shared: Shared = {
    ...{ clock, observer, link, seal: createEntrySeal(settings.secret) },
    generation: () => generation,
    isForgotten: (name) => tombstones.get(name) === true,
    forget(name) {
      forget(name);
      if (unsent.size < maxUnsent) unsent.add(name);
      if (link.isConnected()) send(name);
    },
  };

  return {
    part<T>(name: string, { parse, max = defaultCacheSize }: PartOptions<T>) {
      const full = `${settings.prefix}${name}`;
      if (locals.has(full)) throw new Error(`there is a part ${name} of the shared cache already`);
      const local = localCache<T>({ max, now: () => clock.monotonic() });
      locals.set(full, local);
      return createPart({ ...shared, name, full, parse, local });
    },
    start: link.start,
    stop() {
      link.stop();
      forgetAll();
    },
  };
}

/** What the parts have in common. */
interface Shared {
  readonly clock: Clock;
  readonly observer: SharedCacheObserver;
  readonly link: RedisLink;
  readonly seal: EntrySeal;
  generation(): number;
  /** Invalidated a moment ago. */
  isForgotten(name: string): boolean;
  /** Here and everywhere. */
  forget(name: string): void;
}

interface Part<T> extends Shared {
  readonly name: string;
  /** With the prefix. */
  readonly full: string;
  readonly local: LocalCache<T>;
  parse(value: unknown): T | undefined;
}

function createPart<T>(part: Part<T>): DecisionCache<T> {
  const { clock, observer, link, seal, local, name } = part;
  const keep = (at: string, value: T, ttlMs: number): void =>
    local.set(at, value, link.isListening() ? ttlMs : Math.min(ttlMs, unsharedTtlMs));

  const fetched = async (at: string): Promise<T | undefined> => {
    const entry = await read(part, at);
    const value = entry === undefined ? undefined : part.parse(entry.value);
    observer.looked(name, value === undefined ? "nowhere" : "shared");
    if (entry !== undefined && value !== undefined) keep(at, value, entry.leftMs);
    return value;
  };

  return {
    get(key) {
      const at = seal.nameOf(part.full, key);
      const value = local.get(at);
      if (value === undefined && link.isConnected() && !part.isForgotten(at)) return fetched(at);
      observer.looked(name, value === undefined ? "nowhere" : "local");
      return value;
    },
    set(key, value, ttlMs) {
      const at = seal.nameOf(part.full, key);
      if (ttlMs <= 0 || part.isForgotten(at)) return;
      keep(at, value, ttlMs);
      if (!link.isConnected()) return;
      const ms = Math.min(ttlMs, maxTtlMs);
      const text = seal.seal(at, { value, until: clock.now() + ms });
      if (text.length <= maxEntryLength) link.set(at, text, ms).catch(() => observer.failed("set"));
    },
    invalidate: (key) => part.forget(seal.nameOf(part.full, key)),
  };
}

/** Never rejects. */
async function read<T>(
  { link, seal, clock, observer, generation }: Part<T>,
  at: string,
): Promise<{ readonly value: unknown; readonly leftMs: number } | undefined> {
  const before = generation();
  const text = await link.get(at).catch(() => {
    observer.failed("get"); // the link tells the log why
    return null;
  });
  if (text === null || text === "" || generation() !== before) return undefined;
  const entry = text.length > maxEntryLength ? undefined : seal.open(at, text);
  if (entry === undefined) {
    observer.failed("open");
    return undefined;
  }
  const leftMs = Math.min(entry.until - clock.now(), maxTtlMs);
  return leftMs > 0 ? { value: entry.value, leftMs } : undefined;
}
