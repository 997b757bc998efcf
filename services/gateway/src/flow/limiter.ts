import { ApiError } from "@orch/status/api-error.js";
import type { Identified } from "../call.js";
import type { Seats } from "./seats.js";

/** Decides when a call may go on. */
export interface Limiter {
  /**
   * The call's seats: at once, or when the promise settles.
   * @throws ApiError TooManyRequests where there are none for it, now or in time
   */
  enter(call: Identified): Seats | Promise<Seats>;
}

/** As in the reference: 429, and retry after a second. */
export function tooManyRequests(): ApiError {
  return new ApiError("TooManyRequests", "Too many requests, please try again later.", {
    details: { retryAfterSeconds: 1 },
  });
}
