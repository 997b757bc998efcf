import { ApiError, timeout, unavailable } from "@orch/status/api-error.js";

/** The errors of the transports themselves. */
export const deadlinePassed = (method: string): ApiError =>
  timeout(
    "Timeout: request did not complete within the allotted timeout",
    new Error(`the deadline of ${method} has passed`),
  );

export const notServed = (method: string): ApiError =>
  new ApiError("NotImplemented", `${method} is not served by this peer`);

export const callerClosed = (): ApiError => unavailable("this end of the connection was closed");
