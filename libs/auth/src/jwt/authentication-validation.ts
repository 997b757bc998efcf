import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { certificateBundle } from "../client-certificate.js";
import { dnsLabel } from "../dns-label.js";
import type { Compiled, TokenExpressions } from "../expressions/token-expressions.js";
import type {
  AuthenticationDraft,
  ClaimRuleDraft,
  IssuerDraft,
  JwtDraft,
  MappingDraft,
} from "./authentication-draft.js";

export interface ConfigurationDeps {
  readonly naming: Naming;
  /** Of this server's own tokens: no other issuer may have their name. */
  readonly serviceAccountIssuers: readonly string[];
}

export interface ValidationDeps extends ConfigurationDeps {
  /** Absent where nothing is to be compiled. */
  readonly expressions?: TokenExpressions;
}

const maxIssuers = 64;

/** Problems of what was read, in the reference's words and order. */
export function validateAuthentication(draft: AuthenticationDraft, deps: ValidationDeps): FieldError[] {
  const { jwt, anonymous } = draft;
  if (jwt.length > maxIssuers) return [fieldError.tooMany("jwt", jwt.length, maxIssuers)];
  const urlAgain = repeats();
  const discoveryAgain = repeats();
  const errors = jwt.flatMap((each, i) => {
    const at = `jwt[${i}]`;
    return [
      ...validateJwt(at, each, deps),
      ...urlAgain(`${at}.issuer.url`, each.issuer.url),
      ...(each.issuer.discoveryURL === "" ? [] : discoveryAgain(`${at}.issuer.discoveryURL`, each.issuer.discoveryURL)),
    ];
  });
  if (anonymous !== undefined && !anonymous.enabled && anonymous.conditions.length > 0) {
    const why = "enabled should be set to true when conditions are defined";
    errors.push(fieldError.invalid("anonymous.conditions", anonymous.conditions, why));
  }
  return errors;
}

function validateJwt(at: string, jwt: JwtDraft, deps: ValidationDeps): FieldError[] {
  return [
    ...validateIssuer(`${at}.issuer`, jwt.issuer, deps.serviceAccountIssuers),
    ...validateClaimRules(`${at}.claimValidationRules`, jwt.claimValidationRules, deps),
    ...validateMappings(`${at}.claimMappings`, jwt, deps),
    ...validateUserRules(`${at}.userValidationRules`, jwt, deps),
  ];
}

const notBoth = "claim and expression can't both be set";
const noneOfBoth = "claim or expression is required";

/** What is wrong with a text that stands at a place. */
function compileErrors<T>(at: string, expression: string, compiled: Compiled<T> | undefined): FieldError[] {
  if (compiled === undefined) throw new Error("a configuration with expressions came without their compiler");
  return compiled.ok ? [] : [fieldError.invalid(at, expression, compiled.why)];
}

function claimExpressionErrors(at: string, expression: string, { expressions }: ValidationDeps): FieldError[] {
  return expression === "" ? [] : compileErrors(at, expression, expressions?.ofClaims(expression));
}

function validateIssuer(at: string, issuer: IssuerDraft, disallowed: readonly string[]): FieldError[] {
  const { url, discoveryURL, certificateAuthority } = issuer;
  const withoutSlash = (text: string): string => text.replace(/\/+$/, "");
  const sameURL = url !== "" && withoutSlash(url) === withoutSlash(discoveryURL);
  return [
    ...(url === "" ? [fieldError.required(`${at}.url`, "URL is required")] : urlErrors(`${at}.url`, url, disallowed)),
    ...(discoveryURL === ""
      ? []
      : [
          ...(sameURL
            ? [fieldError.invalid(`${at}.discoveryURL`, discoveryURL, "discoveryURL must be different from URL")]
            : []),
          ...urlErrors(`${at}.discoveryURL`, discoveryURL, []),
        ]),
    ...validateAudiences(at, issuer),
    ...authorityErrors(`${at}.certificateAuthority`, certificateAuthority),
  ];
}

function urlErrors(at: string, url: string, disallowed: readonly string[]): FieldError[] {
  const invalid = (wrong: boolean, why: string): FieldError[] => (wrong ? [fieldError.invalid(at, url, why)] : []);
  const overlap = `URL must not overlap with disallowed issuers: [${[...disallowed].sort().join(" ")}]`;
  const errors = invalid(disallowed.includes(url), overlap);
  // What the parser would quietly take away (blanks, line breaks) or turn round (backslashes) is no part of a URL.
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/i.exec(url);
  if (/[\s\0-\x1f\x7f\\]/.test(url)) return [...errors, ...invalid(true, "URL must not contain blanks or backslashes")];
  if (parts === null) return [...errors, ...invalid(true, "URL scheme must be https")];
  const [, scheme = "", authority = "", , query = "", fragment = ""] = parts;
  const shapeErrors = [
    ...invalid(scheme.toLowerCase() !== "https", "URL scheme must be https"),
    ...invalid(authority.includes("@"), "URL must not contain a username or password"),
    ...invalid(query.length > 1, "URL must not contain a query"),
    ...invalid(fragment.length > 1, "URL must not contain a fragment"),
  ];
  return [
    ...errors,
    ...shapeErrors,
    ...invalid(shapeErrors.length === 0 && !URL.canParse(url), "URL has no valid host"),
  ];
}

function validateAudiences(at: string, { audiences, audienceMatchPolicy: policy }: IssuerDraft): FieldError[] {
  if (audiences.length === 0) {
    return [fieldError.required(`${at}.audiences`, `at least one ${at}.audiences is required`)];
  }
  const again = repeats();
  const errors = audiences.flatMap((audience, i) => {
    const audienceAt = `${at}.audiences[${i}]`;
    return [
      ...(audience === "" ? [fieldError.required(audienceAt, "audience can't be empty")] : []),
      ...again(audienceAt, audience),
    ];
  });
  const matchesAny = policy === "MatchAny";
  if (audiences.length > 1 && !matchesAny) {
    const why = "audienceMatchPolicy must be MatchAny for multiple audiences";
    errors.push(fieldError.invalid(`${at}.audienceMatchPolicy`, policy, why));
  }
  if (audiences.length === 1 && !matchesAny && policy !== "") {
    const why = "audienceMatchPolicy must be empty or MatchAny for single audience";
    errors.push(fieldError.invalid(`${at}.audienceMatchPolicy`, policy, why));
  }
  return errors;
}

/** The text is never shown: a private key may have been put there. */
function authorityErrors(at: string, pem: string): FieldError[] {
  if (pem === "" || certificateBundle(pem).ok) return [];
  return [fieldError.invalid(at, "<omitted>", "data does not contain any valid RSA or ECDSA certificates")];
}

function validateClaimRules(at: string, rules: readonly ClaimRuleDraft[], deps: ValidationDeps): FieldError[] {
  const claimAgain = repeats();
  const expressionAgain = repeats();
  return rules.flatMap(({ claim, expression, message, requiredValue }, i) => {
    const ruleAt = `${at}[${i}]`;
    if (claim === "" && expression === "") return [fieldError.required(ruleAt, noneOfBoth)];
    if (expression === "") {
      const why = "message can't be set when claim is set";
      return [
        ...(message === "" ? [] : [fieldError.invalid(`${ruleAt}.message`, message, why)]),
        ...claimAgain(`${ruleAt}.claim`, claim),
      ];
    }
    if (claim !== "") return [fieldError.invalid(ruleAt, claim, notBoth)];
    const why = "requiredValue can't be set when expression is set";
    const again = expressionAgain(`${ruleAt}.expression`, expression);
    const compiled = (): FieldError[] =>
      compileErrors(`${ruleAt}.expression`, expression, deps.expressions?.conditionOfClaims(expression));
    return [
      ...(requiredValue === "" ? [] : [fieldError.invalid(`${ruleAt}.requiredValue`, requiredValue, why)]),
      ...(again.length > 0 ? again : compiled()),
    ];
  });
}

function validateMappings(at: string, jwt: JwtDraft, deps: ValidationDeps): FieldError[] {
  const { username, groups, uid, extra } = jwt.claimMappings;
  const keyAgain = repeats();
  return [
    ...validateMapping(`${at}.username`, username, true),
    ...validateMapping(`${at}.groups`, groups, false),
    ...(uid.claim !== "" && uid.expression !== "" ? [fieldError.invalid(`${at}.uid`, "", notBoth)] : []),
    ...claimExpressionErrors(`${at}.username.expression`, username.expression, deps),
    ...claimExpressionErrors(`${at}.groups.expression`, groups.expression, deps),
    ...claimExpressionErrors(`${at}.uid.expression`, uid.expression, deps),
    ...extra.flatMap(({ key, valueExpression }, i) => {
      const again = keyAgain(`${at}.extra[${i}].key`, key);
      const valueAt = `${at}.extra[${i}].valueExpression`;
      const valueErrors = (): FieldError[] =>
        valueExpression === ""
          ? [fieldError.required(valueAt, "valueExpression is required")]
          : claimExpressionErrors(valueAt, valueExpression, deps);
      return [
        ...validateExtraKey(`${at}.extra[${i}].key`, key, deps.naming),
        ...(again.length > 0 ? again : valueErrors()),
      ];
    }),
    ...emailErrors(`${at}.username.expression`, jwt, deps),
  ];
}

const unverified =
  "claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression";

/** Anybody can claim an address: whoever makes names of them has to look whether the issuer did. */
function emailErrors(at: string, jwt: JwtDraft, { expressions }: ValidationDeps): FieldError[] {
  const { username, extra } = jwt.claimMappings;
  if (expressions === undefined || username.expression === "") return [];
  const name = expressions.ofClaims(username.expression);
  if (!name.ok || !name.selects("email")) return [];
  const mappings = [username.expression, ...extra.map(({ valueExpression }) => valueExpression)];
  const looks = [
    ...mappings.map((text) => expressions.ofClaims(text)),
    ...jwt.claimValidationRules.map(({ expression }) => expressions.conditionOfClaims(expression)),
  ].some((each) => each.ok && each.selects("email_verified"));
  return looks ? [] : [fieldError.invalid(at, username.expression, unverified)];
}

function validateMapping(at: string, { claim, prefix, expression }: MappingDraft, isRequired: boolean): FieldError[] {
  if (expression === "" && claim === "") return isRequired ? [fieldError.required(at, noneOfBoth)] : [];
  if (expression === "") {
    const why = "prefix is required when claim is set. It can be set to an empty string to disable prefixing";
    return prefix === undefined ? [fieldError.required(`${at}.prefix`, why)] : [];
  }
  const why = "prefix can't be set when expression is set";
  return [
    ...(claim === "" ? [] : [fieldError.invalid(at, "", notBoth)]),
    ...(claim !== "" || prefix === undefined ? [] : [fieldError.invalid(`${at}.prefix`, prefix, why)]),
  ];
}

function validateUserRules(
  at: string,
  { userValidationRules }: JwtDraft,
  { expressions }: ValidationDeps,
): FieldError[] {
  const again = repeats();
  return userValidationRules.flatMap(({ expression }, i) => {
    const ruleAt = `${at}[${i}].expression`;
    if (expression === "") return [fieldError.required(ruleAt, "expression is required")];
    const repeated = again(ruleAt, expression);
    if (repeated.length > 0) return repeated;
    return compileErrors(ruleAt, expression, expressions?.conditionOfUser(expression));
  });
}

/** `example.com/path`: RFC 1123 before the first slash, RFC 3986 behind it. */
const domainPrefixedPath = new RegExp(`^${dnsLabel}(\\.${dnsLabel})*/[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+$`);

function validateExtraKey(at: string, key: string, naming: Naming): FieldError[] {
  if (key === "") return [fieldError.required(at)];
  const errors: FieldError[] = [];
  if (!domainPrefixedPath.test(key)) {
    errors.push(fieldError.invalid(at, key, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  }
  if (key !== key.toLowerCase()) errors.push(fieldError.invalid(at, key, "key must be lowercase"));
  const reserved = [naming.group("").slice(1), naming.key("").slice(0, -1)];
  const domain = key.slice(0, Math.max(0, key.indexOf("/")));
  if (reserved.some((each) => domain === each || domain.endsWith(`.${each}`))) {
    const domains = [...new Set(reserved)].join(", ");
    errors.push(fieldError.invalid(at, key, `${domains} and their subdomains are reserved`));
  }
  return errors;
}

/** Tells each value that came before. */
function repeats(): (at: string, value: string) => FieldError[] {
  const seen = new Set<string>();
  return (at, value) => {
    if (seen.has(value)) return [fieldError.duplicate(at, value)];
    seen.add(value);
    return [];
  };
}
