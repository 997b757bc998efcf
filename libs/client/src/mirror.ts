import type { Naming } from "@orch/naming/naming.js";
import type { Client, Selectors } from "./client.js";
import { createFollower, type Follower } from "./follow.js";
import { metadataOnly } from "./metadata-only.js";
import {
  createObjectStore,
  type Handlers,
  type Index,
  type ObjectStore,
  type ObjectStoreOptions,
} from "./object-store.js";
import { type ApiObject, type Collection, pathOf } from "./objects.js";
import type { Timer } from "./pause.js";

export interface MirrorDeps {
  /** Reads for everybody. */
  readonly client: Pick<Client, "list" | "stream">;
  readonly naming: Naming;
  readonly clock: Timer;
  /** In [0, 1): spreads the attempts of many clients. */
  readonly random: () => number;
  /** Views that can say what passes ({@link ViewOptions.passes}) share the whole collection instead of their selectors. */
  readonly followsWhole?: boolean;
}

export interface ViewOptions<T extends ApiObject> extends Selectors {
  readonly collection: Collection;
  /** What the selectors select, decided here: by it the view may be given a part of a collection that others see whole. */
  readonly passes?: (object: ApiObject) => boolean;
  /**
   * What the view must see of objects. Metadata takes less to send and to read; where somebody else sees the same objects
   * whole, this view does, too. Who sees metadata may or may not see its managedFields.
   */
  readonly sees: "objects" | "metadata";
  /** What is kept of an object: its name, namespace, uid and version at least. Objects are shared: not to be written to. */
  readonly keep: (object: ApiObject) => T;
  readonly handlers?: Handlers<T>;
  /** As of a store: what handlers are given of the objects of a list. */
  readonly listTells?: ObjectStoreOptions<T>["listTells"];
  /** By which {@link View.byIndex} finds objects. */
  readonly indexes?: readonly Index<T>[];
  /** Told of every failure, of the list and watch too; following goes on by itself. */
  readonly onError: (error: unknown) => void;
}

/** A collection as one reader sees it. */
export interface View<T extends ApiObject> {
  /** Follows the collection until the signal aborts; resolves then and never rejects. May be run again after. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the first list is in the store and its handlers have been called. */
  readonly synced: Promise<void>;
  /** By `namespace/name` (`name` without a namespace). */
  readonly store: ReadonlyMap<string, T>;
  /** What has a value of one of the view's indexes. @throws TypeError for another index */
  byIndex(index: Index<T>, value: string): Iterable<T>;
}

/**
 * The collections that a process follows: of each one list and one watch, whoever looks at it, decoded once. Selectors make
 * another collection of it. A view that comes later has the collection listed anew, for the others' good or nothing.
 */
export interface Mirror {
  view<T extends ApiObject>(options: ViewOptions<T>): View<T>;
}

/** For `keep`: the object itself. */
export const wholeObject = (object: ApiObject): ApiObject => object;

/** What a followed collection knows of a view that runs. */
interface Reader {
  readonly sees: ViewOptions<ApiObject>["sees"];
  readonly store: Pick<ObjectStore<ApiObject>, "begin" | "apply">;
  readonly listed: () => void;
  readonly failed: (error: unknown) => void;
}

type Followed = Pick<ViewOptions<ApiObject>, "collection" | keyof Selectors>;

/** A collection that is followed, with its readers: at least one. */
interface Source {
  readonly readers: Set<Reader>;
  readonly follower: Follower;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  /** The most that a reader has asked for, and whether pages have come that one who comes later has missed. */
  readonly shows: { most: Reader["sees"]; hasBegun: boolean };
}

export function createMirror(deps: MirrorDeps): Mirror {
  const { naming } = deps;
  const metadata = { ...metadataOnly(naming), withoutManagers: true };
  const sources = new Map<string, Source>();

  const start = (options: Followed, first: Reader): Source => {
    const { collection, labelSelector, fieldSelector } = options;
    const readers = new Set([first]);
    const shows = { most: first.sees, hasBegun: false };
    const follower = createFollower({
      ...deps,
      collection,
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      accept: () => (shows.most === "metadata" ? metadata : undefined),
      onError: (error) => {
        for (const { failed } of readers) failed(error);
      },
      sink: {
        begin() {
          shows.hasBegun = true;
          const listings = [...readers].map((reader) => ({ reader, listing: reader.store.begin() }));
          return {
            page(items) {
              for (const { reader, listing } of listings) if (readers.has(reader)) listing.page(items);
            },
            done() {
              for (const { reader, listing } of listings) {
                if (!readers.has(reader)) continue;
                listing.done();
                reader.listed();
              }
            },
          };
        },
        apply(event) {
          for (const { store } of readers) store.apply(event);
        },
      },
    });
    const abort = new AbortController();
    return { readers, follower, abort, shows, ended: follower.run(abort.signal) };
  };

  const follow = async (options: Followed, reader: Reader, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return;
    const key = JSON.stringify([pathOf(options.collection), options.labelSelector, options.fieldSelector]);
    const known = sources.get(key);
    const source = known ?? start(options, reader);
    if (known === undefined) sources.set(key, source);
    else {
      const seesMore = reader.sees === "objects" && source.shows.most === "metadata";
      if (seesMore) source.shows.most = "objects";
      source.readers.add(reader);
      // One that waits for its first list waits for this one as well.
      if (seesMore || source.shows.hasBegun) source.follower.relist();
    }
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    source.readers.delete(reader);
    if (source.readers.size > 0) return;
    sources.delete(key);
    source.abort.abort(signal.reason);
    await source.ended;
  };

  return {
    view(options) {
      const { collection, passes, keep, handlers, listTells, indexes, onError, sees } = options;
      const isPart = deps.followsWhole === true && passes !== undefined;
      const store = createObjectStore({
        ...{ keep, onError },
        ...(handlers === undefined ? {} : { handlers }),
        ...(listTells === undefined ? {} : { listTells }),
        ...(indexes === undefined ? {} : { indexes }),
      });
      let listed = (): void => {};
      const synced = new Promise<void>((resolve) => {
        listed = resolve;
      });
      const reader: Reader = { sees, store: isPart ? partOf(store, passes) : store, listed, failed: onError };
      return {
        run: (signal) => follow(isPart ? { collection } : options, reader, signal),
        synced,
        store: store.objects,
        byIndex: store.byIndex,
      };
    },
  };
}

/** What a store takes of a collection: an object that does not pass any more is gone from it. */
function partOf(store: Reader["store"], passes: (object: ApiObject) => boolean): Reader["store"] {
  return {
    begin() {
      const { page, done } = store.begin();
      return { page: (items) => page(items.filter(passes)), done };
    },
    apply(event) {
      const isGone = event.type !== "DELETED" && event.type !== "BOOKMARK" && !passes(event.object);
      store.apply(isGone ? { type: "DELETED", object: event.object } : event);
    },
  };
}
