import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import { relative, resolve } from "node:path";
import { ConfigurationError } from "@orch/access/configuration.js";
import { openEgress } from "@orch/access/egress.js";
import { historyPolicy } from "@orch/access/object-history.js";
import { createLiveCatalog, tellStoredKinds } from "@orch/api/custom/live-catalog.js";
import { storedResource } from "@orch/api/stored-resource.js";
import { auditErrorMetric } from "@orch/audit/error-metric.js";
import { strictest } from "@orch/audit/event.js";
import type { Parsed } from "@orch/auth/parsed.js";
import { createNaming } from "@orch/naming/naming.js";
import { registerFeatureMetrics } from "@orch/runtime/flags/feature-gates.js";
import { keepHeapSmall } from "@orch/runtime/heap.js";
import { createProfiling } from "@orch/runtime/profiling/profiling.js";
import { processTools } from "@orch/runtime/program.js";
import { serviceManager } from "@orch/runtime/service-manager.js";
import { runProcess } from "@orch/runtime/shutdown.js";
import { createStoreMetrics } from "@orch/runtime/store-metrics.js";
import { untilReady } from "@orch/runtime/until-ready.js";
import { version } from "@orch/runtime/version.js";
import { type AuditSettings, auditSettings, modesOf } from "@orch/service-audit/settings.js";
import { fileReaders } from "@orch/service-controller-manager/file-readers.js";
import { controllerManagerSettings } from "@orch/service-controller-manager/settings.js";
import { servedCatalog, servingSettings } from "@orch/service-gateway/settings.js";
import { kmsSettings } from "@orch/service-kms/settings.js";
import type { SimulatorConfig } from "@orch/service-node-simulator/simulator.js";
import type { OwnProxy } from "@orch/service-proxy/own-settings.js";
import { type ResourceSettings, resourceSettings } from "@orch/service-resource/settings.js";
import type { OwnSettings } from "@orch/service-scheduler/service.js";
import { watchCacheSettings } from "@orch/service-watch-cache/settings.js";
import type { Store } from "@orch/store/store.js";
import { timed } from "@orch/store/timed.js";
import { openTracing } from "@orch/tracing/open-tracing.js";
import { advertisedAddress } from "./advertise.js";
import type { Started } from "./command-line.js";
import { greeting } from "./greeting.js";
import { openOwnStore } from "./open-store.js";
import { ownIssuer } from "./serving.js";
import { createStandalone, type OpenedStore, type OwnTokens } from "./standalone.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run({ values, given, argv, refuse }: Started, environment: NodeJS.ProcessEnv): Promise<void> {
  // A person at a terminal reads sentences; whoever collects logs gets JSON.
  const format = given.has("logging-format") || !process.stderr.isTTY ? values["logging-format"] : "text";
  const { log, setVerbosity, clock, health, metrics, noteWork, release, gates } = processTools(
    "standalone",
    { ...values, "logging-format": format },
    refuse,
  );
  const naming = createNaming(values["api-dialect"], { storePrefix: values["etcd-prefix"] });
  registerFeatureMetrics(metrics, gates, naming.word("orch"));
  const egress = await openEgress(values["egress-selector-config-file"], { naming, metrics, clock, refuse });
  const tracing = await openTracing(values["tracing-config-file"], {
    ...{ naming, metrics, clock, log, refuse },
    dial: egress?.through("controlplane"),
    service: "apiserver",
  });
  const read = (path: string): string => readFileSync(path, "utf8");
  const encryptionSettings = kmsSettings(values, { gates, naming, read });
  if (!encryptionSettings.ok) return refuse(encryptionSettings.problem);
  const identity = `${hostname()}_${randomUUID()}`;
  const catalog = createLiveCatalog(
    servedCatalog(naming, { release, runtimeConfig: values["runtime-config"] }, { refuse, log }),
  );
  // Who encrypts nothing does not load what does.
  const encryption =
    encryptionSettings.value &&
    (await import("./encryption.js")).createLocalEncryption(encryptionSettings.value, {
      ...{ clock, log, metrics },
      serverId: identity,
      resourceAt: (key) => storedResource(catalog.now, key.slice(naming.storePrefix.length)),
    });
  /** Objects are sealed on their way to the store, where that is asked for. */
  const sealed = (store: Store): Store => encryption?.wrap(store) ?? store;
  if (values["etcd-servers-overrides"].length > 0 && values["etcd-servers"].length === 0) {
    return refuse("--etcd-servers-overrides needs --etcd-servers: the embedded store is whole");
  }
  const compaction = new AbortController();
  const manager = serviceManager(log);
  const storeMetrics = createStoreMetrics(metrics, { storePrefix: naming.storePrefix, now: clock.monotonic });

  async function openStore(dataDir: string): Promise<OpenedStore> {
    await encryption?.start();
    return openOwnStore(values, {
      ...{ naming, log, clock, metrics, dataDir, refuse, egress, signal: compaction.signal },
      catalog: catalog.builtIn,
      wrap: (store) => timed(sealed(store), storeMetrics),
    });
  }

  const orRefuse = <T>(parsed: Parsed<T>): T => (parsed.ok ? parsed.value : refuse(parsed.problems.join("; ")));

  /** What is wrong with a flag or its file is told as that. */
  function configurationProblem(error: unknown): never {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`orch: ${error.message}\n`);
    return process.exit(1);
  }

  /** Sinks without a policy get nothing, and neither needs the other to start. */
  function auditOf(): AuditSettings | undefined {
    const settings = orRefuse(auditSettings(values, naming));
    if (values["audit-policy-file"] === "" || modesOf(settings).length === 0) return undefined;
    const folder = values["audit-spool-directory"] || resolve(values["data-dir"], "audit");
    return { ...settings, spool: { ...settings.spool, folder } };
  }

  const resourceOf = ({ issuer, signingKeyFile }: OwnTokens): ResourceSettings => {
    const issuers = values["service-account-issuer"];
    const own = {
      "service-account-issuer": issuers.length > 0 ? issuers : [issuer],
      "service-account-signing-key-file": values["service-account-signing-key-file"] || signingKeyFile,
    };
    return orRefuse(resourceSettings({ ...values, ...own }, { gates, naming, read }));
  };
  const simulationOf = async (): Promise<Parsed<SimulatorConfig | undefined>> => {
    const nodes = values["simulate-nodes"];
    if (nodes === 0) return { ok: true, value: undefined };
    if (!values["own-pki"]) return { ok: false, problems: ["--simulate-nodes needs --own-pki"] };
    const { simulatorSettings } = await import("@orch/service-node-simulator/settings.js");
    return simulatorSettings(values, { naming, nodes, version: `v${version.release}.0`, read });
  };
  const schedulerOf = async (): Promise<Parsed<OwnSettings | undefined>> => {
    const wanted = given.has("scheduler") ? values.scheduler : values["simulate-nodes"] > 0;
    const file = values["scheduler-config"];
    if (!wanted && file !== "") return { ok: false, problems: ["--scheduler-config needs --scheduler"] };
    if (!wanted) return { ok: true, value: undefined };
    if (!values["own-pki"]) return { ok: false, problems: ["--scheduler needs --own-pki"] };
    // Its plugins are not loaded where it does not run.
    const { schedulerSettings } = await import("@orch/service-scheduler/settings.js");
    return schedulerSettings({
      ...{ file, naming, read, identity, elects: electing["leader-elect"] },
      plugins: values["scheduler-plugin"],
      hasDevices: gates.enabled("DynamicResourceAllocation"),
    });
  };
  const proxyOf = async (): Promise<Parsed<OwnProxy | undefined>> => {
    const [mode, file] = [values.proxy, values["proxy-config"]];
    if (mode === "off" && file !== "") return { ok: false, problems: ["--proxy-config needs --proxy"] };
    if (mode === "off") return { ok: true, value: undefined };
    if (!values["own-pki"]) return { ok: false, problems: ["--proxy needs --own-pki"] };
    const [{ ownProxy }, { machineBackends }] = await Promise.all([
      import("@orch/service-proxy/own-settings.js"),
      import("@orch/service-proxy/machine.js"),
    ]);
    return ownProxy({ mode, file }, { naming, read, backends: machineBackends(naming, { clock, environment }) });
  };
  if (values["store-in-memory"] && values["etcd-servers"].length > 0)
    return refuse("--store-in-memory and --etcd-servers exclude each other");
  if (!values["own-pki"]) {
    const missing = (["tls-cert-file", "tls-private-key-file"] as const).find((name) => values[name] === "");
    if (missing !== undefined) return refuse(`--own-pki=false needs --${missing}`);
    if (values["controllers"].length > 0) return refuse("--own-pki=false needs --controllers=");
  }
  // A wrong flag is told before anything is opened; this server's own key is not there yet.
  resourceOf({ issuer: ownIssuer(naming), signingKeyFile: "" });
  const isAlone = values["etcd-servers"].length === 0;
  // Nobody else has the embedded store; on etcd there may be further servers like this one.
  const electing = { ...values, "leader-elect": values["leader-elect"] && !isAlone };
  const dataDir = resolve(values["data-dir"]);
  const audit = auditOf();
  const auditErrors = audit === undefined ? undefined : metrics.counter(auditErrorMetric);
  tellStoredKinds(catalog, storeMetrics);
  const standalone = createStandalone(
    {
      dataDir,
      ownPki: values["own-pki"],
      tlsSans: values["tls-san"],
      serving: servingSettings(values, {
        ...{ gates, given, tokens: [], history: orRefuse(historyPolicy(values, { naming, read })) },
        audit: audit === undefined ? undefined : { mode: strictest(modesOf(audit)), spool: undefined },
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
      admissionControlFile: values["admission-control-config-file"],
      audit,
      simulation: orRefuse(await simulationOf()),
      scheduler: orRefuse(await schedulerOf()),
      proxy: orRefuse(await proxyOf()),
      controllers: orRefuse(
        controllerManagerSettings(electing, {
          ...{ naming, identity, read, readers: await fileReaders(values) },
          migratesStorage: gates.enabled("StorageVersionMigrator"),
          claimsDevices: gates.enabled("DynamicResourceAllocation"),
          hasVolumeAttributes: gates.enabled("VolumeAttributesClass"),
          tracksVersions: gates.enabled("StorageVersionAPI") && gates.enabled("APIServerIdentity"),
          rangesAreObjects: gates.enabled("MultiCIDRServiceAllocator"),
          serviceRanges: values["service-cluster-ip-range"],
        }),
      ),
    },
    {
      ...{
        openStore,
        naming,
        health,
        metrics,
        noteWork,
        log,
        setVerbosity,
        profiling: createProfiling({ clock, argv }),
        clock,
        version,
        environment,
        egress,
        tracing,
      },
      encryption,
      pid: process.pid,
      auditLost: (plugin, events) => auditErrors?.with({ plugin }).inc(events),
    },
  );

  /** The lines to copy must work as soon as they can be read. */
  async function greetOnceReady(): Promise<void> {
    await untilReady(health, { clock, signal: compaction.signal });
    manager.ready();
    keepHeapSmall();
    const { access } = standalone;
    if (access === undefined || compaction.signal.aborted) return;
    const shown = (path: string): string => {
      const near = relative(process.cwd(), path);
      return near.startsWith("..") ? path : near;
    };
    const short = { ...access, clientConfig: shown(access.clientConfig), caFile: shown(access.caFile) };
    const tokenFile = shown(resolve(dataDir, "pki", "tokens.csv"));
    process.stdout.write(greeting(short, { tokenFile, hasConsole: values.console }));
  }

  await runProcess({
    log,
    clock,
    delay: values["shutdown-delay-duration"],
    hasTerminal: process.stdin.isTTY,
    shuttingDown: () => {
      manager.stopping();
      standalone.shutDown();
      compaction.abort();
    },
    service: {
      start: () => standalone.start().catch(configurationProblem),
      async stop() {
        await standalone.stop();
        encryption?.stop();
        await tracing?.stop();
      },
    },
    started: () => void greetOnceReady(),
  });
}
