import { status } from "@grpc/grpc-js";
import { type ApiError, expired, insufficientStorage, tooLarge, unavailable } from "@orch/status/api-error.js";

/**
 * What a failed call means for the caller:
 * - `refused`: the server answered that it did not execute it; `error` says why.
 * - `compacted`, `future`: the revision asked for.
 * - `unauthenticated`: not executed; a new token may help.
 * - `lost`: no answer that tells. A read may go to another member; a write may or may not have taken effect.
 */
export type Failure =
  | { readonly type: "refused"; readonly error: ApiError }
  | { readonly type: "compacted"; readonly error: ApiError }
  | { readonly type: "future" }
  | { readonly type: "unauthenticated"; readonly error: ApiError }
  | { readonly type: "lost"; readonly cause: unknown };

/** etcd tells some errors of one code apart by text alone; these are its published descriptions. */
const texts = {
  compacted: "etcdserver: mvcc: required revision has been compacted",
  future: "etcdserver: mvcc: required revision is a future revision",
  noSpace: "etcdserver: mvcc: database space exceeded",
  tooLarge: "etcdserver: request is too large",
  tooManyRequests: "etcdserver: too many requests",
} as const;

interface CallError {
  readonly code: number;
  readonly details: string;
}

export function isCallError(error: unknown): error is Error & CallError {
  return error instanceof Error && "code" in error && typeof error.code === "number" && "details" in error;
}

const refused = (error: ApiError): Failure => ({ type: "refused", error });

export function failureOf(error: unknown): Failure {
  if (!isCallError(error)) return { type: "lost", cause: error };
  switch (error.code) {
    case status.OUT_OF_RANGE:
      if (error.details === texts.compacted) return { type: "compacted", error: expired("the revision was compacted") };
      if (error.details === texts.future) return { type: "future" };
      return refused(unavailable("the store refused the request", error));
    case status.RESOURCE_EXHAUSTED:
      return resourceExhausted(error);
    case status.INVALID_ARGUMENT:
      if (error.details === texts.tooLarge) return refused(tooLarge("the store takes no value of this size"));
      // "authentication failed, invalid user ID or password" and "revision of auth store is old" come as this code.
      return { type: "unauthenticated", error: unavailable("the store refused the request", error) };
    case status.UNAUTHENTICATED:
      return { type: "unauthenticated", error: unavailable("the store refused our credentials", error) };
    case status.PERMISSION_DENIED:
    case status.FAILED_PRECONDITION:
    case status.NOT_FOUND:
    case status.UNIMPLEMENTED:
      return refused(unavailable("the store refused the request", error));
    default:
      return { type: "lost", cause: error };
  }
}

function resourceExhausted(error: Error & CallError): Failure {
  if (error.details === texts.noSpace) return refused(insufficientStorage(error));
  if (error.details === texts.tooManyRequests) return refused(unavailable("the store is overloaded", error));
  // The rest of this code is gRPC's own: a message above the server's receive limit, never taken in.
  return refused(tooLarge("the store takes no value of this size"));
}
