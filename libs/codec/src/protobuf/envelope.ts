import { DecodeError } from "@orch/schema/decode.js";
import { isObject, type JsonObject, type MessageType } from "@orch/schema/descriptor.js";
import { putRaw, sizeOf, type Writer, written } from "../backward-writer.js";
import { type Decoded, noDuplicates, unreadable } from "../decoded.js";
import { parseJson } from "../json.js";
import { decodeMessage } from "./decode.js";
import { encodeMessage } from "./encode.js";
import {
  enter,
  expectWire,
  leave,
  numberOf,
  type Reader,
  readerOf,
  readLength,
  readTag,
  readText,
  skip,
  wireOf,
} from "./reader.js";
import { wireType } from "./wire.js";
import { putDelimitedTag, putText, putVarint } from "./writer.js";

/**
 * The envelope of a Protobuf body (rules: Protobuf envelope):
 *
 *     6b 38 73 00 | typeMeta (1) { apiVersion (1), kind (2) } | raw (2) | contentEncoding (3) "" | contentType (4) ""
 *     '------------------ head -------------------------------'          '----------------- tail -----------------'
 */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

const prefix = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
const unknownFields = { typeMeta: 1, raw: 2, contentEncoding: 3, contentType: 4 } as const;
const typeMetaFields = { apiVersion: 1, kind: 2 } as const;
const listFields = { metadata: 1, items: 2 } as const;
const watchEventFields = { type: 1, object: 2 } as const;

/** Both content fields are written, empty. */
const tail = Buffer.from([unknownFields.contentEncoding * 8 + 2, 0, unknownFields.contentType * 8 + 2, 0]);

/** A message with its envelope. */
export function wrapObject(typeMeta: TypeMeta, raw: Buffer): Buffer {
  return written((w) => {
    putRaw(w, tail);
    putRaw(w, raw);
    putHead(w, typeMeta, raw.length);
  });
}

/** All that comes before `raw`. */
function putHead(w: Writer, typeMeta: TypeMeta, rawSize: number): void {
  putVarint(w, rawSize);
  putDelimitedTag(w, unknownFields.raw);
  const before = sizeOf(w);
  putText(w, typeMeta.kind);
  putDelimitedTag(w, typeMetaFields.kind);
  putText(w, typeMeta.apiVersion);
  putDelimitedTag(w, typeMetaFields.apiVersion);
  putVarint(w, sizeOf(w) - before);
  putDelimitedTag(w, unknownFields.typeMeta);
  putRaw(w, prefix);
}

/** What stands around the items of an enveloped list; each item's bytes follow its header. */
export interface ListFraming {
  readonly head: Buffer;
  itemHeader(size: number): Buffer;
  readonly tail: Buffer;
}

/**
 * A list as a stream of messages that are encoded already:
 * head, then for each item its header and its bytes, then tail. `itemsSize` are the bytes of all items and their headers.
 */
export function protobufList(
  typeMeta: TypeMeta,
  metadata: { readonly type: MessageType; readonly value: JsonObject },
  itemsSize: number,
): ListFraming {
  const listMeta = encodeMessage(metadata.type, metadata.value);
  const head = written((w) => {
    putRaw(w, listMeta);
    putVarint(w, listMeta.length);
    putDelimitedTag(w, listFields.metadata);
    putHead(w, typeMeta, sizeOf(w) + itemsSize);
  });
  return { head, itemHeader, tail };
}

/** Bytes of an item of so many bytes and its header. */
export function protobufItemSize(size: number): number {
  return 1 + varintSize(size) + size;
}

const itemTag = listFields.items * 8 + wireType.delimited;

/** In memory of node's pool: it is not kept, and there are as many as items. */
function itemHeader(size: number): Buffer {
  const bytes = Buffer.allocUnsafe(1 + varintSize(size));
  bytes[0] = itemTag;
  let at = 1;
  let rest = size;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[at++] = (rest % 0x80) | 0x80;
  bytes[at] = rest;
  return bytes;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/**
 * One event of a watch: its length in four bytes, the highest first, then a WatchEvent of meta/v1 whose object is
 * an enveloped body. The event itself has no envelope.
 */
export function watchEventFrame(type: string, envelopedObject: Buffer): Buffer {
  return written((w) => {
    putRaw(w, envelopedObject);
    putVarint(w, envelopedObject.length);
    putDelimitedTag(w, 1);
    putVarint(w, sizeOf(w));
    putDelimitedTag(w, watchEventFields.object);
    putText(w, type);
    putDelimitedTag(w, watchEventFields.type);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(sizeOf(w));
    putRaw(w, length);
  });
}

export type Unwrapped =
  | {
      readonly ok: true;
      readonly typeMeta: TypeMeta;
      readonly raw: Buffer;
      /** The content type of `raw`; `""` for Protobuf. */
      readonly contentType: string;
      readonly contentEncoding: string;
    }
  | { readonly ok: false; readonly problem: string };

/** Takes a body apart; `raw` is a view of it. */
export function unwrapObject(bytes: Buffer): Unwrapped {
  if (bytes.length === 0) return { ok: false, problem: "empty data" };
  if (!bytes.subarray(0, prefix.length).equals(prefix)) {
    const expected = `[${[...prefix].join(" ")}]`;
    return {
      ok: false,
      problem: `provided data does not appear to be a protobuf message, expected prefix ${expected}`,
    };
  }
  if (bytes.length === prefix.length) return { ok: false, problem: "empty body" };
  try {
    return { ok: true, ...readUnknown(bytes.subarray(prefix.length)) };
  } catch (error) {
    if (error instanceof DecodeError) return { ok: false, problem: error.message };
    throw error;
  }
}

function readUnknown(bytes: Buffer) {
  const r = readerOf(bytes);
  let typeMeta: TypeMeta = { apiVersion: "", kind: "" };
  let raw = bytes.subarray(0, 0);
  let contentEncoding = "";
  let contentType = "";
  while (r.at < r.end) {
    const tag = readTag(r);
    const number = numberOf(tag);
    if (number > unknownFields.contentType) {
      skip(r, wireOf(tag));
      continue;
    }
    expectWire("Unknown", wireOf(tag), wireType.delimited);
    const end = readLength(r);
    if (number === unknownFields.typeMeta) typeMeta = readTypeMeta(r, end, typeMeta);
    else if (number === unknownFields.contentEncoding) contentEncoding = readText(r, end);
    else if (number === unknownFields.contentType) contentType = readText(r, end);
    else {
      raw = bytes.subarray(r.at, end);
      r.at = end;
    }
  }
  return { typeMeta, raw, contentEncoding, contentType };
}

function readTypeMeta(r: Reader, end: number, known: TypeMeta): TypeMeta {
  let { apiVersion, kind } = known;
  const outer = enter(r, end);
  while (r.at < end) {
    const tag = readTag(r);
    const number = numberOf(tag);
    if (number !== typeMetaFields.apiVersion && number !== typeMetaFields.kind) {
      skip(r, wireOf(tag));
      continue;
    }
    expectWire("TypeMeta", wireOf(tag), wireType.delimited);
    const text = readText(r, readLength(r));
    if (number === typeMetaFields.apiVersion) apiVersion = text;
    else kind = text;
  }
  leave(r, outer);
  return { apiVersion, kind };
}

export interface ProtobufLimits {
  /** Checks the envelope before the object is read as this type. @throws the error that the caller answers with */
  readonly check?: (typeMeta: TypeMeta) => void;
}

/**
 * Reads an enveloped body as a tree with the envelope's `apiVersion` and `kind`, where it names them. An object that
 * the envelope says is JSON is read as that; other content types are taken for Protobuf, as the reference does.
 *
 * @throws DecodeError for an object that is not of this type; a broken envelope is a value like any unreadable body
 */
export function parseProtobuf(type: MessageType, bytes: Buffer, limits: ProtobufLimits = {}): Decoded {
  const body = unwrapObject(bytes);
  if (!body.ok) return unreadable("protobuf", body.problem, bytes);
  const { typeMeta, raw } = body;
  limits.check?.(typeMeta);
  if (body.contentEncoding !== "") {
    return unreadable("protobuf", `content encoding ${JSON.stringify(body.contentEncoding)} is not supported`, bytes);
  }
  const named = {
    ...(typeMeta.kind === "" ? {} : { kind: typeMeta.kind }),
    ...(typeMeta.apiVersion === "" ? {} : { apiVersion: typeMeta.apiVersion }),
  };
  if (body.contentType !== "application/json") {
    return { ok: true, value: { ...named, ...decodeMessage(type, raw) }, duplicates: noDuplicates };
  }
  const read = parseJson(raw);
  return read.ok && isObject(read.value) ? { ...read, value: { ...named, ...read.value } } : read;
}
