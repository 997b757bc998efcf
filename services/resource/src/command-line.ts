import { egressFlags } from "@orch/runtime/flags/egress-flags.js";
import { intFlag, listFlag } from "@orch/runtime/flags/flag-types.js";
import { admissionServerFlags, kmsServerFlags } from "@orch/runtime/flags/rpc-flags.js";
import { serviceFlags } from "@orch/runtime/flags/service-flags.js";
import type { StartedProgram } from "@orch/runtime/start-program.js";
import { resourceFlags } from "./flags.js";

/** What the program is called and takes: all that a help text needs. */
export const commandLine = {
  name: "orch-resource",
  description: "Validates and stores the writes of its API groups.",
  flags: {
    ...serviceFlags,
    ...admissionServerFlags,
    ...kmsServerFlags,
    ...egressFlags,
    ...resourceFlags,
    "gateway-port": intFlag(6443, {
      group: "Services",
      min: 1,
      max: 65535,
      help: "HTTPS port of the gateways, to which the root service leads",
    }),
    groups: listFlag([], {
      group: "API",
      help: "API groups this service owns, comma separated; core is the core group; all when empty",
    }),
  },
} as const;

export type Started = StartedProgram<typeof commandLine.flags>;
