import { ApiError } from "@orch/status/api-error.js";

/** Nobody of the store answers. It is told to the operator once, by the store itself: callers need not. */
export class StoreUnreachable extends ApiError {
  constructor(message: string, cause?: unknown) {
    super("ServiceUnavailable", message, { details: { retryAfterSeconds: 1 }, cause });
  }
}

/** A log of what went wrong that leaves out what the store tells by itself: that it cannot be reached. */
export function besidesUnreachable(log: (what: string, error: unknown) => void): typeof log {
  return (what, error) => {
    if (!(error instanceof StoreUnreachable)) log(what, error);
  };
}
