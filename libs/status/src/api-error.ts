import { cut } from "./cut.js";
import { enoughErrors } from "./errors-of-each.js";
import type { Cause, FieldError } from "./field-error.js";
import { httpCodes, isReason, type Reason } from "./reasons.js";
import { showValue } from "./show-value.js";
import { shortened, shownCauses } from "./shown-causes.js";

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

/** A list's metadata: only a list that can not go on consistently says something there. */
export interface StatusMetadata {
  /** A token that goes on with the newest state where the one that was sent is too old. */
  readonly continue?: string;
}

/** The Status body as clients see it (rules: Errors; fields as the reference has them). */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: StatusMetadata;
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** A resource as error texts name it: its plural and, outside the core group, its group. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
}

export interface KindName {
  readonly group: string;
  readonly kind: string;
}

interface Options {
  readonly details?: StatusDetails;
  readonly cause?: unknown;
  /** Overrides the reason's own code where the reference does (a 200 with a Status is never an error). */
  readonly code?: number;
  readonly metadata?: StatusMetadata;
  readonly warnings?: readonly string[];
  /** What clients read as the reason, where somebody else has decided: any text, or "" for none. */
  readonly toldReason?: string | undefined;
}

/**
 * The one expected error. It becomes the Status body at the gateway and a frame between services,
 * unchanged. Decide by `reason`, never by `message`.
 */
export class ApiError extends Error {
  readonly reason: Reason;
  readonly code: number;
  readonly details: StatusDetails | undefined;
  readonly metadata: StatusMetadata;
  /** What who is refused is told beside it, in `Warning` headers. */
  readonly warnings: readonly string[];
  private readonly toldReason: string | undefined;

  constructor(reason: Reason, message: string, options: Options = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ApiError";
    this.reason = reason;
    this.code = options.code ?? httpCodes[reason];
    this.details = options.details;
    this.metadata = options.metadata ?? {};
    this.warnings = options.warnings ?? [];
    this.toldReason = options.toldReason;
  }

  /** The same error with these warnings before its own. */
  withWarnings(warnings: readonly string[]): ApiError {
    if (warnings.length === 0) return this;
    const { code, details, metadata, cause, toldReason } = this;
    return new ApiError(this.reason, this.message, {
      ...{ code, metadata, cause, toldReason, warnings: [...warnings, ...this.warnings] },
      ...(details === undefined ? {} : { details }),
    });
  }

  toStatus(): Status {
    const reason = this.toldReason ?? this.reason;
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.metadata,
      status: "Failure",
      message: this.message,
      ...(reason === "" ? {} : { reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }

  /** The error a Status body stands for; one of an unknown reason keeps its code, and tells it on. */
  static fromStatus(
    status: Pick<Status, "message" | "reason" | "details" | "code"> & Partial<Pick<Status, "metadata">>,
  ): ApiError {
    return new ApiError(isReason(status.reason) ? status.reason : "InternalError", status.message ?? "", {
      code: status.code,
      ...(isReason(status.reason) ? {} : { toldReason: status.reason ?? "" }),
      ...(status.details === undefined ? {} : { details: status.details }),
      ...(status.metadata === undefined ? {} : { metadata: status.metadata }),
    });
  }

  /** Any thrown value as an ApiError. What is not one is a fault: 500 without its text, kept as `cause`. */
  static from(thrown: unknown): ApiError {
    if (thrown instanceof ApiError) return thrown;
    return new ApiError(
      "InternalError",
      "an unexpected error occurred; the server's log has it under this request's id",
      {
        cause: thrown,
      },
    );
  }
}

const qualified = (r: ResourceName): string => cut(r.group === "" ? r.resource : `${r.resource}.${r.group}`);
const qualifiedKind = (k: KindName): string => (k.group === "" ? k.kind : `${k.kind}.${k.group}`);

function resourceDetails(r: ResourceName, name: string, more: StatusDetails = {}): StatusDetails {
  return {
    ...(name === "" ? {} : { name: cut(name) }),
    ...(r.group === "" ? {} : { group: cut(r.group) }),
    kind: cut(r.resource),
    ...more,
  };
}

export function notFound(resource: ResourceName, name: string): ApiError {
  return new ApiError("NotFound", `${qualified(resource)} ${showValue(cut(name))} not found`, {
    details: resourceDetails(resource, name),
  });
}

/** A path that names no resource. */
export function unknownPath(): ApiError {
  return new ApiError("NotFound", "the server could not find the requested resource", { details: {} });
}

export function alreadyExists(resource: ResourceName, name: string): ApiError {
  return new ApiError("AlreadyExists", `${qualified(resource)} ${showValue(cut(name))} already exists`, {
    details: resourceDetails(resource, name),
  });
}

export function conflict(resource: ResourceName, name: string, why: string): ApiError {
  return new ApiError(
    "Conflict",
    `Operation cannot be fulfilled on ${qualified(resource)} ${showValue(cut(name))}: ${why}`,
    {
      details: resourceDetails(resource, name),
    },
  );
}

/** A write that carried a resourceVersion other than the stored one (rules: Behavior rules, 5). */
export function modified(resource: ResourceName, name: string): ApiError {
  return conflict(
    resource,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

/** A transaction whose outcome could not be learned; it may have taken effect. */
export function outcomeUnknown(cause?: unknown): ApiError {
  return new ApiError(
    "Timeout",
    "the store did not answer in time; the write may or may not have taken effect: read the object before trying again",
    { cause },
  );
}

/** Characters of a name that an answer repeats; those that objects can have are shorter. */
const maxName = 1024;

/**
 * An object that breaks rules of its kind. The text names each problem once, as in the reference; where there are more
 * than one answer has room for (see `shown-causes.ts`), it says how many are left out.
 */
export function invalid(kind: KindName, fullName: string, errors: readonly FieldError[]): ApiError {
  const name = shortened(fullName, maxName);
  const { causes, more } = shownCauses(errors, errors.length);
  const texts = [...new Set(causes.map((e) => `${e.field}: ${e.message}`))];
  if (more > 0) texts.push(`and ${errors.length < enoughErrors ? "" : "at least "}${more} more`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return new ApiError("Invalid", `${qualifiedKind(kind)} ${showValue(name)} is invalid: ${list}`, {
    details: {
      ...(name === "" ? {} : { name }),
      ...(kind.group === "" ? {} : { group: kind.group }),
      ...(kind.kind === "" ? {} : { kind: kind.kind }),
      causes,
    },
  });
}

export function badRequest(message: string, cause?: unknown): ApiError {
  return new ApiError("BadRequest", message, { cause });
}

export function forbidden(resource: ResourceName, name: string, why: string, causes?: readonly Cause[]): ApiError {
  const what = name === "" ? qualified(resource) : `${qualified(resource)} ${showValue(cut(name))}`;
  return new ApiError("Forbidden", `${what} is forbidden: ${why}`, {
    details: resourceDetails(resource, name, causes === undefined ? {} : { causes }),
  });
}

export function unauthorized(cause?: unknown): ApiError {
  return new ApiError("Unauthorized", "Unauthorized", { cause });
}

export function methodNotAllowed(): ApiError {
  return new ApiError("MethodNotAllowed", "the server does not allow this method on the requested resource", {
    details: {},
  });
}

/** What went wrong inside, in a sentence that its client may see. */
export function internalError(why: string): ApiError {
  return new ApiError("InternalError", `Internal error occurred: ${why}`, {
    details: { causes: [{ message: why }] },
  });
}

/** A definition is being deleted: nothing new may come below it. */
export function notWhileTerminating({ group, resource }: ResourceName): ApiError {
  return new ApiError("MethodNotAllowed", "create not allowed while custom resource definition is terminating", {
    details: { group, kind: resource },
  });
}

export function notAcceptable(available: readonly string[]): ApiError {
  return new ApiError("NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${available.join(", ")}`, {
    details: {},
  });
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError(
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}

export function tooLarge(message: string): ApiError {
  return new ApiError("RequestEntityTooLarge", `Request entity too large: ${message}`);
}

/** A patch that does not fit the object it is meant for (RFC 5789, 2.2). `why` is for logs: the answer keeps it back. */
export function patchRejected(why: string): ApiError {
  return new ApiError("Invalid", "the server rejected our request due to an error in our request", {
    details: {},
    cause: new Error(why),
  });
}

/** History older than what is kept: a watch or an exact read below it (rules: Change tracking, 2). */
export function expired(message: string): ApiError {
  return new ApiError("Expired", message);
}

/**
 * A page of a list whose version is forgotten (rules: Paged lists, 3). `continueToken` goes on with the newest
 * state, for clients that can do with a list that is not of one moment.
 */
export function continueExpired(continueToken: string): ApiError {
  return new ApiError(
    "Expired",
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
      "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
      "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
      "deleted between the time the first chunk was returned and now may show up in the list.",
    { metadata: { continue: continueToken } },
  );
}

/** A revision that the store has not reached in time (rules: Resource version semantics). */
export function tooLargeResourceVersion(wanted: number, current: number): ApiError {
  return new ApiError("Timeout", `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });
}

/** Something this answer needs is away for now; nothing was executed. */
export function unavailable(message: string, cause?: unknown): ApiError {
  return new ApiError("ServiceUnavailable", message, { details: { retryAfterSeconds: 1 }, cause });
}

export function timeout(message: string, cause?: unknown): ApiError {
  return new ApiError("Timeout", message, { details: { retryAfterSeconds: 1 }, cause });
}

export function insufficientStorage(cause?: unknown): ApiError {
  return new ApiError("InsufficientStorage", "the store has no room left; nothing was written", { cause });
}
