import type { Parsed } from "../parsed.js";
import type { PublicKey } from "./keys.js";

/** What tells others how to check our tokens by themselves (OpenID Connect Discovery 1.0, RFC 7517). */
export interface OpenIdDocuments {
  /** `/.well-known/openid-configuration` */
  readonly configuration: string;
  /** `/openid/v1/jwks` */
  readonly keySet: string;
}

export const openIdPaths = { configuration: "/.well-known/openid-configuration", keySet: "/openid/v1/jwks" } as const;

export interface OpenIdSettings {
  /** The first of `--service-account-issuer`. */
  readonly issuer: string;
  /** `--service-account-jwks-uri`, else the key set's path at the address that clients know the server by. */
  readonly jwksUri: string;
  readonly keys: readonly PublicKey[];
}

/** The two documents; problems where the issuer is none that discovery works with (tokens do without it). */
export function openIdDocuments({ issuer, jwksUri, keys }: OpenIdSettings): Parsed<OpenIdDocuments> {
  const problems = [...issuerProblems(issuer), ...jwksProblems(jwksUri)];
  if (keys.length === 0) problems.push("there are no keys to publish");
  if (problems.length > 0) return { ok: false, problems };
  const configuration = {
    issuer,
    jwks_uri: jwksUri,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [...new Set(keys.map((key) => key.algorithm))].sort(),
  };
  return {
    ok: true,
    value: { configuration: JSON.stringify(configuration), keySet: JSON.stringify({ keys: keys.map(published) }) },
  };
}

function issuerProblems(issuer: string): string[] {
  const url = urlOf(issuer);
  if (url === undefined) return [`issuer ${JSON.stringify(issuer)} is no URL`];
  return [
    ...(url.protocol === "https:" ? [] : [`issuer URL must use https scheme, got: ${issuer}`]),
    ...(issuer.includes("?") ? [`issuer URL may not include a query, got: ${issuer}`] : []),
    ...(issuer.includes("#") ? [`issuer URL may not include a fragment, got: ${issuer}`] : []),
  ];
}

function jwksProblems(uri: string): string[] {
  return urlOf(uri)?.protocol === "https:" ? [] : [`jwksURI requires https scheme, parsed as: ${uri}`];
}

function urlOf(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** A JWK of the public half alone: what it is made of is named, one by one. */
function published({ id, algorithm, key }: PublicKey): object {
  const { kty, crv, x, y, n, e } = key.export({ format: "jwk" });
  const head = { use: "sig", kty, kid: id };
  return kty === "RSA" ? { ...head, alg: algorithm, n, e } : { ...head, crv, alg: algorithm, x, y };
}
