import { ApiError } from "@orch/status/api-error.js";

/** The log of a transport, for what no caller sees; a pino logger fits. */
export interface RpcLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silent: RpcLog = { info: () => {}, warn: () => {}, error: () => {} };

/** A handler's failure as the ApiError that crosses the seam; what was no ApiError is a fault and is logged. */
export function failure(thrown: unknown, context: { log: RpcLog; method: string }): ApiError {
  const error = ApiError.from(thrown);
  if (error !== thrown) {
    const { log, method } = context;
    log.error({ method, err: thrown }, "a handler failed unexpectedly");
  }
  return error;
}
