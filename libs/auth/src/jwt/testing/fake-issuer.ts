import { CompactSign, type CryptoKey, exportJWK, generateKeyPair, type JWK } from "jose";
import type { JwtConfiguration } from "../authentication-config.js";
import type { JsonRequest } from "../issuer-keys.js";

export interface SigningKey {
  readonly name: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  /** As a JWKS has it. */
  readonly publicJwk: JWK;
}

export async function signingKey(algorithm: string, name: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return { name, algorithm, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid: name } };
}

/** Signs anything: what is no JSON is given as text. */
export function signed(key: SigningKey, claims: object | string, header: object = {}): Promise<string> {
  const payload = typeof claims === "string" ? claims : JSON.stringify(claims);
  return new CompactSign(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg: key.algorithm, kid: key.name, ...header })
    .sign(key.privateKey);
}

/** An issuer that answers as it is told. */
export interface FakeIssuer {
  readonly url: string;
  /** Its documents by address; replace them to make it say something else. */
  readonly documents: Map<string, unknown>;
  publish(...keys: readonly (SigningKey | JWK)[]): void;
  /** What comes of a request instead of an answer: a failure, or nothing at all. */
  fault: "none" | "refuses" | "silent";
  /** Every request that it got. */
  readonly requests: JsonRequest[];
  readonly fetchJson: (request: JsonRequest) => Promise<unknown>;
}

export function fakeIssuer(url: string): FakeIssuer {
  const documents = new Map<string, unknown>([
    [`${url}/.well-known/openid-configuration`, { issuer: url, jwks_uri: `${url}/keys` }],
  ]);
  const issuer: FakeIssuer = {
    url,
    documents,
    fault: "none",
    requests: [],
    publish(...keys) {
      documents.set(`${url}/keys`, { keys: keys.map((key) => ("publicJwk" in key ? key.publicJwk : key)) });
    },
    async fetchJson(request) {
      issuer.requests.push(request);
      if (issuer.fault === "silent") return new Promise(() => undefined);
      const document = documents.get(request.url);
      if (issuer.fault === "refuses" || document === undefined) throw new Error("connection refused");
      return document;
    },
  };
  return issuer;
}

/** What most tests have of an issuer: `sub` is the user, `groups` the groups. */
export function configurationOf(url: string, rest: Partial<JwtConfiguration> = {}): JwtConfiguration {
  return {
    issuer: { url, audiences: ["orch"] },
    claimValidationRules: [],
    claimMappings: { username: { claim: "sub", prefix: "" }, groups: { claim: "groups", prefix: "" } },
    ...rest,
  };
}
