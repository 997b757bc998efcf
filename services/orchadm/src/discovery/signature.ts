import { createHmac, timingSafeEqual } from "node:crypto";

/** A token's halves. */
export interface TokenParts {
  readonly id: string;
  readonly secret: string;
}

/** A JWS (RFC 7515, HS256) of a content without the content, as a token's owner signs it. */
export function detachedSignature(content: string, { id, secret }: TokenParts): string {
  const header = Buffer.from(JSON.stringify({ alg: "HS256", kid: id })).toString("base64url");
  const body = Buffer.from(content).toString("base64url");
  return `${header}..${createHmac("sha256", secret).update(`${header}.${body}`).digest("base64url")}`;
}

/** Whether who knows the token has signed this; no other header than a signer's own is taken. */
export function isSigned(signature: string, content: string, token: TokenParts): boolean {
  const expected = Buffer.from(detachedSignature(content, token));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
