import type { ConfigReader } from "./config-reader.js";
import type { JsonObject } from "./json.js";

/** The file of `--authentication-config` as it was written: nothing is required yet, texts are empty where absent. */
export interface AuthenticationDraft {
  readonly jwt: readonly JwtDraft[];
  readonly anonymous: AnonymousConfiguration | undefined;
}

export interface JwtDraft {
  readonly issuer: IssuerDraft;
  readonly claimValidationRules: readonly ClaimRuleDraft[];
  readonly claimMappings: {
    readonly username: MappingDraft;
    readonly groups: MappingDraft;
    readonly uid: { readonly claim: string; readonly expression: string };
    readonly extra: readonly { readonly key: string; readonly valueExpression: string }[];
  };
  readonly userValidationRules: readonly { readonly expression: string }[];
}

export interface IssuerDraft {
  readonly url: string;
  readonly discoveryURL: string;
  readonly certificateAuthority: string;
  readonly audiences: readonly string[];
  readonly audienceMatchPolicy: string;
}

export interface ClaimRuleDraft {
  readonly claim: string;
  readonly requiredValue: string;
  readonly expression: string;
  readonly message: string;
}

export interface MappingDraft {
  readonly claim: string;
  readonly prefix: string | undefined;
  readonly expression: string;
}

export interface AnonymousConfiguration {
  readonly enabled: boolean;
  /** Where there are any: anonymous requests are served on these paths alone. */
  readonly conditions: readonly { readonly path: string }[];
}

/** Reads all but the type of the file; problems go to the reader. */
export function readAuthenticationDraft(reader: ConfigReader, root: JsonObject): AuthenticationDraft {
  return {
    jwt: each(reader, "jwt", root["jwt"], (at, item) => readJwt(reader, at, item)),
    anonymous: readAnonymous(reader, root["anonymous"]),
  };
}

function readJwt(reader: ConfigReader, at: string, value: unknown): JwtDraft {
  const jwt = reader.object(at, value, ["issuer", "claimValidationRules", "claimMappings", "userValidationRules"]);
  return {
    issuer: readIssuer(reader, `${at}.issuer`, jwt["issuer"]),
    claimValidationRules: each(reader, `${at}.claimValidationRules`, jwt["claimValidationRules"], (ruleAt, rule) => {
      const text = texts(reader, ruleAt, rule, ["claim", "requiredValue", "expression", "message"]);
      return {
        claim: text("claim"),
        requiredValue: text("requiredValue"),
        expression: text("expression"),
        message: text("message"),
      };
    }),
    claimMappings: readMappings(reader, `${at}.claimMappings`, jwt["claimMappings"]),
    userValidationRules: each(reader, `${at}.userValidationRules`, jwt["userValidationRules"], (ruleAt, rule) => {
      const text = texts(reader, ruleAt, rule, ["expression", "message"]);
      return { expression: text("expression"), message: text("message") };
    }),
  };
}

function readIssuer(reader: ConfigReader, at: string, value: unknown): IssuerDraft {
  const names = ["url", "discoveryURL", "certificateAuthority", "audienceMatchPolicy"] as const;
  const issuer = reader.object(at, value, [...names, "audiences"]);
  const text = (name: (typeof names)[number]): string => reader.string(`${at}.${name}`, issuer[name]);
  return {
    url: text("url"),
    discoveryURL: text("discoveryURL"),
    certificateAuthority: text("certificateAuthority"),
    audiences: each(reader, `${at}.audiences`, issuer["audiences"], reader.string),
    audienceMatchPolicy: text("audienceMatchPolicy"),
  };
}

function readMappings(reader: ConfigReader, at: string, value: unknown): JwtDraft["claimMappings"] {
  const mappings = reader.object(at, value, ["username", "groups", "uid", "extra"]);
  const uid = texts(reader, `${at}.uid`, mappings["uid"], ["claim", "expression"]);
  return {
    username: readMapping(reader, `${at}.username`, mappings["username"]),
    groups: readMapping(reader, `${at}.groups`, mappings["groups"]),
    uid: { claim: uid("claim"), expression: uid("expression") },
    extra: each(reader, `${at}.extra`, mappings["extra"], (extraAt, extra) => {
      const text = texts(reader, extraAt, extra, ["key", "valueExpression"]);
      return { key: text("key"), valueExpression: text("valueExpression") };
    }),
  };
}

function readMapping(reader: ConfigReader, at: string, value: unknown): MappingDraft {
  const mapping = reader.object(at, value, ["claim", "prefix", "expression"]);
  return {
    claim: reader.string(`${at}.claim`, mapping["claim"]),
    prefix: reader.optionalString(`${at}.prefix`, mapping["prefix"]),
    expression: reader.string(`${at}.expression`, mapping["expression"]),
  };
}

function readAnonymous(reader: ConfigReader, value: unknown): AnonymousConfiguration | undefined {
  if (value === undefined || value === null) return undefined;
  const anonymous = reader.object("anonymous", value, ["enabled", "conditions"]);
  return {
    enabled: reader.boolean("anonymous.enabled", anonymous["enabled"]),
    conditions: each(reader, "anonymous.conditions", anonymous["conditions"], (at, condition) => ({
      path: texts(reader, at, condition, ["path"])("path"),
    })),
  };
}

/** Reads every item of a list: `read` is told where it stands. */
function each<T>(
  reader: ConfigReader,
  at: string,
  value: unknown,
  read: (at: string, item: unknown) => T,
): readonly T[] {
  return reader.list(at, value).map((item, i) => read(`${at}[${i}]`, item));
}

/** Reads an object whose fields are all texts, field by field. */
function texts<Name extends string>(
  reader: ConfigReader,
  at: string,
  value: unknown,
  names: readonly Name[],
): (name: Name) => string {
  const object = reader.object(at, value, names);
  return (name) => reader.string(`${at}.${name}`, object[name]);
}
