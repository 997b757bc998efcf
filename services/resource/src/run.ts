import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { createAuthorizationAccess } from "@orch/access/access.js";
import { ConfigurationError } from "@orch/access/configuration.js";
import { createConversionMetrics } from "@orch/access/conversion-metrics.js";
import { openEgress } from "@orch/access/egress.js";
import { etcdStores } from "@orch/access/etcd-stores.js";
import { followDefinitions } from "@orch/access/follow-definitions.js";
import { openStoreParts } from "@orch/access/store-parts.js";
import { storeSource } from "@orch/access/store-source.js";
import { loadCatalog } from "@orch/api/catalog.js";
import { createLiveCatalog, tellStoredKinds } from "@orch/api/custom/live-catalog.js";
import { storedResource } from "@orch/api/stored-resource.js";
import { createNaming } from "@orch/naming/naming.js";
import { hostsOf } from "@orch/rpc/addresses.js";
import { createGrpcServer } from "@orch/rpc/link/grpc-server.js";
import { webhookPeers } from "@orch/rpc/webhook-peers.js";
import { registerFeatureMetrics } from "@orch/runtime/flags/feature-gates.js";
import { serviceTls } from "@orch/runtime/flags/rpc-flags.js";
import { processTools } from "@orch/runtime/program.js";
import { runInternalService } from "@orch/runtime/run-service.js";
import { endStart } from "@orch/runtime/shutdown.js";
import { createStoreMetrics } from "@orch/runtime/store-metrics.js";
import { startCompactor } from "@orch/store/elected-compactor.js";
import { createPartedStore } from "@orch/store/parted-store.js";
import type { Store } from "@orch/store/store.js";
import { timed } from "@orch/store/timed.js";
import { besidesUnreachable } from "@orch/store/unreachable.js";
import { openTracing } from "@orch/tracing/open-tracing.js";
import { assembleResource } from "./assemble.js";
import type { Started } from "./command-line.js";
import { resourceSettings } from "./settings.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run({ values, given, refuse }: Started, environment: NodeJS.ProcessEnv): Promise<void> {
  const tools = processTools("resource", values, refuse);
  const { log, clock, health, metrics, noteWork, release, gates } = tools;
  const naming = createNaming(values["api-dialect"], { storePrefix: values["etcd-prefix"] });
  registerFeatureMetrics(metrics, gates, naming.word("orch"));
  const egress = await openEgress(values["egress-selector-config-file"], { naming, metrics, clock, refuse });
  const tracing = await openTracing(values["tracing-config-file"], {
    ...{ naming, metrics, clock, log, refuse },
    dial: egress?.through("controlplane"),
    service: "resource",
  });
  const settings = resourceSettings(values, { gates, naming, read: (path) => readFileSync(path, "utf8") });
  if (!settings.ok) return refuse(settings.problems.join("; "));
  const hosts = [values["bind-address"], ...hostsOf([...values["admission-servers"], ...values["kms-servers"]])];
  const tls = await serviceTls(values, hosts, { log, clock, metrics, refuse });
  const webhooks = webhookPeers(values["admission-servers"], { log, security: tls?.with(["admission"]) });
  const storeMetrics = createStoreMetrics(metrics, { storePrefix: naming.storePrefix, now: clock.monotonic });
  const stores = await etcdStores(values, { naming, log, clock, egress });
  const main = await stores.open(values["etcd-servers"]);
  await stores.claim(timed(main, storeMetrics), values["etcd-servers"]).catch(endStart);
  const server = createGrpcServer({
    host: values["bind-address"],
    port: values["rpc-port"],
    log,
    security: tls?.with(values["rpc-allowed-peers"]),
    joinTrace: tracing?.join,
  });
  const groups = values.groups.map((name) => (name === "core" ? "" : name));
  const catalog = createLiveCatalog(loadCatalog(naming, { release }));
  tellStoredKinds(catalog, storeMetrics);
  const serverId = `${hostname()}_${randomUUID()}`;
  // Who encrypts nothing does not load what does.
  const encryption =
    values["kms-servers"].length === 0
      ? undefined
      : await import("@orch/encryption/of-a-service.js").then(({ encryptionOfService }) =>
          encryptionOfService(values["kms-servers"], {
            ...{ clock, log, metrics, serverId, security: tls?.with(["kms"]) },
            resourceAt: (key) => storedResource(catalog.now, key.slice(naming.storePrefix.length)),
          }),
        );
  encryption?.start();
  const sealed = (opened: Store): Store => timed(encryption?.wrap(opened) ?? opened, storeMetrics);
  const parts = await openStoreParts(values["etcd-servers-overrides"], {
    catalog: catalog.builtIn,
    ...{ refuse, log, stores },
    wrap: sealed,
  }).catch(endStart);
  const store = createPartedStore(sealed(main), parts);
  const objects = storeSource({
    store,
    catalog: catalog.builtIn,
    naming,
    clock,
    log: besidesUnreachable((what, err) => log.warn({ err }, what)),
  });
  const access = await createAuthorizationAccess(
    { values, given: [...given] },
    {
      naming,
      clock,
      log,
      metrics,
      objects,
      random: Math.random,
      environment,
      egress,
    },
  ).catch((error: unknown) => {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`orch-resource: ${error.message}\n`);
    return process.exit(1);
  });
  const resource = assembleResource(settings.value, {
    store: { ...store, condition: stores.condition },
    naming,
    catalog,
    services: server.services,
    webhooks,
    permissions: { authorizer: access.authorization.authorizer, rules: access.authorization.granting },
    conversionObserver: createConversionMetrics(metrics, clock.monotonic),
    postStartHook: (hook) => health.postStartHook(hook),
    noteWork,
    encryption,
    clock,
    log,
    metrics,
    groups: groups.length === 0 ? undefined : groups,
    runtimeConfig: [],
  });
  const definitions = followDefinitions(objects, catalog);
  const compaction = new AbortController();
  health.check("store", () => store.revision().then(() => undefined), { livez: false });
  health.check("store-space", () => (stores.condition.full ? "the store has no room left" : undefined), {
    healthz: false,
    livez: false,
  });
  const bootstrapped = health.postStartHook("bootstrap-controller");
  void resource.bootstrapped.then(bootstrapped);

  await runInternalService({
    tools,
    values,
    tls,
    async start() {
      access.start();
      await resource.start();
      // Which gateways there are nobody here knows: who runs them says where they are reached.
      resource.leadTo({ port: values["gateway-port"], address: values["advertise-address"] || undefined });
      const intervalMs = values["etcd-compaction-interval"];
      const { signal } = compaction;
      const compacted = { prefix: naming.storePrefix, intervalMs, logger: log, signal };
      if (intervalMs > 0)
        for (const each of stores.opened) void startCompactor({ ...compacted, store: timed(each, storeMetrics) });
      return { rpc: await server.listen() };
    },
    async stop() {
      compaction.abort();
      definitions.stop();
      await server.close(2_000);
      await resource.stop();
      await access.stop();
      await webhooks.close();
      await store.close();
      await encryption?.close();
      await tracing?.stop();
    },
  });
}
