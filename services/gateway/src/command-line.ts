import { modes } from "@orch/audit/event.js";
import { commonFlags } from "@orch/runtime/flags/common-flags.js";
import { egressFlags } from "@orch/runtime/flags/egress-flags.js";
import { enumFlag, listFlag } from "@orch/runtime/flags/flag-types.js";
import { rpcFlags } from "@orch/runtime/flags/rpc-flags.js";
import { spoolFlags } from "@orch/runtime/flags/spool-flags.js";
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
    "near-cache": listFlag([], {
      group: "Services",
      help: "API groups whose objects this gateway keeps a copy of, from the feed of a watch cache, and answers reads from, comma separated; core is the core group, * all; reads of others go to the watch caches",
    }),
    "resource-servers": listFlag([], {
      group: "Services",
      help: "resource services as [group=]host:port, comma separated",
    }),
    "audit-servers": listFlag([], {
      group: "Audit",
      help: "services that keep audit events, as host:port, comma separated; without one nothing is recorded",
    }),
    "audit-mode": enumFlag(modes, "batch", {
      group: "Audit",
      help: "whether requests wait until their first event is kept; blocking-strict refuses those of which it is not",
    }),
    ...spoolFlags,
    ...rpcFlags,
    ...commonFlags,
    ...egressFlags,
  },
} as const;

export type Started = StartedProgram<typeof commandLine.flags>;
