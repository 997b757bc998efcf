import { commonFlags } from "@orch/runtime/flags/common-flags.js";
import { egressFlags } from "@orch/runtime/flags/egress-flags.js";
import { listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import { releaseFlags } from "@orch/runtime/flags/release-flags.js";
import { rpcServerFlags } from "@orch/runtime/flags/rpc-flags.js";
import { serviceFlags } from "@orch/runtime/flags/service-flags.js";
import type { StartedProgram } from "@orch/runtime/start-program.js";

/** What the program is called and takes: all that a help text needs. */
export const commandLine = {
  name: "orch-admission",
  description: "Calls the webhooks that users run, for the services that need their answers.",
  flags: {
    ...commonFlags,
    ...releaseFlags,
    ...egressFlags,
    ...rpcServerFlags,
    "rpc-allowed-peers": listFlag(["resource", "watch-cache"], {
      group: "Services",
      help: "names of the services that may call this one where there are certificates, comma separated",
    }),
    "bind-address": serviceFlags["bind-address"],
    "rpc-port": serviceFlags["rpc-port"],
    "metrics-port": serviceFlags["metrics-port"],
    "livez-grace-period": serviceFlags["livez-grace-period"],
    "api-dialect": serviceFlags["api-dialect"],
    "admission-control-config-file": stringFlag("", {
      group: "Admission",
      word: "file",
      help: "AdmissionConfiguration: it names the client configuration files by whose users webhooks are told who asks",
    }),
    "watch-cache-servers": listFlag([], {
      group: "Services",
      help: "watch caches as [group=]host:port, comma separated; they say where Services are reached",
    }),
  },
} as const;

export type Started = StartedProgram<typeof commandLine.flags>;
