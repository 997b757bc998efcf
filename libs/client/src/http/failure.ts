import { ApiError, outcomeUnknown, type StatusDetails, unavailable } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";
import { httpCodes, isReason, type Reason } from "@orch/status/reasons.js";
import { isRecord } from "../objects.js";

/** Failures of a connection after which surely nothing was executed. */
const neverSent = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

/**
 * What a broken connection means: ServiceUnavailable where nothing was executed or nothing could be, Timeout with an
 * unknown outcome for a write that may have been.
 */
export function connectionError(cause: unknown, reads: boolean): ApiError {
  if (cause instanceof ApiError) return cause;
  const code = isRecord(cause) && typeof cause["code"] === "string" ? cause["code"] : "";
  const text = messageOf(cause);
  const untouched = reads || neverSent.has(code) || /^(ERR_TLS|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED)/.test(code);
  return untouched ? unavailable(`the server can not be reached: ${text}`, cause) : outcomeUnknown(cause);
}

/** The error that an answer with a code of 400 or more stands for: its Status, or what the code alone says. */
export function answerError(code: number, body: Buffer): ApiError {
  const text = body.toString("utf8");
  try {
    const status: unknown = readJson(text);
    if (isRecord(status) && status["kind"] === "Status") return statusError(status, code);
  } catch {
    // no Status: another server on the way answered, a proxy for example
  }
  return new ApiError(reasonOf(code), text.trim().slice(0, 1000) || `the server answered ${code}`, { code });
}

/** A Status body as the error it stands for. */
export function statusError(status: Readonly<Record<string, unknown>>, code = 500): ApiError {
  const { message, reason, details } = status;
  return ApiError.fromStatus({
    code: typeof status["code"] === "number" ? status["code"] : code,
    ...(typeof message === "string" ? { message } : {}),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(isDetails(details) ? { details } : {}),
  });
}

/** The details' own fields are all optional, and whoever reads one checks it. */
function isDetails(value: unknown): value is StatusDetails {
  return isRecord(value);
}

function reasonOf(code: number): Reason {
  const preferred: Readonly<Record<number, Reason>> = {
    409: "Conflict",
    410: "Gone",
    500: "InternalError",
    504: "Timeout",
  };
  const known = preferred[code] ?? Object.entries(httpCodes).find(([, c]) => c === code)?.[0];
  return isReason(known) ? known : "InternalError";
}
