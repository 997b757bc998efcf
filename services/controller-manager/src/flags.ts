import { boolFlag, durationFlag, intFlag, listFlag, stringFlag } from "@orch/runtime/flag-types.js";
import { controllerNames } from "./controller.js";

const signing = { group: "Certificates", word: "file" } as const;
const authority = (what: string) => `${what}, PEM; files are read again whenever something is signed`;
const certificateOf = (signer: string) =>
  stringFlag("", {
    ...signing,
    help: `certificate of the authority that signs ${signer}, instead of --cluster-signing-cert-file`,
  });
const keyOf = (signer: string) => stringFlag("", { ...signing, help: `key of the authority that signs ${signer}` });

/** Flags of whatever runs controllers; the reference's names. */
export const controllerFlags = {
  controllers: listFlag(["*"], {
    group: "Controllers",
    help: [
      "controllers that run, comma separated: '*' is all of them, 'foo' one, '-foo' not that one; empty is none:",
      ...controllerNames,
    ].join("\n"),
  }),
  "enable-garbage-collector": boolFlag(true, {
    group: "Controllers",
    help: "whether objects are deleted whose owners are gone",
  }),
  "concurrent-gc-syncs": intFlag(20, { group: "Controllers", min: 1, help: "objects that are collected at once" }),
  "concurrent-namespace-syncs": intFlag(10, {
    group: "Controllers",
    min: 1,
    help: "namespaces that are emptied at once",
  }),
  "cluster-signing-cert-file": stringFlag("", {
    ...signing,
    help: authority("certificate of the authority that signs requests for certificates"),
  }),
  "cluster-signing-key-file": stringFlag("", { ...signing, help: authority("its key, of RSA or ECDSA") }),
  "cluster-signing-agent-serving-cert-file": certificateOf("serving certificates of nodes"),
  "cluster-signing-agent-serving-key-file": keyOf("serving certificates of nodes"),
  "cluster-signing-agent-client-cert-file": certificateOf("client certificates of nodes"),
  "cluster-signing-agent-client-key-file": keyOf("client certificates of nodes"),
  "cluster-signing-apiserver-client-cert-file": certificateOf("client certificates of others"),
  "cluster-signing-apiserver-client-key-file": keyOf("client certificates of others"),
  "cluster-signing-legacy-unknown-cert-file": certificateOf("what v1beta1 named no signer for"),
  "cluster-signing-legacy-unknown-key-file": keyOf("what v1beta1 named no signer for"),
  "cluster-signing-duration": durationFlag(8760 * 3_600_000, {
    group: "Certificates",
    help: "how long certificates last at most; a request may ask for less",
  }),
} as const;

/** Flags of what service accounts' secrets and pods are given; the reference's names. */
export const accountFlags = {
  "service-account-private-key-file": stringFlag("", {
    group: "Service accounts",
    word: "file",
    help: "PEM file of the private key (RSA or ECDSA) that signs the tokens in Secrets; without it they get none",
  }),
  "concurrent-serviceaccount-token-syncs": intFlag(5, {
    group: "Service accounts",
    min: 1,
    help: "Secrets that are given their tokens at once",
  }),
  "root-ca-file": stringFlag("", {
    group: "Service accounts",
    word: "file",
    help: "PEM bundle that goes into those Secrets and into a config map of every namespace, for pods to know the server by",
  }),
} as const;

/** Flags of the election of one process among several. */
export const leaderElectionFlags = {
  "leader-elect": boolFlag(true, {
    group: "Leader election",
    help: "whether one of several processes is chosen to run the controllers",
  }),
  "leader-elect-lease-duration": durationFlag(15_000, {
    group: "Leader election",
    help: "how long the others wait after the leader's last renewal",
  }),
  "leader-elect-renew-deadline": durationFlag(10_000, {
    group: "Leader election",
    help: "how long the leader tries to renew before it gives up; less than the lease's duration",
  }),
  "leader-elect-retry-period": durationFlag(2_000, { group: "Leader election", help: "time between attempts" }),
  "leader-elect-resource-name": stringFlag("", {
    group: "Leader election",
    word: "name",
    help: "name of the lease; the controller manager's name in the dialect when empty",
  }),
  "leader-elect-resource-namespace": stringFlag("", {
    group: "Leader election",
    word: "namespace",
    help: "namespace of the lease; the system's namespace when empty",
  }),
} as const;

/** Flags of whatever runs a controller manager. */
export const managerFlags = { ...controllerFlags, ...accountFlags, ...leaderElectionFlags } as const;
