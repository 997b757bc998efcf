import { ApiError } from "@orch/status/api-error.js";

/** What a create in a namespace may meet: it is there already, or the namespace has gone meanwhile. @throws all else */
export function unlessThere(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
  const ending =
    error.reason === "Forbidden" && error.details?.causes?.some((c) => c.reason === "NamespaceTerminating");
  if (error.reason !== "AlreadyExists" && error.reason !== "NotFound" && ending !== true) throw error;
}
