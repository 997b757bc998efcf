import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createAuthorizationAccess } from "@orch/access/access.js";
import { ConfigurationError } from "@orch/access/configuration.js";
import { authorizationFlags } from "@orch/access/flags.js";
import { storeSource } from "@orch/access/store-source.js";
import { loadCatalog } from "@orch/api/catalog.js";
import type { Parsed } from "@orch/auth/parsed.js";
import { createNaming } from "@orch/naming/naming.js";
import { createGrpcServer } from "@orch/rpc/grpc-server.js";
import { registerFeatureMetrics } from "@orch/runtime/feature-gates.js";
import { durationFlag, intFlag, listFlag } from "@orch/runtime/flag-types.js";
import { createOpsServer } from "@orch/runtime/ops-server.js";
import { processTools, startProgram } from "@orch/runtime/program.js";
import { serviceTls } from "@orch/runtime/rpc-flags.js";
import { serviceFlags } from "@orch/runtime/service-flags.js";
import { runProcess } from "@orch/runtime/shutdown.js";
import { etcdSettings } from "@orch/runtime/store-flags.js";
import { startCompactor } from "@orch/store/elected-compactor.js";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import { admissionFlags, disabledPlugins } from "./admission/flags.js";
import { allocationConfig, allocationFlags } from "./allocation/flags.js";
import { createResource } from "./service.js";
import { tokenFlags, tokenSettings } from "./token-flags.js";

const flags = {
  ...serviceFlags,
  "event-ttl": durationFlag(3_600_000, {
    group: "API",
    help: "how long kinds that expire are kept after their last change",
  }),
  ...allocationFlags,
  ...tokenFlags,
  ...authorizationFlags,
  ...admissionFlags,
  "gateway-port": intFlag(6443, {
    group: "Services",
    min: 1,
    max: 65535,
    help: "HTTPS port of the gateways, to which the root service leads",
  }),
  groups: listFlag([], {
    group: "API",
    help: "API groups this service owns, comma separated; core is the core group; all when empty",
  }),
} as const;

const { values, given, refuse } = startProgram(
  { name: "orch-resource", description: "Validates and stores the writes of its API groups.", flags },
  process.argv.slice(2),
);
const { log, logFailure, clock, health, metrics, release, gates } = processTools("resource", values, refuse);
const naming = createNaming(values["api-dialect"], { storePrefix: values["etcd-prefix"] });
registerFeatureMetrics(metrics, gates, naming.word("orch"));
const orRefuse = <T>(parsed: Parsed<T>): T => (parsed.ok ? parsed.value : refuse(parsed.problems.join("; ")));
const tokens = orRefuse(tokenSettings(values, (path) => readFileSync(path, "utf8")));
const disabledAdmissionPlugins = orRefuse(disabledPlugins(values));
const tls = await serviceTls(values, [values["bind-address"]], { log, clock, metrics, refuse });
const store = await openEtcdStore({
  ...etcdSettings(values, (path) => readFileSync(path)),
  prefix: naming.storePrefix,
  logger: log,
});
const server = createGrpcServer({
  host: values["bind-address"],
  port: values["rpc-port"],
  log,
  security: tls?.with(values["rpc-allowed-peers"]),
});
const groups = values.groups.map((name) => (name === "core" ? "" : name));
const catalog = loadCatalog(naming, { release });
const access = await createAuthorizationAccess(
  { values, given: [...given] },
  {
    naming,
    clock,
    log,
    metrics,
    objects: storeSource({ store, catalog, naming, clock, log: (what, err) => log.warn({ err }, what) }),
    random: Math.random,
  },
).catch((error: unknown) => {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`orch-resource: ${error.message}\n`);
  return process.exit(1);
});
const resource = createResource(
  {
    groups: groups.length === 0 ? undefined : groups,
    eventTtlMs: values["event-ttl"],
    cbor: gates.enabled("CBORServingAndStorage"),
    allocation: allocationConfig(values),
    tokens,
    disabledAdmissionPlugins,
  },
  {
    store,
    naming,
    catalog,
    services: server.services,
    permissions: { authorizer: access.authorization.authorizer, rules: access.authorization.granting },
    log: (what, err) => log.error({ err }, what),
    metrics,
    now: clock.now,
    newUid: randomUUID,
    random: Math.random,
  },
);
const compaction = new AbortController();
health.check("log", logFailure);
health.check("store", () => store.revision().then(() => undefined), { livez: false });
const bootstrapped = health.postStartHook("bootstrap-controller");
void resource.bootstrapped.then(bootstrapped);
const ops = createOpsServer(values, { health, metrics, tls });

await runProcess({
  log,
  clock,
  delay: values["shutdown-delay-duration"],
  shuttingDown: () => health.shutDown(),
  service: {
    async start() {
      await ops.start();
      access.start();
      await resource.start();
      // Which gateways there are nobody here knows: their addresses are left to who runs them.
      resource.leadTo({ port: values["gateway-port"], address: undefined });
      const interval = values["etcd-compaction-interval"];
      if (interval > 0)
        void startCompactor({
          store,
          prefix: naming.storePrefix,
          intervalMs: interval,
          logger: log,
          signal: compaction.signal,
        });
      const rpcPort = await server.listen();
      log.info({ rpcPort, metricsPort: ops.port }, "serving");
      process.stdout.write(`rpc=${values["bind-address"]}:${rpcPort} metrics=${values["bind-address"]}:${ops.port}\n`);
    },
    async stop() {
      compaction.abort();
      await server.close(2_000);
      await resource.stop();
      await access.stop();
      await store.close();
      await ops.stop();
    },
  },
});
