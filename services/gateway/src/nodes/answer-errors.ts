import { createGatheredBytes } from "@orch/codec/gathered-bytes.js";
import { ApiError, badRequest, internalError } from "@orch/status/api-error.js";
import type { Reason } from "@orch/status/reasons.js";
import type { Incoming, IncomingBody } from "../aggregation/upstream.js";

/** Of what an agent says of its refusal. */
const maxBytes = 50_000;
/** In which it is said: whoever refuses has no reason to take long. */
const refusalMs = 10_000;

/** The body of a refusal, which breaks off if it takes too long. */
export function inTime(refusal: IncomingBody): IncomingBody {
  const patience = setTimeout(() => refusal.destroy(), refusalMs);
  return refusal.once("close", () => clearTimeout(patience));
}

/** What clients read of an agent's refusal, by its code, as the reference tells it. */
const told: Readonly<Record<number, { readonly reason: Reason; readonly message: string }>> = {
  401: { reason: "Unauthorized", message: "the server has asked for the client to provide credentials" },
  404: { reason: "NotFound", message: "the server could not find the requested resource" },
  405: { reason: "MethodNotAllowed", message: "the server does not allow this method on the requested resource" },
  409: { reason: "Conflict", message: "the server reported a conflict" },
  422: { reason: "Invalid", message: "the server rejected our request due to an error in our request" },
  429: {
    reason: "TooManyRequests",
    message: "the server has received too many requests and has asked us to try again later",
  },
  503: { reason: "ServiceUnavailable", message: "the server is currently unable to handle the request" },
  504: {
    reason: "Timeout",
    message: "the server was unable to return a response in the time allotted, but may still be processing the request",
  },
};

/** An agent's answer to a question for a pod's log that is no log. */
export async function refusalOf({ head, body }: Extract<Incoming, { type: "answer" }>, pod: string): Promise<ApiError> {
  const { code } = head;
  const text = await textOf(inTime(body));
  if (code === 400) return badRequest(text);
  if (code === 500) return internalError(text);
  const details = { name: pod, kind: "pods/log" };
  const where = `( pods/log ${pod})`;
  const known = told[code];
  if (known !== undefined) return new ApiError(known.reason, `${known.message} ${where}`, { code, details });
  if (code === 403) return new ApiError("Forbidden", `${text} ${where}`, { details });
  const failed = code > 500;
  const message = failed
    ? `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`
    : "unknown";
  const shown = code >= 400 ? code : 500;
  return new ApiError("InternalError", `${message} ${where}`, {
    ...{ code: shown, details },
    ...(failed ? {} : { toldReason: "Unknown" }),
  });
}

/** As much as is told of it; what broke off is told as far as it came. */
function textOf(body: IncomingBody): Promise<string> {
  return new Promise((resolve) => {
    const parts = createGatheredBytes();
    const over = (): void => resolve(parts.bytes().toString("utf8", 0, maxBytes));
    body.on("data", (part: Buffer) => {
      parts.add(part);
      if (parts.length >= maxBytes) body.destroy();
    });
    body.on("error", () => {}).once("close", over);
  });
}
