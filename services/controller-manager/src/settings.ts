import { certificateBundle } from "@orch/auth/client-certificate.js";
import { parseSigningKey } from "@orch/auth/service-account/keys.js";
import type { Naming } from "@orch/naming/naming.js";
import type { FlagValues } from "@orch/runtime/flags.js";
import { messageOf } from "@orch/status/message-of.js";
import { type SignerKind, signerKinds } from "./certificates/signers.js";
import type { AuthorityFiles, SigningConfig } from "./certificates/signing-controller.js";
import { chooseControllers } from "./controller.js";
import type { accountFlags, controllerFlags, leaderElectionFlags } from "./flags.js";
import type { AccountSettings, ControllerManagerConfig, LeaderElection } from "./service.js";

/** Resource services hear of a deleted namespace within milliseconds while they follow the store. */
const namespaceQuietMs = 1_000;

/** The flags' values as a configuration. `refuse` ends the start with a sentence about a wrong one. */
export function controllerSettings(
  values: ControllerValues,
  refuse: (problem: string) => never,
): Omit<ControllerManagerConfig, "leaderElection" | "accounts"> {
  const chosen = chooseControllers(values.controllers);
  if (!chosen.ok) return refuse(chosen.problem);
  const collects = values["enable-garbage-collector"];
  return {
    controllers: new Set([...chosen.names].filter((name) => collects || name !== "garbage-collector-controller")),
    garbageCollectorWorkers: values["concurrent-gc-syncs"],
    namespaceWorkers: values["concurrent-namespace-syncs"],
    namespaceQuietMs,
    signing: signingSettings(values, refuse),
  };
}

/** The files that the flags name, read and looked into. `read` gives a file's text. */
export function accountSettings(
  values: FlagValues<typeof accountFlags>,
  { read, refuse }: { readonly read: (path: string) => string; readonly refuse: (problem: string) => never },
): AccountSettings {
  const contents = (flag: keyof typeof values & string, path: string, check: (text: string) => string | undefined) => {
    if (path === "") return undefined;
    let text: string;
    try {
      text = read(path);
    } catch (error) {
      return refuse(`--${flag} ${path}: ${messageOf(error)}`);
    }
    const problem = check(text);
    return problem === undefined ? text : refuse(`--${flag} ${path}: ${problem}`);
  };
  const key = "service-account-private-key-file";
  return {
    tokenKeyPem: contents(key, values[key], keyProblem),
    tokenWorkers: values["concurrent-serviceaccount-token-syncs"],
    rootCa: contents("root-ca-file", values["root-ca-file"], bundleProblem),
  };
}

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
function signingSettings(values: ControllerValues, refuse: (problem: string) => never): SigningConfig {
  const filesOf = (flag: "cluster-signing" | `cluster-signing-${SignerKind}`): AuthorityFiles | undefined => {
    const [certificate, key] = [values[`${flag}-cert-file`], values[`${flag}-key-file`]];
    if ((certificate === "") !== (key === ""))
      return refuse(`--${flag}-cert-file and --${flag}-key-file belong together`);
    return certificate === "" ? undefined : { certificate, key };
  };
  const all = filesOf("cluster-signing");
  const authorities: Partial<Record<SignerKind, AuthorityFiles>> = {};
  for (const kind of signerKinds) {
    const own = filesOf(`cluster-signing-${kind}`);
    if (own !== undefined && all !== undefined) {
      return refuse(`--cluster-signing-cert-file is for all signers: it excludes --cluster-signing-${kind}-cert-file`);
    }
    const files = own ?? all;
    if (files !== undefined) authorities[kind] = files;
  }
  const durationMs = values["cluster-signing-duration"];
  if (durationMs === 0) return refuse("--cluster-signing-duration must be greater than zero");
  return { authorities, durationMs };
}

/** Undefined where no leader is elected. `identity` tells this process from the others. */
export function leaderElectionSettings(
  values: FlagValues<typeof leaderElectionFlags>,
  parts: { readonly naming: Naming; readonly identity: string; readonly refuse: (problem: string) => never },
): LeaderElection | undefined {
  const { naming, identity, refuse } = parts;
  if (!values["leader-elect"]) return undefined;
  const leaseDurationMs = values["leader-elect-lease-duration"];
  const renewDeadlineMs = values["leader-elect-renew-deadline"];
  const retryPeriodMs = values["leader-elect-retry-period"];
  if (leaseDurationMs < 1_000) return refuse("--leader-elect-lease-duration must be at least 1s");
  if (renewDeadlineMs >= leaseDurationMs) {
    return refuse("--leader-elect-renew-deadline must be less than --leader-elect-lease-duration");
  }
  if (retryPeriodMs === 0) return refuse("--leader-elect-retry-period must be greater than zero");
  if (renewDeadlineMs <= jitter * retryPeriodMs) {
    return refuse(`--leader-elect-renew-deadline must be greater than ${jitter} times --leader-elect-retry-period`);
  }
  return {
    identity,
    name: values["leader-elect-resource-name"] || naming.systemName("controller-manager"),
    namespace: values["leader-elect-resource-namespace"] || naming.systemName("system"),
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
  };
}

const jitter = 1.2;
