import { readFileSync } from "node:fs";
import { abacAuthorizer, parseAbacFile } from "@orch/auth/abac/abac.js";
import {
  type AuthorizationConfiguration,
  type AuthorizerConfiguration,
  parseAuthorizationConfiguration,
} from "@orch/auth/authorization-config/authorization-config.js";
import { authorizationModes, configFileProblem } from "@orch/auth/authorization-config/modes.js";
import { type Authorizer, firstOpinion } from "@orch/auth/authorizer.js";
import { alwaysAllow, alwaysAllowPaths, alwaysDeny, everyRule, groupMayAll } from "@orch/auth/fixed-authorizers.js";
import { createNodeAuthorizer } from "@orch/auth/node/node-authorizer.js";
import type { ObjectSource } from "@orch/auth/object-source.js";
import { createRbac, type Rbac } from "@orch/auth/rbac/rbac.js";
import type { Permissions, RuleResolver, UserRules } from "@orch/auth/rules.js";
import { type ReviewStatus, readReviewStatus } from "@orch/auth/webhook/access-review.js";
import { webhookAuthorizer } from "@orch/auth/webhook/authorizer.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import { type Reloaded, reloadedFiles } from "@orch/runtime/tls-files.js";
import { ConfigurationError, configurationTree, ofFlag, valueOf } from "./configuration.js";
import type { AccessMetrics } from "./metrics.js";
import type { AuthorizationSettings } from "./settings.js";
import type { SharedCaches } from "./shared-caches.js";
import type { Webhooks } from "./webhooks.js";

export interface AuthorizationDeps {
  readonly naming: Naming;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: AccessMetrics;
  readonly caches: SharedCaches;
  readonly webhooks: Webhooks;
  /** In [0, 1). */
  readonly random: () => number;
  /** Paths that everyone may ask for. */
  readonly alwaysAllowPaths: readonly string[];
}

/** Who may do what. */
export interface Authorization extends Permissions {
  /** The rules by which one may hand out rights: RBAC's, which are those that are handed out. */
  readonly granting: RuleResolver;
  /** Begins to follow what decisions rest on. */
  start(objects: ObjectSource): void;
  stop(): void;
  /** Why nothing can be decided yet; undefined once it can. */
  health(): string | undefined;
}

type Member = Authorizer & RuleResolver;

/** @throws ConfigurationError */
export async function createAuthorization(
  settings: AuthorizationSettings,
  deps: AuthorizationDeps,
): Promise<Authorization> {
  const { naming, clock, log } = deps;
  const rbac = createRbac({ naming, clock, log: (what, err) => log.warn({ err }, what) });
  const node = createNodeAuthorizer({ naming, clock, rules: nodeRules(naming), resourceSlices: false });
  const parts: Parts = { ...deps, rbac, node, abac: abacOf(settings, naming) };
  const source = await configurationOf(settings, deps);
  let chain = await chainOf(source.current(), parts);
  source.onChange(() => {
    chainOf(source.current(), parts).then(
      (next) => {
        chain = next;
      },
      (err: unknown) => log.error({ err }, "a new authorization configuration is not in force; the one before holds"),
    );
  });
  const types = new Set(source.current().authorizers.map(({ type }) => type));
  return {
    authorizer: { authorize: (attributes) => chain.authorizer.authorize(attributes) },
    rules: { rulesFor: (user, namespace) => chain.rules.rulesFor(user, namespace) },
    granting: types.has("RBAC") ? rbac : { rulesFor: (user, namespace) => chain.rules.rulesFor(user, namespace) },
    start(objects) {
      if (types.has("RBAC")) rbac.start(objects);
      if (types.has("Node")) node.start(objects);
    },
    stop() {
      source.stop();
      rbac.stop();
      node.stop();
    },
    health: () => (!types.has("RBAC") || rbac.loaded ? undefined : "the rules of RBAC are not loaded yet"),
  };
}
