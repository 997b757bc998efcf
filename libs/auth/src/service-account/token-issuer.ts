import type { Naming } from "@orch/naming/naming.js";
import { CompactSign } from "jose";
import { boundPayload, type Issued, legacyIssuer, legacyPayload } from "./claims.js";
import { parseSigningKey, type SigningKey } from "./keys.js";
import type { Reference } from "./names.js";

export interface TokenIssuer {
  /** A signed token (compact JWS). */
  issue(issued: Issued): Promise<string>;
}

export interface TokenIssuerDeps {
  readonly naming: Naming;
  /** `iss` of the tokens. */
  readonly issuer: string;
  /** PEM; `parseSigningKey` tells beforehand whether it will do. */
  readonly signingKeyPem: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newUid: () => string;
}

/** Issues the tokens of service accounts (TokenRequest). @throws TypeError for a key that cannot sign them */
export function tokenIssuer({ naming, issuer, signingKeyPem, now, newUid }: TokenIssuerDeps): TokenIssuer {
  const key = signingKey(signingKeyPem);
  return {
    issue(issued) {
      const payload = boundPayload(naming, issued, Math.floor(now() / 1000));
      return signed(key, { ...payload, iss: issuer, jti: newUid() });
    },
  };
}

export interface LegacyTokenIssuer {
  /** The token that a Secret holds: without an end, good for as long as Secret and account are. */
  issue(of: {
    readonly namespace: string;
    readonly serviceAccount: Reference;
    readonly secret: string;
  }): Promise<string>;
}

/** @throws TypeError for a key that cannot sign them */
export function legacyTokenIssuer(deps: Pick<TokenIssuerDeps, "naming" | "signingKeyPem">): LegacyTokenIssuer {
  const key = signingKey(deps.signingKeyPem);
  return {
    issue: (of) => signed(key, { iss: legacyIssuer(deps.naming), ...legacyPayload(deps.naming, of) }),
  };
}

function signingKey(pem: string): SigningKey {
  const key = parseSigningKey(pem);
  if (!key.ok) throw new TypeError(key.problems.join("; "));
  return key.value;
}

function signed({ algorithm, id, signing }: SigningKey, payload: object): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: algorithm, kid: id })
    .sign(signing);
}
