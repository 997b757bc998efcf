import { hasShape } from "@orch/schema/decode.js";
import {
  type EitherType,
  type Field,
  field,
  isObject,
  type JsonObject,
  type MessageType,
  type ScalarKind,
  type Type,
} from "@orch/schema/descriptor.js";
import { parseDuration } from "@orch/schema/formats/duration.js";
import { jsonText } from "@orch/status/json-text.js";
import { putRaw, sizeOf, type Writer, written } from "../backward-writer.js";
import { noTimeSeconds, wellKnown, wireType } from "./wire.js";
import { putBase64, putBigInteger, putDelimitedTag, putDouble, putInteger, putText, putVarint } from "./writer.js";

/**
 * A decoded tree as the Protobuf message that the reference's generated code writes, byte for byte: fields in the
 * order of their numbers, what is no pointer always (a zero where the tree has none), maps in the order of their keys.
 * `apiVersion` and `kind` are not in it; they stand in the envelope.
 *
 * @throws TypeError for a tree that does not fit the type, which decoding would have refused
 */
export function encodeMessage(type: MessageType, value: JsonObject): Buffer {
  const message = messageWriter(type);
  return written((w) => message.put(w, value));
}

export interface MessageWriter {
  /** The fields, without a length. */
  put(w: Writer, value: JsonObject): void;
  /** What an absent message of this type is written as. */
  readonly empty: Buffer;
}

type PutField = (w: Writer, message: JsonObject) => void;
/** A value with the length that its wire type needs, but without a tag; undefined stands for the zero value. */
export type Put = (w: Writer, value: unknown) => void;

const compiled = new WeakMap<MessageType, MessageWriter>();

export function messageWriter(type: MessageType): MessageWriter {
  const known = compiled.get(type);
  if (known !== undefined) return known;
  if (!type.protobuf) throw new TypeError(`${type.name} has no Protobuf form`);
  // The last first: a writer goes backwards.
  const fields = type.fields
    .filter((f) => f.number !== undefined)
    .sort((a, b) => (b.number ?? 0) - (a.number ?? 0))
    .map(putField);
  let empty: Buffer | undefined;
  const writer: MessageWriter = {
    put(w, value) {
      for (const put of fields) put(w, value);
    },
    get empty() {
      if (empty === undefined) {
        const zero: Writer = { bytes: Buffer.alloc(64), at: 64 };
        writer.put(zero, {});
        empty = Buffer.from(zero.bytes.subarray(zero.at));
      }
      return empty;
    },
  };
  compiled.set(type, writer);
  return writer;
}

function putField(field: Field): PutField {
  const { name, type, pointer, number = 0 } = field;
  const tag = number * 8 + wireOf(type);
  if (field.inline) {
    const put = putterOf(type);
    return (w, message) => {
      put(w, message);
      putVarint(w, tag);
    };
  }
  if (type.kind === "list" && !type.wrapped) {
    return putList(name, number * 8 + wireOf(type.item), putterOf(type.item));
  }
  if (type.kind === "map")
    return putMap(name, tag, { tag: wellKnown.value * 8 + wireOf(type.value), put: putterOf(type.value) });
  const put = putterOf(type);
  // A list with a type of its own, and bytes, distinguish absence from emptiness without a pointer.
  if (pointer || type.kind === "list" || type.kind === "bytes") {
    return (w, message) => {
      const value = message[name];
      if (value === undefined || value === null) return;
      put(w, value);
      putVarint(w, tag);
    };
  }
  return (w, message) => {
    put(w, message[name] ?? undefined);
    putVarint(w, tag);
  };
}

function putList(name: string, tag: number, put: Put): PutField {
  return (w, message) => {
    const list = message[name];
    if (list === undefined || list === null) return;
    if (!Array.isArray(list)) throw unfit("list", list);
    for (let i = list.length - 1; i >= 0; i--) {
      put(w, list[i] ?? undefined);
      putVarint(w, tag);
    }
  };
}

function putMap(name: string, tag: number, value: { readonly tag: number; readonly put: Put }): PutField {
  return (w, message) => {
    const map = message[name];
    if (map === undefined || map === null) return;
    if (!isObject(map)) throw unfit("map", map);
    const keys = Object.keys(map).sort(byCodePoint);
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i] ?? "";
      const before = sizeOf(w);
      value.put(w, map[key] ?? undefined);
      putVarint(w, value.tag);
      putText(w, key);
      putDelimitedTag(w, wellKnown.key);
      putVarint(w, sizeOf(w) - before);
      putVarint(w, tag);
    }
  };
}

/** The order of the texts' UTF-8 bytes, which differs from that of UTF-16 where surrogates are in it. */
function byCodePoint(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    return Number(isSurrogate(x)) - Number(isSurrogate(y)) || x - y;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

export function wireOf(type: Type): number {
  switch (type.kind) {
    case "int32":
    case "int64":
    case "bool":
      return wireType.varint;
    case "double":
      return wireType.fixed64;
    default:
      return wireType.delimited;
  }
}

export function putterOf(type: Type): Put {
  switch (type.kind) {
    case "message":
      return messagePutter(type);
    case "list":
      return wrappedPutter(putList("items", wellKnown.items * 8 + wireOf(type.item), putterOf(type.item)));
    case "map":
      throw new TypeError("a map has no Protobuf form but as a field");
    case "either":
      return eitherPutter(type);
    default:
      return scalars[type.kind];
  }
}

function messagePutter(type: MessageType): Put {
  let message: MessageWriter | undefined;
  return (w, value) => {
    message ??= messageWriter(type);
    if (value === undefined) {
      putRaw(w, message.empty);
      putVarint(w, message.empty.length);
      return;
    }
    if (!isObject(value)) throw unfit(type.name, value);
    const before = sizeOf(w);
    message.put(w, value);
    putVarint(w, sizeOf(w) - before);
  };
}

function wrappedPutter(put: PutField): Put {
  return delimited((w, items) => put(w, { items }));
}

/** Bool alternatives are no pointers: written always, and true beside the alternative that says more. */
function eitherPutter(type: EitherType): Put {
  const alternatives = [...type.alternatives]
    .sort((a, b) => b.number - a.number)
    .map(({ number, type: form }) => ({
      form,
      put: putField(field({ name: "value", number, type: form, pointer: form.kind !== "bool" })),
    }));
  return delimited((w, value) => {
    for (const { form, put } of alternatives) {
      if (hasShape(form, value)) put(w, { value });
      else if (form.kind === "bool") put(w, { value: value !== undefined });
    }
  });
}

function delimited(put: Put): Put {
  return (w, value) => {
    const before = sizeOf(w);
    put(w, value);
    putVarint(w, sizeOf(w) - before);
  };
}

function unfit(expected: string, value: unknown): TypeError {
  return new TypeError(`a tree that does not fit its type: expected ${expected}, got ${typeof value}`);
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  throw unfit("string", value);
}

function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  throw unfit("number", value);
}

const putJson: Put = delimited((w, value) => {
  if (value === undefined) return;
  putText(w, jsonText(value));
  putDelimitedTag(w, wellKnown.raw);
});

const scalars: Readonly<Record<ScalarKind, Put>> = {
  string: (w, value) => putText(w, textOf(value)),
  bytes: (w, value) => putBase64(w, textOf(value)),
  bool: (w, value) => putVarint(w, value === true ? 1 : 0),
  int32: (w, value) => putInteger(w, numberOf(value)),
  int64: (w, value) => (typeof value === "bigint" ? putBigInteger(w, value) : putInteger(w, numberOf(value))),
  // An integer of more than 53 bits is read from JSON as a bigint, whatever the type of its field.
  double: (w, value) => putDouble(w, typeof value === "bigint" ? Number(value) : numberOf(value)),
  any: putJson,
  raw: putJson,
  fieldsV1: putJson,
  time: delimited((w, value) => {
    // Whole seconds, though the text of a tree may come from elsewhere.
    if (value !== undefined) putTimestamp(w, secondsOf(textOf(value)), 0);
  }),
  microTime: delimited((w, value) => {
    if (value !== undefined) putTimestamp(w, secondsOf(textOf(value)), microsecondsOf(textOf(value)) * 1000);
  }),
  duration: delimited((w, value) => {
    putBigInteger(w, value === undefined ? 0n : (parseDuration(textOf(value)) ?? 0n));
    putVarint(w, wellKnown.duration * 8 + wireType.varint);
  }),
  quantity: delimited((w, value) => {
    putText(w, value === undefined ? "0" : textOf(value));
    putDelimitedTag(w, wellKnown.text);
  }),
  intOrString: delimited((w, value) => {
    const isText = typeof value === "string";
    putText(w, isText ? value : "");
    putDelimitedTag(w, wellKnown.string);
    putInteger(w, isText ? 0 : numberOf(value));
    putVarint(w, wellKnown.number * 8 + wireType.varint);
    putVarint(w, isText ? 1 : 0);
    putVarint(w, wellKnown.kind * 8 + wireType.varint);
  }),
};

/** Writes nothing for the value that means no time. */
export function putTimestamp(w: Writer, seconds: number, nanos: number): void {
  if (seconds === noTimeSeconds && nanos === 0) return;
  putInteger(w, nanos);
  putVarint(w, wellKnown.nanos * 8 + wireType.varint);
  putInteger(w, seconds);
  putVarint(w, wellKnown.seconds * 8 + wireType.varint);
}

/** Of `2006-01-02T15:04:05…Z`, the canonical form that decoding leaves. */
function secondsOf(text: string): number {
  const milliseconds = Date.parse(`${text.slice(0, 19)}Z`);
  if (Number.isNaN(milliseconds)) throw unfit("time", text);
  return milliseconds / 1000;
}

/** Of `2006-01-02T15:04:05.000000Z`. */
function microsecondsOf(text: string): number {
  return Number(text.slice(20, 26).replace("Z", "").padEnd(6, "0"));
}
