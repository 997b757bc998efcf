import { type CryptoKey, compactVerify, importJWK, type JWK } from "jose";
import { isJsonObject, type JsonObject, memberOf } from "../json.js";
import { isSigningAlgorithm, keySort, type SigningAlgorithm } from "./signing-algorithms.js";

/** The public keys of an issuer at one time. */
export interface KeySet {
  /** Equal for equal keys. */
  readonly fingerprint: string;
  /** Whether one of the keys made the signature of a token with this algorithm; only those of this name where it has one. */
  verify(token: string, by: { readonly algorithm: SigningAlgorithm; readonly keyID: string }): Promise<boolean>;
}

interface PublicKey {
  readonly id: string;
  readonly sort: (typeof keySort)[SigningAlgorithm];
  /** What it is for, where its owner says so. */
  readonly algorithm: SigningAlgorithm | undefined;
  readonly jwk: JWK;
}

/** A token that names no key is tried with each: this bounds the work. No issuer has nearly as many. */
const maxKeys = 256;
/** Base64url of 16,384 bits, the most that is verified in bearable time. */
const maxModulusChars = 2_731;
const maxExponentChars = 8;

/**
 * Reads a JWKS (RFC 7517). Keys of other sorts and uses are passed over: an issuer may have keys for others.
 * @throws Error where it is no JWKS
 */
export function parseKeySet(tree: unknown): KeySet {
  const list = isJsonObject(tree) ? tree["keys"] : undefined;
  if (!Array.isArray(list)) throw new Error("the key set has no list of keys");
  if (list.length > maxKeys) throw new Error(`the key set has more than ${maxKeys} keys`);
  const keys = list.flatMap((each) => publicKey(each) ?? []);
  const imported = importer();
  return {
    fingerprint: JSON.stringify(keys),
    async verify(token, { algorithm, keyID }) {
      for (const key of keys) {
        if ((keyID !== "" && key.id !== keyID) || key.sort !== keySort[algorithm]) continue;
        if (key.algorithm !== undefined && key.algorithm !== algorithm) continue;
        const cryptoKey = await imported(key, algorithm);
        if (cryptoKey !== undefined && (await isSignedBy(token, cryptoKey, algorithm))) return true;
      }
      return false;
    },
  };
}

/** A key is good for one algorithm once it is imported, and importing costs as much as verifying. */
function importer(): (key: PublicKey, algorithm: SigningAlgorithm) => Promise<CryptoKey | undefined> {
  const imported = new Map<PublicKey, Map<SigningAlgorithm, Promise<CryptoKey | undefined>>>();
  return (key, algorithm) => {
    const ofKey = imported.get(key) ?? new Map<SigningAlgorithm, Promise<CryptoKey | undefined>>();
    imported.set(key, ofKey);
    const known = ofKey.get(algorithm);
    if (known !== undefined) return known;
    const next = importJWK(key.jwk, algorithm).then(
      (made) => (made instanceof Uint8Array ? undefined : made),
      () => undefined, // a key that is none verifies nothing
    );
    ofKey.set(algorithm, next);
    return next;
  };
}

async function isSignedBy(token: string, key: CryptoKey, algorithm: SigningAlgorithm): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: [algorithm] });
    return true;
  } catch {
    return false; // whatever is wrong with it, nobody vouches for it
  }
}

/** Takes the members that make a public key and no others. Undefined where it is of no use here. */
function publicKey(key: unknown): PublicKey | undefined {
  if (!isJsonObject(key)) return undefined;
  const use = memberOf(key, "use");
  const operations = memberOf(key, "key_ops");
  if (use !== undefined && use !== "sig") return undefined;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes("verify"))) return undefined;
  const algorithm = memberOf(key, "alg");
  if (algorithm !== undefined && !isSigningAlgorithm(algorithm)) return undefined;
  const id = text(key, "kid", 1_024);
  const common = { id, algorithm };
  if (memberOf(key, "kty") === "RSA") {
    const [n, e] = [text(key, "n", maxModulusChars), text(key, "e", maxExponentChars)];
    return n === "" || e === "" ? undefined : { ...common, sort: "RSA", jwk: { kty: "RSA", n, e } };
  }
  if (memberOf(key, "kty") !== "EC") return undefined;
  const sort = curves.find((each) => each === memberOf(key, "crv"));
  const [x, y] = [text(key, "x", 88), text(key, "y", 88)];
  return sort === undefined || x === "" || y === ""
    ? undefined
    : { ...common, sort, jwk: { kty: "EC", crv: sort, x, y } };
}

const curves = ["P-256", "P-384", "P-521"] as const;

/** Empty where it is absent, no text or too long. */
function text(key: JsonObject, name: string, maxLength: number): string {
  const value = memberOf(key, name);
  return typeof value === "string" && value.length <= maxLength ? value : "";
}
