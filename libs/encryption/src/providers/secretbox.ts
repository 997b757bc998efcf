import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { type Cipher, nothingAround, opened, refused, tooShort } from "./cipher.js";
import { putRandom } from "./random-bytes.js";

const nonceBytes = 24;
const tagBytes = 16;

/** Nonce (24 random bytes), then a box of XSalsa20-Poly1305, its tag first; bound to nothing. */
export function secretbox(secret: Buffer): Cipher {
  return {
    seal(plain, _bound, { before, after } = nothingAround) {
      const target = Buffer.allocUnsafe(before + nonceBytes + tagBytes + plain.length + after);
      putRandom(target, before, nonceBytes);
      const nonce = target.subarray(before, before + nonceBytes);
      target.set(xsalsa20poly1305(secret, nonce).encrypt(plain), before + nonceBytes);
      return target;
    },
    open(sealed) {
      if (sealed.length < nonceBytes + tagBytes) return tooShort;
      try {
        const plain = xsalsa20poly1305(secret, sealed.subarray(0, nonceBytes)).decrypt(sealed.subarray(nonceBytes));
        return opened(Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength));
      } catch {
        return refused("output array was not large enough for encryption");
      }
    },
  };
}
