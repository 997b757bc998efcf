/** Why a call to something that users run gave no answer. */
export type CallFailure =
  /** No connection, or one that broke. */
  | "connection"
  | "timeout"
  /** An HTTP status other than 2xx. */
  | "status"
  /** Too long to be read. */
  | "answer";

/** A call that failed; the message says how, and is fit for the client that waits for it. */
export class CallError extends Error {
  readonly failure: CallFailure;
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;

  constructor(failure: CallFailure, message: string, options: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.name = "CallError";
    this.failure = failure;
    this.status = options.status;
  }
}

/** What went wrong with a connection, as the reference tells it. */
export function connectionProblem(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = codeOf(error);
  const known = byCode[code];
  if (known !== undefined) return known;
  if (unknownAuthority.has(code)) return untrusted("certificate signed by unknown authority");
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return untrusted(otherName(error));
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return untrusted("certificate has expired or is not yet valid");
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `dial tcp: lookup ${textOf(error, "hostname")}: no such host`;
  const dialed = dialProblems[code];
  if (dialed !== undefined) return `dial tcp ${addressOf(error)}: connect: ${dialed}`;
  const alert = textOf(error, "reason").split(" alert ")[1];
  if (alert !== undefined) return `remote error: tls: ${alert}`;
  return error.message === "" ? code || "unknown" : error.message;
}

/** Whether a connection was there and the other side has ended it. */
export function isBroken(error: unknown): boolean {
  return error instanceof Error && brokenCodes.has(codeOf(error));
}

const brokenCodes = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

const byCode: Readonly<Record<string, string | undefined>> = { UND_ERR_SOCKET: "EOF", ECONNRESET: "EOF", EPIPE: "EOF" };

const unknownAuthority = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

const dialProblems: Readonly<Record<string, string | undefined>> = {
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  ETIMEDOUT: "connection timed out",
};

const untrusted = (why: string): string => `tls: failed to verify certificate: x509: ${why}`;

function otherName(error: Error): string {
  const certificate: unknown = "cert" in error ? error.cert : undefined;
  const names =
    certificate instanceof Object && "subjectaltname" in certificate ? String(certificate.subjectaltname) : "";
  const valid = names.split(", ").map((name) => name.slice(name.indexOf(":") + 1));
  return `certificate is valid for ${valid.join(", ")}, not ${textOf(error, "host")}`;
}

function addressOf(error: Error): string {
  // Where both families were tried there are several.
  const [first = error] = error instanceof AggregateError ? error.errors : [error];
  const host = textOf(first, "address");
  return `${host.includes(":") ? `[${host}]` : host}:${textOf(first, "port")}`;
}

function codeOf(error: Error): string {
  return textOf(error, "code");
}

function textOf(error: Error, name: string): string {
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
