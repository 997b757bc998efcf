import { boolFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { configFlag, machineFlags } from "../init/flags.js";

const { "dry-run": dryRun, "ignore-preflight-errors": ignored, "skip-phases": skipped, runner } = machineFlags;

export const resetFlags = {
  ...configFlag,
  force: boolFlag(false, { group: "Run", help: "do not ask" }),
  "cert-dir": stringFlag("", {
    group: "Machine",
    word: "folder",
    help: "where certificates lie; the usual folder where empty",
  }),
  "cleanup-tmp-dir": boolFlag(false, { group: "Machine", help: "remove manifests that upgrades kept, too" }),
  "cri-socket": stringFlag("", {
    group: "Machine",
    word: "socket",
    help: "of the container runtime, where there is one",
  }),
  kubeconfig: stringFlag("", {
    ...{ group: "Machine", word: "file" },
    help: "client configuration by which the cluster is reached; admin.conf of this machine where empty",
  }),
  ...{ "dry-run": dryRun, "ignore-preflight-errors": ignored, "skip-phases": skipped, runner },
} as const;

export type ResetValues = FlagValues<typeof resetFlags>;
