import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import { relative, resolve } from "node:path";
import { ConfigurationError } from "@orch/access/configuration.js";
import { createLiveCatalog, tellStoredKinds } from "@orch/api/custom/live-catalog.js";
import type { Parsed } from "@orch/auth/parsed.js";
import { createNaming } from "@orch/naming/naming.js";
import { registerFeatureMetrics } from "@orch/runtime/feature-gates.js";
import { keepHeapSmall } from "@orch/runtime/heap.js";
import { processTools } from "@orch/runtime/program.js";
import { runProcess } from "@orch/runtime/shutdown.js";
import { etcdSettings, expectedDialect } from "@orch/runtime/store-flags.js";
import { createStoreMetrics } from "@orch/runtime/store-metrics.js";
import { version } from "@orch/runtime/version.js";
import { controllerManagerSettings } from "@orch/service-controller-manager/settings.js";
import { servedCatalog, servingSettings } from "@orch/service-gateway/settings.js";
import { type ResourceSettings, resourceSettings } from "@orch/service-resource/settings.js";
import { watchCacheSettings } from "@orch/service-watch-cache/settings.js";
import { startCompactor } from "@orch/store/elected-compactor.js";
import { openEmbeddedStore } from "@orch/store/embedded-store.js";
import { claimEtcdIdentity } from "@orch/store/etcd-identity.js";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import { timed } from "@orch/store/timed.js";
import { advertisedAddress } from "./advertise.js";
import type { Started } from "./command-line.js";
import { greeting } from "./greeting.js";
import { ownIssuer } from "./serving.js";
import { createStandalone, type OpenedStore, type OwnTokens } from "./standalone.js";
import { registerStoreMetrics } from "./store-metrics.js";
import { untilReady } from "./until-ready.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run({ values, given, refuse }: Started): Promise<void> {
  // A person at a terminal reads sentences; whoever collects logs gets JSON.
  const format = given.has("logging-format") || !process.stderr.isTTY ? values["logging-format"] : "text";
  const { log, clock, health, metrics, noteWork, release, gates } = processTools(
    "standalone",
    { ...values, "logging-format": format },
    refuse,
  );
  const naming = createNaming(values["api-dialect"], { storePrefix: values["etcd-prefix"] });
  registerFeatureMetrics(metrics, gates, naming.word("orch"));
  const compaction = new AbortController();
  const storeMetrics = createStoreMetrics(metrics, { storePrefix: naming.storePrefix, now: clock.monotonic });

  async function openStore(dataDir: string): Promise<OpenedStore> {
    const prefix = naming.storePrefix;
    const dialect = expectedDialect(naming);
    if (values["etcd-servers"].length === 0) {
      const scrubIntervalMs = values["store-scrub-interval"];
      const path = resolve(dataDir, "store");
      const embedded = await openEmbeddedStore({ path, prefix, dialect, scrubIntervalMs, logger: log });
      registerStoreMetrics(metrics, embedded.condition);
      return { ...timed(embedded, storeMetrics), condition: embedded.condition };
    }
    const etcd = await openEtcdStore({ ...etcdSettings(values, (path) => readFileSync(path)), prefix, logger: log });
    const store = timed(etcd, storeMetrics);
    await claimEtcdIdentity({ store, prefix, expected: dialect, endpoints: values["etcd-servers"] });
    const intervalMs = values["etcd-compaction-interval"];
    if (intervalMs > 0) void startCompactor({ store, prefix, intervalMs, logger: log, signal: compaction.signal });
    return { ...store, condition: etcd.condition };
  }

  const orRefuse = <T>(parsed: Parsed<T>): T => (parsed.ok ? parsed.value : refuse(parsed.problems.join("; ")));

  /** What is wrong with a flag or its file is told as that. */
  function configurationProblem(error: unknown): never {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`orch: ${error.message}\n`);
    return process.exit(1);
  }

  const read = (path: string): string => readFileSync(path, "utf8");
  const resourceOf = ({ issuer, signingKeyFile }: OwnTokens): ResourceSettings => {
    const issuers = values["service-account-issuer"];
    const own = {
      "service-account-issuer": issuers.length > 0 ? issuers : [issuer],
      "service-account-signing-key-file": values["service-account-signing-key-file"] || signingKeyFile,
    };
    return orRefuse(resourceSettings({ ...values, ...own }, { gates, read }));
  };
  // A wrong flag is told before anything is opened; this server's own key is not there yet.
  resourceOf({ issuer: ownIssuer(naming), signingKeyFile: "" });
  const isAlone = values["etcd-servers"].length === 0;
  // Nobody else has the embedded store; on etcd there may be further servers like this one.
  const electing = { ...values, "leader-elect": values["leader-elect"] && !isAlone };
  const identity = `${hostname()}_${randomUUID()}`;
  const dataDir = resolve(values["data-dir"]);
  const catalog = createLiveCatalog(
    servedCatalog(naming, { release, runtimeConfig: values["runtime-config"] }, { refuse, log }),
  );
  tellStoredKinds(catalog, storeMetrics);
  const standalone = createStandalone(
    {
      dataDir,
      tlsSans: values["tls-san"],
      serving: servingSettings(values, {
        ...{ gates, given, tokens: [] },
        // On etcd there may be further servers on this machine.
        identity: { host: hostname(), isAlone },
      }),
      watchCache: watchCacheSettings(values, { gates }),
      resource: resourceOf,
      workers: { count: values["gateway-workers"], flags: { ...values, "logging-format": format } },
      catalog,
      runtimeConfig: values["runtime-config"],
      advertised: advertisedAddress(values["advertise-address"], {
        bound: values["bind-address"],
        interfaces: networkInterfaces(),
      }),
      clientConfigName: "admin.orchconfig",
      controllers: orRefuse(controllerManagerSettings(electing, { naming, identity, read })),
    },
    { openStore, naming, health, metrics, noteWork, log, clock, version },
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
}
