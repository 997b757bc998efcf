import type { Naming } from "@orch/naming/naming.js";
import type { Verdict } from "../authenticator.js";
import { type JsonObject, memberOf } from "../json.js";
import { authenticatedUser, credentialExtra, type UserInfo } from "../user.js";
import type { ClaimMappings, JwtConfiguration, PrefixedClaim, RequiredClaim } from "./authentication-config.js";

/** Of the server's clock against the issuer's; the reference grants it to `nbf` alone. */
const notBeforeLeewayMs = 60_000;

/** Until when a token holds, or why it does not hold now. Values of claims never stand in a reason: it is logged. */
export type Validity = { readonly ok: true; readonly until: number } | { readonly ok: false; readonly why: string };

/** Whether a token is for one of these audiences and in its time (milliseconds since 1970). */
export function validityOf(claims: JsonObject, audiences: readonly string[], now: number): Validity {
  const refuse = (why: string): Validity => ({ ok: false, why });
  if (!audiencesOf(claims).some((each) => typeof each === "string" && audiences.includes(each)))
    return refuse("is for other audiences");
  const expires = memberOf(claims, "exp");
  if (!isTime(expires)) return refuse("has no time of expiry");
  const until = expires * 1000;
  if (until < now) return refuse("is expired");
  const notBefore = memberOf(claims, "nbf") ?? undefined;
  if (notBefore !== undefined && !isTime(notBefore)) return refuse("has a nbf that is no time");
  if (notBefore !== undefined && now + notBeforeLeewayMs < notBefore * 1000) return refuse("is not valid yet");
  const issuedAt = memberOf(claims, "iat");
  if (issuedAt !== undefined && !isTime(issuedAt)) return refuse("has an iat that is no time");
  return { ok: true, until };
}

/** JSON has numbers that are too great for one (`1e999`): a token would never expire. */
const isTime = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

function audiencesOf(claims: JsonObject): readonly unknown[] {
  const audience = memberOf(claims, "aud");
  return Array.isArray(audience) ? audience : [audience];
}

/** The user that the claims of a verified token tell of. Distributed claims are not fetched: they count as absent. */
export function userOf(claims: JsonObject, configuration: JwtConfiguration, naming: Naming): Verdict {
  const { claimMappings: mappings, claimValidationRules } = configuration;
  const failed =
    claimValidationRules.map((rule) => ruleProblem(claims, rule)).find((why) => why !== undefined) ??
    emailProblem(claims, mappings.username.claim);
  if (failed !== undefined) return deny(failed);

  const name = memberOf(claims, mappings.username.claim);
  if (typeof name !== "string" || name === "") return deny(`claim ${mappings.username.claim} names no user`);
  const groups = groupsOf(claims, mappings.groups);
  if (groups === undefined) return deny(`claim ${mappings.groups?.claim} is neither a text nor a list of texts`);
  const uid = uidOf(claims, mappings);
  if (uid === undefined) return deny(`claim ${mappings.uid} is no text`);
  const extra = credentialOf(claims, naming);
  const user = authenticatedUser(naming, { name: mappings.username.prefix + name, uid, groups, extra });
  return { outcome: "allow", user };
}

const deny = (why: string): Verdict => ({ outcome: "deny", why: `oidc: ${why}` });

function ruleProblem(claims: JsonObject, { claim, requiredValue }: RequiredClaim): string | undefined {
  const value = memberOf(claims, claim);
  if (value === undefined) return `required claim ${claim} not present in ID token`;
  return value === requiredValue ? undefined : `required claim ${claim} value does not match`;
}

/** Anybody can claim an address: where the issuer says whether it looked, it must have (OpenID Connect Core, 5.1). */
function emailProblem(claims: JsonObject, usernameClaim: string): string | undefined {
  if (usernameClaim !== "email" || !Object.hasOwn(claims, "email_verified")) return undefined;
  return claims["email_verified"] === true ? undefined : "email not verified";
}

/** Empty texts are no groups (rules: Authentication configuration). Undefined where the claim is of the wrong type. */
function groupsOf(claims: JsonObject, mapping: PrefixedClaim | undefined): readonly string[] | undefined {
  const value = mapping === undefined ? undefined : (memberOf(claims, mapping.claim) ?? undefined);
  if (mapping === undefined || value === undefined) return [];
  const groups: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!groups.every((each) => typeof each === "string")) return undefined;
  return groups.filter((each) => each !== "").map((each) => mapping.prefix + each);
}

function uidOf(claims: JsonObject, { uid: claim }: ClaimMappings): string | undefined {
  if (claim === undefined) return "";
  const uid = memberOf(claims, claim);
  return typeof uid === "string" ? uid : undefined;
}

function credentialOf(claims: JsonObject, naming: Naming): UserInfo["extra"] {
  const id = memberOf(claims, "jti");
  return typeof id === "string" && id !== "" ? credentialExtra(naming, id) : {};
}
