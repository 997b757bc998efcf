import type { Naming } from "@orch/naming/naming.js";
import type { Verdict } from "../authenticator.js";
import type { ClaimExpression, Evaluation, ExpressionBudget, Mapped } from "../expressions/token-expressions.js";
import { type JsonObject, memberOf } from "../json.js";
import { authenticatedUser, credentialExtra, type UserInfo } from "../user.js";
import type {
  ClaimCondition,
  ClaimMappings,
  ExtraMapping,
  JwtConfiguration,
  PrefixedClaim,
  RequiredClaim,
} from "./authentication-config.js";

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

/** What all expressions that are asked of one token may cost together. */
const expressionBudget = 10_000_000;

/** What a token is read with. */
interface Reading {
  readonly claims: JsonObject;
  readonly budget: ExpressionBudget;
}

/** The user that the claims of a verified token tell of, distributed ones in their place. */
export function userOf(claims: JsonObject, configuration: JwtConfiguration, naming: Naming): Verdict {
  const reading = { claims, budget: { remaining: expressionBudget } };
  const { claimMappings: mappings, claimValidationRules, userValidationRules = [] } = configuration;
  for (const rule of claimValidationRules) {
    const problem = "claim" in rule ? requiredProblem(claims, rule) : conditionProblem(rule, claims, reading);
    if (problem !== undefined) return deny(problem);
  }
  const name = nameOf(reading, mappings.username);
  if (!name.ok) return deny(name.why);
  const groups = groupsOf(reading, mappings.groups);
  if (!groups.ok) return deny(groups.why);
  const uid = uidOf(reading, mappings);
  if (!uid.ok) return deny(uid.why);
  const extra = extraOf(reading, mappings.extra ?? []);
  if (!extra.ok) return deny(extra.why);
  const user = {
    name: name.value,
    uid: uid.value,
    groups: groups.value,
    extra: { ...credentialOf(claims, naming), ...extra.value },
  };
  if (userValidationRules.length > 0) {
    const subject = reviewedUser(user);
    for (const rule of userValidationRules) {
      const problem = conditionProblem(rule, subject, reading);
      if (problem !== undefined) return deny(problem);
    }
  }
  return { outcome: "allow", user: authenticatedUser(naming, user) };
}

const deny = (why: string): Verdict => ({ outcome: "deny", why: `oidc: ${why}` });

function requiredProblem(claims: JsonObject, { claim, requiredValue }: RequiredClaim): string | undefined {
  const value = memberOf(claims, claim);
  if (value === undefined) return `required claim ${claim} not present in ID token`;
  return value === requiredValue ? undefined : `required claim ${claim} value does not match`;
}

function conditionProblem(
  { condition, message }: ClaimCondition,
  subject: JsonObject,
  { budget }: Reading,
): string | undefined {
  const result = condition.holds(subject, budget);
  if (!result.ok) return result.why;
  return result.value ? undefined : `validation expression '${condition.expression}' failed: ${message}`;
}

/** As the interface has it: what is empty is absent. */
function reviewedUser({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

type Read<T> = Evaluation<T>;

const refuse = <T>(why: string): Read<T> => ({ ok: false, why });
const found = <T>(value: T): Read<T> => ({ ok: true, value });

function nameOf(reading: Reading, mapping: PrefixedClaim | ClaimExpression): Read<string> {
  if (!("claim" in mapping)) {
    const name = textBy(mapping, "username", reading);
    return name.ok && name.value === "" ? refuse("empty username via CEL expression is not allowed") : name;
  }
  const { claims } = reading;
  const unverified = emailProblem(claims, mapping.claim);
  if (unverified !== undefined) return refuse(unverified);
  const name = memberOf(claims, mapping.claim);
  if (typeof name !== "string" || name === "") return refuse(`claim ${mapping.claim} names no user`);
  return found(mapping.prefix + name);
}

/** Anybody can claim an address: where the issuer says whether it looked, it must have (OpenID Connect Core, 5.1). */
function emailProblem(claims: JsonObject, usernameClaim: string): string | undefined {
  if (usernameClaim !== "email" || !Object.hasOwn(claims, "email_verified")) return undefined;
  return claims["email_verified"] === true ? undefined : "email not verified";
}

/** Empty texts are no groups (rules: Authentication configuration). */
function groupsOf(reading: Reading, mapping: PrefixedClaim | ClaimExpression | undefined): Read<readonly string[]> {
  if (mapping === undefined) return found([]);
  if (!("claim" in mapping)) return textsBy(mapping, "group", reading);
  const value = memberOf(reading.claims, mapping.claim) ?? undefined;
  if (value === undefined) return found([]);
  const groups: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!groups.every((each) => typeof each === "string")) {
    return refuse(`claim ${mapping.claim} is neither a text nor a list of texts`);
  }
  return found(groups.filter((each) => each !== "").map((each) => mapping.prefix + each));
}

function uidOf(reading: Reading, { uid }: ClaimMappings): Read<string> {
  if (uid === undefined) return found("");
  if (typeof uid !== "string") return textBy(uid, "uid", reading);
  const value = memberOf(reading.claims, uid);
  return typeof value === "string" ? found(value) : refuse(`claim ${uid} is no text`);
}

/** A key without values is none. */
function extraOf(reading: Reading, mappings: readonly ExtraMapping[]): Read<UserInfo["extra"]> {
  const entries: (readonly [string, readonly string[]])[] = [];
  for (const { key, value } of mappings) {
    const texts = textsBy(value, "extra", reading);
    if (!texts.ok) return texts;
    if (texts.value.length > 0) entries.push([key, texts.value]);
  }
  return found(Object.fromEntries(entries));
}

function mappedBy(expression: ClaimExpression, what: string, { claims, budget }: Reading): Read<Mapped> {
  const result = expression.map(claims, budget);
  return result.ok ? result : refuse(`error evaluating ${what} claim expression: ${result.why}`);
}

function textBy(expression: ClaimExpression, what: string, reading: Reading): Read<string> {
  const result = mappedBy(expression, what, reading);
  if (!result.ok) return result;
  if (result.value.kind === "text") return found(result.value.text);
  return refuse(`error evaluating ${what} claim expression: ${what} claim expression must return a string`);
}

/** Empty texts are left out, and null is none at all. */
function textsBy(expression: ClaimExpression, what: string, reading: Reading): Read<readonly string[]> {
  const result = mappedBy(expression, what, reading);
  if (!result.ok) return result;
  const { value } = result;
  switch (value.kind) {
    case "text":
      return found(value.text === "" ? [] : [value.text]);
    case "texts":
      return found(value.texts.filter((text) => text !== ""));
    case "null":
      return found([]);
    case "other":
      return refuse(
        `error evaluating ${what} claim expression: expected a string or a list of strings, got ${value.name}`,
      );
  }
}

function credentialOf(claims: JsonObject, naming: Naming): UserInfo["extra"] {
  const id = memberOf(claims, "jti");
  return typeof id === "string" && id !== "" ? credentialExtra(naming, id) : {};
}
