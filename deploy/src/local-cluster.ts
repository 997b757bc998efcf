import { networkInterfaces } from "node:os";
import { fileURLToPath } from "node:url";
import { createNaming, type Dialect } from "@orch/naming/naming.js";
import { advertisedAddress } from "@orch/service-standalone/advertise.js";
import { ensureClient, ensurePki, type Pki, writeClientConfig } from "@orch/service-standalone/pki/pki.js";
import { ownIssuer } from "@orch/service-standalone/serving.js";
import { type EtcdServer, freePorts, startEtcd } from "@orch/store/testing/etcd-server.js";
import { askOps, type OpsAnswer } from "./ops-client.js";
import { type Process, portOf, startProcess } from "./process.js";
import { issueServiceFiles, type LocalServices } from "./service-files.js";

export interface LocalClusterOptions {
  readonly dialect: Dialect;
  /** Certificates, tokens and the client configuration file go here. */
  readonly dataDir: string;
  readonly gateways?: number;
  readonly watchCaches?: number;
  readonly etcdMembers?: number;
  /** One of them leads, the others stand by. */
  readonly controllerManagers?: number;
  /** HTTPS port of the first gateway, the others follow; 0 picks free ones. */
  readonly securePort?: number;
  /** Further flags of the services that open the store. */
  readonly storeArgs?: readonly string[];
  /** Further flags of the gateways. */
  readonly gatewayArgs?: readonly string[];
  /** Further flags of the resource services. */
  readonly resourceArgs?: readonly string[];
  /** Flags of the services that hold the keys of the store; where absent there are none, and nothing is encrypted. */
  readonly kmsArgs?: readonly string[];
  /** What is recorded of requests; nothing where absent. */
  readonly audit?: LocalAudit | undefined;
  /** Further flags of the controller managers. */
  readonly controllerArgs?: readonly string[];
  /** Of `--tracing-config-file`, for every service that traces. */
  readonly tracingConfigFile?: string | undefined;
  /** Flags of node for every process: a profiler's. */
  readonly nodeArgs?: readonly string[];
}

export interface LocalAudit {
  /** Path of a policy. */
  readonly policyFile: string;
  /** Where events wait, in the service. */
  readonly spool: string;
  /** Flags of the service: sinks. */
  readonly args: readonly string[];
}

/** orch as separate services on a real etcd, all on this machine. */
export interface LocalCluster {
  readonly etcd: EtcdServer;
  readonly admission: Process;
  /** None where nothing is encrypted. */
  readonly kms: readonly Process[];
  /** Undefined where nothing is recorded. */
  readonly audit: Process | undefined;
  readonly resources: readonly Process[];
  readonly watchCaches: readonly Process[];
  readonly gateways: readonly Process[];
  readonly controllerManagers: readonly Process[];
  /** `https://127.0.0.1:port` of each gateway. */
  readonly urls: readonly string[];
  readonly pki: Pki;
  readonly clientConfig: string;
  /** Who its parts are to each other. */
  readonly services: LocalServices;
  /** Health or metrics of a part that is no gateway, for somebody who may read them. */
  ask(part: Process, path: string): Promise<OpsAnswer>;
  stop(): Promise<void>;
}

const script = (service: string): string =>
  fileURLToPath(new URL(`../../services/${service}/dist/main.js`, import.meta.url));

const rpc = ({ addresses }: Process): string => addresses["rpc"] ?? "";

// One handler for each process that must not outlive this one.
const mostProcesses = 64;

/** Starts etcd, then the services that store, then those that read, then the gateways, then the controllers. */
export async function startLocalCluster(options: LocalClusterOptions): Promise<LocalCluster> {
  const naming = createNaming(options.dialect);
  const issuing = { clock: { now: Date.now }, naming };
  const pki = await ensurePki(options.dataDir, { ...issuing, tlsSans: [] });
  const etcd = await startEtcd({ members: options.etcdMembers ?? 3 });
  process.setMaxListeners(Math.max(process.getMaxListeners(), mostProcesses));
  const running: Process[] = [];
  const stop = async (): Promise<void> => {
    // Gateways first, the store last: each finds its peers until it has stopped.
    for (const part of running.reverse()) await part.stop();
    await etcd.stop();
  };
  try {
    const launch = launcher(options, running);
    const services = await issueServiceFiles(options.dataDir, issuing.clock.now());
    const issuer = `--service-account-issuer=${ownIssuer(naming)}`;
    const shared = [
      `--etcd-servers=${etcd.endpoints.join(",")}`,
      `--api-dialect=${options.dialect}`,
      ...(options.storeArgs ?? []),
    ];
    // The core group has a service of its own, all others share one.
    const port = options.securePort ?? 0;
    const leading = port === 0 ? [] : [`--gateway-port=${port}`, ...advertising()];
    const signing = [issuer, `--service-account-signing-key-file=${pki.paths.serviceAccountKey}`];
    // As installers of the reference do: nodes write about themselves alone.
    const admitting = "--enable-admission-plugins=NodeRestriction";
    // Where these listen must be known before they start: each of the two asks the other.
    const cachePorts = await freePorts(options.watchCaches ?? 2);
    const cacheServers = cachePorts.map((number) => `127.0.0.1:${number}`).join(",");
    const file = options.tracingConfigFile;
    const tracing = file === undefined ? [] : [`--tracing-config-file=${file}`];
    const admission = await launch("admission", "admission", [
      `--api-dialect=${options.dialect}`,
      ...services.admission.flags,
      `--watch-cache-servers=${cacheServers}`,
      ...tracing,
    ]);
    const { kmsArgs } = options;
    const kms =
      kmsArgs === undefined
        ? []
        : [await launch("kms", "kms", [`--api-dialect=${options.dialect}`, ...services.kms.flags, ...kmsArgs])];
    const unlocking = kms.map((each) => `--kms-servers=${rpc(each)}`);
    const asking = [`--admission-servers=${rpc(admission)}`, ...unlocking];
    const own = [...shared, ...tracing, ...services.resource.flags, ...signing, admitting, ...asking];
    const resourceArgs = [...own, ...(options.resourceArgs ?? [])];
    const resources = await Promise.all([
      launch("resource (core)", "resource", [...resourceArgs, "--groups=core", ...leading]),
      launch("resource (others)", "resource", resourceArgs),
    ]);
    const [coreServer, otherServer] = resources.map(rpc);
    const watchCaches = await Promise.all(
      cachePorts.map((number, i) =>
        launch(`watch-cache ${i}`, "watch-cache", [
          ...shared,
          ...tracing,
          ...services.watchCache.flags,
          ...asking,
          `--rpc-port=${number}`,
        ]),
      ),
    );
    const { audit: recorded } = options;
    const audit =
      recorded === undefined
        ? undefined
        : await launch("audit", "audit", [
            `--api-dialect=${options.dialect}`,
            ...services.audit.flags,
            `--audit-spool-directory=${recorded.spool}`,
            ...recorded.args,
          ]);
    const auditing =
      audit === undefined ? [] : [`--audit-policy-file=${recorded?.policyFile ?? ""}`, `--audit-servers=${rpc(audit)}`];
    const gatewayArgs = [
      `--api-dialect=${options.dialect}`,
      ...services.gateway.flags,
      `--kubelet-client-certificate=${pki.paths.agentClientCertificate}`,
      `--kubelet-client-key=${pki.paths.agentClientKey}`,
      `--tls-cert-file=${pki.paths.servingCertificate}`,
      `--tls-private-key-file=${pki.paths.servingKey}`,
      `--client-ca-file=${pki.paths.ca}`,
      `--token-auth-file=${pki.paths.tokens}`,
      issuer,
      `--service-account-key-file=${pki.paths.serviceAccountKey}`,
      `--watch-cache-servers=${cacheServers}`,
      `--resource-servers=core=${coreServer},${otherServer}`,
      ...tracing,
      ...auditing,
      ...(options.gatewayArgs ?? []),
    ];
    const gateways = await Promise.all(
      Array.from({ length: options.gateways ?? 2 }, (_, i) =>
        launch(`gateway ${i}`, "gateway", [...gatewayArgs, `--secure-port=${port === 0 ? 0 : port + i}`]),
      ),
    );
    const urls = gateways.map(({ addresses }) => `https://${addresses["https"]}`);
    const clientConfig = `${options.dataDir}/admin.orchconfig`;
    const [server = ""] = urls;
    const admin = { cert: pki.admin.certificate, key: pki.admin.key, token: pki.adminToken };
    await writeClientConfig(clientConfig, { server, ca: pki.ca, ...admin, naming });
    const user = `system:${naming.systemName("controller-manager")}`;
    const pair = await ensureClient(options.dataDir, { file: "controller-manager", name: user }, issuing);
    const controllerManagers = await Promise.all(
      Array.from({ length: options.controllerManagers ?? 2 }, async (_, i) => {
        const path = `${options.dataDir}/controller-manager-${i}.orchconfig`;
        const server = urls[i % urls.length] ?? "";
        await writeClientConfig(path, { server, ca: pki.ca, user, cert: pair.certificate, key: pair.key, naming });
        return await launch(`controller-manager ${i}`, "controller-manager", [
          `--api-dialect=${options.dialect}`,
          `--orchconfig=${path}`,
          ...services.controllerManager.flags,
          "--use-service-account-credentials",
          `--service-account-private-key-file=${pki.paths.serviceAccountKey}`,
          `--root-ca-file=${pki.paths.ca}`,
          `--cluster-signing-cert-file=${pki.paths.ca}`,
          `--cluster-signing-key-file=${pki.paths.caKey}`,
          ...(options.controllerArgs ?? []),
        ]);
      }),
    );
    const ask = (part: Process, path: string): Promise<OpsAnswer> =>
      askOps(part.addresses["metrics"] ?? "", path, services.monitoring.identity);
    const parts = { admission, audit, kms, resources, watchCaches, gateways, controllerManagers };
    return { etcd, ...parts, urls, pki, clientConfig, services, ask, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The first gateway, as others would reach it if it listened for them. */
function advertising(): readonly string[] {
  const address = advertisedAddress("", { bound: "127.0.0.1", interfaces: networkInterfaces() });
  return address === undefined ? [] : [`--advertise-address=${address}`];
}

function launcher(options: LocalClusterOptions, running: Process[]) {
  return async (name: string, service: string, args: readonly string[]): Promise<Process> => {
    const started = await startProcess({
      name,
      script: script(service),
      args,
      ...(options.nodeArgs === undefined ? {} : { nodeArgs: options.nodeArgs }),
      sameAgain: ({ rpc, metrics, https }) => [
        ...(rpc === undefined ? [] : [`--rpc-port=${portOf(rpc)}`]),
        ...(metrics === undefined ? [] : [`--metrics-port=${portOf(metrics)}`]),
        ...(https === undefined ? [] : [`--secure-port=${portOf(https)}`]),
      ],
    });
    running.push(started);
    return started;
  };
}
