import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type LocalAudit, type LocalCluster, startLocalCluster } from "@orch/deploy/local-cluster.js";
import { type Process, portOf, startProcess } from "@orch/deploy/process.js";
import { createNaming, type Dialect, type Naming } from "@orch/naming/naming.js";
import { ensurePki, type Pki } from "@orch/service-standalone/pki/pki.js";
import { type EtcdServer, startEtcd } from "@orch/store/testing/etcd-server.js";
import { compactEmbedded, compactEtcd } from "./forget.js";

/** A running orch, whatever it is made of, as a client needs it. */
export interface Target {
  readonly name: string;
  readonly naming: Naming;
  /** `https://127.0.0.1:port` of every gateway. */
  readonly urls: readonly string[];
  readonly pki: Pki;
  /** Of a user who is known and may do nothing. */
  readonly strangerToken: string;
  /** Path of the administrator's client configuration file. */
  readonly clientConfig: string;
  /** The end of what its processes wrote to standard error. */
  log(): string;
  /** Makes the store and the caches forget every version but the newest; what reads is started anew. */
  forget(): Promise<void>;
  stop(): Promise<void>;
}

/** One process; `process` kills and restarts it on the same port and data. */
export interface StandaloneTarget extends Target {
  readonly process: Process;
  /** Where it stores; undefined with the embedded store. */
  readonly etcd: EtcdServer | undefined;
}

export interface DistributedTarget extends Target {
  readonly cluster: LocalCluster;
}

export interface TargetOptions {
  readonly dialect?: Dialect;
  /** Further flags of whatever serves HTTPS. */
  readonly args?: readonly string[];
}

/** They make others of what tests make, and write into their statuses. */
const workloadControllers = [
  ...["replicaset", "replicationcontroller", "deployment", "statefulset", "daemonset", "job", "cronjob"],
  ...["ttl-after-finished", "horizontal-pod-autoscaler"],
].map((kind) => `${kind}-controller`);

/** All controllers but those: for tests that say themselves how workloads are. */
export const withoutWorkloads = `--controllers=*,${workloadControllers.map((name) => `-${name}`).join()}`;

/** They write of services, budgets, nodes and volumes that tests make, and take pods away whose nodes are not there. */
const clusterControllers = [
  ...["endpoints-controller", "endpointslice-controller", "endpointslice-mirroring-controller"],
  ...["disruption-controller", "node-lifecycle-controller", "taint-eviction-controller", "ttl-controller"],
  ...["pod-garbage-collector-controller", "ephemeral-volume-controller", "persistentvolume-binder-controller"],
  ...["persistentvolume-expander-controller", "persistentvolume-attach-detach-controller"],
];

/**
 * Controllers that leave what tests look at alone: none of them writes a config map into every namespace, or a status
 * into every flow schema, every admission policy and every workload.
 */
export function quietControllers(args: readonly string[] = [], further: readonly string[] = []): readonly string[] {
  const chosen = args.some((arg) => arg.startsWith("--controllers"));
  if (chosen) return [];
  const quiet = [
    ...["root-ca-certificate-publisher-controller", "flowschema-status-controller"],
    "validatingadmissionpolicy-status-controller",
    ...workloadControllers,
    ...clusterControllers,
    ...further,
  ];
  // These put the finalizers on, too, which the plugin is turned off for.
  const unprotected = args.some((arg) => arg.includes("StorageObjectInUseProtection"));
  const volumes = ["persistentvolume-protection-controller", "persistentvolumeclaim-protection-controller"];
  return [`--controllers=${["*", ...[...quiet, ...(unprotected ? volumes : [])].map((name) => `-${name}`)].join(",")}`];
}

/** Tests run beside each other: none of them takes the usual port, unless it says one. */
function freePort(args: readonly string[] = []): readonly string[] {
  return args.some((arg) => arg.startsWith("--secure-port")) ? [] : ["--secure-port=0"];
}

/** A folder for data. */
export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "orch-e2e-"));
export const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

const strangerToken = "stranger-token";
const strangerLine = `${strangerToken},stranger,stranger,"visitors"\n`;

export interface StandaloneOptions extends TargetOptions {
  readonly etcd?: boolean;
  /** A folder that outlives the target; one of its own where absent. */
  readonly dataDir?: string;
  /** Controllers that do not run, besides those that no test wants. */
  readonly quiet?: readonly string[];
}

/** Standalone on the embedded store or, with `etcd`, on a real etcd of one member. */
export async function startStandalone(options: StandaloneOptions = {}): Promise<StandaloneTarget> {
  const dialect = options.dialect ?? "kubernetes";
  const folder = options.dataDir ?? (await newFolder());
  const tokens = join(folder, "tokens.csv");
  await writeFile(tokens, strangerLine);
  const etcd = options.etcd === true ? await startEtcd() : undefined;
  const standalone = await startProcess({
    name: "standalone",
    script: fileURLToPath(new URL("../../../services/standalone/dist/main.js", import.meta.url)),
    args: [
      `--data-dir=${folder}`,
      `--api-dialect=${dialect}`,
      `--token-auth-file=${tokens}`,
      ...(etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoints.join(",")}`]),
      ...quietControllers(options.args, options.quiet),
      ...freePort(options.args),
      ...(options.args ?? []),
    ],
    sameAgain: ({ https }) => [`--secure-port=${portOf(https)}`],
  });
  const naming = createNaming(dialect);
  return {
    name: etcd === undefined ? "standalone" : "standalone on etcd",
    naming,
    process: standalone,
    etcd,
    urls: [`https://${standalone.addresses["https"]}`],
    pki: await ensurePki(folder, { tlsSans: [], clock: { now: Date.now }, naming }),
    strangerToken,
    clientConfig: join(folder, "admin.orchconfig"),
    log: standalone.log,
    async forget() {
      await standalone.stop();
      const endpoint = etcd?.endpoints[0];
      if (endpoint !== undefined) await compactEtcd(endpoint);
      else await compactEmbedded(join(folder, "store"), naming.storePrefix);
      await standalone.restart();
    },
    async stop() {
      await standalone.stop();
      await etcd?.stop();
      if (options.dataDir === undefined) await removeFolder(folder);
    },
  };
}

export interface DistributedOptions extends TargetOptions {
  /** Further flags of the services that open the store. */
  readonly storeArgs?: readonly string[];
  /** Further flags of the resource services. */
  readonly resourceArgs?: readonly string[];
  /** Flags of the service of keys; none is started where absent. */
  readonly kmsArgs?: readonly string[];
  /** What is recorded of requests; nothing where absent. */
  readonly audit?: LocalAudit;
  /** Further flags of the controller managers. */
  readonly controllerArgs?: readonly string[];
  /** For every service that traces. */
  readonly tracingConfigFile?: string;
}

/** Two gateways, two resource services, two watch caches, two controller managers and three etcd members. */
export async function startDistributed(options: DistributedOptions = {}): Promise<DistributedTarget> {
  const dialect = options.dialect ?? "kubernetes";
  const naming = createNaming(dialect);
  // Eleven children, each of which is to end with this process: no leak of listeners.
  process.setMaxListeners(32);
  const folder = await newFolder();
  const made = await ensurePki(folder, { tlsSans: [], clock: { now: Date.now }, naming });
  await appendFile(made.paths.tokens, strangerLine);
  const cluster = await startLocalCluster({
    dialect,
    dataDir: folder,
    ...(options.args === undefined ? {} : { gatewayArgs: options.args }),
    ...(options.kmsArgs === undefined ? {} : { kmsArgs: options.kmsArgs }),
    tracingConfigFile: options.tracingConfigFile,
    ...(options.storeArgs === undefined ? {} : { storeArgs: options.storeArgs }),
    ...(options.resourceArgs === undefined ? {} : { resourceArgs: options.resourceArgs }),
    ...(options.audit === undefined ? {} : { audit: options.audit }),
    controllerArgs: [...quietControllers(options.controllerArgs), ...(options.controllerArgs ?? [])],
  });
  const { gateways, watchCaches, resources, controllerManagers } = cluster;
  const processes = [...gateways, ...watchCaches, ...resources, ...controllerManagers];
  return {
    name: "distributed",
    naming,
    cluster,
    urls: cluster.urls,
    pki: cluster.pki,
    strangerToken,
    clientConfig: cluster.clientConfig,
    async forget() {
      await compactEtcd(cluster.etcd.endpoints[0] ?? "");
      for (const cache of cluster.watchCaches) {
        await cache.stop();
        await cache.restart();
      }
    },
    log: () => processes.map(({ name, log }) => `--- ${name}\n${log()}`).join("\n"),
    async stop() {
      await cluster.stop();
      await removeFolder(folder);
    },
  };
}
