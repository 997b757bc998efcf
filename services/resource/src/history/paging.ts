import { wholeNumber } from "@orch/api/query-values.js";
import { badRequest } from "@orch/status/api-error.js";

const [usualPage, largestPage] = [500, 5000];
/** No key is longer. */
const longestToken = 4096;

/** @throws ApiError BadRequest for what is no number */
export function pageLimit(text: string | undefined): number {
  const given = wholeNumber(text) ?? 0;
  return given <= 0 ? usualPage : Math.min(given, largestPage);
}

/** Where the next page goes on, as clients hand it back: a place in the order of keys, and no right to anything. */
export function writeContinue(place: string): string {
  return Buffer.from(place).toString("base64url");
}

/** "" where there is none. @throws ApiError BadRequest */
export function readContinue(token: string): string {
  if (token.length > longestToken) throw badRequest("continue key is not valid");
  const place = Buffer.from(token, "base64url").toString();
  if (token !== "" && writeContinue(place) !== token) throw badRequest("continue key is not valid");
  return place;
}
