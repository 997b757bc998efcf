import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { createConversionMetrics } from "@orch/access/conversion-metrics.js";
import { openEgress } from "@orch/access/egress.js";
import { etcdStores } from "@orch/access/etcd-stores.js";
import { openStoreParts } from "@orch/access/store-parts.js";
import type { Kind } from "@orch/api/catalog.js";
import { storedResource } from "@orch/api/stored-resource.js";
import { createNaming } from "@orch/naming/naming.js";
import { hostsOf } from "@orch/rpc/addresses.js";
import { webhookCalls } from "@orch/rpc/webhook-calls.js";
import { webhookPeers } from "@orch/rpc/webhook-peers.js";
import { registerFeatureMetrics } from "@orch/runtime/flags/feature-gates.js";
import { serviceTls } from "@orch/runtime/flags/rpc-flags.js";
import { processTools } from "@orch/runtime/program.js";
import { runInternalService } from "@orch/runtime/run-service.js";
import { endStart } from "@orch/runtime/shutdown.js";
import { createStoreMetrics } from "@orch/runtime/store-metrics.js";
import { snapshot } from "@orch/store/pages.js";
import { key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { timed } from "@orch/store/timed.js";
import { openTracing } from "@orch/tracing/open-tracing.js";
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
  const egress = await openEgress(values["egress-selector-config-file"], { naming, metrics, clock, refuse });
  const tracing = await openTracing(values["tracing-config-file"], {
    ...{ naming, metrics, clock, log, refuse },
    dial: egress?.through("controlplane"),
    service: "watch-cache",
  });
  const hosts = [values["bind-address"], ...hostsOf([...values["admission-servers"], ...values["kms-servers"]])];
  const tls = await serviceTls(values, hosts, { log, clock, metrics, refuse });
  const webhooks = webhookPeers(values["admission-servers"], { log, security: tls?.with(["admission"]) });
  const storeMetrics = createStoreMetrics(metrics, { storePrefix: naming.storePrefix, now: clock.monotonic });
  const stores = await etcdStores(values, { naming, log, clock, egress });
  const opened = await stores.open(values["etcd-servers"]);
  const claimed = stores.claim(timed(opened, storeMetrics), values["etcd-servers"]).catch(endStart);
  let storedAt: (prefix: string) => Kind | undefined = () => undefined;
  const serverId = `${hostname()}_${randomUUID()}`;
  // Who encrypts nothing does not load what does.
  const encryption =
    values["kms-servers"].length === 0
      ? undefined
      : await import("@orch/encryption/of-a-service.js").then(({ encryptionOfService }) =>
          encryptionOfService(values["kms-servers"], {
            ...{ clock, log, metrics, serverId, security: tls?.with(["kms"]) },
            resourceAt: (key) => storedResource({ storedAt }, key.slice(naming.storePrefix.length)),
          }),
        );
  const sealed = (unsealed: Store): Store => timed(encryption?.wrap(unsealed) ?? unsealed, storeMetrics);
  const store = sealed(opened);
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
  storedAt = (prefix) => catalog.now.storedAt(prefix);
  encryption?.start();
  const server = createGrpcServer({
    host: values["bind-address"],
    port: values["rpc-port"],
    log,
    security: tls?.with(values["rpc-allowed-peers"]),
    joinTrace: tracing?.join,
  });
  const parts = await openStoreParts(values["etcd-servers-overrides"], {
    catalog: catalog.builtIn,
    ...{ refuse, log, stores },
    wrap: sealed,
  }).catch(endStart);
  const cache = assembleWatchCache(watchCacheSettings(values, { gates }), {
    ...{ store, begun, parts },
    naming,
    catalog,
    services: server.services,
    callConversion: webhookCalls(webhooks, "conversion"),
    conversionObserver: createConversionMetrics(metrics, clock.monotonic),
    clock,
    log,
    metrics,
    printElsewhere: createLargePrinter({ dialect: naming.dialect, release }, log),
  });
  health.check("watch-cache", () => (cache.status().ready ? undefined : cache.status().message), { livez: false });
  health.check("store", () => cache.newest().then(() => undefined), { livez: false });

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
      await webhooks.close();
      await Promise.all([store, ...parts.map((part) => part.store)].map((each) => each.close()));
      await encryption?.close();
      await tracing?.stop();
    },
  });
}
