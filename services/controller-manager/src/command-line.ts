import { commonFlags } from "@orch/runtime/common-flags.js";
import { boolFlag, stringFlag } from "@orch/runtime/flag-types.js";
import { releaseFlags } from "@orch/runtime/release-flags.js";
import { opsFlags, rpcFlags } from "@orch/runtime/rpc-flags.js";
import { serviceFlags } from "@orch/runtime/service-flags.js";
import type { StartedProgram } from "@orch/runtime/start-program.js";
import { managerFlags } from "./flags.js";

/** What the program is called and takes: all that a help text needs. */
export const commandLine = {
  name: "orch-controller-manager",
  description: "Runs the control loops: garbage collection, removal of namespaces, service accounts.",
  flags: {
    orchconfig: stringFlag("", {
      group: "Server",
      word: "file",
      help: "client configuration file that names the server and how to be known to it",
    }),
    ...managerFlags,
    "use-service-account-credentials": boolFlag(false, {
      group: "Controllers",
      help: "whether each controller acts as a service account of its own",
    }),
    ...commonFlags,
    ...releaseFlags,
    ...rpcFlags,
    ...opsFlags,
    "bind-address": serviceFlags["bind-address"],
    "metrics-port": serviceFlags["metrics-port"],
    "livez-grace-period": serviceFlags["livez-grace-period"],
    "api-dialect": serviceFlags["api-dialect"],
  },
} as const;

export type Started = StartedProgram<typeof commandLine.flags>;
