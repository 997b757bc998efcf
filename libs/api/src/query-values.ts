import { type Integer64, integer64 } from "@orch/schema/integer64.js";
import { badRequest } from "@orch/status/api-error.js";

/** Values of query parameters (rules: Query parameters), as `URLSearchParams` or a message between services has them. */
type Value = string | null | undefined;

/** {@link exactWholeNumber}, at most as large as numbers are exact. @throws ApiError BadRequest */
export function wholeNumber(text: Value): number | undefined {
  const exact = exactWholeNumber(text);
  if (exact === undefined) return undefined;
  return Math.min(Math.max(Number.MIN_SAFE_INTEGER, Number(exact)), Number.MAX_SAFE_INTEGER);
}

/**
 * A whole number of 64 bits; undefined where the parameter is absent. The words about what is none are the reference's.
 * @throws ApiError BadRequest
 */
export function exactWholeNumber(text: Value): Integer64 | undefined {
  if (text === undefined || text === null) return undefined;
  const digits = /^[+-]?\d+$/.test(text);
  const exact = digits ? integer64(BigInt(text.replace("+", ""))) : undefined;
  if (exact !== undefined) return exact;
  const why = digits ? "value out of range" : "invalid syntax";
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
}

/** Absent, `0` and `false` are false, the rest is true. */
export function isTrue(text: Value): boolean {
  return text !== null && text !== undefined && text !== "0" && text.toLowerCase() !== "false";
}
