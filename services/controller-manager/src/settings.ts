import { certificateBundle } from "@orch/auth/client-certificate.js";
import type { Parsed } from "@orch/auth/parsed.js";
import { parseSigningKey } from "@orch/auth/service-account/keys.js";
import type { LeaderMigration } from "@orch/component-config/managers/leader-migration.js";
import type { Naming } from "@orch/naming/naming.js";
import { type Election, type ElectionValues, readElection } from "@orch/runtime/flags/election-flags.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import type { Network } from "@orch/schema/formats/ip.js";
import { messageOf } from "@orch/status/message-of.js";
import { type SignerKind, signerKinds } from "./certificates/signers.js";
import type { AuthorityFiles, SigningConfig } from "./certificates/signing-controller.js";
import { type ClusterParts, clusterSettings } from "./cluster-settings.js";
import { chooseControllers, controllerNames, type ManagerController } from "./controller.js";
import type { FileReaders } from "./file-readers.js";
import type { accountFlags, autoscalingFlags, controllerFlags, managerFlags, workerFlags } from "./flags.js";
import { termSettings } from "./leader-migration/migration-settings.js";
import type { AccountSettings, ControllerManagerConfig } from "./service.js";

/** Resource services hear of a deleted namespace within milliseconds while they follow the store. */
const namespaceQuietMs = 1_000;
/** Many times what a write takes from its admission to the store. */
const quotaSettleMs = 5_000;

export interface SettingsParts {
  /** Of files that the values need. */
  readonly readers?: FileReaders | undefined;
  readonly naming: Naming;
  /** Tells this process from the others that may lead. */
  readonly identity: string;
  /** What the component's own configuration says of controllers that move. */
  readonly configured?: LeaderMigration | undefined;
  /** A file's text; its error says why there is none. */
  readonly read: (path: string) => string;
  /** StorageVersionMigrations are acted on (gate StorageVersionMigrator). */
  readonly migratesStorage?: boolean;
  /** Pods claim devices (gate DynamicResourceAllocation). */
  readonly claimsDevices?: boolean;
  /** Volumes have classes of attributes (gate VolumeAttributesClass). */
  readonly hasVolumeAttributes?: boolean;
  /** Servers say in which versions they store (gates StorageVersionAPI and APIServerIdentity). */
  readonly tracksVersions?: boolean;
  /** Ranges of services' addresses are objects (gate MultiCIDRServiceAllocator). */
  readonly rangesAreObjects?: boolean;
  /** Of the addresses of services: nodes are given none of them. */
  readonly serviceRanges?: readonly Network[];
}

/** What the flags say, with the files that they name read and looked into. */
export function controllerManagerSettings(
  values: FlagValues<typeof managerFlags>,
  parts: SettingsParts,
): Parsed<ControllerManagerConfig> {
  const controllers = controllerSettings(values, { serviceRanges: [], ...parts });
  const accounts = accountSettings(values, parts.read);
  const leaderElection = leaderElectionSettings(values, parts);
  if (!controllers.ok || !accounts.ok || !leaderElection.ok) {
    const all = [controllers, accounts, leaderElection];
    return { ok: false, problems: all.flatMap((part) => (part.ok ? [] : part.problems)) };
  }
  const off: ReadonlySet<ManagerController> = new Set([
    ...(parts.migratesStorage === true ? [] : (["storage-version-migrator-controller"] as const)),
    ...(parts.claimsDevices === true ? [] : (["resourceclaim-controller"] as const)),
    ...(parts.hasVolumeAttributes === true ? [] : (["volumeattributesclass-protection-controller"] as const)),
    ...(parts.tracksVersions === true ? [] : (["storageversion-garbage-collector-controller"] as const)),
    ...(parts.rangesAreObjects === true ? [] : (["service-cidr-controller"] as const)),
  ]);
  const names = new Set([...controllers.value.controllers].filter((name) => !off.has(name)));
  const component = parts.naming.systemName("controller-manager");
  const own = { controllers: names, election: leaderElection.value };
  const terms = termSettings(values, own, { ...parts, component });
  if (!terms.ok) return terms;
  return {
    ok: true,
    value: {
      ...controllers.value,
      controllers: names,
      accounts: accounts.value,
      terms: terms.value,
    },
  };
}

export function controllerSettings(
  values: ControllerValues,
  parts: ClusterParts,
): Parsed<Omit<ControllerManagerConfig, "terms" | "accounts">> {
  const chosen = chooseControllers(values.controllers, controllerNames);
  if (!chosen.ok) return refused(chosen.problem);
  const signing = signingSettings(values);
  if (!signing.ok) return signing;
  const cluster = clusterSettings(values, parts);
  if (!cluster.ok) return cluster;
  const collects = values["enable-garbage-collector"];
  return {
    ok: true,
    value: {
      controllers: new Set([...chosen.names].filter((name) => collects || name !== "garbage-collector-controller")),
      garbageCollectorWorkers: values["concurrent-gc-syncs"],
      namespaceWorkers: values["concurrent-namespace-syncs"],
      namespaceQuietMs,
      workers: workersOf(values),
      autoscaling: autoscalingOf(values),
      signing: signing.value,
      quotas: {
        workers: values["concurrent-resource-quota-syncs"],
        syncPeriodMs: values["resource-quota-sync-period"],
        settleMs: quotaSettleMs,
      },
      cluster: cluster.value,
    },
  };
}

function workersOf(values: FlagValues<typeof workerFlags>): ControllerManagerConfig["workers"] {
  return {
    deployments: values["concurrent-deployment-syncs"],
    replicaSets: values["concurrent-replicaset-syncs"],
    jobs: values["concurrent-job-syncs"],
    finishedJobs: values["concurrent-ttl-after-finished-syncs"],
    cronJobs: values["concurrent-cron-job-syncs"],
    daemonSets: values["concurrent-daemonset-syncs"],
    statefulSets: values["concurrent-statefulset-syncs"],
    replicationControllers: values["concurrent-rc-syncs"],
  };
}

function autoscalingOf(values: FlagValues<typeof autoscalingFlags>): ControllerManagerConfig["autoscaling"] {
  return {
    workers: values["concurrent-horizontal-pod-autoscaler-syncs"],
    periodMs: values["horizontal-pod-autoscaler-sync-period"],
    tolerance: values["horizontal-pod-autoscaler-tolerance"],
    downWindowMs: values["horizontal-pod-autoscaler-downscale-stabilization"],
    cpuInitializationMs: values["horizontal-pod-autoscaler-cpu-initialization-period"],
    initialReadinessMs: values["horizontal-pod-autoscaler-initial-readiness-delay"],
  };
}

export function accountSettings(
  values: FlagValues<typeof accountFlags>,
  read: SettingsParts["read"],
): Parsed<AccountSettings> {
  const contents = (
    flag: "service-account-private-key-file" | "root-ca-file",
    check: (text: string) => string | undefined,
  ): Parsed<string | undefined> => {
    const path = values[flag];
    if (path === "") return { ok: true, value: undefined };
    let text: string;
    try {
      text = read(path);
    } catch (error) {
      return refused(`--${flag} ${path}: ${messageOf(error)}`);
    }
    const problem = check(text);
    return problem === undefined ? { ok: true, value: text } : refused(`--${flag} ${path}: ${problem}`);
  };
  const tokenKey = contents("service-account-private-key-file", keyProblem);
  const rootCa = contents("root-ca-file", bundleProblem);
  if (!tokenKey.ok) return tokenKey;
  if (!rootCa.ok) return rootCa;
  const tokenWorkers = values["concurrent-serviceaccount-token-syncs"];
  return { ok: true, value: { tokenKeyPem: tokenKey.value, tokenWorkers, rootCa: rootCa.value } };
}

const refused = (problem: string): { readonly ok: false; readonly problems: readonly string[] } => ({
  ok: false,
  problems: [problem],
});

function keyProblem(pem: string): string | undefined {
  const key = parseSigningKey(pem);
  return key.ok ? undefined : key.problems.join("; ");
}

function bundleProblem(pem: string): string | undefined {
  const bundle = certificateBundle(pem);
  return bundle.ok ? undefined : bundle.problems.join("; ");
}

type ControllerValues = FlagValues<typeof controllerFlags>;

/** One authority for all signers, or one for each of some. */
function signingSettings(values: ControllerValues): Parsed<SigningConfig> {
  const half = (["cluster-signing", ...signerKinds.map((kind) => `cluster-signing-${kind}` as const)] as const).find(
    (flag) => (values[`${flag}-cert-file`] === "") !== (values[`${flag}-key-file`] === ""),
  );
  if (half !== undefined) return refused(`--${half}-cert-file and --${half}-key-file belong together`);
  const filesOf = (flag: "cluster-signing" | `cluster-signing-${SignerKind}`): AuthorityFiles | undefined => {
    const certificate = values[`${flag}-cert-file`];
    return certificate === "" ? undefined : { certificate, key: values[`${flag}-key-file`] };
  };
  const all = filesOf("cluster-signing");
  const authorities: Partial<Record<SignerKind, AuthorityFiles>> = {};
  for (const kind of signerKinds) {
    const own = filesOf(`cluster-signing-${kind}`);
    if (own !== undefined && all !== undefined) {
      return refused(`--cluster-signing-cert-file is for all signers: it excludes --cluster-signing-${kind}-cert-file`);
    }
    const files = own ?? all;
    if (files !== undefined) authorities[kind] = files;
  }
  const durationMs = values["cluster-signing-duration"];
  if (durationMs === 0) return refused("--cluster-signing-duration must be greater than zero");
  return { ok: true, value: { authorities, durationMs } };
}

/** Undefined where no leader is elected. */
export function leaderElectionSettings(
  values: ElectionValues,
  { naming, identity }: Pick<SettingsParts, "naming" | "identity">,
): Parsed<Election | undefined> {
  const read = readElection(values, { naming, identity, part: "controller-manager" });
  return read.ok ? { ok: true, value: read.election } : refused(read.problem);
}
