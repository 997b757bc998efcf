import { hash } from "node:crypto";
import { bootstrapTokenAuthenticator } from "@orch/auth/bootstrap-token.js";
import {
  type AuthenticationConfiguration,
  parseAuthenticationConfiguration,
} from "@orch/auth/jwt/authentication-config.js";
import { hasOidcFlags, type OidcFlags, oidcConfiguration } from "@orch/auth/jwt/oidc-flags.js";
import { reloadingJwtAuthenticator } from "@orch/auth/jwt/reloading.js";
import type { ObjectSource } from "@orch/auth/object-source.js";
import { type ServiceAccountDeps, serviceAccountAuthenticator } from "@orch/auth/service-account/authenticator.js";
import { parsePublicKeys } from "@orch/auth/service-account/keys.js";
import { type OpenIdDocuments, openIdDocuments, openIdPaths } from "@orch/auth/service-account/open-id.js";
import { anyToken, type TokenAuthenticator } from "@orch/auth/token-authenticator.js";
import { parseTokenFile, tokenFileAuthenticator } from "@orch/auth/token-file.js";
import { anonymousUser, type UserInfo } from "@orch/auth/user.js";
import { readKnownToken, webhookTokenAuthenticator } from "@orch/auth/webhook/token-authenticator.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Egress } from "@orch/outbound/egress/egress.js";
import type { Log } from "@orch/runtime/log.js";
import { ConfigurationError, followedFile, inPart, orThrow, textOfFile } from "./configuration.js";
import type { AuthenticationMetrics } from "./metrics.js";
import type { Parts } from "./parts.js";
import type { AccessSettings } from "./settings.js";

export interface AuthenticationDeps extends Parts {
  readonly metrics: AuthenticationMetrics;
  readonly objects: ObjectSource;
  readonly egress?: Egress | undefined;
  readonly secretUsed?: ServiceAccountDeps["secretUsed"];
}

/** Who is who by bearer tokens, and who comes without any. */
export interface Authentication {
  readonly tokens: TokenAuthenticator;
  /** Whom tokens must be meant for. */
  readonly apiAudiences: readonly string[];
  /** Who asks for a path without credentials; undefined where nobody may. */
  readonly anonymous: (path: string) => UserInfo | undefined;
  /** By which others check tokens of service accounts; undefined where there are none, or the issuer is no address. */
  readonly openId: OpenIdDocuments | undefined;
  /** Which issuers of tokens cannot be reached. */
  readonly health: () => string | undefined;
  readonly stop: () => void;
}

/** What the sorts of tokens are made with. */
interface TokenDeps extends AuthenticationDeps {
  readonly apiAudiences: readonly string[];
}

/** @throws ConfigurationError */
export async function createAuthentication(
  settings: AccessSettings,
  given: AuthenticationDeps,
): Promise<Authentication> {
  const { values } = settings;
  const issuers = values["service-account-issuer"];
  const apiAudiences = values["api-audiences"].length > 0 ? values["api-audiences"] : issuers;
  const deps: TokenDeps = { ...given, apiAudiences };
  const jwt = await jwtTokens(settings, deps);
  const accountKeys = values["service-account-key-file"].map((path) => textOfFile("--service-account-key-file", path));
  const sorts: (TokenAuthenticator | undefined)[] = [
    staticTokens(settings, deps),
    await accountTokens(settings, accountKeys, deps),
    values["enable-bootstrap-token-auth"] ? bootstrapTokenAuthenticator({ ...deps, now: deps.clock.now }) : undefined,
    jwt.tokens,
    await webhookTokens(settings, deps),
  ];
  return {
    tokens: anyToken(sorts.flatMap((each) => each ?? [])),
    apiAudiences,
    openId: discoveryOf(settings, accountKeys, deps.log),
    anonymous: anonymousBy(settings, jwt.configuration, deps.naming),
    health: jwt.health,
    stop: jwt.stop,
  };
}

function staticTokens({ values, tokens }: AccessSettings, deps: TokenDeps): TokenAuthenticator | undefined {
  const flag = "--token-auth-file";
  const file = parseTokenFile(textOfFile(flag, values["token-auth-file"]));
  if (!file.ok) throw new ConfigurationError(`${flag}: ${file.problems.join("; ")}`);
  const entries = [...tokens, ...file.value];
  return entries.length === 0 ? undefined : tokenFileAuthenticator(entries, deps);
}

async function accountTokens(
  { values }: AccessSettings,
  keys: readonly string[],
  deps: TokenDeps,
): Promise<TokenAuthenticator | undefined> {
  const issuers = values["service-account-issuer"];
  if (keys.length === 0) return undefined;
  if (issuers.length === 0) throw new ConfigurationError("--service-account-key-file needs --service-account-issuer");
  const lookup = values["service-account-lookup"];
  return await inPart("--service-account-key-file", () =>
    serviceAccountAuthenticator({ ...deps, issuers, keys, now: deps.clock.now, lookup, legacy: true }),
  );
}

function discoveryOf({ values }: AccessSettings, pems: readonly string[], log: Log): OpenIdDocuments | undefined {
  const [issuer] = values["service-account-issuer"];
  if (issuer === undefined || pems.length === 0) return undefined;
  const keys = orThrow(parsePublicKeys(pems));
  const own = `${issuer.replace(/\/$/, "")}${openIdPaths.keySet}`;
  const documents = openIdDocuments({ issuer, jwksUri: values["service-account-jwks-uri"] || own, keys });
  if (documents.ok) return documents.value;
  log.warn({ problems: documents.problems }, "the issuer of service accounts is not published: tokens do without");
  return undefined;
}

async function webhookTokens({ values }: AccessSettings, deps: TokenDeps): Promise<TokenAuthenticator | undefined> {
  const path = values["authentication-token-webhook-config-file"];
  if (path === "") return undefined;
  const { post, address } = await inPart("--authentication-token-webhook-config-file", () =>
    deps.webhooks.connect({ type: "KubeConfigFile", path }),
  );
  const version = values["authentication-token-webhook-version"];
  return webhookTokenAuthenticator({
    ...deps,
    version,
    cacheTtlMs: values["authentication-token-webhook-cache-ttl"],
    timeoutMs: webhookMs,
    post,
    cache: deps.caches(
      `tokens:${hash("sha256", JSON.stringify([version, address, deps.apiAudiences]))}`,
      readKnownToken,
    ),
    observer: deps.metrics.webhook("tokens", deps.log),
  });
}

const webhookMs = 30_000;

interface Jwt {
  readonly tokens: TokenAuthenticator | undefined;
  readonly configuration: AuthenticationConfiguration | undefined;
  readonly health: () => string | undefined;
  readonly stop: () => void;
}

async function jwtTokens(settings: AccessSettings, deps: TokenDeps): Promise<Jwt> {
  const { values } = settings;
  const { naming, clock, log, metrics } = deps;
  const parsing = { naming, serviceAccountIssuers: values["service-account-issuer"] };
  const oidc = oidcFlags(settings);
  const path = values["authentication-config"];
  if (path !== "" && hasOidcFlags(oidc)) {
    throw new ConfigurationError("authentication-config file and oidc-* flags are mutually exclusive");
  }
  const reloaded =
    path === ""
      ? undefined
      : await followedFile("--authentication-config", path, {
          clock,
          log,
          make: async (tree) => orThrow(await parseAuthenticationConfiguration(tree, parsing)),
          // A good one is in force once its issuers are reached.
          counted: (result) => result === "failure" && metrics.reloaded(result),
        });
  const configuration = reloaded === undefined ? orThrow(oidcConfiguration(oidc, parsing)) : reloaded.current();
  if (configuration === undefined) {
    return { tokens: undefined, configuration: undefined, health: () => undefined, stop: () => {} };
  }
  const [{ createJwtAuthenticator }, { documentFetch }] = await Promise.all([
    import("@orch/auth/jwt/jwt-authenticator.js"),
    import("./fetch-json.js"),
  ]);
  let started = false;
  const tokens = reloadingJwtAuthenticator({
    after: clock.after,
    replaced(problem) {
      // The first is no change.
      if (started) metrics.reloaded(problem === undefined ? "success" : "failure");
      if (problem === undefined) return;
      log.error({ problem }, "new issuers of tokens could not be reached; those before serve on");
    },
  });
  const observer = metrics.jwt(log);
  const jwtDeps = {
    ...deps,
    now: clock.now,
    after: clock.after,
    ...documentFetch(deps.egress?.through("controlplane")),
    observer,
  };
  const serve = (next: AuthenticationConfiguration): void => tokens.replace(createJwtAuthenticator(next, jwtDeps));
  serve(configuration);
  started = true;
  reloaded?.onChange(() => serve(reloaded.current()));
  return {
    tokens,
    configuration,
    health: tokens.health,
    stop() {
      reloaded?.stop();
      tokens.stop();
    },
  };
}

/** Flags that were not given are absent: their defaults would be taken for a wish. */
function oidcFlags({ values, given }: AccessSettings): OidcFlags {
  const said = <T>(name: string, value: T): T | undefined => (given.includes(name) ? value : undefined);
  const caFile = values["oidc-ca-file"];
  return {
    issuerURL: said("oidc-issuer-url", values["oidc-issuer-url"]),
    clientID: said("oidc-client-id", values["oidc-client-id"]),
    certificateAuthority: caFile === "" ? undefined : textOfFile("--oidc-ca-file", caFile),
    usernameClaim: said("oidc-username-claim", values["oidc-username-claim"]),
    usernamePrefix: said("oidc-username-prefix", values["oidc-username-prefix"]),
    groupsClaim: said("oidc-groups-claim", values["oidc-groups-claim"]),
    groupsPrefix: said("oidc-groups-prefix", values["oidc-groups-prefix"]),
    requiredClaims: said("oidc-required-claim", values["oidc-required-claim"]),
    signingAlgs: said("oidc-signing-algs", values["oidc-signing-algs"]),
  };
}

/** The file's word counts before the flag's; together they would contradict each other. */
function anonymousBy(
  { values, given }: AccessSettings,
  configuration: AuthenticationConfiguration | undefined,
  naming: Naming,
): (path: string) => UserInfo | undefined {
  const anonymous = configuration?.anonymous;
  if (anonymous !== undefined && given.includes("anonymous-auth")) {
    throw new ConfigurationError(
      "--anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file",
    );
  }
  const user = anonymousUser(naming);
  const { enabled, conditions } = anonymous ?? { enabled: values["anonymous-auth"], conditions: [] };
  if (!enabled) return () => undefined;
  if (conditions.length === 0) return () => user;
  const paths = new Set(conditions.map(({ path }) => path));
  return (path) => (paths.has(path) ? user : undefined);
}
