import { badRequest } from "@orch/status/api-error.js";

/** Where the next chunk of a paged list begins: the list's revision and the last key already sent. */
export interface ContinueToken {
  readonly revision: number;
  /** Relative to the collection, as `Item.key`. */
  readonly after: string;
}

const version = 1;
/** Two names of 253 characters are the longest that is stored. */
const maxKeyLength = 512;

export function printToken(token: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: version, rv: token.revision, after: token.after })).toString("base64url");
}

/** Refuses everything that {@link printToken} cannot have made with 400. */
export function parseToken(text: string): ContinueToken {
  const refuse = (why: string): Error => badRequest(`invalid continue token: continue key is not valid: ${why}`);
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw refuse("not base64url");
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch (error) {
    throw badRequest("invalid continue token: continue key is not valid: not JSON", error);
  }
  if (typeof parsed !== "object" || parsed === null) throw refuse("not an object");
  const { v, rv, after } = parsed as { v?: unknown; rv?: unknown; after?: unknown };
  if (v !== version) throw refuse("unknown version");
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv <= 0) throw refuse("no resource version");
  if (
    typeof after !== "string" ||
    after === "" ||
    after.length > maxKeyLength ||
    after.includes("\0") ||
    after.split("/").length > 2
  ) {
    throw refuse("no start key");
  }
  return { revision: rv, after };
}
