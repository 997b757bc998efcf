import type { Access } from "@orch/access/access.js";
import { type Authenticator, anyOf } from "@orch/auth/authenticator.js";
import { certificateAuthenticator } from "@orch/auth/client-certificate.js";
import { type FrontProxyOptions, frontProxyAuthenticator } from "@orch/auth/front-proxy.js";
import { localAuthenticator } from "@orch/auth/local-authenticator.js";
import { bearerAuthenticator } from "@orch/auth/token-authenticator.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { createFailedLogins } from "../identity/failed-logins.js";
import type { IdentityDeps } from "../identity/identity.js";
import { createIdentityMetrics } from "../identity/identity-metrics.js";
import type { ServingSettings } from "../serving-settings.js";
import type { TlsFiles } from "../tls/settings.js";

export interface AssembleIdentityDeps {
  readonly naming: Naming;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly access: Access;
  readonly tls: TlsFiles;
  /** Whether there are clients in this process. */
  readonly local: boolean;
  readonly scoped: IdentityDeps["scoped"];
}

/** Addresses whose wrong credentials are counted; of more those that were quiet for longest are forgotten. */
const maxFailingAddresses = 10_000;

/** Authentication of clients in this process, by front proxies, certificates and tokens, in this order, and authorization. */
export function assembleIdentity(
  { access: { values }, tls: flags }: Pick<ServingSettings, "access" | "tls">,
  { naming, clock, log, metrics, access, tls, local, scoped }: AssembleIdentityDeps,
): IdentityDeps {
  const { tokens, apiAudiences, anonymous } = access.authentication;
  const now = clock.now;
  const told = createIdentityMetrics(metrics, clock);
  return {
    naming,
    authenticator: told.timed(
      access.counted(
        anyOf([
          ...(local ? [localAuthenticator] : []),
          ...frontProxies(flags, { naming, now, authorities: tls.proxyAuthorities }),
          told.expiring(certificateAuthenticator({ naming, now, authorities: tls.clientAuthorities })),
          bearerAuthenticator(tokens, apiAudiences),
        ]),
      ),
    ),
    anonymous,
    scoped,
    refused: (why) => log.debug({ why }, "credentials are refused"),
    failedLogins: createFailedLogins({
      perSecond: values["failed-login-qps"],
      burst: values["failed-login-burst"],
      clock,
      maxAddresses: maxFailingAddresses,
    }),
    authorizer: told.decided(access.authorization.authorizer),
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
