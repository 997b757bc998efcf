import { hash, timingSafeEqual } from "node:crypto";

/** Digests of the tokens that were shown last: a client shows the same one with every request. */
const digests = new Map<string, string>();
const maxDigests = 1024;
/** Longer ones are hashed each time: whoever shows much nonsense is not to fill the memory with it. */
const maxLength = 4096;

/**
 * How a token is remembered and looked up: no store of ours keeps one, and the time of an answer tells nothing of one.
 * Hashing would be a twentieth of what a get costs, so the last digests are kept, of texts that were shown anyway.
 */
export function tokenDigest(token: string): string {
  const known = digests.get(token);
  if (known !== undefined) return known;
  const digest = hash("sha256", token, "base64");
  if (token.length > maxLength) return digest;
  if (digests.size >= maxDigests) digests.clear();
  digests.set(token, digest);
  return digest;
}

/** Whether two texts are the same, in a time that tells nothing of either. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hash("sha256", a, "buffer"), hash("sha256", b, "buffer"));
}
