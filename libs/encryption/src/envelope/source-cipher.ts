import { aesGcm } from "../providers/aes-gcm.js";
import type { Cipher } from "../providers/cipher.js";
import { sourceTypes } from "./encrypted-object.js";
import { extendedNonceGcm } from "./extended-nonce.js";

/** The cipher of an unwrapped key or seed; undefined for a type or a length that there is not. */
export function sourceCipher(type: number, source: Buffer): Cipher | undefined {
  if (type === sourceTypes.extendedNonceSeed && source.length > 0) return extendedNonceGcm(source);
  if (type === sourceTypes.aesGcmKey && [16, 24, 32].includes(source.length)) return aesGcm(source);
  return undefined;
}
