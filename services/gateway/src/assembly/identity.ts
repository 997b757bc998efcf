import type { Access } from "@orch/access/access.js";
import { type Authenticator, anyOf } from "@orch/auth/authenticator.js";
import { certificateAuthenticator } from "@orch/auth/client-certificate.js";
import { type FrontProxyOptions, frontProxyAuthenticator } from "@orch/auth/front-proxy.js";
import { bearerAuthenticator } from "@orch/auth/token-authenticator.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import { createFailedLogins } from "../failed-logins.js";
import type { IdentityDeps } from "../identity.js";
import type { ServingSettings } from "../serving-settings.js";
import type { TlsFiles } from "../tls/settings.js";

export interface AssembleIdentityDeps {
  readonly naming: Naming;
  readonly clock: Clock;
  readonly log: Log;
  readonly access: Access;
  readonly tls: TlsFiles;
}

/** Addresses whose wrong credentials are counted; of more those that were quiet for longest are forgotten. */
const maxFailingAddresses = 10_000;

/** Authentication by front proxies, certificates and tokens, in this order, and authorization. */
export function assembleIdentity(
  { access: { values }, tls: flags }: Pick<ServingSettings, "access" | "tls">,
  { naming, clock, log, access, tls }: AssembleIdentityDeps,
): IdentityDeps {
  const { tokens, apiAudiences, anonymous } = access.authentication;
  const now = clock.now;
  return {
    naming,
    authenticator: access.counted(
      anyOf([
        ...frontProxies(flags, { naming, now, authorities: tls.proxyAuthorities }),
        certificateAuthenticator({ naming, now, authorities: tls.clientAuthorities }),
        bearerAuthenticator(tokens, apiAudiences),
      ]),
    ),
    anonymous,
    refused: (why) => log.debug({ why }, "credentials are refused"),
    failedLogins: createFailedLogins({
      perSecond: values["failed-login-qps"],
      burst: values["failed-login-burst"],
      clock,
      maxAddresses: maxFailingAddresses,
    }),
    authorizer: access.authorization.authorizer,
  };
}

function frontProxies(
  flags: ServingSettings["tls"],
  deps: Pick<FrontProxyOptions, "naming" | "now" | "authorities">,
): readonly Authenticator[] {
  if (flags["requestheader-client-ca-file"] === "") return [];
  return [
    frontProxyAuthenticator({
      ...deps,
      allowedNames: flags["requestheader-allowed-names"],
      usernameHeaders: flags["requestheader-username-headers"],
      uidHeaders: flags["requestheader-uid-headers"],
      groupHeaders: flags["requestheader-group-headers"],
      extraHeaderPrefixes: flags["requestheader-extra-headers-prefix"],
    }),
  ];
}
