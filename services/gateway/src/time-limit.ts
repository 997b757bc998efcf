import { durationMs } from "@orch/schema/formats/duration.js";
import { badRequest } from "@orch/status/api-error.js";

/** Milliseconds that a request may take: what its `timeout` says, and `mostMs` at most. @throws ApiError BadRequest */
export function timeLimitOf(query: URLSearchParams | undefined, mostMs: number): number {
  const text = query?.get("timeout") ?? "";
  if (text === "") return mostMs;
  const ms = durationMs(text);
  if (ms === undefined) {
    throw badRequest(
      `invalid timeout specified in the request URL: ${JSON.stringify(text.slice(0, 100))} is no duration`,
    );
  }
  return ms === 0 ? mostMs : Math.min(ms, mostMs);
}
