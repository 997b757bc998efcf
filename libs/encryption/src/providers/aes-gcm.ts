import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from "node:crypto";
import { type Cipher, nothingAround, opened, type Plain, refused, tooShort } from "./cipher.js";
import { putRandom } from "./random-bytes.js";

const nonceBytes = 12;
const tagBytes = 16;
const options = { authTagLength: tagBytes } as const;

const notAuthentic = refused("cipher: message authentication failed");

type Algorithm = "aes-128-gcm" | "aes-192-gcm" | "aes-256-gcm";
const algorithms: Readonly<Record<number, Algorithm>> = { 16: "aes-128-gcm", 24: "aes-192-gcm", 32: "aes-256-gcm" };

/** Nonce (12 random bytes), ciphertext, tag (16); bound to the key in the store. */
export function aesGcm(secret: Buffer): Cipher {
  const algorithm = algorithms[secret.length];
  if (algorithm === undefined) throw new TypeError(`a key of ${secret.length} bytes is none of AES`);
  const key = createSecretKey(secret);
  return {
    seal(plain, bound, { before, after } = nothingAround) {
      const target = Buffer.allocUnsafe(before + nonceBytes + plain.length + tagBytes + after);
      sealInto(target, before, { key, algorithm, plain, bound });
      return target;
    },
    open: (sealed, bound) => openFrom(sealed, 0, { key, algorithm, bound }),
  };
}

/** How many bytes more the sealed are. */
export const gcmOverhead = nonceBytes + tagBytes;

interface Sealing {
  readonly key: KeyObject | Buffer;
  readonly algorithm: Algorithm;
  readonly bound: string;
}

/** Writes nonce, ciphertext and tag at a place of a buffer. */
export function sealInto(
  target: Buffer,
  at: number,
  { key, algorithm, plain, bound }: Sealing & { readonly plain: Buffer },
): void {
  putRandom(target, at, nonceBytes);
  const cipher = createCipheriv(algorithm, key, target.subarray(at, at + nonceBytes), options);
  cipher.setAAD(Buffer.from(bound));
  const text = cipher.update(plain);
  cipher.final();
  const begin = at + nonceBytes;
  text.copy(target, begin);
  cipher.getAuthTag().copy(target, begin + text.length);
}

/** What was sealed from a place of a buffer to its end. */
export function openFrom(sealed: Buffer, at: number, { key, algorithm, bound }: Sealing): Plain {
  const end = sealed.length - tagBytes;
  if (sealed.length - at < nonceBytes) return tooShort;
  if (end < at + nonceBytes) return notAuthentic;
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(at, at + nonceBytes), options);
  decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(sealed.subarray(end));
  const plain = decipher.update(sealed.subarray(at + nonceBytes, end));
  try {
    decipher.final();
  } catch {
    return notAuthentic;
  }
  return opened(plain);
}
