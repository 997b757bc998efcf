import { readFileSync } from "node:fs";
import { createAuthorizationAccess } from "@orch/access/access.js";
import { ConfigurationError } from "@orch/access/configuration.js";
import { followDefinitions } from "@orch/access/follow-definitions.js";
import { storeSource } from "@orch/access/store-source.js";
import { loadCatalog } from "@orch/api/catalog.js";
import { createLiveCatalog, tellStoredKinds } from "@orch/api/custom/live-catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { createGrpcServer } from "@orch/rpc/link/grpc-server.js";
import { registerFeatureMetrics } from "@orch/runtime/feature-gates.js";
import { processTools } from "@orch/runtime/program.js";
import { serviceTls } from "@orch/runtime/rpc-flags.js";
import { runInternalService } from "@orch/runtime/run-service.js";
import { endStart } from "@orch/runtime/shutdown.js";
import { etcdSettings, expectedDialect } from "@orch/runtime/store-flags.js";
import { createStoreMetrics } from "@orch/runtime/store-metrics.js";
import { startCompactor } from "@orch/store/elected-compactor.js";
import { claimEtcdIdentity } from "@orch/store/etcd-identity.js";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import { timed } from "@orch/store/timed.js";
import { besidesUnreachable } from "@orch/store/unreachable.js";
import { assembleResource } from "./assemble.js";
import type { Started } from "./command-line.js";
import { resourceSettings } from "./settings.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run({ values, given, refuse }: Started): Promise<void> {
  const tools = processTools("resource", values, refuse);
  const { log, clock, health, metrics, noteWork, release, gates } = tools;
  const naming = createNaming(values["api-dialect"], { storePrefix: values["etcd-prefix"] });
  registerFeatureMetrics(metrics, gates, naming.word("orch"));
  const settings = resourceSettings(values, { gates, read: (path) => readFileSync(path, "utf8") });
  if (!settings.ok) return refuse(settings.problems.join("; "));
  const tls = await serviceTls(values, [values["bind-address"]], { log, clock, metrics, refuse });
  const storeMetrics = createStoreMetrics(metrics, { storePrefix: naming.storePrefix, now: clock.monotonic });
  const opened = await openEtcdStore({
    ...etcdSettings(values, (path) => readFileSync(path)),
    prefix: naming.storePrefix,
    logger: log,
  });
  const store = timed(opened, storeMetrics);
  const endpoints = values["etcd-servers"];
  await claimEtcdIdentity({ store, prefix: naming.storePrefix, expected: expectedDialect(naming), endpoints }).catch(
    endStart,
  );
  const server = createGrpcServer({
    host: values["bind-address"],
    port: values["rpc-port"],
    log,
    security: tls?.with(values["rpc-allowed-peers"]),
  });
  const groups = values.groups.map((name) => (name === "core" ? "" : name));
  const catalog = createLiveCatalog(loadCatalog(naming, { release }));
  tellStoredKinds(catalog, storeMetrics);
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
    },
  ).catch((error: unknown) => {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`orch-resource: ${error.message}\n`);
    return process.exit(1);
  });
  const resource = assembleResource(settings.value, {
    store: { ...store, condition: opened.condition },
    naming,
    catalog,
    services: server.services,
    permissions: { authorizer: access.authorization.authorizer, rules: access.authorization.granting },
    postStartHook: (hook) => health.postStartHook(hook),
    noteWork,
    clock,
    log,
    metrics,
    groups: groups.length === 0 ? undefined : groups,
    runtimeConfig: [],
  });
  const definitions = followDefinitions(objects, catalog);
  const compaction = new AbortController();
  health.check("store", () => store.revision().then(() => undefined), { livez: false });
  health.check("store-space", () => (opened.condition.full ? "the store has no room left" : undefined), {
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
      if (intervalMs > 0) void startCompactor({ store, prefix: naming.storePrefix, intervalMs, logger: log, signal });
      return { rpc: await server.listen() };
    },
    async stop() {
      compaction.abort();
      definitions.stop();
      await server.close(2_000);
      await resource.stop();
      await access.stop();
      await store.close();
    },
  });
}
