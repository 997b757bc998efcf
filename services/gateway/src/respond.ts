import { printJson } from "@orch/codec/json.js";
import { printYaml } from "@orch/codec/yaml/yaml.js";
import type { Encoding } from "@orch/render/form.js";
import { framings } from "@orch/render/framing.js";
import { isObject, type MessageType } from "@orch/schema/descriptor.js";
import type { ApiError } from "@orch/status/api-error.js";
import type { HeaderList, HttpResponse } from "./http/response.js";
import { warningHeaders } from "./http/warning-headers.js";
import { isLaidOut, type Layouts } from "./layout/layouts.js";
import { ofBody, relay } from "./relay.js";
import { plainJson, type Representation } from "./representation.js";

export interface Document {
  readonly code: number;
  /** In the encoding of the representation, or JSON where the representation is YAML. */
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
  /** Settles when the whole document was given to the client; returns at once for a small one. */
  document(response: HttpResponse, representation: Representation, document: Document): void | Promise<void>;
  value(response: HttpResponse, representation: Representation, answer: Answer): void;
  /** `warnings` are those of the request, whatever became of it. */
  error(response: HttpResponse, representation: Representation, failure: Failure): void;
}

const plainHeaders: HeaderList = ["Content-Type", "application/json"];

/** Bodies up to this size are laid out in the turn in which they arrive. */
const smallBytes = 32 * 1024;

export function createResponder(metaType: MetaTypeOf, layouts: Layouts): Responder {
  const value = (response: HttpResponse, wanted: Representation, answer: Answer): void => {
    const { representation, body } = printed(wanted, answer.value, metaType);
    response.send(answer.code, ["Content-Type", representation.contentType, ...(answer.headers ?? [])], body);
  };
  return {
    value,
    document(response, representation, { code, body, headers }) {
      const { encoding, contentType } = representation;
      const laidOut = isLaidOut(representation);
      if (encoding === "json" && !laidOut && headers.length === 0) return response.send(code, plainHeaders, body);
      const all = ["Content-Type", contentType, ...headers];
      if (!laidOut) return response.send(code, all, body);
      if (body.length <= smallBytes) return response.send(code, all, layouts.whole(representation, body));
      const stream = layouts.stream(representation, ofBody(body));
      return relay(response, stream, { code, headersOf: () => all, cutOnFailure: true }).then(() => {});
    },
    error(response, representation, { error, warnings }) {
      const headers = [...warningHeaders(warnings)];
      const retryAfter = error.details?.retryAfterSeconds;
      if (retryAfter !== undefined) headers.push("Retry-After", String(retryAfter));
      // A name that the client chose stands in it.
      if (error.reason === "Forbidden") headers.push("X-Content-Type-Options", "nosniff");
      if (error.reason === "Unauthorized") headers.push("WWW-Authenticate", "Bearer");
      value(response, unstreamed(representation), { code: error.code, value: error.toStatus(), headers });
    },
  };
}

/** A watch that fails before it begins answers one document. */
function unstreamed(representation: Representation): Representation {
  const { encoding, contentType } = representation;
  if (encoding === "cbor") return { ...representation, contentType: "application/cbor" };
  return { ...representation, contentType: contentType.split(";")[0] ?? contentType };
}

/** A value's body; JSON if the encoding has no form for the value. */
export function printed(representation: Representation, value: object, metaType: MetaTypeOf) {
  const { encoding, pretty } = representation;
  switch (encoding) {
    case "yaml":
      return { representation, body: printYaml(value) };
    case "json":
      return { representation, body: printJson(value, { pretty }) };
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
