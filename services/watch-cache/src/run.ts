import { readFileSync } from "node:fs";
import { createNaming } from "@orch/naming/naming.js";
import { registerFeatureMetrics } from "@orch/runtime/feature-gates.js";
import { processTools } from "@orch/runtime/program.js";
import { serviceTls } from "@orch/runtime/rpc-flags.js";
import { runInternalService } from "@orch/runtime/run-service.js";
import { endStart } from "@orch/runtime/shutdown.js";
import { etcdSettings, expectedDialect } from "@orch/runtime/store-flags.js";
import { createStoreMetrics } from "@orch/runtime/store-metrics.js";
import { claimEtcdIdentity } from "@orch/store/etcd-identity.js";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import { snapshot } from "@orch/store/pages.js";
import { key } from "@orch/store/revision.js";
import { timed } from "@orch/store/timed.js";
import type { Started } from "./command-line.js";
import { watchCacheSettings } from "./settings.js";
import { createLargePrinter } from "./thread/large-printer.js";

/** Of some 8 MiB each: what etcd reads until there is somebody to take them. */
const pagesAhead = 3;

/** Puts the service together and serves until the process is told to stop. */
export async function run({ values, refuse }: Started): Promise<void> {
  const tools = processTools("watch-cache", values, refuse);
  const { log, clock, health, metrics, release, gates } = tools;
  const naming = createNaming(values["api-dialect"], { storePrefix: values["etcd-prefix"] });
  registerFeatureMetrics(metrics, gates, naming.word("orch"));
  const tls = await serviceTls(values, [values["bind-address"]], { log, clock, metrics, refuse });
  const storeMetrics = createStoreMetrics(metrics, { storePrefix: naming.storePrefix, now: clock.monotonic });
  const opened = await openEtcdStore({
    ...etcdSettings(values, (path) => readFileSync(path)),
    prefix: naming.storePrefix,
    logger: log,
  });
  const store = timed(opened, storeMetrics);
  const claimed = claimEtcdIdentity({
    store,
    prefix: naming.storePrefix,
    expected: expectedDialect(naming),
    endpoints: values["etcd-servers"],
  }).catch(endStart);
  // The store reads its first pages while the rest of the code is loaded.
  const begun = snapshot(store, { prefix: key(naming.storePrefix), ahead: pagesAhead });
  const [{ loadCatalog }, { createLiveCatalog, tellStoredKinds }, { createGrpcServer }, { assembleWatchCache }] =
    await Promise.all([
      import("@orch/api/catalog.js"),
      import("@orch/api/custom/live-catalog.js"),
      import("@orch/rpc/link/grpc-server.js"),
      import("./assemble.js"),
      claimed,
    ]);
  const catalog = createLiveCatalog(loadCatalog(naming, { release }));
  tellStoredKinds(catalog, storeMetrics);
  const server = createGrpcServer({
    host: values["bind-address"],
    port: values["rpc-port"],
    log,
    security: tls?.with(values["rpc-allowed-peers"]),
  });
  const cache = assembleWatchCache(watchCacheSettings(values, { gates }), {
    store,
    begun,
    naming,
    catalog,
    services: server.services,
    clock,
    log,
    metrics,
    printElsewhere: createLargePrinter({ dialect: naming.dialect, release }, log),
  });
  health.check("watch-cache", () => (cache.status().ready ? undefined : cache.status().message), { livez: false });
  health.check("store", () => cache.storeAnswers(), { livez: false });

  await runInternalService({
    tools,
    values,
    tls,
    async start() {
      await cache.start();
      // Until then gateways ask another replica, or wait for this one.
      await cache.loaded();
      return { rpc: await server.listen() };
    },
    async stop() {
      await cache.stop();
      await server.close(2_000);
      await store.close();
    },
  });
}
