import { readConfigurationFile } from "../config/configuration-file.js";
import { problemText } from "../config/tree.js";
import type {
  ClaimExpression,
  Compiled,
  ConditionExpression,
  TokenExpressions,
} from "../expressions/token-expressions.js";
import type { Parsed } from "../parsed.js";
import {
  type AnonymousConfiguration,
  type AuthenticationDraft,
  type ClaimRuleDraft,
  draftFields,
  hasExpressions,
  type JwtDraft,
  type MappingDraft,
  readAuthenticationDraft,
} from "./authentication-draft.js";
import { type ConfigurationDeps, type ValidationDeps, validateAuthentication } from "./authentication-validation.js";
import { type SigningAlgorithm, signingAlgorithms } from "./signing-algorithms.js";

/** Whose JWTs are taken and how, and who may stay anonymous (rules: Authentication configuration). */
export interface AuthenticationConfiguration {
  /** At most one of an issuer. */
  readonly jwt: readonly JwtConfiguration[];
  readonly signingAlgorithms: readonly SigningAlgorithm[];
  /** Absent where the file leaves this to `--anonymous-auth`. */
  readonly anonymous?: AnonymousConfiguration;
}

export interface JwtConfiguration {
  readonly issuer: JwtIssuer;
  readonly claimValidationRules: readonly (RequiredClaim | ClaimCondition)[];
  readonly claimMappings: ClaimMappings;
  /** None where absent. */
  readonly userValidationRules?: readonly UserCondition[];
}

export interface JwtIssuer {
  /** What `iss` must be, to the letter. */
  readonly url: string;
  /** Where the discovery document is; at the well-known path of `url` where absent. */
  readonly discoveryURL?: string;
  /** PEM; the system's authorities where absent. */
  readonly certificateAuthority?: string;
  /** At least one; `aud` must name one of them. */
  readonly audiences: readonly string[];
}

export interface RequiredClaim {
  readonly claim: string;
  /** A string, to the letter; may be empty. */
  readonly requiredValue: string;
}

/** An expression that must hold. */
export interface ClaimCondition {
  readonly condition: ConditionExpression;
  /** Told in the log where it does not hold; may be empty. */
  readonly message: string;
}

/** An expression over the user that claims were mapped to. */
export type UserCondition = ClaimCondition;

export interface ClaimMappings {
  readonly username: PrefixedClaim | ClaimExpression;
  readonly groups?: PrefixedClaim | ClaimExpression;
  /** Name of a claim. */
  readonly uid?: string | ClaimExpression;
  /** None where absent. */
  readonly extra?: readonly ExtraMapping[];
}

export interface ExtraMapping {
  /** `example.com/tenant` */
  readonly key: string;
  readonly value: ClaimExpression;
}

export interface PrefixedClaim {
  readonly claim: string;
  /** Put before each value; may be empty. */
  readonly prefix: string;
}

/** Reads the file of `--authentication-config`, decoded already. */
export async function parseAuthenticationConfiguration(
  file: unknown,
  deps: ConfigurationDeps,
): Promise<Parsed<AuthenticationConfiguration>> {
  const options = { naming: deps.naming, kind: "AuthenticationConfiguration", fields: draftFields };
  const draft = readConfigurationFile(file, options, readAuthenticationDraft);
  if (!draft.ok) return draft;
  const expressions = hasExpressions(draft.value) ? await expressionsOf(deps) : undefined;
  return checkedConfiguration(draft.value, signingAlgorithms, { ...deps, ...(expressions && { expressions }) });
}

/** Loaded where a file has expressions: no other start pays for their engine. */
async function expressionsOf({ naming }: ConfigurationDeps): Promise<TokenExpressions> {
  const { tokenExpressions } = await import("../expressions/token-expression-compiler.js");
  return tokenExpressions(naming.dialect);
}

/** A draft that passes validation; what the flags say comes this way too. */
export function checkedConfiguration(
  draft: AuthenticationDraft,
  algorithms: readonly SigningAlgorithm[],
  deps: ValidationDeps,
): Parsed<AuthenticationConfiguration> {
  const errors = validateAuthentication(draft, deps);
  if (errors.length > 0) return { ok: false, problems: errors.map(problemText) };
  return {
    ok: true,
    value: {
      jwt: draft.jwt.map((jwt) => finished(jwt, deps.expressions)),
      signingAlgorithms: algorithms,
      ...(draft.anonymous === undefined ? {} : { anonymous: draft.anonymous }),
    },
  };
}

type Expressions = TokenExpressions | undefined;

function finished(draft: JwtDraft, expressions: Expressions): JwtConfiguration {
  const { issuer, claimValidationRules, userValidationRules: userRules } = draft;
  return {
    issuer: {
      url: issuer.url,
      audiences: issuer.audiences,
      ...(issuer.discoveryURL === "" ? {} : { discoveryURL: issuer.discoveryURL }),
      ...(issuer.certificateAuthority === "" ? {} : { certificateAuthority: issuer.certificateAuthority }),
    },
    claimValidationRules: claimValidationRules.map((rule) => finishedRule(rule, expressions)),
    claimMappings: finishedMappings(draft, expressions),
    ...(userRules.length === 0
      ? {}
      : {
          userValidationRules: userRules.map(({ expression, message }) => ({
            condition: compiledAs(expressions?.conditionOfUser(expression)),
            message,
          })),
        }),
  };
}

function finishedRule(rule: ClaimRuleDraft, expressions: Expressions): RequiredClaim | ClaimCondition {
  const { claim, requiredValue, expression, message } = rule;
  if (expression === "") return { claim, requiredValue };
  return { condition: compiledAs(expressions?.conditionOfClaims(expression)), message };
}

function finishedMappings({ claimMappings }: JwtDraft, expressions: Expressions): ClaimMappings {
  const { username, groups, uid, extra } = claimMappings;
  const ofClaims = (expression: string): ClaimExpression => compiledAs(expressions?.ofClaims(expression));
  const mapping = ({ claim, prefix = "", expression }: MappingDraft): PrefixedClaim | ClaimExpression =>
    expression === "" ? { claim, prefix } : ofClaims(expression);
  const isEmpty = ({ claim, expression }: { claim: string; expression: string }): boolean =>
    claim === "" && expression === "";
  return {
    username: mapping(username),
    ...(isEmpty(groups) ? {} : { groups: mapping(groups) }),
    ...(isEmpty(uid) ? {} : { uid: uid.expression === "" ? uid.claim : ofClaims(uid.expression) }),
    ...(extra.length === 0
      ? {}
      : { extra: extra.map(({ key, valueExpression }) => ({ key, value: ofClaims(valueExpression) })) }),
  };
}

/** Of an expression that passed validation: it was compiled there. */
function compiledAs<T>(compiled: Compiled<T> | undefined): T {
  if (compiled?.ok !== true) throw new Error("an expression that does not compile passed validation");
  return compiled.value;
}
