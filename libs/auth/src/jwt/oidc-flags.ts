import type { Parsed } from "../parsed.js";
import { type AuthenticationConfiguration, checkedConfiguration } from "./authentication-config.js";
import type { ConfigurationDeps } from "./authentication-validation.js";
import { isSigningAlgorithm, type SigningAlgorithm } from "./signing-algorithms.js";

/** Values of the `--oidc-*` flags: undefined where a flag was not given. */
export interface OidcFlags {
  readonly issuerURL?: string | undefined;
  readonly clientID?: string | undefined;
  /** The text of `--oidc-ca-file`, PEM. */
  readonly certificateAuthority?: string | undefined;
  /** `sub` where absent. */
  readonly usernameClaim?: string | undefined;
  /** `-`: none. Absent or empty: the issuer's URL and `#`, but none for the claim `email`. */
  readonly usernamePrefix?: string | undefined;
  readonly groupsClaim?: string | undefined;
  readonly groupsPrefix?: string | undefined;
  /** `claim=value` each; the last of a claim counts. */
  readonly requiredClaims?: readonly string[] | undefined;
  /** `RS256` where absent. */
  readonly signingAlgs?: readonly string[] | undefined;
}

/** Whether any of the flags was given: they exclude `--authentication-config`. */
export function hasOidcFlags(flags: OidcFlags): boolean {
  return Object.values(flags).some((value) => value !== undefined && (typeof value === "string" || value.length > 0));
}

/** The configuration that the flags stand for; undefined where none was given. */
export function oidcConfiguration(
  flags: OidcFlags,
  deps: ConfigurationDeps,
): Parsed<AuthenticationConfiguration | undefined> {
  if (!hasOidcFlags(flags)) return { ok: true, value: undefined };
  const { issuerURL: url = "", clientID = "", usernameClaim = "sub", groupsClaim = "" } = flags;
  if (url === "" || clientID === "") {
    const why = "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set";
    return { ok: false, problems: [why] };
  }
  const problems: string[] = [];
  const algorithms = algorithmsOf(flags.signingAlgs, problems);
  const required = requiredClaimsOf(flags.requiredClaims ?? [], problems);
  if (problems.length > 0) return { ok: false, problems };
  const prefix = usernamePrefix(flags.usernamePrefix ?? "", { url, usernameClaim });
  const draft = {
    issuer: {
      url,
      discoveryURL: "",
      certificateAuthority: flags.certificateAuthority ?? "",
      audiences: [clientID],
      audienceMatchPolicy: "",
    },
    claimValidationRules: [...required].map(([claim, requiredValue]) => ({
      claim,
      requiredValue,
      expression: "",
      message: "",
    })),
    claimMappings: {
      username: { claim: usernameClaim, prefix, expression: "" },
      groups: { claim: groupsClaim, prefix: flags.groupsPrefix ?? "", expression: "" },
      uid: { claim: "", expression: "" },
      extra: [],
    },
    userValidationRules: [],
  };
  return checkedConfiguration({ jwt: [draft], anonymous: undefined }, algorithms, deps);
}

function usernamePrefix(given: string, { url, usernameClaim }: { url: string; usernameClaim: string }): string {
  if (given === "-") return "";
  return given === "" && usernameClaim !== "email" ? `${url}#` : given;
}

function algorithmsOf(names: readonly string[] | undefined, problems: string[]): readonly SigningAlgorithm[] {
  if (names === undefined || names.length === 0) return ["RS256"];
  return names.flatMap((name) => {
    if (isSigningAlgorithm(name)) return [name];
    problems.push(`oidc: unsupported signing alg: ${JSON.stringify(name)}`);
    return [];
  });
}

function requiredClaimsOf(pairs: readonly string[], problems: string[]): ReadonlyMap<string, string> {
  const claims = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const claim = pair.slice(0, Math.max(0, at)).trim();
    if (at < 0) problems.push(`oidc-required-claim: malformed pair ${JSON.stringify(pair)}, expect claim=value`);
    else if (claim === "") problems.push("oidc-required-claim: a claim needs a name");
    else claims.set(claim, pair.slice(at + 1).trim());
  }
  return claims;
}
