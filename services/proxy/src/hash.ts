import { hash } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The first characters of a text's SHA-256 in base32 (RFC 4648), at most 51. */
export function shortHash(text: string, characters: number): string {
  const bytes = hash("sha256", text, "buffer");
  let short = "";
  for (let at = 0; at < characters; at++) {
    const bit = at * 5;
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    short += alphabet[(pair >> (11 - (bit & 7))) & 31];
  }
  return short;
}
