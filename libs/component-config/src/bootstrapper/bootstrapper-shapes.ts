import type { Naming } from "@orch/naming/naming.js";
import type { CatalogTypes } from "../scheduler/arguments.js";
import {
  bool,
  borrowed,
  duration,
  given,
  inside,
  int32,
  kind,
  list,
  map,
  maybe,
  type Struct,
  struct,
  text,
  texts,
  time,
  type ValueOf,
} from "../shape.js";

/** A taint as the catalog has it (`core/v1.Taint`). */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Of a flag; the same name may stand there twice. */
const argument = struct("Arg", { name: text(), value: text() });
const extraArgs = list(argument);

const timeouts = inside(
  struct("Timeouts", {
    controlPlaneComponentHealthCheck: duration("4m0s"),
    agentHealthCheck: duration("4m0s"),
    orchAPICall: duration("1m0s"),
    etcdAPICall: duration("2m0s"),
    tlsBootstrap: duration("5m0s"),
    discovery: duration("5m0s"),
    upgradeManifests: duration("5m0s"),
  }),
);

const patches = maybe(inside(struct("Patches", { directory: text() })));
const pullPolicy = text("IfNotPresent");
const endpoint = inside(struct("APIEndpoint", { advertiseAddress: text(), bindPort: int32(6443) }));

const nodeRegistration = (types: CatalogTypes) => {
  const taint: Struct<Taint> = borrowed("Taint", () => types("core/v1.Taint"));
  return inside(
    struct("NodeRegistrationOptions", {
      name: text(),
      criSocket: text(),
      taints: maybe(list(taint)),
      agentExtraArgs: extraArgs,
      ignorePreflightErrors: texts(),
      imagePullPolicy: pullPolicy,
      imagePullSerial: given(bool(true)),
    }),
  );
};

const bootstrapToken = (naming: Naming) =>
  struct("BootstrapToken", {
    token: text(),
    description: text(),
    ttl: maybe(duration()),
    expires: maybe(time()),
    usages: texts(["signing", "authentication"]),
    groups: texts([`system:bootstrappers:${naming.configurationWord("orchadm")}:default-node-token`]),
  });

export const initShape = (naming: Naming, types: CatalogTypes) =>
  kind("InitConfiguration", {
    bootstrapTokens: list(bootstrapToken(naming), [{}]),
    dryRun: bool(),
    nodeRegistration: nodeRegistration(types),
    localAPIEndpoint: endpoint,
    certificateKey: text(),
    skipPhases: texts(),
    patches,
    timeouts,
  });

const volume = struct("HostPathMount", {
  name: text(),
  hostPath: text(),
  mountPath: text(),
  readOnly: bool(),
  pathType: text(),
});
const variable = struct("EnvVar", { name: text(), value: text() });
const component = { extraArgs, extraVolumes: list(volume), extraEnvs: list(variable) } as const;

const localEtcd = struct("LocalEtcd", {
  imageRepository: text(),
  imageTag: text(),
  dataDir: text("/var/lib/etcd"),
  extraArgs,
  extraEnvs: list(variable),
  serverCertSANs: texts(),
  peerCertSANs: texts(),
});

const externalEtcd = struct("ExternalEtcd", {
  endpoints: texts(),
  caFile: text(),
  certFile: text(),
  keyFile: text(),
});

export const clusterShape = (naming: Naming) =>
  kind("ClusterConfiguration", {
    etcd: inside(struct("Etcd", { local: maybe(inside(localEtcd)), external: maybe(inside(externalEtcd)) })),
    networking: inside(
      struct("Networking", {
        serviceSubnet: text("10.96.0.0/12"),
        podSubnet: text(),
        dnsDomain: text("cluster.local"),
      }),
    ),
    orchVersion: text(),
    controlPlaneEndpoint: text(),
    apiServer: inside(
      struct("APIServer", { ...component, certSANs: texts(), timeoutForControlPlane: duration("4m0s") }),
    ),
    controllerManager: inside(struct("ControlPlaneComponent", component)),
    scheduler: inside(struct("ControlPlaneComponent", component)),
    dns: inside(struct("DNS", { imageRepository: text(), imageTag: text(), disabled: bool() })),
    proxy: inside(struct("Proxy", { disabled: bool() })),
    certificatesDir: text(`/etc/${naming.word("orch")}/pki`),
    imageRepository: text(naming.group("registry")),
    featureGates: map(bool()),
    clusterName: text(naming.word("orch")),
    encryptionAlgorithm: text("RSA-2048"),
    certificateValidityPeriod: duration("8760h0m0s"),
    caCertificateValidityPeriod: duration("87600h0m0s"),
  });

export const joinShape = (naming: Naming, types: CatalogTypes) =>
  kind("JoinConfiguration", {
    dryRun: bool(),
    nodeRegistration: nodeRegistration(types),
    caCertPath: text(`/etc/${naming.word("orch")}/pki/ca.crt`),
    discovery: inside(
      struct("Discovery", {
        bootstrapToken: maybe(
          inside(
            struct("BootstrapTokenDiscovery", {
              token: text(),
              apiServerEndpoint: text(),
              caCertHashes: texts(),
              unsafeSkipCAVerification: bool(),
            }),
          ),
        ),
        file: maybe(inside(struct("FileDiscovery", { orchConfigPath: text() }))),
        tlsBootstrapToken: text(),
        timeout: duration("5m0s"),
      }),
    ),
    controlPlane: maybe(inside(struct("JoinControlPlane", { localAPIEndpoint: endpoint, certificateKey: text() }))),
    skipPhases: texts(),
    patches,
    timeouts,
  });

export const resetShape = (naming: Naming) =>
  kind("ResetConfiguration", {
    certificatesDir: text(`/etc/${naming.word("orch")}/pki`),
    cleanupTmpDir: bool(),
    criSocket: text(),
    dryRun: bool(),
    force: bool(),
    ignorePreflightErrors: texts(),
    skipPhases: texts(),
    unmountFlags: texts(),
    timeouts,
  });

const upgradeNode = {
  certificateRenewal: given(bool(true)),
  dryRun: bool(),
  etcdUpgrade: given(bool(true)),
  ignorePreflightErrors: texts(),
  skipPhases: texts(),
  patches,
  imagePullPolicy: pullPolicy,
  imagePullSerial: given(bool(true)),
} as const;

const upgradePlan = {
  orchVersion: text(),
  allowExperimentalUpgrades: maybe(bool()),
  allowRCUpgrades: maybe(bool()),
  ignorePreflightErrors: texts(),
  printConfig: maybe(bool()),
} as const;

export const upgradeShape = kind("UpgradeConfiguration", {
  apply: inside(struct("UpgradeApplyConfiguration", { ...upgradePlan, ...upgradeNode, forceUpgrade: maybe(bool()) })),
  diff: inside(struct("UpgradeDiffConfiguration", { orchVersion: text(), contextLines: int32(3) })),
  node: inside(struct("UpgradeNodeConfiguration", upgradeNode)),
  plan: inside(struct("UpgradePlanConfiguration", { ...upgradePlan, dryRun: bool(), etcdUpgrade: given(bool(true)) })),
  timeouts,
});

export type InitConfiguration = ValueOf<ReturnType<typeof initShape>>;
export type ClusterConfiguration = ValueOf<ReturnType<typeof clusterShape>>;
export type JoinConfiguration = ValueOf<ReturnType<typeof joinShape>>;
export type ResetConfiguration = ValueOf<ReturnType<typeof resetShape>>;
export type UpgradeConfiguration = ValueOf<typeof upgradeShape>;
export type NodeRegistration = InitConfiguration["nodeRegistration"];
export type BootstrapToken = InitConfiguration["bootstrapTokens"][number];
export type Discovery = JoinConfiguration["discovery"];
