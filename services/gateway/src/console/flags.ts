import { boolFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";

const group = "Console";

/** Flags of the pages below `/console/`; whether they are served by default depends on the program. */
export const consoleFlags = <Default extends boolean>(served: Default) =>
  ({
    console: boolFlag(served, {
      group,
      help: "pages for people under /console/: files alone, whose data is asked for with the rights of whoever looks at them",
    }),
    "console-oidc-issuer": stringFlag("", {
      group,
      word: "url",
      help: "OpenID provider that the console signs people in with, as --oidc-issuer-url or --authentication-config trusts it; its origin is the one that the pages may ask besides this server",
    }),
    "console-oidc-client-id": stringFlag("", {
      group,
      help: "the console's public client at that provider: no secret, PKCE, redirects to https://SERVER/console/",
    }),
    "console-oidc-token-origin": stringFlag("", {
      group,
      word: "url",
      help: "where that provider's token endpoint is, if not at the origin of its issuer; the pages may ask it too",
    }),
    "console-oidc-scopes": listFlag(["openid"], {
      group,
      help: "what is asked of the provider; openid always is, and offline_access may bring a refresh token",
    }),
  }) as const;

export type ConsoleFlagValues = FlagValues<ReturnType<typeof consoleFlags>>;
