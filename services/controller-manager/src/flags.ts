import { electionFlags } from "@orch/runtime/flags/election-flags.js";
import { boolFlag, durationFlag, intFlag, listFlag, numberFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import { clusterFlags } from "./cluster-flags.js";
import { controllerNames } from "./controller.js";
import { migrationFlags } from "./leader-migration/migration-flags.js";

const signing = { group: "Certificates", word: "file" } as const;
const authority = (what: string) => `${what}, PEM; files are read again whenever something is signed`;
const certificateOf = (signer: string) =>
  stringFlag("", {
    ...signing,
    help: `certificate of the authority that signs ${signer}, instead of --cluster-signing-cert-file`,
  });
const keyOf = (signer: string) => stringFlag("", { ...signing, help: `key of the authority that signs ${signer}` });

const atOnce = (count: number, what: string) =>
  intFlag(count, { group: "Controllers", min: 1, help: `${what} that are looked at at once` });

/** How many of a kind are worked on at once; the reference's names. */
export const workerFlags = {
  "concurrent-deployment-syncs": atOnce(5, "deployments"),
  "concurrent-replicaset-syncs": atOnce(5, "replica sets"),
  "concurrent-job-syncs": atOnce(5, "jobs"),
  "concurrent-ttl-after-finished-syncs": atOnce(5, "jobs that are over"),
  "concurrent-cron-job-syncs": atOnce(5, "cron jobs"),
  "concurrent-daemonset-syncs": atOnce(2, "daemon sets"),
  "concurrent-statefulset-syncs": atOnce(5, "stateful sets"),
  "concurrent-rc-syncs": atOnce(5, "replication controllers"),
} as const;

const autoscaling = { group: "Autoscaling" } as const;

/** Flags of the controller of HorizontalPodAutoscalers; the reference's names. */
export const autoscalingFlags = {
  "concurrent-horizontal-pod-autoscaler-syncs": atOnce(5, "horizontal pod autoscalers"),
  "horizontal-pod-autoscaler-sync-period": durationFlag(15_000, {
    ...autoscaling,
    help: "between two looks at the metrics of an autoscaler",
  }),
  "horizontal-pod-autoscaler-tolerance": numberFlag(0.1, {
    ...autoscaling,
    help: "how far current and wanted may lie apart, as a share, without a change",
  }),
  "horizontal-pod-autoscaler-downscale-stabilization": durationFlag(300_000, {
    ...autoscaling,
    help: "how long the highest number that was proposed holds before there are fewer pods",
  }),
  "horizontal-pod-autoscaler-cpu-initialization-period": durationFlag(300_000, {
    ...autoscaling,
    help: "after the start of a pod in which what it uses of the processor may not count",
  }),
  "horizontal-pod-autoscaler-initial-readiness-delay": durationFlag(30_000, {
    ...autoscaling,
    help: "after the start of a pod in which it may be ready for the first time",
  }),
} as const;

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
  "concurrent-resource-quota-syncs": intFlag(5, {
    group: "Controllers",
    min: 1,
    help: "quotas that are counted at once",
  }),
  "resource-quota-sync-period": durationFlag(300_000, {
    group: "Controllers",
    help: "after which every quota is counted again",
  }),
  ...workerFlags,
  ...clusterFlags,
  ...autoscalingFlags,
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
export const leaderElectionFlags = electionFlags({ does: "run the controllers", is: "controller manager" });

/** Flags of whatever runs a controller manager. */
export const managerFlags = {
  ...controllerFlags,
  ...accountFlags,
  ...leaderElectionFlags,
  ...migrationFlags,
} as const;
