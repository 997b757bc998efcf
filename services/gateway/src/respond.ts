import { printYaml } from "@orch/codec/yaml.js";
import type { Encoding } from "@orch/render/form.js";
import { framings } from "@orch/render/framing.js";
import { isObject, type MessageType } from "@orch/schema/descriptor.js";
import type { ApiError } from "@orch/status/api-error.js";
import type { Exchange, HeaderList } from "./exchange.js";
import { plainJson, type Representation } from "./representation.js";

export interface Document {
  readonly code: number;
  /** In the encoding of the representation; JSON where that is YAML. */
  readonly body: Buffer;
  readonly headers: HeaderList;
}

/** A value that was made here: discovery, a Status. */
export interface Answer {
  readonly code: number;
  readonly value: object;
  readonly headers?: HeaderList;
}

export interface Failure {
  readonly error: ApiError;
  readonly warnings: readonly string[];
}

/** Types of the meta group by kind: what Protobuf needs to know of a value. */
export type MetaTypeOf = (kind: string) => MessageType | undefined;

/** Writes answers in the representation that was asked for. */
export interface Responder {
  document(exchange: Exchange, representation: Representation, document: Document): void;
  value(exchange: Exchange, representation: Representation, answer: Answer): void;
  /** `warnings` are those of the request, whatever became of it. */
  error(exchange: Exchange, representation: Representation, failure: Failure): void;
}

const plainHeaders: HeaderList = ["Content-Type", "application/json"];

export function createResponder(metaType: MetaTypeOf): Responder {
  const value = (exchange: Exchange, wanted: Representation, answer: Answer): void => {
    const { representation, body } = printed(wanted, answer.value, metaType);
    exchange.send(answer.code, ["Content-Type", representation.contentType, ...(answer.headers ?? [])], body);
  };
  return {
    value,
    document(exchange, representation, { code, body, headers }) {
      const { encoding, pretty, contentType } = representation;
      if (encoding === "yaml" || pretty) {
        value(exchange, representation, { code, value: JSON.parse(body.toString("utf8")), headers });
      } else if (encoding === "json" && headers.length === 0) exchange.send(code, plainHeaders, body);
      else exchange.send(code, ["Content-Type", contentType, ...headers], body);
    },
    error(exchange, representation, { error, warnings }) {
      const headers = [...warningHeaders(warnings)];
      const retryAfter = error.details?.retryAfterSeconds;
      if (retryAfter !== undefined) headers.push("Retry-After", String(retryAfter));
      if (error.reason === "Unauthorized") headers.push("WWW-Authenticate", "Bearer");
      value(exchange, unstreamed(representation), { code: error.code, value: error.toStatus(), headers });
    },
  };
}

/** A watch that fails before it begins answers one document. */
function unstreamed(representation: Representation): Representation {
  const { encoding, contentType } = representation;
  if (encoding === "cbor") return { ...representation, contentType: "application/cbor" };
  return { ...representation, contentType: contentType.split(";")[0] ?? contentType };
}

/** A value's body. JSON stands in for an encoding that has no form of the value. */
export function printed(representation: Representation, value: object, metaType: MetaTypeOf) {
  const { encoding, pretty } = representation;
  switch (encoding) {
    case "yaml":
      return { representation, body: printYaml(value) };
    case "json":
      return { representation, body: `${JSON.stringify(value, null, pretty ? 2 : undefined)}\n` };
    default: {
      const body = framed(encoding, value, metaType);
      return body === undefined
        ? { representation: plainJson, body: `${JSON.stringify(value)}\n` }
        : { representation, body };
    }
  }
}

function framed(encoding: Encoding, value: object, metaType: MetaTypeOf): Buffer | undefined {
  const { kind = "", apiVersion = "v1", ...tree }: { kind?: string; apiVersion?: string } = value;
  const type = metaType(kind);
  if (type === undefined || !isObject(tree)) return undefined;
  const framing = framings[encoding];
  return framing.document(
    { kind, apiVersion },
    framing.piece(() => type, tree),
  );
}

/** RFC 7234 section 5.5: one header a warning, code 299. */
export function warningHeaders(warnings: readonly string[]): HeaderList {
  return warnings.length === 0 ? [] : shortened([...new Set(warnings)]).flatMap((t) => ["Warning", headerText(t)]);
}

const maxWarnings = 4096;
const maxWarning = 256;

/**
 * Characters of all warnings are bounded, as in the reference: clients refuse a response of endless headers. Too many
 * are cut, each, and none begins behind the bound.
 */
function shortened(warnings: readonly string[]): readonly string[] {
  const runes = warnings.map((text) => [...text]);
  if (runes.reduce((sum, text) => sum + text.length, 0) <= maxWarnings) return warnings;
  let written = 0;
  return runes.flatMap((text) => {
    if (written >= maxWarnings) return [];
    const short = text.slice(0, maxWarning);
    written += short.length;
    return [short.join("")];
  });
}

/** A quoted text as a header can carry it: control characters escaped or dropped, the rest as bytes of UTF-8. */
function headerText(text: string): string {
  return Buffer.from(`299 - ${JSON.stringify(text).replaceAll("\x7f", "")}`, "utf8").toString("latin1");
}
