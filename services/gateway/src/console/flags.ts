import { boolFlag, stringFlag } from "@orch/runtime/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags.js";

const group = "Console";

/** Flags of the pages below `/console/`; whether they are served by default depends on the program. */
export const consoleFlags = <Default extends boolean>(served: Default) =>
  ({
    console: boolFlag(served, {
      group,
      help: "pages for people under /console/: files alone, whose data is asked for with the rights of whoever looks at them",
    }),
    "console-oidc-issuer": stringFlag("", {
      ...{ group, word: "url" },
      help: "issuer by which the console signs people in, https; the server itself must accept its tokens",
    }),
    "console-oidc-client-id": stringFlag("", {
      ...{ group, word: "id" },
      help: "what the console is called at that issuer: a public client, with PKCE and the console's address to come back to",
    }),
  }) as const;

export type ConsoleFlagValues = FlagValues<ReturnType<typeof consoleFlags>>;
