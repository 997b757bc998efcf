import { createHmac, timingSafeEqual } from "node:crypto";
import { type ApiError, badRequest, continueExpired } from "@orch/status/api-error.js";

/** Where the next chunk of a paged list begins (rules: Paged lists). */
export interface ContinueToken {
  /** The list's; 0 for the newest state, where the list's own is forgotten. */
  readonly revision: number;
  /** The last key already sent, relative to the collection, as `Item.key`. */
  readonly after: string;
  /** How many items the list has behind `after`; undefined where selectors make it unknown. */
  readonly remaining: number | undefined;
}

/** Who signs, and for which list: a token is good for no other. */
export interface TokenSeal {
  readonly key: Buffer;
  /** Resource and namespace, in words that no other list has. */
  readonly list: string;
}

/** `TokenSeal.list` of a collection: a token is good for every version of its resource. */
export function listName(storagePrefix: string, namespace: string): string {
  return `${storagePrefix}|${namespace}`;
}

// version (1) | revision (6) | remaining (6), all ones: unknown | after, UTF-8 | code (16); as base64url
const version = 2;
const afterAt = 13;
const codeBytes = 16;
const unknown = 2 ** 48 - 1;

/** Two names of 253 characters are the longest that is stored: nothing longer is worth a look. */
const maxLength = 1024;

export function printToken(token: ContinueToken, seal: TokenSeal): string {
  const after = Buffer.from(token.after);
  const bytes = Buffer.alloc(afterAt + after.length + codeBytes);
  bytes[0] = version;
  bytes.writeUIntBE(token.revision, 1, 6);
  bytes.writeUIntBE(token.remaining ?? unknown, 7, 6);
  after.copy(bytes, afterAt);
  codeOf(bytes, seal).copy(bytes, afterAt + after.length);
  return bytes.toString("base64url");
}

/** Refuses everything that {@link printToken} did not make for the same list with 400. */
export function parseToken(text: string, seal: TokenSeal): ContinueToken {
  const refuse = (why: string): Error => badRequest(`invalid continue token: continue key is not valid: ${why}`);
  const foreign = text.search(/[^A-Za-z0-9_-]/);
  if (foreign >= 0) throw refuse(`illegal base64 data at input byte ${foreign}`);
  const bytes = Buffer.from(text, "base64url");
  if (bytes[0] !== version) throw refuse(`server does not recognize this encoded version ${bytes[0] ?? 0}`);
  if (text.length > maxLength || bytes.length <= afterAt + codeBytes) throw refuse("it has not the length of one");
  // More than one text stands for the same bytes: the last character has bits to spare.
  if (bytes.toString("base64url") !== text) throw refuse("it is not as it was made");
  const end = bytes.length - codeBytes;
  if (!timingSafeEqual(codeOf(bytes, seal), bytes.subarray(end))) throw refuse("it was not made for this list");
  const remaining = bytes.readUIntBE(7, 6);
  return {
    revision: bytes.readUIntBE(1, 6),
    remaining: remaining === unknown ? undefined : remaining,
    after: bytes.toString("utf8", afterAt, end),
  };
}

/** What answers a page whose revision is forgotten: its token goes on with the newest state. */
export function forgottenPage({ after }: ContinueToken, seal: TokenSeal): ApiError {
  return continueExpired(printToken({ revision: 0, after, remaining: undefined }, seal));
}

/** The code of a token whose last bytes are, or will be, its code. */
function codeOf(bytes: Buffer, { key, list }: TokenSeal): Buffer {
  const signed = bytes.subarray(0, bytes.length - codeBytes);
  // The list's own length keeps it apart from what follows.
  const head = `${Buffer.byteLength(list)}|${list}|`;
  return createHmac("sha256", key).update(head).update(signed).digest().subarray(0, codeBytes);
}
