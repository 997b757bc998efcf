import type { TokenEntry } from "@orch/auth/token-file.js";
import type { AuthenticationValues, AuthorizationValues } from "./flags.js";

/** Plain data: gateways that are processes of their own get it as a message. */
export interface AuthorizationSettings {
  readonly values: AuthorizationValues;
  /** Names of the flags that were given: some exclude others. */
  readonly given: readonly string[];
}

export interface AccessSettings extends AuthorizationSettings {
  readonly values: AuthenticationValues &
    AuthorizationValues & { readonly "authorization-always-allow-paths": readonly string[] };
  /** Bearer tokens besides those of files: the process's own. */
  readonly tokens: readonly TokenEntry[];
}
