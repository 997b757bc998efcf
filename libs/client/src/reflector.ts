import { ApiError } from "@orch/status/api-error.js";
import type { Client, Selectors } from "./http.js";
import { isGone, listAll } from "./list-all.js";
import type { ApiObject, Collection } from "./objects.js";
import { pause, type Timer } from "./pause.js";
import { type WatchEvent, watch } from "./watch.js";

/** Called after the local store has changed, in the order of the changes. */
export interface Handlers {
  added?(object: ApiObject): void;
  modified?(object: ApiObject, before: ApiObject): void;
  /** The last known state. */
  deleted?(object: ApiObject): void;
}

export interface ReflectorOptions extends Selectors {
  readonly client: Pick<Client, "list" | "stream">;
  readonly collection: Collection;
  readonly handlers?: Handlers;
  readonly clock: Timer;
  /** In [0, 1): spreads the attempts of many clients. */
  readonly random: () => number;
  /** Media types to ask for, of lists and of watches: objects as JSON where absent. */
  readonly accept?: { readonly list: string; readonly object: string };
  /**
   * What the store keeps of an object, its name, namespace, uid and version at least; all of it where absent. Handlers are
   * given new states whole, and of old ones what was kept.
   */
  readonly keep?: (object: ApiObject) => ApiObject;
  /** Objects a page of the list; 0 for the whole list at once. */
  readonly pageSize?: number;
  /** Told of every failure; the reflector goes on by itself. */
  readonly onError?: (error: unknown) => void;
}

export interface Reflector {
  /** Follows the collection until the signal aborts; resolves then and never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the first list is in the store and its handlers have been called. */
  readonly synced: Promise<void>;
  /** The collection by `namespace/name` (`name` without a namespace). */
  readonly store: ReadonlyMap<string, ApiObject>;
  /** The last version seen; empty before the first list. */
  lastVersion(): string;
}

const firstDelay = 200;
const longestDelay = 30_000;
/** A watch that lasted this long was well, even without an event. */
const wellAfter = 10_000;

export function keyOf({ metadata }: ApiObject): string {
  const name = metadata.name ?? "";
  return metadata.namespace === undefined || metadata.namespace === "" ? name : `${metadata.namespace}/${name}`;
}

/**
 * Mirrors a collection: lists it, then watches from the list's version, resumes from the last version seen when a
 * watch ends, and lists anew when that version is kept no more (410). Failures are tried again after a delay that
 * doubles from 0.2 to 30 s, with jitter, or the one that the server names.
 */
export function createReflector(options: ReflectorOptions): Reflector {
  const { client, collection, clock, labelSelector, fieldSelector } = options;
  const selectors = {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
  const { accept, keep = (object) => object } = options;
  const mirror = createMirror(options.handlers ?? {}, { keep, onError: (error) => options.onError?.(error) });
  let resolveSynced = (): void => {};
  const synced = new Promise<void>((resolve) => {
    resolveSynced = resolve;
  });
  let listed = false;
  let failures = 0;

  const list = async (signal: AbortSignal): Promise<void> => {
    const size = options.pageSize === undefined ? {} : { pageSize: options.pageSize };
    const as = accept === undefined ? {} : { accept: accept.list };
    mirror.replace(await listAll(client, collection, { ...selectors, ...size, ...as, signal }));
    listed = true;
    resolveSynced();
  };
  const follow = async (signal: AbortSignal): Promise<void> => {
    const began = clock.monotonic();
    let events = 0;
    try {
      for await (const event of watch(client, collection, {
        ...selectors,
        ...(accept === undefined ? {} : { accept: accept.object }),
        resourceVersion: mirror.version(),
        signal,
      })) {
        mirror.apply(event);
        events++;
      }
    } finally {
      failures = events > 0 || clock.monotonic() - began >= wellAfter ? 0 : failures + 1;
    }
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        if (!listed) await list(signal);
        await follow(signal);
        if (failures > 0) await pause(delayAfter(failures, options.random), { clock, signal });
      } catch (error) {
        if (signal.aborted) return;
        options.onError?.(error);
        if (!listed) failures++;
        if (isGone(error)) listed = false;
        await pause(Math.max(failures === 0 ? 0 : delayAfter(failures, options.random), askedFor(error)), {
          clock,
          signal,
        });
      }
    }
  };
  return { run, synced, store: mirror.store, lastVersion: mirror.version };
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

interface MirrorOptions {
  readonly keep: (object: ApiObject) => ApiObject;
  readonly onError: (error: unknown) => void;
}

/** The local store and what its handlers are told: a handler that throws misses its change and nothing else. */
function createMirror(handlers: Handlers, { keep, onError }: MirrorOptions) {
  const store = new Map<string, ApiObject>();
  let version = "";
  const tell = (call: () => void): void => {
    try {
      call();
    } catch (error) {
      onError(error);
    }
  };
  const put = (object: ApiObject): void => {
    const key = keyOf(object);
    const before = store.get(key);
    const { resourceVersion, uid } = object.metadata;
    if (before !== undefined && before.metadata.resourceVersion === resourceVersion && before.metadata.uid === uid)
      return;
    store.set(key, keep(object));
    if (before === undefined) tell(() => handlers.added?.(object));
    else tell(() => handlers.modified?.(object, before));
  };
  const remove = (key: string, last: ApiObject | undefined): void => {
    const object = last ?? store.get(key);
    if (store.delete(key) && object !== undefined) tell(() => handlers.deleted?.(object));
  };
  return {
    store,
    version: () => version,
    replace(list: { readonly resourceVersion: string; readonly items: readonly ApiObject[] }): void {
      const keys = new Set(list.items.map(keyOf));
      for (const key of [...store.keys()]) if (!keys.has(key)) remove(key, undefined);
      for (const object of list.items) put(object);
      version = list.resourceVersion;
    },
    apply({ type, object }: WatchEvent): void {
      if (type === "DELETED") remove(keyOf(object), object);
      else if (type !== "BOOKMARK") put(object);
      version = object.metadata.resourceVersion ?? version;
    },
  };
}
