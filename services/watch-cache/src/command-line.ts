import { egressFlags } from "@orch/runtime/flags/egress-flags.js";
import { listFlag } from "@orch/runtime/flags/flag-types.js";
import { admissionServerFlags, kmsServerFlags } from "@orch/runtime/flags/rpc-flags.js";
import { serviceFlags } from "@orch/runtime/flags/service-flags.js";
import type { StartedProgram } from "@orch/runtime/start-program.js";
import { watchCacheFlags } from "./flags.js";

/** What the program is called and takes: all that a help text needs. */
export const commandLine = {
  name: "orch-watch-cache",
  description: "Follows the store and answers get, list and watch from memory.",
  flags: {
    ...serviceFlags,
    ...admissionServerFlags,
    ...kmsServerFlags,
    "rpc-allowed-peers": listFlag(["gateway", "admission"], {
      group: "Services",
      help: serviceFlags["rpc-allowed-peers"].help,
    }),
    ...egressFlags,
    ...watchCacheFlags,
  },
} as const;

export type Started = StartedProgram<typeof commandLine.flags>;
