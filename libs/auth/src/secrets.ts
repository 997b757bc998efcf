import { hash, timingSafeEqual } from "node:crypto";

/** How a token is remembered and looked up: no token is kept, and the time of an answer tells nothing of one. */
export const tokenDigest = (token: string): string => hash("sha256", token, "base64");

/** Whether two texts are the same, in a time that tells nothing of either. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hash("sha256", a, "buffer"), hash("sha256", b, "buffer"));
}
