import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { createGrpcServer } from "@orch/rpc/grpc-server.js";
import { systemClock } from "@orch/runtime/clock.js";
import { logFromFlags } from "@orch/runtime/common-flags.js";
import { durationFlag, listFlag } from "@orch/runtime/flag-types.js";
import { readCommandLine } from "@orch/runtime/flags.js";
import { createHealth } from "@orch/runtime/health.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import { createOpsServer } from "@orch/runtime/ops-server.js";
import { serviceFlags } from "@orch/runtime/service-flags.js";
import { runProcess } from "@orch/runtime/shutdown.js";
import { etcdSettings } from "@orch/runtime/store-flags.js";
import { version } from "@orch/runtime/version.js";
import { startCompactor } from "@orch/store/elected-compactor.js";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import { createResource } from "./service.js";

const flags = {
  ...serviceFlags,
  "event-ttl": durationFlag(3_600_000, {
    group: "API",
    help: "how long kinds that expire are kept after their last change",
  }),
  groups: listFlag([], {
    group: "API",
    help: "API groups this service owns, comma separated; core is the core group; all when empty",
  }),
} as const;

const line = readCommandLine(
  {
    name: "orch-resource",
    description: "Validates and stores the writes of its API groups.",
    version: version.gitVersion,
    flags,
  },
  process.argv.slice(2),
);
if (!line.run) {
  (line.exitCode === 0 ? process.stdout : process.stderr).write(line.text);
  process.exit(line.exitCode);
}
const { values } = line;
const { log, failure } = logFromFlags(values, { service: "resource" });
const naming = createNaming(values["api-dialect"], { storePrefix: values["etcd-prefix"] });
const clock = systemClock;
const health = createHealth({ clock, livezGracePeriod: values["livez-grace-period"] });
const metrics = createMetrics({ release: version.release });
const store = await openEtcdStore({
  ...etcdSettings(values, (path) => readFileSync(path)),
  prefix: naming.storePrefix,
  logger: log,
});
const server = createGrpcServer({ host: values["bind-address"], port: values["rpc-port"], log });
const groups = values.groups.map((name) => (name === "core" ? "" : name));
const resource = createResource(
  { groups: groups.length === 0 ? undefined : groups, eventTtlMs: values["event-ttl"] },
  {
    store,
    naming,
    catalog: loadCatalog(naming),
    services: server.services,
    log: (what, err) => log.error({ err }, what),
    now: clock.now,
    newUid: randomUUID,
    random: Math.random,
  },
);
const compaction = new AbortController();
health.check("log", failure);
health.check("store", () => store.revision().then(() => undefined), { livez: false });
const bootstrapped = health.postStartHook("bootstrap-controller");
void resource.bootstrapped.then(bootstrapped);
const ops = createOpsServer({ host: values["bind-address"], port: values["metrics-port"], health, metrics });

await runProcess({
  log,
  clock,
  delay: values["shutdown-delay-duration"],
  shuttingDown: () => health.shutDown(),
  service: {
    async start() {
      await ops.start();
      await resource.start();
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
      await store.close();
      await ops.stop();
    },
  },
});
