import { expired, type ResourceName, unavailable } from "@orch/status/api-error.js";
import type { Key } from "@orch/store/revision.js";
import type { Store, WatchItem, WatchQuery } from "@orch/store/store.js";
import { type Opened, transformed } from "@orch/store/transformed.js";
import { createLostKeys } from "./lost-keys.js";
import { sealedMark } from "./providers/prefixes.js";
import type { Chain } from "./ring/chain.js";
import type { KeyRing } from "./ring/key-ring.js";
import { beginsWith } from "./ring/step.js";

export interface EncryptedOptions {
  readonly ring: KeyRing;
  /** Whose object stands at a key; undefined for what is no object, which is stored as it is. */
  readonly resourceAt: (key: Key) => ResourceName | undefined;
  /** How long a call waits for the first keys. */
  readonly patienceMs?: number;
}

const defaultPatienceMs = 5_000;

/**
 * A Store whose objects are sealed with the keys of their resource. What no key opens is a damaged entry, told to be sealed; when
 * a key is back, watches of a prefix under which there was one end with `Expired`, so that whoever follows it reads it anew.
 * Until the first keys are there, calls wait for them. Writes then fail with `ServiceUnavailable`, since nobody knows what must
 * be sealed. Reads go on with what is not sealed, and what they gave is read anew once there are keys.
 */
export function encrypted(store: Store, options: EncryptedOptions): Store {
  const { ring, resourceAt, patienceMs = defaultPatienceMs } = options;
  const chainAt = (key: Key): Chain | undefined => {
    const resource = resourceAt(key);
    return resource && ring.chainOf(resource);
  };
  let reads: Promise<void> | undefined;
  /** The first reads wait; there is no use in every one waiting as long again. */
  const untilReadable = (): Promise<void> | undefined => {
    if (ring.isReady) return undefined;
    reads ??= readyWithin(ring, patienceMs).catch(() => {});
    return reads;
  };
  // What is read waits for the keys, not to be read.
  const read: Pick<Store, "get" | "range" | "notes"> = {
    notes: {
      ...store.notes,
      async range(query) {
        const notes = await store.notes.range(query);
        await untilReadable();
        return notes;
      },
    },
    async get(key) {
      const entry = await store.get(key);
      await untilReadable();
      return entry;
    },
    async range(query) {
      const range = await store.range(query);
      await untilReadable();
      return range;
    },
  };
  const sealed = transformed(
    { ...store, ...read },
    {
      seal: (value, key) => chainAt(key)?.seal(value, key) ?? value,
      open: (stored, key) => {
        if (!ring.isReady) return withoutKeys(stored);
        return chainAt(key)?.open(stored, key) ?? { type: "value", value: stored };
      },
    },
  );
  const lost = createLostKeys();
  const stopListening = ring.onChange(() => lost.retry());

  async function* watch(query: WatchQuery): AsyncGenerator<WatchItem> {
    await untilReadable();
    const over = new AbortController();
    const stop = (): void => over.abort();
    if (query.signal.aborted) stop();
    query.signal.addEventListener("abort", stop, { once: true });
    const forget = lost.whenRetried(query.prefix, stop);
    if (!ring.isReady) void ring.ready.then(stop);
    try {
      for await (const item of sealed.watch({ ...query, signal: over.signal })) {
        if (item.type === "events")
          lost.addFrom(item.events.flatMap((event) => (event.type === "damaged" ? [event] : [])));
        yield item;
      }
    } finally {
      forget();
      query.signal.removeEventListener("abort", stop);
    }
    if (over.signal.aborted && !query.signal.aborted) throw expired("what could not be opened may be open now");
  }

  return {
    ...sealed,
    async range(query) {
      const range = await sealed.range(query);
      if (range.damaged !== undefined) lost.addFrom(range.damaged);
      return range;
    },
    async swap(change) {
      if (!ring.isReady) await readyWithin(ring, patienceMs);
      return sealed.swap(change);
    },
    notes: {
      ...sealed.notes,
      async rewrite(space, notes) {
        if (!ring.isReady) await readyWithin(ring, patienceMs);
        return sealed.notes.rewrite(space, notes);
      },
    },
    watch,
    async close() {
      stopListening();
      ring.stop();
      await sealed.close();
    },
  };
}

const notThere = "the keys of the store are not there yet";

function withoutKeys(stored: Buffer): Opened {
  if (beginsWith(stored, sealedMark)) return { type: "damaged", why: notThere, sealed: true };
  return { type: "value", value: stored };
}

async function readyWithin(ring: KeyRing, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(notThere)), ms);
  });
  try {
    await Promise.race([ring.ready, late]);
  } finally {
    clearTimeout(timer);
  }
}
