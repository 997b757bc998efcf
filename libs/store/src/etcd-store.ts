import { ApiError, unavailable } from "@orch/status/api-error.js";
import { type Dial, openRelay, type Relay } from "@orch/status/relay.js";
import { type Clock, systemClock } from "./clock.js";
import { type CallTimes, type Credentials, callTimes, createCalls } from "./etcd/calls.js";
import { addressesOf, createConnections } from "./etcd/connections.js";
import { compactionKey } from "./etcd/layout.js";
import { methods } from "./etcd/methods.js";
import { createNotes } from "./etcd/notes.js";
import { createObserved } from "./etcd/observed.js";
import { read, readRange, revisionOf } from "./etcd/range.js";
import { createReach } from "./etcd/reach.js";
import { swap } from "./etcd/swap.js";
import type { TlsSource } from "./etcd/tls.js";
import { toEntry } from "./etcd/values.js";
import { watch } from "./etcd/watch.js";
import { checkPrefix, checkSize, type Limits } from "./limits.js";
import type { Logger } from "./logger.js";
import { revision } from "./revision.js";
import type { Change, Store, Swap } from "./store.js";

export interface EtcdStoreOptions {
  /** `http://host:port`, `https://host:port` or `host:port`; the members of one cluster. */
  readonly endpoints: readonly string[];
  /** All keys start with it. */
  readonly prefix: string;
  readonly tls?: TlsSource;
  readonly auth?: Credentials;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly times?: Partial<CallTimes>;
  /** By which way connections leave; straight where absent. */
  readonly dial?: Dial | undefined;
}

export interface EtcdStore extends Store {
  /** Whether it refused the last value for want of room (its alarm NOSPACE). */
  readonly condition: { readonly full: boolean };
}

/** The server's own limit (1.5 MiB by default) is its operator's; this only keeps nonsense off the wire. */
const limits: Limits = { keyBytes: 64 << 10, valueBytes: 8 << 20 };

const etcdPort = 2379;

function relayTo(addresses: readonly string[], dial: Dial, logger: Logger | undefined): Promise<Relay> {
  const failed = (err: unknown, address: string): void =>
    logger?.warn({ err, address }, "a member of the store could not be reached by its way out");
  return openRelay(addresses, { dial, name: "etcd", usualPort: etcdPort, failed });
}

/**
 * The Store on etcd 3.4 or newer. Connects when first used: an etcd that is away makes calls fail with
 * ServiceUnavailable and watches wait, until it is there.
 */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<EtcdStore> {
  const { prefix, clock = systemClock, logger } = options;
  if (prefix === "") throw new RangeError("the store needs a prefix");
  const { endpoints, tls, dial } = options;
  const relay = dial === undefined ? undefined : await relayTo(addressesOf(endpoints), dial, logger);
  const connections = createConnections(endpoints, { tls, relay });
  const observed = createObserved();
  const calls = createCalls({
    connections,
    auth: options.auth,
    observed,
    reach: createReach({ endpoints: options.endpoints, logger, now: () => performance.now() }),
    times: { ...callTimes, ...options.times },
  });
  const closing = new AbortController();
  const writes = new Set<Promise<unknown>>();
  let full = false;
  /** A store without room still takes a deletion, and no note of it. */
  const swapWithNote = async (change: Change): Promise<Swap> => {
    try {
      return await swap(calls, prefix, change);
    } catch (error) {
      if (change.note === undefined || change.value !== undefined || !isWithoutRoom(error)) throw error;
      return swap(calls, prefix, { ...change, note: undefined });
    }
  };
  const notes = createNotes(calls, prefix);
  const checkOpen = (): void => {
    if (closing.signal.aborted) throw unavailable("the store is closed");
  };

  return {
    condition: {
      get full() {
        return full;
      },
    },
    async revision() {
      checkOpen();
      // A read of one key that hardly exists: what matters is the header of a linearizable answer.
      const response = await read(calls, { key: Buffer.from(compactionKey(prefix)), countOnly: true });
      observed.see(revisionOf(response));
      return revision(revisionOf(response));
    },
    async get(key) {
      checkOpen();
      checkPrefix(key, prefix);
      const kv = (await read(calls, { key: Buffer.from(key) })).kvs?.[0];
      return kv === undefined ? undefined : toEntry(kv);
    },
    async range(query) {
      checkOpen();
      checkPrefix(query.prefix, prefix);
      const range = await readRange(calls, prefix, query);
      if (query.at === undefined) observed.see(range.revision);
      return range;
    },
    async swap(change) {
      checkOpen();
      checkPrefix(change.key, prefix);
      checkSize(change, limits);
      const writing = swapWithNote(change);
      writes.add(writing);
      try {
        const outcome = await writing;
        // An etcd without room still deletes; only a value that was taken tells that there is some again.
        if (outcome.done && change.value !== undefined) full = false;
        return outcome;
      } catch (error) {
        if (isWithoutRoom(error)) full = true;
        throw error;
      } finally {
        writes.delete(writing);
      }
    },
    watch(query) {
      checkOpen();
      checkPrefix(query.prefix, prefix);
      const signal = AbortSignal.any([query.signal, closing.signal]);
      return watch({ prefix, calls, connections, observed, clock, logger }, { ...query, signal });
    },
    notes: {
      async range(query) {
        checkOpen();
        checkPrefix(query.prefix, prefix);
        return notes.range(query);
      },
      async count(space, of) {
        checkOpen();
        checkPrefix(of, prefix);
        return notes.count(space, of);
      },
      async rewrite(space, some) {
        checkOpen();
        for (const note of some) checkSize(note, limits);
        await notes.rewrite(space, some);
      },
      async remove(space, keys) {
        checkOpen();
        await notes.remove(space, keys);
      },
    },
    async compact(to) {
      checkOpen();
      const answer = await calls.repeatable(methods.compact, { revision: to, physical: false });
      if (answer.type === "future") throw new RangeError(`revision ${to} lies in the future`);
      if (answer.type === "refused") throw answer.error;
    },
    async close() {
      closing.abort();
      await Promise.allSettled([...writes]);
      await connections.close();
    },
  };
}

function isWithoutRoom(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "InsufficientStorage";
}
