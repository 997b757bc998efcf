import { boolFlag, enumFlag, intFlag } from "@orch/runtime/flags/flag-types.js";
import { configFlag, machineFlags } from "../init/flags.js";
import { accessFlags } from "../token/flags.js";

const { "dry-run": dryRun, "ignore-preflight-errors": ignored, "skip-phases": skipped, patches, runner } = machineFlags;
const shared = { ...accessFlags, ...configFlag, "dry-run": dryRun, "ignore-preflight-errors": ignored } as const;

const group = "Run";
const unstable = {
  "allow-experimental-upgrades": boolFlag(false, { group, help: "show and take alphas and betas" }),
  "allow-release-candidate-upgrades": boolFlag(false, { group, help: "show and take release candidates" }),
  "print-config": boolFlag(false, { group, help: "print the configuration of the cluster" }),
} as const;
const etcdUpgrade = {
  "etcd-upgrade": boolFlag(true, { group, help: "upgrade this machine's member of etcd, too" }),
} as const;

const changing = {
  ...{ ...shared, "skip-phases": skipped, patches, runner },
  ...etcdUpgrade,
  "certificate-renewal": boolFlag(true, { group, help: "renew the certificates of components that change" }),
} as const;

export const applyFlags = {
  ...{ ...changing, ...unstable },
  force: boolFlag(false, { group, help: "pass over what speaks against the version, where that is possible" }),
  yes: boolFlag(false, { group, help: "do not ask" }),
} as const;

export const nodeFlags = changing;

export const planFlags = {
  ...{ ...shared, ...unstable, ...etcdUpgrade },
  output: enumFlag(["text", "json", "yaml"], "text", { help: "form of the plan (-o)" }),
} as const;

export const diffFlags = {
  ...{ ...accessFlags, ...configFlag, patches },
  "context-lines": intFlag(3, { min: 0, max: 1000, help: "lines shown around each change" }),
} as const;
