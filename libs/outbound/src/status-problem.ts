import { readJson } from "@orch/status/read-json.js";

/** What a refusal says: the message of the Status in it, else a sentence of the reference's client for its code. */
export function statusProblem(code: number, body: Buffer): string {
  const told = messageOf(body);
  if (told !== undefined) return told;
  const known = sentences[code];
  if (known !== undefined) return known;
  if (code >= 500) return `an error on the server ("unknown") has prevented the request from succeeding`;
  return code < 400
    ? notFound
    : `the server responded with the status code ${code} but did not return more information`;
}

const notFound = "the server could not find the requested resource";

const sentences: Readonly<Record<number, string | undefined>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  403: "unknown",
  404: notFound,
  405: "the server does not allow this method on the requested resource",
  406: "the server was unable to respond with a content type that the client supports",
  409: "the server reported a conflict",
  410: "the server no longer serves the requested resource",
  415: "the server was not able to understand the content type of the request",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

interface Told {
  readonly kind?: unknown;
  readonly status?: unknown;
  readonly message?: unknown;
}

function messageOf(body: Buffer): string | undefined {
  try {
    const told: Told | null = readJson(body.toString("utf8"));
    const { kind, message } = told ?? {};
    return kind === "Status" && typeof message === "string" && message !== "" ? message : undefined;
  } catch {
    return undefined;
  }
}
