import { commonFlags } from "@orch/runtime/common-flags.js";
import { listFlag } from "@orch/runtime/flag-types.js";
import { rpcFlags } from "@orch/runtime/rpc-flags.js";
import type { StartedProgram } from "@orch/runtime/start-program.js";
import { servingFlags } from "./flags.js";

/** What the program is called and takes: all that a help text needs. */
export const commandLine = {
  name: "orch-gateway",
  description: "Serves the API over HTTPS: authenticates, negotiates and forwards.",
  flags: {
    ...servingFlags,
    "watch-cache-servers": listFlag([], {
      group: "Services",
      help: "watch caches as [group=]host:port, comma separated; core is the core group; several of one group share the load",
    }),
    "resource-servers": listFlag([], {
      group: "Services",
      help: "resource services as [group=]host:port, comma separated",
    }),
    ...rpcFlags,
    ...commonFlags,
  },
} as const;

export type Started = StartedProgram<typeof commandLine.flags>;
