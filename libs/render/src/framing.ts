import { cborWatchEvent, printCbor } from "@orch/codec/cbor-print.js";
import { encodeMessage } from "@orch/codec/protobuf-encode.js";
import { protobufList, watchEventFrame, wrapObject } from "@orch/codec/protobuf-envelope.js";
import type { JsonObject, MessageType } from "@orch/schema/descriptor.js";
import { jsonText } from "@orch/status/json-text.js";
import type { Encoding } from "./form.js";
import type { TypeMeta } from "./shape.js";

/**
 * An encoding. An object is encoded once, into a piece without its kind and apiVersion; a piece becomes a body of its
 * own, an item of a list, or the object of an event by what is written around it.
 */
export interface Framing {
  piece(type: () => MessageType, tree: JsonObject): Buffer;
  /** A whole body. */
  document(typeMeta: TypeMeta, piece: Buffer): Buffer;
  /** Of the pieces it asks how many they are; how long each is only where `sized`. */
  list(head: ListHead, pieces: readonly Sized[]): ListFrame;
  /** A list begins with the length of all of it. */
  readonly sized: boolean;
  /** One event of a watch, with a body as its object. */
  event(type: string, document: Buffer): Buffer;
}

export interface Sized {
  readonly length: number;
}

export interface ListHead {
  readonly typeMeta: TypeMeta;
  readonly metadata: JsonObject;
  readonly metadataType: () => MessageType;
}

/** The parts of a list's body around its pieces. */
export interface ListFrame {
  readonly head: Buffer;
  /** Stands before a piece, the separator from the one before it included. */
  before(index: number, piece: Sized): Buffer;
  readonly tail: Buffer;
}

const none = Buffer.alloc(0);
const openBrace = Buffer.from("{");
const commaOpenBrace = Buffer.from(",{");
const newline = Buffer.from("\n");
const endOfList = Buffer.from("]}\n");
const endOfEvent = Buffer.from("}\n");

/** A piece is an object's text without the opening brace. */
export const jsonFraming: Framing = {
  sized: false,
  piece: (_type, tree) => ownBytes(jsonText(tree)).subarray(1),
  document: (typeMeta, piece) => Buffer.concat([Buffer.from(jsonHead(typeMeta)), piece, newline]),
  list: ({ typeMeta, metadata }) => ({
    head: Buffer.from(`${jsonHead(typeMeta)}"metadata":${jsonText(metadata)},"items":[`),
    before: (index) => (index === 0 ? openBrace : commaOpenBrace),
    tail: endOfList,
  }),
  event: (type, document) =>
    Buffer.concat([Buffer.from(`{"type":"${type}","object":`), document.subarray(0, -1), endOfEvent]),
};

/** Not of node's pool: a piece is kept for long, and would keep 8 KiB of it. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text, 0, "utf8");
  return bytes;
}

function jsonHead({ kind, apiVersion }: TypeMeta): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

/** A piece is the message without its envelope. */
export const protobufFraming: Framing = {
  sized: true,
  piece: (type, tree) => encodeMessage(type(), tree),
  document: wrapObject,
  list: ({ typeMeta, metadata, metadataType }, pieces) => {
    const sizes = pieces.map((piece) => piece.length);
    const frame = protobufList(typeMeta, { type: metadataType(), value: metadata }, sizes);
    return { head: frame.head, before: (_index, { length }) => frame.itemHeader(length), tail: frame.tail };
  },
  event: watchEventFrame,
};

/** As the reference writes texts: its typed clients read a Base64 field from nothing else. */
const cborStyle = { strings: "bytes" } as const;
const cborTagSize = 3;
const cborMap = 0xa0;
const cborList = 0x80;

/** A piece is the head of a map and its entries, without the tag of a whole body. */
export const cborFraming: Framing = {
  sized: false,
  piece: (_type, tree) => printCbor(tree, cborStyle).subarray(cborTagSize),
  document: (typeMeta, piece) => {
    const { count, entries } = cborEntries(piece);
    return cborBody(typeMeta, count, [entries]);
  },
  list: ({ typeMeta, metadata }, pieces) => {
    const listMeta = printCbor({ metadata }, cborStyle).subarray(cborTagSize + 1);
    const head = cborBody(typeMeta, 2, [listMeta, cborText("items"), cborHead(cborList, pieces.length)]);
    return { head, before: () => none, tail: none };
  },
  event: (type, document) => cborWatchEvent(type, document, cborStyle),
};

/** A tagged map of kind, apiVersion and further entries. */
function cborBody({ kind, apiVersion }: TypeMeta, further: number, entries: readonly Buffer[]): Buffer {
  const meta = printCbor({ kind, apiVersion }, cborStyle);
  const tag = meta.subarray(0, cborTagSize);
  return Buffer.concat([tag, cborHead(cborMap, further + 2), meta.subarray(cborTagSize + 1), ...entries]);
}

function cborText(text: string): Buffer {
  return printCbor(text, cborStyle).subarray(cborTagSize);
}

/** The initial byte of a map or an array and its count (RFC 8949, 3). */
function cborHead(majorType: number, count: number): Buffer {
  if (count < 24) return Buffer.from([majorType | count]);
  if (count < 0x100) return Buffer.from([majorType | 24, count]);
  if (count < 0x10000) return Buffer.from([majorType | 25, count >> 8, count & 0xff]);
  const head = Buffer.from([majorType | 26, 0, 0, 0, 0]);
  head.writeUInt32BE(count, 1);
  return head;
}

function cborEntries(map: Buffer): { readonly count: number; readonly entries: Buffer } {
  const short = (map[0] ?? cborMap) & 0x1f;
  if (short < 24) return { count: short, entries: map.subarray(1) };
  const size = 2 ** (short - 24);
  return { count: map.readUIntBE(1, size), entries: map.subarray(1 + size) };
}

export const framings: Readonly<Record<Encoding, Framing>> = {
  json: jsonFraming,
  protobuf: protobufFraming,
  cbor: cborFraming,
};
