import { boolFlag } from "@orch/runtime/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags.js";

const group = "Console";

/** Flags of the pages below `/console/`; whether they are served by default depends on the program. */
export const consoleFlags = <Default extends boolean>(served: Default) =>
  ({
    console: boolFlag(served, {
      group,
      help: "pages for people under /console/: files alone, whose data is asked for with the rights of whoever looks at them",
    }),
  }) as const;

export type ConsoleFlagValues = FlagValues<ReturnType<typeof consoleFlags>>;
