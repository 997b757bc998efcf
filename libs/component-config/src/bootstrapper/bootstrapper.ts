import { loadTypes } from "@orch/api/catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import { configuration, type KindSpec } from "../configuration.js";
import { type Differences, lesser } from "../reshape.js";
import type { CatalogTypes } from "../scheduler/arguments.js";
import type { Struct } from "../shape.js";
import {
  type BootstrapToken,
  type ClusterConfiguration,
  clusterShape,
  type InitConfiguration,
  initShape,
  type JoinConfiguration,
  joinShape,
  type NodeRegistration,
  type ResetConfiguration,
  resetShape,
  type Taint,
  type UpgradeConfiguration,
  upgradeShape,
} from "./bootstrapper-shapes.js";
import { checkCluster } from "./cluster-rules.js";
import { clusterVersion } from "./cluster-version.js";
import { checkInit, checkJoin, checkReset, checkUpgrade } from "./node-rules.js";
import { oldVersionText } from "./old-versions.js";

/** What defaults take from the machine. */
export interface Machine {
  readonly hostname: string;
  /** Of the interface that leads to the rest of the world. */
  readonly advertiseAddress: string;
  /** Of this program: `v1.32.0`. */
  readonly version: string;
  /** `abcdef.0123456789abcdef`, new for each cluster. */
  readonly newToken: () => string;
  /** Whether there is a file at a path. */
  readonly exists: (path: string) => boolean;
}

const fromNewer = ["timeouts", "dryRun", "nodeRegistration.imagePullSerial"] as const;

/** Beside the hub, which has what either version has. */
const older: Readonly<Record<"init" | "cluster" | "join", Differences>> = {
  init: { without: fromNewer, maps: ["nodeRegistration.agentExtraArgs"] },
  cluster: {
    without: [
      "proxy",
      "dns.disabled",
      "encryptionAlgorithm",
      "certificateValidityPeriod",
      "caCertificateValidityPeriod",
      ...["apiServer", "controllerManager", "scheduler", "etcd.local"].map((part) => `${part}.extraEnvs`),
    ],
    maps: ["apiServer", "controllerManager", "scheduler", "etcd.local"].map((part) => `${part}.extraArgs`),
  },
  join: { without: fromNewer, maps: ["nodeRegistration.agentExtraArgs"] },
};
const newer: Readonly<Record<"init" | "cluster" | "join", Differences>> = {
  init: { without: [] },
  cluster: { without: ["apiServer.timeoutForControlPlane"] },
  join: { without: ["discovery.timeout"] },
};

const versionsOf = (hub: Struct<unknown>, name: "init" | "cluster" | "join") => [
  { version: "v1beta3", other: lesser(hub, older[name]) },
  { version: "v1beta4", other: lesser(hub, newer[name]) },
];

/** The kinds of the bootstrapper; a file may hold several of them. The document's version, v1beta3, is the one that is printed. */
export function bootstrapperConfigurations(naming: Naming, machine: Machine) {
  let loaded: ReturnType<typeof loadTypes> | undefined;
  const types: CatalogTypes = (name) => {
    loaded ??= loadTypes(naming, ["core.v1", "meta.v1"]);
    return loaded.message(name);
  };
  const group = "orchadm";
  const newest = [{ version: "v1beta4" }];
  const shapes = { init: initShape(naming, types), cluster: clusterShape(naming), join: joinShape(naming, types) };
  const registered = (given: NodeRegistration, isControlPlane: boolean): NodeRegistration => ({
    ...given,
    name: (given.name || machine.hostname).toLowerCase(),
    ...(isControlPlane && given.taints === undefined ? { taints: [controlPlaneTaint(naming)] } : {}),
  });
  const init: KindSpec<InitConfiguration> = {
    kind: "InitConfiguration",
    group,
    versions: versionsOf(shapes.init, "init"),
    refusalOf: oldVersionText(naming, "InitConfiguration"),
    shape: shapes.init,
    fill: (value) => ({
      ...value,
      bootstrapTokens: value.bootstrapTokens.map((token) => withToken(token, machine)),
      nodeRegistration: registered(value.nodeRegistration, true),
      localAPIEndpoint: withAddress(value.localAPIEndpoint, machine),
    }),
    check: checkInit,
  };
  const cluster: KindSpec<ClusterConfiguration> = {
    kind: "ClusterConfiguration",
    group,
    versions: versionsOf(shapes.cluster, "cluster"),
    refusalOf: oldVersionText(naming, "ClusterConfiguration"),
    shape: shapes.cluster,
    fill: (value) => ({
      ...value,
      orchVersion: clusterVersion(value.orchVersion, machine.version),
      etcd: value.etcd.local === undefined && value.etcd.external === undefined ? { local: emptyEtcd } : value.etcd,
    }),
    check: checkCluster,
  };
  const join: KindSpec<JoinConfiguration> = {
    kind: "JoinConfiguration",
    group,
    versions: versionsOf(shapes.join, "join"),
    refusalOf: oldVersionText(naming, "JoinConfiguration"),
    shape: shapes.join,
    fill: (value) => joined(value, registered(value.nodeRegistration, value.controlPlane !== undefined), machine),
    check: (value) => checkJoin(value, { exists: machine.exists, program: naming.configurationWord("orchadm") }),
  };
  const reset: KindSpec<ResetConfiguration> = {
    kind: "ResetConfiguration",
    group,
    versions: newest,
    shape: resetShape(naming),
    check: checkReset,
  };
  const upgrade: KindSpec<UpgradeConfiguration> = {
    kind: "UpgradeConfiguration",
    group,
    versions: newest,
    shape: upgradeShape,
    check: checkUpgrade,
  };
  return {
    init: configuration(init, naming),
    cluster: configuration(cluster, naming),
    join: configuration(join, naming),
    reset: configuration(reset, naming),
    upgrade: configuration(upgrade, naming),
  };
}

const emptyEtcd: NonNullable<ClusterConfiguration["etcd"]["local"]> = {
  imageRepository: "",
  imageTag: "",
  dataDir: "/var/lib/etcd",
  extraArgs: [],
  extraEnvs: [],
  serverCertSANs: [],
  peerCertSANs: [],
};

const controlPlaneTaint = (naming: Naming): Taint => ({
  key: `node-role.${naming.key("control-plane")}`,
  effect: "NoSchedule",
});

/** A token lasts a day, unless the file says until when. */
function withToken(given: BootstrapToken, { newToken }: Machine): BootstrapToken {
  return {
    ...given,
    token: given.token || newToken(),
    ...(given.ttl === undefined && given.expires === undefined ? { ttl: "24h0m0s" } : {}),
  };
}

const withAddress = <E extends { readonly advertiseAddress: string }>(endpoint: E, machine: Machine): E => ({
  ...endpoint,
  advertiseAddress: endpoint.advertiseAddress || machine.advertiseAddress,
});

function joined(value: JoinConfiguration, nodeRegistration: NodeRegistration, machine: Machine): JoinConfiguration {
  const { discovery, controlPlane } = value;
  return {
    ...value,
    nodeRegistration,
    discovery: {
      ...discovery,
      tlsBootstrapToken: discovery.tlsBootstrapToken || (discovery.bootstrapToken?.token ?? ""),
    },
    ...(controlPlane === undefined
      ? {}
      : { controlPlane: { ...controlPlane, localAPIEndpoint: withAddress(controlPlane.localAPIEndpoint, machine) } }),
  };
}
