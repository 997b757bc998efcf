import { alwaysAllowPaths } from "@orch/auth/fixed-authorizers.js";
import type { ObjectSource } from "@orch/auth/object-source.js";
import type { ServiceAccountDeps } from "@orch/auth/service-account/authenticator.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Egress } from "@orch/outbound/egress/egress.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { type Authentication, createAuthentication } from "./authentication.js";
import { type Authorization, createAuthorization } from "./authorization.js";
import { inPart } from "./configuration.js";
import { createDecisionCaches } from "./decision-caches.js";
import { type AuthenticationMetrics, createAuthenticationMetrics, createAuthorizationMetrics } from "./metrics.js";
import type { AccessSettings, AuthorizationSettings } from "./settings.js";
import { createWebhooks, type Environment } from "./webhooks.js";

export interface AccessDeps {
  readonly naming: Naming;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** What decisions rest on. */
  readonly objects: ObjectSource;
  /** In [0, 1). */
  readonly random: () => number;
  readonly environment: Environment;
  /** By which way connections leave; straight where absent. */
  readonly egress?: Egress | undefined;
  /** Told of Secrets whose tokens are used. */
  readonly secretUsed?: ServiceAccountDeps["secretUsed"];
}

export interface AuthorizationAccess {
  readonly authorization: Authorization;
  /** Begins to follow what decisions rest on; before that nothing is allowed that rests on it. */
  start(): void;
  stop(): Promise<void>;
}

/** Who is who and who may do what, as the flags say. */
export interface Access extends AuthorizationAccess {
  readonly authentication: Authentication;
  /** Counts what an authenticator says of requests. */
  readonly counted: AuthenticationMetrics["counted"];
}

/** What services behind gateways need: who may do what. @throws ConfigurationError */
export async function createAuthorizationAccess(
  settings: AuthorizationSettings,
  deps: AccessDeps,
): Promise<AuthorizationAccess> {
  const common = await commonOf(settings, deps);
  const authorization = await createAuthorization(settings, {
    ...deps,
    ...common.parts,
    openPaths: alwaysAllowPaths([]),
  });
  return {
    authorization,
    start: () => authorization.start(deps.objects),
    async stop() {
      authorization.stop();
      await common.stop();
    },
  };
}

/** @throws ConfigurationError */
export async function createAccess(settings: AccessSettings, deps: AccessDeps): Promise<Access> {
  const common = await commonOf(settings, deps);
  const metrics = createAuthenticationMetrics(deps.metrics);
  const authentication = await createAuthentication(settings, { ...deps, ...common.parts, metrics });
  const flag = "authorization-always-allow-paths";
  const openPaths = await inPart(`--${flag}`, () => alwaysAllowPaths(settings.values[flag]));
  const authorization = await createAuthorization(settings, { ...deps, ...common.parts, openPaths });
  return {
    authentication,
    authorization,
    counted: metrics.counted,
    start: () => authorization.start(deps.objects),
    async stop() {
      authentication.stop();
      authorization.stop();
      await common.stop();
    },
  };
}

async function commonOf({ values }: AuthorizationSettings, deps: AccessDeps) {
  const { clock, log, metrics } = deps;
  const authorizationMetrics = createAuthorizationMetrics(metrics);
  const webhooks = createWebhooks(deps);
  const { caches, stop } = await createDecisionCaches(values, {
    clock,
    log,
    observer: authorizationMetrics.sharedCache,
  });
  return {
    parts: { webhooks, caches, metrics: authorizationMetrics },
    async stop() {
      stop();
      await webhooks.close();
    },
  };
}
