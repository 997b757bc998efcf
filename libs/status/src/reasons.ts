/** The closed set of reasons and the tables from a reason to its HTTP and gRPC codes (rules: Errors). */
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

export function isReason(value: unknown): value is Reason {
  return typeof value === "string" && Object.hasOwn(httpCodes, value);
}
