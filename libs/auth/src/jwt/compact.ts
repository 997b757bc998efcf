import { type JsonObject, parseJsonObject } from "../json.js";

/** The three parts of a token in the compact form (RFC 7515), as they were sent. Nothing in them is to be trusted. */
export interface CompactToken {
  readonly header: string;
  readonly payload: string;
}

/** Undefined for what is no token of this form. */
export function compactToken(token: string): CompactToken | undefined {
  const first = token.indexOf(".");
  const second = token.indexOf(".", first + 1);
  if (first <= 0 || second < 0 || token.includes(".", second + 1)) return undefined;
  const signature = token.slice(second + 1);
  // One spelling of a token alone: else a cache of verdicts is filled with spellings of the same.
  if (decoded(signature) === undefined) return undefined;
  return { header: token.slice(0, first), payload: token.slice(first + 1, second) };
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The JSON object in a header or payload; undefined where there is none. */
export function decodeObject(part: string): JsonObject | undefined {
  const bytes = decoded(part);
  if (bytes === undefined) return undefined;
  try {
    return parseJsonObject(utf8.decode(bytes));
  } catch {
    return undefined; // no UTF-8
  }
}

/** Bytes of base64url without padding; undefined for any other spelling of them. */
function decoded(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, "base64url");
  return bytes.toString("base64url") === part ? bytes : undefined;
}
