import { commonFlags } from "@orch/runtime/flags/common-flags.js";
import { egressFlags } from "@orch/runtime/flags/egress-flags.js";
import { listFlag } from "@orch/runtime/flags/flag-types.js";
import { releaseFlags } from "@orch/runtime/flags/release-flags.js";
import { rpcServerFlags } from "@orch/runtime/flags/rpc-flags.js";
import { serviceFlags } from "@orch/runtime/flags/service-flags.js";
import { spoolFlags } from "@orch/runtime/flags/spool-flags.js";
import type { StartedProgram } from "@orch/runtime/start-program.js";
import { sinkFlags } from "./flags.js";

/** What the program is called and takes: all that a help text needs. */
export const commandLine = {
  name: "orch-audit",
  description: "Keeps audit events on disk until files, webhooks and topics have them.",
  flags: {
    ...commonFlags,
    ...releaseFlags,
    ...egressFlags,
    ...rpcServerFlags,
    "rpc-allowed-peers": listFlag(["gateway"], {
      group: "Services",
      help: "names of the services that may call this one where there are certificates, comma separated",
    }),
    "bind-address": serviceFlags["bind-address"],
    "rpc-port": serviceFlags["rpc-port"],
    "metrics-port": serviceFlags["metrics-port"],
    "livez-grace-period": serviceFlags["livez-grace-period"],
    "api-dialect": serviceFlags["api-dialect"],
    ...sinkFlags,
    ...spoolFlags,
  },
} as const;

export type Started = StartedProgram<typeof commandLine.flags>;
