import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Catalog } from "@orch/api/catalog.js";
import { parseCbor } from "@orch/codec/cbor/parse.js";
import type { Decoded } from "@orch/codec/decoded.js";
import { parseJson } from "@orch/codec/json.js";
import { parseProtobuf, unwrapObject } from "@orch/codec/protobuf/envelope.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { isObject, type JsonObject, type MessageType } from "@orch/schema/descriptor.js";
import { jsonText } from "@orch/status/json-text.js";
import { isGzip } from "../http/gzip.js";

/** A body, read: the value, and its text where that can stand in an event as it came. */
export interface BodyValue {
  readonly value: unknown;
  /** JSON in one line, as it came. */
  readonly text: string | undefined;
}

export interface TypedBody {
  readonly bytes: Buffer;
  readonly contentType: string;
}

/** Larger objects are left out of events. */
export const maxObjectBytes = 4 * 1024 * 1024;
/** Other encodings take longer to read than JSON. */
const maxForeignBytes = 1024 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Reads a body in whatever encoding, without a type to hold it against; undefined of what cannot be read. */
export function readBody({ bytes, contentType }: TypedBody, catalog: Catalog): BodyValue | undefined {
  try {
    if (isJson(contentType)) {
      const read = parseJson(bytes);
      return read.ok ? { value: read.value, text: inOneLine(bytes) } : undefined;
    }
    if (bytes.length > maxForeignBytes) return undefined;
    const read = parsed(contentType, bytes, catalog);
    return read?.ok === true ? { value: read.value, text: undefined } : undefined;
  } catch {
    // A body that nobody can read is not for events to tell of: its answer does.
    return undefined;
  }
}

/** A valid text of JSON as it is; undefined of one that has several lines. */
function inOneLine(bytes: Buffer): string | undefined {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] ?? 0) <= 0x20) end--;
  const text = bytes.subarray(0, end);
  return text.includes(lineFeed) || text.includes(carriageReturn) ? undefined : text.toString("utf8");
}

const isJson = (contentType: string): boolean => contentType === "" || contentType.includes("json");

function parsed(contentType: string, bytes: Buffer, catalog: Catalog): Decoded | undefined {
  if (contentType.includes("yaml")) return parseYaml(bytes);
  if (contentType.includes("cbor")) return parseCbor(bytes);
  if (!contentType.includes("protobuf")) return undefined;
  const unwrapped = unwrapObject(bytes);
  const type = unwrapped.ok ? typeOf(catalog, unwrapped.typeMeta) : undefined;
  return type === undefined ? undefined : parseProtobuf(type, bytes);
}

function typeOf(catalog: Catalog, { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) {
  const own = catalog.kind(apiVersion, kind);
  if (own !== undefined) return own.type;
  const list = kind.endsWith("List") ? catalog.kind(apiVersion, kind.slice(0, -"List".length))?.listType : undefined;
  const found: MessageType | undefined = list ?? catalog.type(`meta/v1.${kind}`);
  return found;
}

/** As JSON in one line; undefined of what cannot be printed: it is nested too deep. */
export function textOf({ value, text }: BodyValue, omitManagedFields: boolean): string | undefined {
  try {
    if (omitManagedFields && hasManagedFields(value)) return jsonText(withoutManagedFields(value));
    return text ?? jsonText(value);
  } catch {
    return undefined;
  }
}

const itemsOf = (value: JsonObject): readonly unknown[] => (Array.isArray(value["items"]) ? value["items"] : []);

function hasManagedFields(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { metadata } = value;
  if (isObject(metadata) && "managedFields" in metadata) return true;
  return itemsOf(value).some(hasManagedFields);
}

function withoutManagedFields(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { metadata, items } = value;
  const kept = isObject(metadata) ? { metadata: without(metadata, "managedFields") } : {};
  return { ...value, ...kept, ...(Array.isArray(items) ? { items: items.map(withoutManagedFields) } : {}) };
}

function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/** A body without its compression; undefined of one that is too large. */
export async function inflated(bytes: Buffer): Promise<Buffer | undefined> {
  if (!isGzip(bytes)) return bytes;
  return inflate(bytes, { maxOutputLength: maxObjectBytes }).catch(() => undefined);
}
