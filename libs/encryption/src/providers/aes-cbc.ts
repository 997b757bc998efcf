import { createCipheriv, createDecipheriv, createSecretKey } from "node:crypto";
import { type Cipher, nothingAround, opened, type Plain, refused, tooShort } from "./cipher.js";
import { putRandom } from "./random-bytes.js";

const blockBytes = 16;
const algorithms: Readonly<Record<number, string>> = { 16: "aes-128-cbc", 24: "aes-192-cbc", 32: "aes-256-cbc" };

/** IV (16 random bytes), ciphertext with PKCS#7 padding (1 to 16 bytes); bound to nothing. */
export function aesCbc(secret: Buffer): Cipher {
  const algorithm = algorithms[secret.length];
  if (algorithm === undefined) throw new TypeError(`a key of ${secret.length} bytes is none of AES`);
  const key = createSecretKey(secret);
  return {
    seal(plain, _bound, { before, after } = nothingAround) {
      const padded = plain.length + blockBytes - (plain.length % blockBytes);
      const target = Buffer.allocUnsafe(before + blockBytes + padded + after);
      putRandom(target, before, blockBytes);
      const cipher = createCipheriv(algorithm, key, target.subarray(before, before + blockBytes));
      const text = cipher.update(plain);
      text.copy(target, before + blockBytes);
      cipher.final().copy(target, before + blockBytes + text.length);
      return target;
    },
    open(sealed) {
      if (sealed.length < blockBytes) return tooShort;
      if (sealed.length % blockBytes !== 0) return refused("the stored data is not a multiple of the block size");
      const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, blockBytes)).setAutoPadding(false);
      return withoutPadding(decipher.update(sealed.subarray(blockBytes)));
    },
  };
}

function withoutPadding(padded: Buffer): Plain {
  const length = padded.at(-1) ?? 0;
  if (length === 0 || length > padded.length) return refused("invalid PKCS7 data (empty or not padded)");
  const end = padded.length - length;
  if (padded.subarray(end).some((byte) => byte !== length)) return refused("invalid padding on input");
  return opened(padded.subarray(0, end));
}
