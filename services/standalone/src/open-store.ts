import { resolve } from "node:path";
import type { Catalog } from "@orch/api/catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Egress } from "@orch/outbound/egress/egress.js";
import type { Clock } from "@orch/runtime/clock.js";
import { expectedDialect } from "@orch/runtime/flags/store-flags.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { LocalStore } from "@orch/store/embedded/serve-database.js";
import type { Store } from "@orch/store/store.js";
import type { Started } from "./command-line.js";
import type { OpenedStore } from "./standalone.js";
import { registerStoreMetrics } from "./store-metrics.js";

export interface OpenStoreDeps {
  readonly naming: Naming;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly dataDir: string;
  /** Kinds that resources of flags are looked up among. */
  readonly catalog: Catalog;
  readonly refuse: (problem: string) => never;
  readonly egress: Egress | undefined;
  /** Ends what goes on beside the store. */
  readonly signal: AbortSignal;
  /** What stands around every store: encryption, metrics. */
  readonly wrap: (store: Store) => Store;
}

/** The store that the flags name; of the three, that one alone is loaded. */
export async function openOwnStore(values: Started["values"], deps: OpenStoreDeps): Promise<OpenedStore> {
  if (values["etcd-servers"].length > 0) return openEtcd(values, deps);
  const { naming, log: logger, metrics, dataDir, wrap } = deps;
  const prefix = naming.storePrefix;
  const whole = (store: LocalStore, path: string | undefined): OpenedStore => {
    registerStoreMetrics(metrics, store.condition, path);
    const main = wrap(store);
    return { ...main, condition: store.condition, main, parts: [] };
  };
  if (values["store-in-memory"]) {
    const { openMemoryStore } = await import("@orch/store/memory/memory-store.js");
    return whole(await openMemoryStore({ prefix, logger, dialect: naming.dialect }), undefined);
  }
  const { openEmbeddedStore } = await import("@orch/store/embedded-store.js");
  const path = resolve(dataDir, "store");
  const scrubIntervalMs = values["store-scrub-interval"];
  const dialect = expectedDialect(naming);
  return whole(await openEmbeddedStore({ path, prefix, dialect, scrubIntervalMs, logger }), path);
}

async function openEtcd(values: Started["values"], deps: OpenStoreDeps): Promise<OpenedStore> {
  const { naming, log, clock, egress, catalog, refuse, signal, wrap } = deps;
  const [{ etcdStores }, { startCompactor }, { createPartedStore }, { openStoreParts }] = await Promise.all([
    import("@orch/access/etcd-stores.js"),
    import("@orch/store/elected-compactor.js"),
    import("@orch/store/parted-store.js"),
    import("@orch/access/store-parts.js"),
  ]);
  const stores = await etcdStores(values, { naming, log, clock, egress });
  const main = wrap(await stores.open(values["etcd-servers"]));
  await stores.claim(main, values["etcd-servers"]);
  const parts = await openStoreParts(values["etcd-servers-overrides"], { catalog, refuse, stores, wrap, log });
  const intervalMs = values["etcd-compaction-interval"];
  const compacted = { prefix: naming.storePrefix, intervalMs, logger: log, signal };
  const all = [main, ...parts.map(({ store }) => store)];
  if (intervalMs > 0) for (const store of all) void startCompactor({ ...compacted, store });
  return { ...createPartedStore(main, parts), condition: stores.condition, main, parts };
}
