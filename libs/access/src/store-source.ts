import type { Catalog, Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Collection, Follower, ObjectSource } from "@orch/auth/object-source.js";
import type { Naming } from "@orch/naming/naming.js";
import { type Clock, sleep } from "@orch/runtime/clock.js";
import { expired } from "@orch/status/api-error.js";
import { readJson } from "@orch/status/read-json.js";
import { type Damage, damageText } from "@orch/store/damaged-entry.js";
import { createFollowing } from "@orch/store/follow.js";
import { followValues, type ValueFollower } from "@orch/store/follow-values.js";
import { type Key, key } from "@orch/store/revision.js";
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
      const { store, clock, log } = deps;
      const { resource } = collection;
      const abort = new AbortController();
      const unreadable = (damaged: readonly Damage[]): void =>
        log(`stored ${resource} cannot be read`, new Error(damageText(damaged)));
      const following = createFollowing({
        ...{ store, log, subject: resource },
        prefix: prefixOf(deps, collection),
        follower: followValues(objectOf, objectsOnly(follower, unreadable)),
        retryMs,
        pause: (ms, signal) => sleep(clock, ms, signal),
      });
      void following.run(abort.signal);
      return { stop: () => abort.abort() };
    },
  };
}

/** A follower of objects is told of what is lost by a load without it: it grants nothing then, and takes nothing from others. */
function objectsOnly(follower: Follower, unreadable: (damaged: readonly Damage[]) => void): ValueFollower<AnyObject> {
  return {
    replaced(objects, damaged, at) {
      follower.replaced(objects, at);
      if (damaged.length > 0) unreadable(damaged);
    },
    changed: (object) => follower.changed(object),
    deleted(at, last) {
      if (last === undefined) throw expired(`what was deleted at ${at} cannot be read`);
      follower.deleted(last);
    },
    damaged({ revision }) {
      throw expired(`the change at revision ${revision} cannot be read`);
    },
  };
}

function objectOf(entry: Entry): AnyObject {
  const object: AnyObject = readJson(entry.value.toString("utf8"));
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(entry.revision) } };
}

/** @throws TypeError for a collection that is not stored in the version that is asked for, or a selection of one */
function prefixOf({ catalog, naming }: StoreSourceDeps, collection: Collection): Key {
  const { group, version, resource, namespace, fieldSelector } = collection;
  const kind: Kind | undefined = catalog.find(group, version, resource);
  if (kind === undefined || kind.stored !== kind || fieldSelector !== undefined) {
    throw new TypeError(`the store has no collection ${group}/${version} ${resource}`);
  }
  return key(`${naming.storePrefix}${kind.storage.prefix}/${namespace === undefined ? "" : `${namespace}/`}`);
}
