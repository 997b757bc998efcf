import { exactWholeNumber, isTrue } from "@orch/api/query-values.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { canonicalTime } from "@orch/schema/formats/time.js";
import { badRequest, invalid } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

type Query = URLSearchParams | undefined;

/** What the query of `pods/log` asks for. */
export interface LogOptions {
  /** "" where none is named. */
  readonly container: string;
  /** The query for the node's agent. */
  readonly params: string;
  /** The certificate of the node's agent is not checked. */
  readonly insecure: boolean;
}

const flags = ["follow", "previous", "timestamps"] as const;
const numbers = ["sinceSeconds", "tailLines", "limitBytes"] as const;
const streams: readonly string[] = ["All", "Stderr", "Stdout"];

/** `choosesStream`: gate PodLogsQuerySplitStreams. @throws ApiError BadRequest, Invalid */
export function logOptions(
  query: Query,
  { name, choosesStream }: { readonly name: string; readonly choosesStream: boolean },
): LogOptions {
  const params = new URLSearchParams();
  for (const flag of flags) if (isSet(query, flag)) params.set(flag, "true");
  for (const key of numbers) {
    const value = exactWholeNumber(query?.get(key));
    if (value !== undefined) params.set(key, String(value));
  }
  const sinceTime = timeIn(query?.get("sinceTime"));
  if (sinceTime !== undefined) params.set("sinceTime", sinceTime);
  const stream = query?.get("stream") ?? (choosesStream ? "All" : undefined);
  const errors = [...errorsOf(params), ...streamErrors(stream, choosesStream, params.has("tailLines"))];
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, name, errors);
  if (stream !== undefined) params.set("stream", stream);
  params.sort();
  return {
    container: query?.get("container") ?? "",
    params: params.toString(),
    insecure: isSet(query, "insecureSkipTLSVerifyBackend"),
  };
}

function errorsOf(params: URLSearchParams): readonly FieldError[] {
  const number = (key: string): number | undefined => (params.has(key) ? Number(params.get(key)) : undefined);
  const tail = number("tailLines");
  const limit = number("limitBytes");
  const since = number("sinceSeconds");
  const both = since !== undefined && params.has("sinceTime");
  const positive = "must be greater than 0";
  return [
    ...(tail !== undefined && tail < 0
      ? [fieldError.invalid("tailLines", tail, "must be greater than or equal to 0")]
      : []),
    ...(limit !== undefined && limit < 1 ? [fieldError.invalid("limitBytes", limit, positive)] : []),
    ...(both ? [fieldError.forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified")] : []),
    ...(!both && since !== undefined && since < 1 ? [fieldError.invalid("sinceSeconds", since, positive)] : []),
  ];
}

function streamErrors(stream: string | undefined, mayChoose: boolean, tails: boolean): readonly FieldError[] {
  if (stream === undefined) return [];
  if (!mayChoose) return [fieldError.forbidden("stream", "may not be specified")];
  return [
    ...(streams.includes(stream) ? [] : [fieldError.notSupported("stream", stream, streams)]),
    ...(stream !== "All" && tails
      ? [fieldError.forbidden("", "`tailLines` and specific `stream` are mutually exclusive for now")]
      : []),
  ];
}

/** Old clients send `null` for none. */
function timeIn(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined || text === "" || text === "null") return undefined;
  const time = canonicalTime(text);
  if (time !== undefined) return time;
  throw badRequest(`parsing time ${JSON.stringify(cut(text))}: not a time of RFC 3339`);
}

function isSet(query: Query, key: string): boolean {
  return isTrue(query?.get(key));
}

/** PodExecOptions, PodAttachOptions or PodPortForwardOptions of a query. @throws ApiError BadRequest */
export function connectionOptions(query: Query, part: ConnectionPart): JsonObject {
  if (part === "portforward") return { kind: "PodPortForwardOptions", apiVersion: "v1", ...forwarded(query) };
  const container = query?.get("container") ?? "";
  const command = query?.getAll("command") ?? [];
  return {
    kind: part === "exec" ? "PodExecOptions" : "PodAttachOptions",
    apiVersion: "v1",
    ...(isSet(query, "stdin") ? { stdin: true } : {}),
    // Output and errors are always wanted: their defaults are set after what a client says.
    ...{ stdout: true, stderr: true },
    ...(isSet(query, "tty") ? { tty: true } : {}),
    ...(container === "" ? {} : { container }),
    ...(part === "exec" && command.length > 0 ? { command } : {}),
  };
}

export type ConnectionPart = "exec" | "attach" | "portforward";

/** The query for the node's agent. */
export function connectionParams(options: JsonObject, part: ConnectionPart): string {
  const params = new URLSearchParams();
  if (part === "portforward") {
    const ports = listIn(options, "ports");
    if (ports.length > 0) params.set("port", ports.join(","));
    return params.toString();
  }
  for (const word of part === "exec" ? listIn(options, "command") : []) params.append("command", word);
  if (options["stderr"] === true) params.set("error", "1");
  if (options["stdin"] === true) params.set("input", "1");
  if (options["stdout"] === true) params.set("output", "1");
  if (options["tty"] === true) params.set("tty", "1");
  return params.toString();
}

function listIn(options: JsonObject, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** The text of a field of options; "" where it is absent. */
export function textIn(options: JsonObject, name: string): string {
  const value = options[name];
  return typeof value === "string" ? value : "";
}

const mostPorts = 100;

function forwarded(query: Query): { readonly ports?: readonly number[] } {
  const ports = (query?.getAll("ports") ?? []).map((text) => {
    const port = Number(exactWholeNumber(text) ?? 0);
    if (port > 2 ** 31 - 1 || port < -(2 ** 31)) {
      throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(cut(text))}: value out of range`);
    }
    return port;
  });
  if (ports.length > mostPorts) throw badRequest(`at most ${mostPorts} ports may be asked for`);
  return ports.length === 0 ? {} : { ports };
}
