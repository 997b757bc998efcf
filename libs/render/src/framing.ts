import { cborWatchEvent, printCbor } from "@orch/codec/cbor/print.js";
import { encodeMessage } from "@orch/codec/protobuf/encode.js";
import { protobufItemSize, protobufList, watchEventFrame, wrapObject } from "@orch/codec/protobuf/envelope.js";
import { encodeJson, encodeJsonMember } from "@orch/codec/protobuf/from-json.js";
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
  /** The same of the JSON of the tree, or of its metadata where it has nothing else; absent where that is no faster. */
  readonly fromJson?: Readonly<Record<"object" | "metadata", (type: MessageType, json: Buffer) => Buffer>>;
  /** A whole body; `typeMeta` is undefined for a piece that holds it. */
  document(typeMeta: TypeMeta | undefined, piece: Buffer): Buffer;
  list(head: ListHead, items: ItemsSize): ListFrame;
  /** A list begins with the length of all of it: `list` asks for the bytes of its items, else only for their number. */
  readonly sized: boolean;
  /** Bytes of a piece of this length and what stands before it in a list; 0 where nobody asks for them. */
  itemSize(length: number): number;
  /** One event of a watch, with a body as its object. */
  event(type: string, document: Buffer): Buffer;
}

export interface Sized {
  readonly length: number;
}

/** The items of a list. */
export interface ItemsSize {
  readonly count: number;
  /** Of all, with what stands before each. */
  readonly bytes: number;
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
  itemSize: () => 0,
  piece: (_type, tree) => ownBytes(jsonText(tree)).subarray(1),
  document: (typeMeta, piece) =>
    Buffer.concat([typeMeta === undefined ? openBrace : Buffer.from(jsonHead(typeMeta)), piece, newline]),
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
  itemSize: protobufItemSize,
  piece: (type, tree) => encodeMessage(type(), tree),
  fromJson: { object: encodeJson, metadata: (type, json) => encodeJsonMember(type, "metadata", json) },
  document: (typeMeta, piece) => {
    // Custom resources have no Protobuf form.
    if (typeMeta === undefined) throw new TypeError("a Protobuf body without a type");
    return wrapObject(typeMeta, piece);
  },
  list: ({ typeMeta, metadata, metadataType }, { bytes }) => {
    const frame = protobufList(typeMeta, { type: metadataType(), value: metadata }, bytes);
    return { head: frame.head, before: (_index, { length }) => frame.itemHeader(length), tail: frame.tail };
  },
  event: watchEventFrame,
};

/** As the reference writes texts: its typed clients read a Base64 field from nothing else. */
const cborStyle = { strings: "bytes" } as const;
const cborTagSize = 3;
const cborTag = printCbor({}, cborStyle).subarray(0, cborTagSize);
const cborMap = 0xa0;
const cborList = 0x80;

/** A piece is the head of a map and its entries, without the tag of a whole body. */
export const cborFraming: Framing = {
  sized: false,
  itemSize: () => 0,
  piece: (_type, tree) => printCbor(tree, cborStyle).subarray(cborTagSize),
  document: (typeMeta, piece) => {
    if (typeMeta === undefined) return Buffer.concat([cborTag, piece]);
    const { count, entries } = cborEntries(piece);
    return cborBody(typeMeta, count, [entries]);
  },
  list: ({ typeMeta, metadata }, { count }) => {
    const listMeta = printCbor({ metadata }, cborStyle).subarray(cborTagSize + 1);
    const head = cborBody(typeMeta, 2, [listMeta, cborText("items"), cborHead(cborList, count)]);
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

/** For encodings that are not `sized` and do not count items. */
export const uncounted: ItemsSize = { count: 0, bytes: 0 };

/** Of pieces that are there. */
export function itemsSize(framing: Pick<Framing, "itemSize">, pieces: readonly Sized[]): ItemsSize {
  let bytes = 0;
  for (const { length } of pieces) bytes += framing.itemSize(length);
  return { count: pieces.length, bytes };
}

export const framings: Readonly<Record<Encoding, Framing>> = {
  json: jsonFraming,
  protobuf: protobufFraming,
  cbor: cborFraming,
};
