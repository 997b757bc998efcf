import { ApiError } from "@orch/status/api-error.js";
import type { Client, Selectors } from "./client.js";
import { isGone, listPages } from "./list-all.js";
import type { ApiObject, Collection } from "./objects.js";
import { pause, type Timer } from "./pause.js";
import { type WatchEvent, watchBatches } from "./watch.js";

/** Media types to ask for, of lists and of watches. */
export interface Accept {
  readonly list: string;
  readonly object: string;
  /** Whether events leave managedFields out: only where they show metadata alone. */
  readonly withoutManagers?: boolean;
}

/** A list of a whole collection, page by page. One that is never over is void. */
export interface Listing {
  page(items: readonly ApiObject[]): void;
  /** That was the whole collection. */
  done(): void;
}

/** Where the states of a followed collection go. */
export interface Sink {
  /** Called with the first page of a list, and again where a list has to begin anew. */
  begin(): Listing;
  apply(event: WatchEvent): void;
}

export interface FollowOptions extends Selectors {
  readonly client: Pick<Client, "list" | "stream">;
  readonly collection: Collection;
  readonly sink: Sink;
  readonly clock: Timer;
  /** In [0, 1): spreads the attempts of many clients. */
  readonly random: () => number;
  /** Asked for each list and watch; objects as JSON where undefined. */
  readonly accept?: () => Accept | undefined;
  /** Objects a page of the list; 0 for the whole list at once. */
  readonly pageSize?: number | undefined;
  /** Told of every failure; following goes on by itself. */
  readonly onError: (error: unknown) => void;
}

export interface Follower {
  /** Follows the collection until the signal aborts; resolves then and never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Lists anew at once, instead of going on with its watch. */
  relist(): void;
  /** The last version seen; empty before the first list. */
  readonly version: string;
}

const firstDelay = 200;
const longestDelay = 30_000;
/** A watch that lasted this long was well, even without an event. */
const wellAfter = 10_000;

/**
 * Lists a collection, then watches from the list's version, resumes from the last version seen when a watch ends, and lists
 * anew when that version is kept no more (410). Failures are tried again after a delay that doubles from 0.2 to 30 s, with
 * jitter, or the one that the server names.
 */
export function createFollower(options: FollowOptions): Follower {
  const { client, collection, sink, clock, random, labelSelector, fieldSelector, onError } = options;
  const selectors = {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
  let version = "";
  let listed = false;
  let failures = 0;
  /** Of what runs now. */
  let attempt = new AbortController();

  const list = async (signal: AbortSignal): Promise<void> => {
    const size = options.pageSize === undefined ? {} : { pageSize: options.pageSize };
    const accept = options.accept?.();
    const as = accept === undefined ? {} : { accept: accept.list };
    let listing: Listing | undefined;
    let listedVersion = "";
    for await (const page of listPages(client, collection, { ...selectors, ...size, ...as, signal })) {
      signal.throwIfAborted();
      if (page.isFirst) listing = sink.begin();
      listing?.page(page.items);
      listedVersion = page.resourceVersion;
    }
    signal.throwIfAborted();
    listed = true;
    version = listedVersion;
    listing?.done();
  };
  const follow = async (signal: AbortSignal): Promise<void> => {
    const began = clock.monotonic();
    const accept = options.accept?.();
    let events = 0;
    try {
      for await (const batch of watchBatches(client, collection, {
        ...selectors,
        ...(accept === undefined ? {} : { accept: accept.object, withoutManagers: accept.withoutManagers === true }),
        resourceVersion: version,
        signal,
      })) {
        for (const event of batch) {
          // What is listed anew says more than the rest of what came. A signal takes longer to look at than most events.
          if (!listed) return;
          version = event.object.metadata.resourceVersion ?? version;
          sink.apply(event);
        }
        events += batch.length;
      }
    } finally {
      // One that was broken off for a list was well.
      if (!signal.aborted) failures = events > 0 || clock.monotonic() - began >= wellAfter ? 0 : failures + 1;
    }
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      attempt = new AbortController();
      const trying = AbortSignal.any([signal, attempt.signal]);
      try {
        if (!listed) await list(trying);
        await follow(trying);
        if (failures > 0) await pause(delayAfter(failures, random), { clock, signal: trying });
      } catch (error) {
        if (signal.aborted) return;
        if (trying.aborted) continue;
        onError(error);
        if (!listed) failures++;
        if (isGone(error)) listed = false;
        await pause(Math.max(failures === 0 ? 0 : delayAfter(failures, random), askedFor(error)), {
          clock,
          signal: trying,
        });
      }
    }
  };
  return {
    run,
    relist() {
      listed = false;
      failures = 0;
      attempt.abort(new Error("listed anew"));
    },
    get version() {
      return version;
    },
  };
}

/** Milliseconds that an overloaded server asks its clients to wait. */
function askedFor(error: unknown): number {
  if (!(error instanceof ApiError) || error.reason !== "TooManyRequests") return 0;
  return 1000 * (error.details?.retryAfterSeconds ?? 0);
}

/** Milliseconds before the n-th attempt: doubled each time, between half of it and all of it. */
function delayAfter(failures: number, random: () => number): number {
  const full = Math.min(longestDelay, firstDelay * 2 ** Math.min(failures - 1, 16));
  return full / 2 + (full / 2) * random();
}
