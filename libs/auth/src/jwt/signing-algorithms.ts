/** What tokens of other issuers may be signed with: asymmetric ones alone, so that no published key is ever a secret. */
export const signingAlgorithms = [
  "ES256",
  "ES384",
  "ES512",
  "PS256",
  "PS384",
  "PS512",
  "RS256",
  "RS384",
  "RS512",
] as const;

export type SigningAlgorithm = (typeof signingAlgorithms)[number];

export function isSigningAlgorithm(name: unknown): name is SigningAlgorithm {
  return signingAlgorithms.some((each) => each === name);
}

/** The sort of key that an algorithm needs: `RSA`, or the curve. */
export const keySort: Readonly<Record<SigningAlgorithm, "RSA" | "P-256" | "P-384" | "P-521">> = {
  ES256: "P-256",
  ES384: "P-384",
  ES512: "P-521",
  PS256: "RSA",
  PS384: "RSA",
  PS512: "RSA",
  RS256: "RSA",
  RS384: "RSA",
  RS512: "RSA",
};
