import { readFileSync } from "node:fs";
import { createNaming } from "@orch/naming/naming.js";
import { createPreciseClock } from "@orch/rpc/clock.js";
import { registerFeatureMetrics } from "@orch/runtime/feature-gates.js";
import { durationFlag, intFlag } from "@orch/runtime/flag-types.js";
import { createOpsServer } from "@orch/runtime/ops-server.js";
import { processTools, startProgram } from "@orch/runtime/program.js";
import { serviceTls } from "@orch/runtime/rpc-flags.js";
import { serviceFlags } from "@orch/runtime/service-flags.js";
import { runProcess } from "@orch/runtime/shutdown.js";
import { etcdSettings } from "@orch/runtime/store-flags.js";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import { snapshot } from "@orch/store/pages.js";
import { key } from "@orch/store/revision.js";
import { watchCacheDefaults } from "./config.js";
import { registerWatchCacheMetrics } from "./metrics.js";

const flags = {
  ...serviceFlags,
  "history-duration": durationFlag(watchCacheDefaults.historyMs, {
    group: "Cache",
    help: "how long changes are kept for watches to resume",
  }),
  "history-megabytes": intFlag(watchCacheDefaults.historyBytes >> 20, {
    group: "Cache",
    min: 1,
    help: "bound of the kept changes of one resource",
  }),
  "bookmark-interval": durationFlag(watchCacheDefaults.bookmarkMs, {
    group: "Cache",
    help: "time between bookmarks of a watch",
  }),
} as const;

/** Of some 8 MiB each: what etcd reads until there is somebody to take them. */
const pagesAhead = 3;

const { values, refuse } = startProgram(
  { name: "orch-watch-cache", description: "Follows the store and answers get, list and watch from memory.", flags },
  process.argv.slice(2),
);
const { log, logFailure, clock, health, metrics, release, gates } = processTools("watch-cache", values, refuse);
const naming = createNaming(values["api-dialect"], { storePrefix: values["etcd-prefix"] });
registerFeatureMetrics(metrics, gates, naming.word("orch"));
const tls = await serviceTls(values, [values["bind-address"]], { log, clock, metrics, refuse });
const store = await openEtcdStore({
  ...etcdSettings(values, (path) => readFileSync(path)),
  prefix: naming.storePrefix,
  logger: log,
});
// The store reads its first pages while the rest of the code is loaded.
const begun = snapshot(store, { prefix: key(naming.storePrefix), ahead: pagesAhead });
const [{ loadCatalog }, { createGrpcServer }, { createWatchCache }] = await Promise.all([
  import("@orch/api/catalog.js"),
  import("@orch/rpc/grpc-server.js"),
  import("./service.js"),
]);
const server = createGrpcServer({
  host: values["bind-address"],
  port: values["rpc-port"],
  log,
  security: tls?.with(values["rpc-allowed-peers"]),
});
const cache = createWatchCache(
  {
    ...watchCacheDefaults,
    streamingLists: gates.enabled("WatchList"),
    historyMs: values["history-duration"],
    historyBytes: values["history-megabytes"] << 20,
    bookmarkMs: values["bookmark-interval"],
  },
  {
    store,
    begun,
    naming,
    catalog: loadCatalog(naming, { release }),
    services: server.services,
    log: (what, err) => log.error({ err }, what),
    now: clock.monotonic,
    wallClock: clock.now,
    stamp: createPreciseClock(),
  },
);
registerWatchCacheMetrics(metrics, cache);
health.check("log", logFailure);
health.check("watch-cache", () => (cache.status().ready ? undefined : cache.status().message), { livez: false });
health.check("store", () => cache.storeAnswers(), { livez: false });
const ops = createOpsServer(values, { health, metrics, tls });

await runProcess({
  log,
  clock,
  delay: values["shutdown-delay-duration"],
  shuttingDown: () => health.shutDown(),
  service: {
    async start() {
      await ops.start();
      await cache.start();
      // Until then gateways ask another replica, or wait for this one.
      await cache.loaded();
      const rpcPort = await server.listen();
      log.info({ rpcPort, metricsPort: ops.port }, "serving");
      process.stdout.write(`rpc=${values["bind-address"]}:${rpcPort} metrics=${values["bind-address"]}:${ops.port}\n`);
    },
    async stop() {
      await cache.stop();
      await server.close(2_000);
      await store.close();
      await ops.stop();
    },
  },
});
