import { type JsonObject, memberOf } from "../json.js";
import { validityOf } from "./claims.js";
import { decodeObject } from "./compact.js";
import type { IssuerKeys } from "./issuer-keys.js";
import type { KeySet } from "./key-set.js";
import type { SigningAlgorithm } from "./signing-algorithms.js";

export interface Presented {
  readonly token: string;
  /** As it was sent. */
  readonly header: string;
  /** Not to be trusted before the signature is verified. */
  readonly claims: JsonObject;
  /** Of the issuer that the claims name. */
  readonly keys: IssuerKeys;
  /** One of which the token must be for. */
  readonly audiences: readonly string[];
}

/** The keys that made a token's signature and until when it holds, or why it is not to be trusted. */
export type Voucher =
  | { readonly ok: true; readonly keys: KeySet; readonly until: number }
  | { readonly ok: false; readonly why: string };

/** Whether an issuer vouches for a token. What is cheap comes before the signature, and before keys are fetched for it. */
export function vouch(
  presented: Presented,
  { algorithms, now }: { readonly algorithms: readonly SigningAlgorithm[]; readonly now: number },
): Voucher | Promise<Voucher> {
  const refuse = (why: string): Voucher => ({ ok: false, why });
  const keys = presented.keys.current();
  if (keys === undefined) {
    void presented.keys.renewed();
    return refuse("authenticator not initialized");
  }
  const header = decodeObject(presented.header);
  if (header === undefined) return refuse("the token's header cannot be read");
  // Nothing that is critical is understood; an embedded key (jwk, jku, x5c, x5u) is never looked at.
  if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "b64")) return refuse("the token has critical extensions");
  const algorithm = algorithms.find((each) => each === header["alg"]);
  if (algorithm === undefined) return refuse("the token is signed with an algorithm that is not allowed");
  const keyID = memberOf(header, "kid") ?? "";
  if (typeof keyID !== "string") return refuse("the token's kid is no text");
  const validity = validityOf(presented.claims, presented.audiences, now);
  if (!validity.ok) return refuse(`the token ${validity.why}`);
  return verified(presented, { algorithm, keyID, keys }).then((vouching): Voucher => {
    if (vouching === undefined) return refuse("no key of the issuer made the token's signature");
    return { ok: true, keys: vouching, until: validity.until };
  });
}

/** The keys that vouch for a token: those that are known, else those that the issuer has now. */
async function verified(
  { token, keys: issuer }: Presented,
  { keys, ...by }: { algorithm: SigningAlgorithm; keyID: string; keys: KeySet },
): Promise<KeySet | undefined> {
  if (await keys.verify(token, by)) return keys;
  const renewed = await issuer.renewed();
  if (renewed === undefined || renewed === keys) return undefined;
  return (await renewed.verify(token, by)) ? renewed : undefined;
}
