import { readConfigurationFile } from "../config/configuration-file.js";
import { problemText } from "../config/tree.js";
import type { Parsed } from "../parsed.js";
import {
  type AnonymousConfiguration,
  type AuthenticationDraft,
  draftFields,
  type JwtDraft,
  readAuthenticationDraft,
} from "./authentication-draft.js";
import { type ConfigurationDeps, validateAuthentication } from "./authentication-validation.js";
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
  readonly claimValidationRules: readonly RequiredClaim[];
  readonly claimMappings: ClaimMappings;
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

export interface ClaimMappings {
  readonly username: PrefixedClaim;
  readonly groups?: PrefixedClaim;
  /** Name of a claim. */
  readonly uid?: string;
}

export interface PrefixedClaim {
  readonly claim: string;
  /** Put before each value; may be empty. */
  readonly prefix: string;
}

/** Reads the file of `--authentication-config`, decoded already. */
export function parseAuthenticationConfiguration(
  file: unknown,
  deps: ConfigurationDeps,
): Parsed<AuthenticationConfiguration> {
  const options = { naming: deps.naming, kind: "AuthenticationConfiguration", fields: draftFields };
  const draft = readConfigurationFile(file, options, readAuthenticationDraft);
  return draft.ok ? checkedConfiguration(draft.value, signingAlgorithms, deps) : draft;
}

/** A draft that passes validation; what the flags say comes this way too. */
export function checkedConfiguration(
  draft: AuthenticationDraft,
  algorithms: readonly SigningAlgorithm[],
  deps: ConfigurationDeps,
): Parsed<AuthenticationConfiguration> {
  const errors = validateAuthentication(draft, deps);
  if (errors.length > 0) return { ok: false, problems: errors.map(problemText) };
  return {
    ok: true,
    value: {
      jwt: draft.jwt.map(finished),
      signingAlgorithms: algorithms,
      ...(draft.anonymous === undefined ? {} : { anonymous: draft.anonymous }),
    },
  };
}

function finished({ issuer, claimMappings, claimValidationRules }: JwtDraft): JwtConfiguration {
  const { username, groups, uid } = claimMappings;
  return {
    issuer: {
      url: issuer.url,
      audiences: issuer.audiences,
      ...(issuer.discoveryURL === "" ? {} : { discoveryURL: issuer.discoveryURL }),
      ...(issuer.certificateAuthority === "" ? {} : { certificateAuthority: issuer.certificateAuthority }),
    },
    claimValidationRules: claimValidationRules.map(({ claim, requiredValue }) => ({ claim, requiredValue })),
    claimMappings: {
      username: { claim: username.claim, prefix: username.prefix ?? "" },
      ...(groups.claim === "" ? {} : { groups: { claim: groups.claim, prefix: groups.prefix ?? "" } }),
      ...(uid.claim === "" ? {} : { uid: uid.claim }),
    },
  };
}
