import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import { Redis } from "ioredis";
import { drop, isRefusal, isUp, optionsOf, type RedisAddress } from "./redis-connection.js";

/** Two connections to a Redis, one to ask and one to listen, that come back by themselves. Every method may reject. */
export interface RedisLink {
  start(): void;
  stop(): void;
  /** Whether commands can be sent now; those that are sent otherwise fail at once. */
  isConnected(): boolean;
  /** Whether what others tell would be heard. */
  isListening(): boolean;
  get(name: string): Promise<string | null>;
  /** Where there is nothing, or what was there is over. */
  set(name: string, text: string, ttlMs: number): Promise<void>;
  /** Puts an empty text in place of whatever is there, and tells everybody. */
  tombstone(name: string, ttlMs: number): Promise<void>;
}

export interface RedisLinkDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  /** A name that somebody has put a tombstone on, ourselves included. */
  readonly told: (name: string) => void;
  /** Listening has begun or ended. */
  readonly listening: () => void;
  readonly connected: () => void;
}

/** A connection that is dead without a sign is found by asking. */
const pingMs = 5000;
const maxNameLength = 1000;

export function createRedisLink(address: RedisAddress, deps: RedisLinkDeps): RedisLink {
  const { clock, log, told } = deps;
  const options = optionsOf(address);
  const commands = new Redis(address.url, options);
  const ears = new Redis(address.url, options);
  const channel = `${address.prefix}forget`;
  let listening = false;
  let cancelPing = (): void => {};
  let failing = false;

  const heard = (now: boolean): void => {
    if (now === listening) return;
    listening = now;
    deps.listening();
  };
  // ioredis tries again by itself and tells of every try: an outage is told once.
  const failed = (error: Error): void => {
    if (!failing) log.warn({ reason: error.message }, "the shared cache fails; decisions are not shared");
    failing = true;
  };
  commands.on("error", failed);
  ears.on("error", failed);
  commands.on("ready", () => {
    if (failing) log.info({}, "the shared cache is there again");
    failing = false;
    deps.connected();
  });
  ears.on("ready", () => {
    ears.subscribe(channel).then(
      () => heard(true),
      (error) => {
        failed(error);
        // Where we may not listen, trying again does not help.
        if (!isRefusal(error)) drop(ears);
      },
    );
  });
  ears.on("close", () => heard(false));
  ears.on("message", (_, name) => {
    if (name.length <= maxNameLength) told(name);
  });

  const command = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      const why = error instanceof Error ? error : new Error(String(error));
      failed(why);
      // A refusal is an answer; anything else is a connection that is not worth waiting for.
      if (!isRefusal(why)) drop(commands);
      throw why;
    }
  };
  const ping = (): void => {
    cancelPing = clock.after(pingMs, () => {
      if (listening) ears.ping().catch(() => drop(ears));
      ping();
    });
  };

  return {
    start() {
      for (const redis of [commands, ears]) redis.connect().catch(() => {}); // told as an `error`, and tried again
      ping();
    },
    stop() {
      cancelPing();
      for (const redis of [commands, ears]) {
        redis.disconnect();
        drop(redis);
      }
    },
    isConnected: () => isUp(commands),
    isListening: () => listening,
    get: (name) => command(() => commands.get(name)),
    set: (name, text, ttlMs) =>
      command(async () => void (await commands.set(name, text, "PX", Math.max(1, Math.floor(ttlMs)), "NX"))),
    tombstone: (name, ttlMs) =>
      command(async () => {
        // In this order: whoever is told finds the tombstone. Where there is no room for it the entry goes at least.
        await commands.set(name, "", "PX", ttlMs).catch((error) => {
          if (!isRefusal(error)) throw error;
          return commands.del(name);
        });
        await commands.publish(channel, name);
      }),
  };
}
