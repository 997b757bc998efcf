import type { Client, Selectors } from "./client.js";
import { type Accept, createFollower } from "./follow.js";
import { createObjectStore, type Handlers } from "./object-store.js";
import type { ApiObject, Collection } from "./objects.js";
import type { Timer } from "./pause.js";

export interface ReflectorOptions extends Selectors {
  readonly client: Pick<Client, "list" | "stream">;
  readonly collection: Collection;
  readonly handlers?: Handlers;
  readonly clock: Timer;
  /** In [0, 1): spreads the attempts of many clients. */
  readonly random: () => number;
  /** Objects as JSON where absent. */
  readonly accept?: Accept;
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

/** Mirrors a collection for one reader ({@link createFollower}); who has several readers has a mirror. */
export function createReflector(options: ReflectorOptions): Reflector {
  const { handlers, keep = (object) => object, accept, ...rest } = options;
  const onError = (error: unknown): void => options.onError?.(error);
  const store = createObjectStore({ keep, onError, ...(handlers === undefined ? {} : { handlers }) });
  let listed = (): void => {};
  const synced = new Promise<void>((resolve) => {
    listed = resolve;
  });
  const follower = createFollower({
    ...rest,
    accept: () => accept,
    onError,
    sink: {
      begin() {
        const listing = store.begin();
        return {
          page: listing.page,
          done() {
            listing.done();
            listed();
          },
        };
      },
      apply: store.apply,
    },
  });
  return { run: follower.run, synced, store: store.objects, lastVersion: () => follower.version };
}
