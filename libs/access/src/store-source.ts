import type { Catalog, Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Collection, Follower, ObjectSource } from "@orch/auth/object-source.js";
import type { Naming } from "@orch/naming/naming.js";
import { type Clock, sleep } from "@orch/runtime/clock.js";
import { ApiError } from "@orch/status/api-error.js";
import { type Key, key, type Revision, revision } from "@orch/store/revision.js";
import type { Entry, Store } from "@orch/store/store.js";

export interface StoreSourceDeps {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly naming: Naming;
  readonly clock: Clock;
  readonly log: (what: string, error: unknown) => void;
}

const retryMs = 250;

/** Objects as they are stored: for a service that has the store and no watch cache. Of stored versions alone. */
export function storeSource(deps: StoreSourceDeps): ObjectSource {
  return {
    async get(collection, name) {
      const entry = await deps.store.get(key(prefixOf(deps, collection) + name));
      return entry === undefined ? undefined : objectOf(entry);
    },
    follow(collection, follower) {
      const abort = new AbortController();
      void run(deps, { collection, follower, signal: abort.signal });
      return { stop: () => abort.abort() };
    },
  };
}

interface Order {
  readonly collection: Collection;
  readonly follower: Follower;
  readonly signal: AbortSignal;
}

async function run(deps: StoreSourceDeps, { collection, follower, signal }: Order): Promise<void> {
  const { store, clock, log } = deps;
  const prefix = prefixOf(deps, collection);
  while (!signal.aborted) {
    try {
      const { entries, revision: at } = await store.range({ prefix });
      follower.replaced(entries.map(objectOf));
      await tell(store, { prefix, from: revision(at + 1), follower, signal });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError && error.reason === "Expired"))
        log(`following ${collection.resource} failed; loading anew`, error);
      await sleep(clock, retryMs, signal);
    }
  }
}

interface Watched {
  readonly prefix: Key;
  readonly from: Revision;
  readonly follower: Follower;
  readonly signal: AbortSignal;
}

async function tell(store: Store, { prefix, from, follower, signal }: Watched): Promise<void> {
  for await (const item of store.watch({ prefix, from, signal })) {
    if (item.type === "progress") continue;
    for (const event of item.events) {
      if (event.type === "put") follower.changed(objectOf(event.entry));
      else follower.deleted(objectOf(event.previous));
    }
  }
}

function objectOf(entry: Entry): AnyObject {
  const object: AnyObject = JSON.parse(entry.value.toString("utf8"));
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(entry.revision) } };
}

/** @throws TypeError for a collection that is not stored in the version that is asked for, or a selection of one */
function prefixOf({ catalog, naming }: StoreSourceDeps, collection: Collection): Key {
  const { group, version, resource, namespace, fieldSelector } = collection;
  const kind: Kind | undefined = catalog.find(group, version, resource);
  if (kind === undefined || kind.hub !== kind || fieldSelector !== undefined) {
    throw new TypeError(`the store has no collection ${group}/${version} ${resource}`);
  }
  return key(`${naming.storePrefix}${kind.storage.prefix}/${namespace === undefined ? "" : `${namespace}/`}`);
}
