import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { Parsed } from "../parsed.js";

/** The one algorithm that a key signs with: another one in a token's header is refused. */
export type SigningAlgorithm = "RS256" | "ES256" | "ES384" | "ES512";

export interface PublicKey {
  /** Base64url of the SHA-256 of the public key's DER: the `kid` of what it signs. */
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
  readonly key: KeyObject;
}

export interface SigningKey extends PublicKey {
  /** The private half. */
  readonly signing: KeyObject;
}

const leastRsaBits = 2048;
const curves: Readonly<Record<string, SigningAlgorithm>> = {
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
};
const wanted = `RSA of at least ${leastRsaBits} bits or ECDSA on P-256, P-384 or P-521`;

/** The first private key in a PEM text (`--service-account-signing-key-file`). Its problems never show any of it. */
export function parseSigningKey(pem: string): Parsed<SigningKey> {
  for (const block of blocksOf(pem)) {
    const signing = attempt(() => createPrivateKey(block));
    if (signing === undefined) continue;
    const known = describe(createPublicKey(signing));
    if (known === undefined)
      return { ok: false, problems: [`the private key is of a wrong kind: it must be ${wanted}`] };
    return { ok: true, value: { ...known, signing } };
  }
  return { ok: false, problems: ["the data holds no private key in PEM that can be read"] };
}

/**
 * Every key in PEM texts, public ones and the public halves of private ones, each once; those of certificates too
 * (`--service-account-key-file`). Blocks of other sorts are passed over.
 */
export function parsePublicKeys(pems: readonly string[]): Parsed<readonly PublicKey[]> {
  const keys = new Map<string, PublicKey>();
  const problems: string[] = [];
  for (const [i, pem] of pems.entries()) {
    const read = blocksOf(pem).flatMap((block) => attempt(() => createPublicKey(block)) ?? []);
    if (read.length === 0) problems.push(`keys[${i}]: the data holds no RSA or ECDSA key in PEM that can be read`);
    for (const key of read) {
      const known = describe(key);
      if (known === undefined) problems.push(`keys[${i}]: a key is of a wrong kind: it must be ${wanted}`);
      else keys.set(known.id, known);
    }
  }
  return problems.length === 0 ? { ok: true, value: [...keys.values()] } : { ok: false, problems };
}

function blocksOf(pem: string): readonly string[] {
  return pem.match(/-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g) ?? [];
}

/** Undefined for kinds of keys that sign no tokens here. */
function describe(key: KeyObject): PublicKey | undefined {
  const algorithm = algorithmOf(key);
  if (algorithm === undefined) return undefined;
  const id = createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url");
  return { id, algorithm, key };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm | undefined {
  if (asymmetricKeyType === "rsa") {
    return (asymmetricKeyDetails?.modulusLength ?? 0) >= leastRsaBits ? "RS256" : undefined;
  }
  return asymmetricKeyType === "ec" ? curves[asymmetricKeyDetails?.namedCurve ?? ""] : undefined;
}

function attempt(read: () => KeyObject): KeyObject | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
