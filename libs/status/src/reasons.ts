/** The closed set of reasons and the tables from a reason to its HTTP and gRPC codes (spec 1: Errors). */
export const httpCodes = {
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  Invalid: 422,
  ServerTimeout: 500,
  StoreReadError: 500,
  Timeout: 504,
  TooManyRequests: 429,
  BadRequest: 400,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
  NotImplemented: 501,
  ServiceUnavailable: 503,
  InsufficientStorage: 507,
} as const;

export type Reason = keyof typeof httpCodes;

/** gRPC status codes, for a call that ends outside our own frames (gRPC core, statuscodes). */
export const grpcCodes: Record<Reason, number> = {
  Unauthorized: 16,
  Forbidden: 7,
  NotFound: 5,
  AlreadyExists: 6,
  Conflict: 10,
  Gone: 11,
  Expired: 11,
  Invalid: 3,
  ServerTimeout: 4,
  StoreReadError: 13,
  Timeout: 4,
  TooManyRequests: 8,
  BadRequest: 3,
  MethodNotAllowed: 12,
  NotAcceptable: 3,
  RequestEntityTooLarge: 3,
  UnsupportedMediaType: 3,
  InternalError: 13,
  NotImplemented: 12,
  ServiceUnavailable: 14,
  InsufficientStorage: 8,
};

export function isReason(value: unknown): value is Reason {
  return typeof value === "string" && Object.hasOwn(httpCodes, value);
}
