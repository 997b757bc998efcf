import { commonFlags } from "@orch/runtime/flags/common-flags.js";
import { listFlag } from "@orch/runtime/flags/flag-types.js";
import { releaseFlags } from "@orch/runtime/flags/release-flags.js";
import { rpcServerFlags } from "@orch/runtime/flags/rpc-flags.js";
import { serviceFlags } from "@orch/runtime/flags/service-flags.js";
import type { StartedProgram } from "@orch/runtime/start-program.js";
import { encryptionFlags } from "./flags.js";

/** What the program is called and takes: all that a help text needs. */
export const commandLine = {
  name: "orch-kms",
  description: "Holds the keys by which objects are stored, and the connections to KMS plugins.",
  flags: {
    ...commonFlags,
    ...releaseFlags,
    ...encryptionFlags,
    ...rpcServerFlags,
    "rpc-allowed-peers": listFlag(["resource", "watch-cache"], {
      group: "Services",
      help: "names of the services that may call this one where there are certificates, comma separated: each has every key then",
    }),
    "bind-address": serviceFlags["bind-address"],
    "rpc-port": serviceFlags["rpc-port"],
    "metrics-port": serviceFlags["metrics-port"],
    "livez-grace-period": serviceFlags["livez-grace-period"],
    "api-dialect": serviceFlags["api-dialect"],
  },
} as const;

export type Started = StartedProgram<typeof commandLine.flags>;
