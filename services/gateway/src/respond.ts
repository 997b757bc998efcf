import { printYaml } from "@orch/codec/yaml.js";
import type { ApiError } from "@orch/status/api-error.js";
import type { Exchange, HeaderList } from "./exchange.js";

/** How a response body is written. */
export interface Representation {
  readonly encoding: "json" | "yaml";
  readonly pretty: boolean;
}

export interface Document {
  readonly code: number;
  /** JSON. */
  readonly body: Buffer;
  readonly warnings: readonly string[];
}

const contentTypes: Record<Representation["encoding"], string> = {
  json: "application/json",
  yaml: "application/yaml",
};

const plainHeaders: HeaderList = ["Content-Type", "application/json"];

/** Sends a JSON document in the representation that was asked for; as it is where that is plain JSON. */
export function sendDocument(exchange: Exchange, representation: Representation, document: Document): void {
  const headers = document.warnings.length === 0 ? plainHeaders : withWarnings(document.warnings);
  if (representation.encoding === "json" && !representation.pretty) {
    exchange.send(document.code, headers, document.body);
    return;
  }
  const value: unknown = JSON.parse(document.body.toString("utf8"));
  sendValue(exchange, representation, { code: document.code, value, headers: headers.slice(2) });
}

/** Sends a value that was made here: discovery, a Status. */
export function sendValue(
  exchange: Exchange,
  representation: Representation,
  answer: { readonly code: number; readonly value: unknown; readonly headers?: HeaderList },
): void {
  const headers = ["Content-Type", contentTypes[representation.encoding], ...(answer.headers ?? [])];
  exchange.send(answer.code, headers, print(representation, answer.value));
}

export function sendError(exchange: Exchange, representation: Representation, error: ApiError): void {
  const headers: string[] = [];
  const retryAfter = error.details?.retryAfterSeconds;
  if (retryAfter !== undefined) headers.push("Retry-After", String(retryAfter));
  if (error.reason === "Unauthorized") headers.push("WWW-Authenticate", "Bearer");
  sendValue(exchange, representation, { code: error.code, value: error.toStatus(), headers });
}

function print({ encoding, pretty }: Representation, value: unknown): string {
  if (encoding === "yaml") return printYaml(value);
  return `${JSON.stringify(value, null, pretty ? 2 : undefined)}\n`;
}

/** RFC 7234 section 5.5: one header a warning, code 299. */
function withWarnings(warnings: readonly string[]): HeaderList {
  return [...plainHeaders, ...shortened(warnings).flatMap((text) => ["Warning", headerText(text)])];
}

const maxWarnings = 4096;
const maxWarning = 256;

/** Characters of all warnings are bounded, as in the reference: clients refuse a response of endless headers. */
function shortened(warnings: readonly string[]): readonly string[] {
  const sum = (texts: readonly string[]): number => texts.reduce((total, text) => total + text.length, 0);
  if (sum(warnings) <= maxWarnings) return warnings;
  const short = warnings.map((text) => text.slice(0, maxWarning));
  return short.filter((_, i) => sum(short.slice(0, i + 1)) <= maxWarnings);
}

/** A quoted text as a header can carry it: control characters escaped or dropped, the rest as bytes of UTF-8. */
function headerText(text: string): string {
  return Buffer.from(`299 - ${JSON.stringify(text).replaceAll("\x7f", "")}`, "utf8").toString("latin1");
}
