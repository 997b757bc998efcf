import { hash } from "node:crypto";
import { gcmOverhead, openFrom, sealInto } from "../providers/aes-gcm.js";
import { type Cipher, nothingAround, tooShort } from "../providers/cipher.js";
import { putRandom } from "../providers/random-bytes.js";

const infoBytes = 32;
const algorithm = "aes-256-gcm";

/** How many bytes more the sealed are. */
export const extendedOverhead = infoBytes + gcmOverhead;

/**
 * Info (32 random bytes), then as {@link aesGcm} with a key of its own, made of a seed and that info: one seed is good for any
 * number of values.
 */
export function extendedNonceGcm(seed: Buffer): Cipher {
  const derive = expand(seed);
  return {
    seal(plain, bound, { before, after } = nothingAround) {
      const target = Buffer.allocUnsafe(before + extendedOverhead + plain.length + after);
      putRandom(target, before, infoBytes);
      const key = derive(target, before);
      sealInto(target, before + infoBytes, { key, algorithm, plain, bound });
      return target;
    },
    open(sealed, bound) {
      if (sealed.length < infoBytes) return tooShort;
      return openFrom(sealed, infoBytes, { key: derive(sealed, 0), algorithm, bound });
    },
  };
}

const blockBytes = 64;

/**
 * HKDF-Expand (RFC 5869) with SHA-256 to 32 bytes: HMAC(seed, info | 1). This is done for each value: hashes in one call take
 * half as long as an Hmac, and text half as long as a Buffer of its own.
 */
function expand(seed: Buffer): (bytes: Buffer, at: number) => Buffer {
  const inner = Buffer.alloc(blockBytes + infoBytes + 1, 0x36);
  const outer = Buffer.alloc(blockBytes + infoBytes, 0x5c);
  const short = seed.length > blockBytes ? hash("sha256", seed, "buffer") : seed;
  for (const [i, byte] of short.entries()) {
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  }
  inner[inner.length - 1] = 1;
  return (bytes, at) => {
    bytes.copy(inner, blockBytes, at, at + infoBytes);
    outer.write(hash("sha256", inner, "binary"), blockBytes, "binary");
    return Buffer.from(hash("sha256", outer, "binary"), "binary");
  };
}
