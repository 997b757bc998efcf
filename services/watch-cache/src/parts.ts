import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { GetRequest, ListRequest, WatchRequest } from "@orch/rpc/messages.js";
import type { Key } from "@orch/store/revision.js";
import type { WatchCache } from "./service.js";

/** A cache of a store, and the prefixes of the keys that are stored there. */
export interface CachePart {
  readonly prefixes: readonly Key[];
  readonly cache: WatchCache;
}

/**
 * Caches of several stores as one: each is asked about what its store has, `main` about the rest. Each store counts revisions
 * of its own, and so what one cache shows is never set beside what another does. Where the store of a part is away, what is
 * stored there waits, and nothing else.
 */
export function joinCaches(
  main: WatchCache,
  parts: readonly CachePart[],
  { catalog, storePrefix }: { readonly catalog: LiveCatalog; readonly storePrefix: string },
): WatchCache {
  if (parts.length === 0) return main;
  const caches = [main, ...parts.map(({ cache }) => cache)];
  const byPrefix = new Map(
    parts.flatMap(({ prefixes, cache }) => prefixes.map((prefix): [string, WatchCache] => [prefix, cache])),
  );
  const at = (storagePrefix: string): WatchCache => byPrefix.get(`${storePrefix}${storagePrefix}/`) ?? main;
  const readsOf = ({ group, version, resource }: GetRequest | ListRequest | WatchRequest): WatchCache["reads"] => {
    const kind = catalog.now.find(group, version, resource);
    return (kind === undefined ? main : at(kind.storage.prefix)).reads;
  };
  const sum = (count: (of: WatchCache["counters"]) => number): number =>
    caches.reduce((total, { counters }) => total + count(counters), 0);
  return {
    reads: {
      get: (request, call) => readsOf(request).get(request, call),
      list: (request, sender) => readsOf(request).list(request, sender),
      watch: (request, sender) => readsOf(request).watch(request, sender),
    },
    status: main.status,
    async start() {
      await Promise.all(caches.map((cache) => cache.start()));
    },
    async stop() {
      await Promise.all(caches.map((cache) => cache.stop()));
    },
    async loaded() {
      await Promise.all([main.loaded(), ...parts.map(({ cache }) => loadedIfThere(cache))]);
    },
    newest: main.newest,
    counters: {
      get watchers() {
        return sum(({ watchers }) => watchers);
      },
      get roundTrips() {
        return sum(({ roundTrips }) => roundTrips);
      },
      get consistentReads() {
        return sum(({ consistentReads }) => consistentReads);
      },
      get unreadable() {
        return sum(({ unreadable }) => unreadable);
      },
      objects: (storagePrefix) => at(storagePrefix).counters.objects(storagePrefix),
      revision: (storagePrefix) => at(storagePrefix).counters.revision(storagePrefix),
    },
  };
}

async function loadedIfThere(cache: WatchCache): Promise<void> {
  const answers = await cache.newest().then(
    () => true,
    () => false,
  );
  if (answers) await cache.loaded();
}
