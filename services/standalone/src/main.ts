import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import { relative, resolve } from "node:path";
import { ConfigurationError } from "@orch/access/configuration.js";
import type { Parsed } from "@orch/auth/parsed.js";
import { createNaming } from "@orch/naming/naming.js";
import { commonFlags } from "@orch/runtime/common-flags.js";
import { registerFeatureMetrics } from "@orch/runtime/feature-gates.js";
import { durationFlag, intFlag, listFlag, stringFlag } from "@orch/runtime/flag-types.js";
import { keepHeapSmall } from "@orch/runtime/heap.js";
import { processTools, startProgram } from "@orch/runtime/program.js";
import { runProcess } from "@orch/runtime/shutdown.js";
import { etcdFlags, etcdSettings } from "@orch/runtime/store-flags.js";
import { version } from "@orch/runtime/version.js";
import { accountFlags, controllerFlags, leaderElectionFlags } from "@orch/service-controller-manager/flags.js";
import {
  accountSettings,
  controllerSettings,
  leaderElectionSettings,
} from "@orch/service-controller-manager/settings.js";
import { servingFlags } from "@orch/service-gateway/flags.js";
import { servedCatalog, servingSettings } from "@orch/service-gateway/settings.js";
import { admissionFlags, disabledPlugins } from "@orch/service-resource/admission/flags.js";
import { advertiseAddressFlag, allocationConfig, allocationFlags } from "@orch/service-resource/allocation/flags.js";
import { tokenFlags, tokenSettings } from "@orch/service-resource/token-flags.js";
import { startCompactor } from "@orch/store/elected-compactor.js";
import { openEmbeddedStore } from "@orch/store/embedded-store.js";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import type { Store } from "@orch/store/store.js";
import { advertisedAddress } from "./advertise.js";
import { greeting } from "./greeting.js";
import { createStandalone } from "./standalone.js";
import { untilReady } from "./until-ready.js";

const flags = {
  "data-dir": stringFlag(process.env["ORCH_DATA"] ?? "./.orch", {
    group: "Store",
    word: "folder",
    help: "where certificates, tokens and the embedded store lie; ORCH_DATA sets the default",
  }),
  ...servingFlags,
  "gateway-workers": intFlag(0, {
    group: "Serving",
    min: 0,
    max: 64,
    help: "processes that serve the one HTTPS port and divide the limits of requests among them; 0: this process serves it",
  }),
  "event-ttl": durationFlag(3_600_000, {
    group: "Store",
    help: "how long kinds that expire are kept after their last change",
  }),
  ...allocationFlags,
  ...tokenFlags,
  ...admissionFlags,
  "advertise-address": advertiseAddressFlag,
  "tls-san": listFlag([], { group: "Serving", help: "further host names and addresses of the serving certificate" }),
  ...controllerFlags,
  ...accountFlags,
  ...leaderElectionFlags,
  ...etcdFlags,
  ...commonFlags,
} as const;

const { values, given, refuse } = startProgram(
  { name: "orch", description: "A cluster API server in one process, on the embedded store or on etcd.", flags },
  process.argv.slice(2),
);
// A person at a terminal reads sentences; whoever collects logs gets JSON.
const format = given.has("logging-format") || !process.stderr.isTTY ? values["logging-format"] : "text";
const { log, logFailure, clock, health, metrics, release, gates } = processTools(
  "standalone",
  { ...values, "logging-format": format },
  refuse,
);
const naming = createNaming(values["api-dialect"], { storePrefix: values["etcd-prefix"] });
registerFeatureMetrics(metrics, gates, naming.word("orch"));
const compaction = new AbortController();

async function openStore(dataDir: string): Promise<Store> {
  const prefix = naming.storePrefix;
  if (values["etcd-servers"].length === 0) return openEmbeddedStore({ path: resolve(dataDir, "store"), prefix });
  const store = await openEtcdStore({ ...etcdSettings(values, (path) => readFileSync(path)), prefix, logger: log });
  const intervalMs = values["etcd-compaction-interval"];
  if (intervalMs > 0) void startCompactor({ store, prefix, intervalMs, logger: log, signal: compaction.signal });
  return store;
}

const orRefuse = <T>(parsed: Parsed<T>): T => (parsed.ok ? parsed.value : refuse(parsed.problems.join("; ")));

/** What is wrong with a flag or its file is told as that. */
function configurationProblem(error: unknown): never {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`orch: ${error.message}\n`);
  return process.exit(1);
}

/** Nobody else has the embedded store; on etcd there may be further servers like this one. */
const leaderElection =
  values["etcd-servers"].length === 0
    ? undefined
    : leaderElectionSettings(values, { naming, identity: `${hostname()}_${randomUUID()}`, refuse });
const dataDir = resolve(values["data-dir"]);
const standalone = createStandalone(
  {
    dataDir,
    tlsSans: values["tls-san"],
    serving: servingSettings(values, { gates, given, tokens: [] }),
    tokens: ({ issuer, signingKeyFile }) =>
      orRefuse(
        tokenSettings(
          {
            ...values,
            "service-account-issuer":
              values["service-account-issuer"].length > 0 ? values["service-account-issuer"] : [issuer],
            "service-account-signing-key-file": values["service-account-signing-key-file"] || signingKeyFile,
          },
          (path) => readFileSync(path, "utf8"),
        ),
      ),
    disabledAdmissionPlugins: orRefuse(disabledPlugins(values)),
    workers: { count: values["gateway-workers"], flags: { ...values, "logging-format": format } },
    catalog: servedCatalog(naming, { release, runtimeConfig: values["runtime-config"] }, { refuse, log }),
    eventTtlMs: values["event-ttl"],
    allocation: allocationConfig(values),
    advertised: advertisedAddress(values["advertise-address"], {
      bound: values["bind-address"],
      interfaces: networkInterfaces(),
    }),
    streamingLists: gates.enabled("WatchList"),
    clientConfigName: "admin.orchconfig",
    controllers: {
      ...controllerSettings(values, refuse),
      accounts: accountSettings(values, { read: (path) => readFileSync(path, "utf8"), refuse }),
      leaderElection,
    },
  },
  { openStore, naming, health, metrics, log, logFailure, clock, version },
);

/** The lines to copy must work as soon as they can be read. */
async function greetOnceReady(): Promise<void> {
  await untilReady(health, { clock, signal: compaction.signal });
  keepHeapSmall();
  const { access } = standalone;
  if (access === undefined || compaction.signal.aborted) return;
  const shown = (path: string): string => {
    const near = relative(process.cwd(), path);
    return near.startsWith("..") ? path : near;
  };
  const short = { ...access, clientConfig: shown(access.clientConfig), caFile: shown(access.caFile) };
  process.stdout.write(greeting(short, shown(resolve(dataDir, "pki", "tokens.csv"))));
}

await runProcess({
  log,
  clock,
  delay: values["shutdown-delay-duration"],
  shuttingDown: () => {
    standalone.shutDown();
    compaction.abort();
  },
  service: {
    start: () => standalone.start().catch(configurationProblem),
    stop: () => standalone.stop(),
  },
  started: () => void greetOnceReady(),
});
