import { badRequest } from "@orch/status/api-error.js";

/** Values of query parameters (spec 1: Query parameters), as `URLSearchParams` or a message between services has them. */
type Value = string | null | undefined;

/**
 * A whole number of 64 bits, at most as large as numbers are exact; undefined where the parameter is absent. The words
 * about what is none are the reference's. @throws ApiError BadRequest
 */
export function wholeNumber(text: Value): number | undefined {
  if (text === undefined || text === null) return undefined;
  const digits = /^[+-]?\d+$/.test(text);
  if (digits && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) {
    return Math.min(Math.max(Number.MIN_SAFE_INTEGER, Number(text)), Number.MAX_SAFE_INTEGER);
  }
  const why = digits ? "value out of range" : "invalid syntax";
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
}

/** Absent, `0` and `false` are false, the rest is true. */
export function isTrue(text: Value): boolean {
  return text !== null && text !== undefined && text !== "0" && text.toLowerCase() !== "false";
}
