import type { Tree } from "../config/tree.js";

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
  readonly userValidationRules: readonly { readonly expression: string; readonly message: string }[];
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

export const draftFields = ["jwt", "anonymous"] as const;

export function readAuthenticationDraft(root: Tree<(typeof draftFields)[number]>): AuthenticationDraft {
  return {
    jwt: root.objects("jwt", jwtFields).map(readJwt),
    anonymous: root.has("anonymous") ? readAnonymous(root.object("anonymous", ["enabled", "conditions"])) : undefined,
  };
}

/** Whether anything in it is to be compiled. */
export function hasExpressions({ jwt }: AuthenticationDraft): boolean {
  return jwt.some(({ claimMappings: { username, groups, uid, extra }, claimValidationRules, userValidationRules }) =>
    [
      ...[username, groups, uid, ...claimValidationRules, ...userValidationRules].map(({ expression }) => expression),
      ...extra.map(({ valueExpression }) => valueExpression),
    ].some((expression) => expression !== ""),
  );
}

const jwtFields = ["issuer", "claimValidationRules", "claimMappings", "userValidationRules"] as const;

function readJwt(jwt: Tree<(typeof jwtFields)[number]>): JwtDraft {
  const rules = jwt.objects("claimValidationRules", ["claim", "requiredValue", "expression", "message"]);
  return {
    issuer: readIssuer(jwt.object("issuer", issuerFields)),
    claimValidationRules: rules.map((rule) => ({
      claim: rule.text("claim"),
      requiredValue: rule.text("requiredValue"),
      expression: rule.text("expression"),
      message: rule.text("message"),
    })),
    claimMappings: readMappings(jwt.object("claimMappings", ["username", "groups", "uid", "extra"])),
    userValidationRules: jwt.objects("userValidationRules", ["expression", "message"]).map((rule) => ({
      expression: rule.text("expression"),
      message: rule.text("message"),
    })),
  };
}

const issuerFields = ["url", "discoveryURL", "certificateAuthority", "audiences", "audienceMatchPolicy"] as const;

function readIssuer(issuer: Tree<(typeof issuerFields)[number]>): IssuerDraft {
  return {
    url: issuer.text("url"),
    discoveryURL: issuer.text("discoveryURL"),
    certificateAuthority: issuer.text("certificateAuthority"),
    audiences: issuer.texts("audiences"),
    audienceMatchPolicy: issuer.text("audienceMatchPolicy"),
  };
}

function readMappings(mappings: Tree<"username" | "groups" | "uid" | "extra">): JwtDraft["claimMappings"] {
  const uid = mappings.object("uid", ["claim", "expression"]);
  return {
    username: readMapping(mappings.object("username", mappingFields)),
    groups: readMapping(mappings.object("groups", mappingFields)),
    uid: { claim: uid.text("claim"), expression: uid.text("expression") },
    extra: mappings.objects("extra", ["key", "valueExpression"]).map((extra) => ({
      key: extra.text("key"),
      valueExpression: extra.text("valueExpression"),
    })),
  };
}

const mappingFields = ["claim", "prefix", "expression"] as const;

function readMapping(mapping: Tree<(typeof mappingFields)[number]>): MappingDraft {
  return {
    claim: mapping.text("claim"),
    prefix: mapping.has("prefix") ? mapping.text("prefix") : undefined,
    expression: mapping.text("expression"),
  };
}

function readAnonymous(anonymous: Tree<"enabled" | "conditions">): AnonymousConfiguration {
  const conditions = anonymous.objects("conditions", ["path"]);
  return { enabled: anonymous.flag("enabled"), conditions: conditions.map((each) => ({ path: each.text("path") })) };
}
