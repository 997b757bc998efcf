import { clientServiceFlags, serverFlag } from "@orch/runtime/flags/client-service-flags.js";
import { boolFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { profilingFlag } from "@orch/runtime/flags/profiling-flag.js";

/** Flags of a process of controllers, whichever they are. */
export const programFlags = {
  ...serverFlag,
  "use-service-account-credentials": boolFlag(false, {
    group: "Controllers",
    help: "whether each controller acts as a service account of its own",
  }),
  ...profilingFlag(true),
  ...clientServiceFlags,
} as const;

export type ProgramValues = FlagValues<typeof programFlags>;
