import { createWireReader, readsPast } from "./wire-reader.js";

/** How the source of a data key is used. */
export const sourceTypes = { aesGcmKey: 0, extendedNonceSeed: 1 } as const;

/** Who can give the data key back, and of what: all of an envelope but the data. */
export interface KeySource {
  /** Of the plugin's key. */
  readonly keyId: string;
  /** The key or seed, wrapped by the plugin. */
  readonly wrapped: Buffer;
  readonly annotations: Readonly<Record<string, Buffer>>;
  readonly type: number;
}

/** The message `EncryptedObject` of KMS v2. */
export interface EncryptedObject extends KeySource {
  readonly data: Buffer;
}

export type Decoded<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

const tags = { data: 0x0a, keyId: 0x12, wrapped: 0x1a, annotation: 0x22, type: 0x28 } as const;

/** The fields behind the data: one value for all objects of a data key. */
export function encodeSource({ keyId, wrapped, annotations, type }: KeySource): Buffer {
  const entries = Object.entries(annotations).map(([name, value]) =>
    field(tags.annotation, Buffer.concat([field(0x0a, Buffer.from(name)), field(0x12, value)])),
  );
  return Buffer.concat([
    field(tags.keyId, Buffer.from(keyId)),
    field(tags.wrapped, wrapped),
    ...entries,
    ...(type === 0 ? [] : [Buffer.from([tags.type, type])]),
  ]);
}

function field(tag: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left >>>= 7) bytes.push((left & 0x7f) | 0x80);
  bytes.push(left);
  return Buffer.from(bytes);
}

/** How many bytes stand before data of so many. */
export function dataHeadBytes(length: number): number {
  return 1 + (length < 1 << 7 ? 1 : length < 1 << 14 ? 2 : length < 1 << 21 ? 3 : length < 1 << 28 ? 4 : 5);
}

/** Writes what stands before the data. */
export function writeDataHead(target: Buffer, at: number, length: number): void {
  target[at] = tags.data;
  varint(length).copy(target, at + 1);
}

/** Where the data and what is behind it stand, in the order in which they are written; undefined in any other. */
export function dataRange(stored: Buffer, at: number): { readonly begin: number; readonly end: number } | undefined {
  if (stored[at] !== tags.data) return undefined;
  let length = 0;
  let begin = at + 1;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = stored[begin++];
    if (byte === undefined) return undefined;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) return begin + length < stored.length ? { begin, end: begin + length } : undefined;
  }
  return undefined;
}

/** Reads a whole message, whatever the order of its fields. Bytes are views. */
export function decodeObject(bytes: Buffer): Decoded<EncryptedObject> {
  const reader = createWireReader(bytes);
  let data: Buffer = Buffer.alloc(0);
  let wrapped = data;
  let keyId = "";
  let type = 0;
  const annotations = new Map<string, Buffer>();
  try {
    while (!reader.done) {
      const tag = reader.varint();
      if (tag === tags.data) data = reader.bytes();
      else if (tag === tags.keyId) keyId = reader.bytes().toString();
      else if (tag === tags.wrapped) wrapped = reader.bytes();
      else if (tag === tags.annotation) annotations.set(...annotation(reader.bytes()));
      else if (tag === tags.type) type = reader.varint();
      else reader.skip(tag);
    }
  } catch (error) {
    return { ok: false, why: readsPast(error) };
  }
  return { ok: true, value: { data, keyId, wrapped, annotations: Object.fromEntries(annotations), type } };
}

function annotation(bytes: Buffer): [name: string, value: Buffer] {
  const reader = createWireReader(bytes);
  let name = "";
  let value: Buffer = Buffer.alloc(0);
  while (!reader.done) {
    const tag = reader.varint();
    if (tag === 0x0a) name = reader.bytes().toString();
    else if (tag === 0x12) value = reader.bytes();
    else reader.skip(tag);
  }
  return [name, value];
}
