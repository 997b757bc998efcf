import { ApiError } from "@orch/status/api-error.js";

/**
 * How a watch ends whose store is no longer the one that told what was delivered so far: it was set back to a backup,
 * or another one answers in its place. An `Expired` with more behind it: what was read before may never have been.
 */
export class StoreSetBack extends ApiError {
  constructor(message: string) {
    super("Expired", message);
  }
}
