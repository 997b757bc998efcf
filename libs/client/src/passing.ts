import { ApiError } from "@orch/status/api-error.js";

/** For `catch`: what was about an object that is gone, or is another one by now, has become unnecessary. @throws all else */
export function unlessPast(error: unknown): undefined {
  if (error instanceof ApiError && (error.reason === "NotFound" || error.reason === "Conflict")) return undefined;
  throw error;
}

const ordinary: ReadonlySet<string> = new Set(["ServiceUnavailable", "Expired", "Conflict"]);

/** Whether it comes and goes by itself: the server is away, history is kept no more, somebody else was faster. */
export const isOrdinary = (error: unknown): boolean => error instanceof ApiError && ordinary.has(error.reason);
