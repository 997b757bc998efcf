import { boolFlag, durationFlag, enumFlag, intFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";

const authentication = { group: "Authentication" };
const authorization = { group: "Authorization" };
const accounts = { group: "Service accounts" };
const file = { word: "file" };

/** Who is who: flags of gateways, with the reference's names. */
export const authenticationFlags = {
  "token-auth-file": stringFlag("", {
    ...authentication,
    ...file,
    help: 'CSV file of bearer tokens: token,user,uid,"group1,group2"',
  }),
  "anonymous-auth": boolFlag(true, {
    ...authentication,
    help: "requests without credentials are those of an anonymous user",
  }),
  "authentication-config": stringFlag("", {
    ...authentication,
    ...file,
    help: "AuthenticationConfiguration: issuers of JWTs and who may be anonymous; read again when it changes; excludes the oidc flags",
  }),
  "oidc-issuer-url": stringFlag("", {
    ...authentication,
    word: "url",
    help: "issuer of OpenID Connect tokens, an https address",
  }),
  "oidc-client-id": stringFlag("", { ...authentication, help: "audience that the issuer's tokens must have" }),
  "oidc-ca-file": stringFlag("", {
    ...authentication,
    ...file,
    help: "authorities of the issuer's certificate; the system's where empty",
  }),
  "oidc-username-claim": stringFlag("sub", { ...authentication, help: "claim that is the user's name" }),
  "oidc-username-prefix": stringFlag("", {
    ...authentication,
    help: "stands before user names; - for none; the issuer's address and # where empty, unless the claim is email",
  }),
  "oidc-groups-claim": stringFlag("", { ...authentication, help: "claim that is the user's groups" }),
  "oidc-groups-prefix": stringFlag("", { ...authentication, help: "stands before groups" }),
  "oidc-required-claim": listFlag([], {
    ...authentication,
    help: "claims that a token must have, comma separated key=value",
  }),
  "oidc-signing-algs": listFlag(["RS256"], { ...authentication, help: "algorithms that tokens may be signed with" }),
  "authentication-token-webhook-config-file": stringFlag("", {
    ...authentication,
    ...file,
    help: "client configuration file of a service that knows bearer tokens",
  }),
  "authentication-token-webhook-version": enumFlag(["v1", "v1beta1"], "v1beta1", {
    ...authentication,
    help: "version of the TokenReviews that it is sent",
  }),
  "authentication-token-webhook-cache-ttl": durationFlag(120_000, {
    ...authentication,
    help: "how long its answers are remembered",
  }),
  "enable-bootstrap-token-auth": boolFlag(false, {
    ...authentication,
    help: "secrets of the type of bootstrap tokens let new nodes in",
  }),
  "failed-login-qps": intFlag(50, {
    ...authentication,
    min: 0,
    max: 1_000_000,
    help: "wrong credentials that an address may send each second before others of it that are not known to be good have to wait; 0: any number",
  }),
  "failed-login-burst": intFlag(500, {
    ...authentication,
    min: 1,
    max: 1_000_000,
    help: "wrong credentials that an address may send at once",
  }),
} as const;

/** Tokens of service accounts: flags of whatever issues or knows them. */
export const serviceAccountFlags = {
  "service-account-issuer": listFlag([], {
    ...accounts,
    help: "issuer of tokens, an https address; the first one issues, those of all are taken",
  }),
  "service-account-key-file": listFlag([], {
    ...accounts,
    help: "PEM files of the keys that verify tokens; orch in one process has one of its own, else no such token is taken without",
  }),
  "service-account-lookup": boolFlag(true, { ...accounts, help: "tokens end with the objects they are bound to" }),
  "service-account-jwks-uri": stringFlag("", {
    ...accounts,
    word: "url",
    help: "where others find the keys; the issuer's address and /openid/v1/jwks where empty",
  }),
  "api-audiences": listFlag([], {
    ...accounts,
    help: "audiences that this server is; the issuer of service accounts where empty",
  }),
} as const;

/** Who may do what: flags of gateways and resource services. */
export const authorizationFlags = {
  "authorization-mode": listFlag(["Node", "RBAC"], {
    ...authorization,
    help: "who is asked, in the order given, of AlwaysAllow, AlwaysDeny, ABAC, Node, RBAC, Webhook; excludes authorization-config",
  }),
  "authorization-config": stringFlag("", {
    ...authorization,
    ...file,
    help: "AuthorizationConfiguration: who is asked, with any number of webhooks; read again when it changes",
  }),
  "authorization-policy-file": stringFlag("", {
    ...authorization,
    ...file,
    help: "policies of ABAC, one JSON object a line",
  }),
  "authorization-webhook-config-file": stringFlag("", {
    ...authorization,
    ...file,
    help: "client configuration file of the service that Webhook asks",
  }),
  "authorization-webhook-version": enumFlag(["v1", "v1beta1"], "v1beta1", {
    ...authorization,
    help: "version of the SubjectAccessReviews that it is sent",
  }),
  "authorization-webhook-cache-authorized-ttl": durationFlag(300_000, {
    ...authorization,
    help: "how long what it allowed is remembered",
  }),
  "authorization-webhook-cache-unauthorized-ttl": durationFlag(30_000, {
    ...authorization,
    help: "how long what it did not allow is remembered",
  }),
  redis: stringFlag("", {
    ...authorization,
    word: "url",
    help: "Redis through which gateways share what webhooks answered: redis://host:port, rediss:// for TLS",
  }),
  "redis-key-file": stringFlag("", {
    ...authorization,
    ...file,
    help: "secret of at least 32 bytes, the same for all, that signs what is shared; needed with redis",
  }),
} as const;

export type AuthenticationValues = FlagValues<typeof authenticationFlags & typeof serviceAccountFlags>;
export type AuthorizationValues = FlagValues<typeof authorizationFlags>;
