import type { Field, MessageType, Type } from "@orch/schema/descriptor.js";
import { putRaw, sizeOf, type Writer, written } from "../backward-writer.js";
import { objectOf, treeOf } from "../json.js";
import { endOf, jsonTape, nextOf, startOf, stride } from "../json-tape.js";
import { createNameTable, type NameTable } from "../name-table.js";
import { encodeMessage, messageWriter, wireOf } from "./encode.js";
import {
  absent,
  expect,
  expectName,
  firstByte,
  letterN,
  openBrace,
  openBracket,
  type PutField,
  type PutValue,
  putBase64Text,
  putBool,
  putIntOrString,
  putJson,
  putNumber,
  putQuantity,
  putString,
  putTime,
  type Source,
  treePut,
  unusual,
} from "./json-values.js";
import { wellKnown } from "./wire.js";
import { putDelimitedTag, putVarint } from "./writer.js";

/**
 * The JSON of an object, as this server prints it, as a Protobuf message: what {@link encodeMessage} makes of its tree, byte for
 * byte, without a tree. What is rare (escaped names, large maps, durations) is made by way of a tree, in part or as a whole.
 *
 * @throws SyntaxError for what is no JSON object; TypeError for one that does not fit the type
 */
export function encodeJson(type: MessageType, bytes: Buffer): Buffer {
  const message = planOf(type);
  return madeOf(bytes, (w, s) => putFields(w, s, message)) ?? encodeMessage(type, objectOf(bytes));
}

/** The same of an object of a type with one field, of which `bytes` is the value. */
export function encodeJsonMember(type: MessageType, name: string, bytes: Buffer): Buffer {
  const field = type.byName.get(name);
  if (field === undefined || type.fields.some((f) => f !== field && f.number !== undefined)) {
    throw new TypeError(`${type.name} is not made of ${name} alone`);
  }
  const put = putField(field);
  return madeOf(bytes, (w, s) => put(w, s, s.object)) ?? encodeMessage(type, { [name]: treeOf(bytes) });
}

/** Of larger ones the keys are put in order by the engine. */
const mostKeys = 32;

function madeOf(bytes: Buffer, put: (w: Writer, s: Source) => void): Buffer | undefined {
  const tape = jsonTape(bytes, 0);
  if (tape === undefined) return undefined;
  stack.top = 0;
  try {
    return written((w) => put(w, { ...tape, object: 0 }));
  } catch (error) {
    if (error === unusual) return undefined;
    throw error;
  }
}

/** Values of the objects that are being written, the outermost first. */
const stack = { places: new Int32Array(1024), top: 0 };

/** Room for so many more; gives where they begin. */
function reserveStack(count: number): number {
  const base = stack.top;
  stack.top += count;
  if (stack.top > stack.places.length) {
    const more = new Int32Array(2 * stack.top);
    more.set(stack.places);
    stack.places = more;
  }
  return base;
}

interface Plan {
  /** The highest number first, as a writer goes backwards. */
  readonly fields: readonly PutField[];
  /** JSON names of the fields, which stand in that order. */
  readonly names: NameTable;
  /** 1 for a field of which nothing is written where it is absent. */
  readonly leftOut: Uint8Array;
}

const plans = new WeakMap<MessageType, Plan>();

function planOf(type: MessageType): Plan {
  const known = plans.get(type);
  if (known !== undefined) return known;
  // It says why, where there is none.
  messageWriter(type);
  const fields = type.fields.filter((f) => f.number !== undefined).sort((a, b) => (b.number ?? 0) - (a.number ?? 0));
  const plan = {
    fields: fields.map(putField),
    names: createNameTable(fields.map(({ name }) => name)),
    leftOut: Uint8Array.from(fields, (f) => (isLeftOut(f) ? 1 : 0)),
  };
  plans.set(type, plan);
  return plan;
}

/** The value behind a key of an object that ends at `end`. */
function valueOfKey(s: Source, key: number, end: number): number {
  expectName(s, key);
  const value = key + stride;
  if (value >= end) throw unusual;
  return value;
}

function isLeftOut({ inline, pointer, type: { kind } }: Field): boolean {
  return !inline && (pointer || kind === "list" || kind === "map" || kind === "bytes");
}

function putFields(w: Writer, s: Source, { fields, names, leftOut }: Plan): void {
  const { numbers, bytes, object } = s;
  const count = fields.length;
  const base = reserveStack(count);
  stack.places.fill(absent, base, base + count);
  expect(s, object, openBrace);
  const end = numbers[object + nextOf] ?? 0;
  for (let key = object + stride; key < end; ) {
    const value = valueOfKey(s, key, end);
    const field = names.find(bytes, (numbers[key + startOf] ?? 0) + 1, (numbers[key + endOf] ?? 0) - 1);
    if (field >= 0) stack.places[base + field] = firstByte(s, value) === letterN ? absent : value;
    key = numbers[value + nextOf] ?? end;
  }
  for (let i = 0; i < count; i++) {
    const value = stack.places[base + i] ?? absent;
    if (value !== absent || leftOut[i] === 0) fields[i]?.(w, s, value);
  }
  stack.top = base;
}

function putField(field: Field): PutField {
  const { type, number = 0 } = field;
  const tag = number * 8 + wireOf(type);
  if (field.inline) {
    const put = valuePut(type);
    return (w, s) => {
      put(w, s, s.object);
      putVarint(w, tag);
    };
  }
  if (type.kind === "list" && !type.wrapped) return putList(number * 8 + wireOf(type.item), valuePut(type.item));
  if (type.kind === "map")
    return putMap(tag, { tag: wellKnown.value * 8 + wireOf(type.value), put: valuePut(type.value) });
  const put = valuePut(type);
  return (w, s, value) => {
    put(w, s, value);
    putVarint(w, tag);
  };
}

function putList(tag: number, put: PutValue): PutField {
  return (w, s, list) => {
    expect(s, list, openBracket);
    const end = s.numbers[list + nextOf] ?? 0;
    const base = stack.top;
    for (let item = list + stride; item < end; item = s.numbers[item + nextOf] ?? end) {
      stack.places[reserveStack(1)] = item;
    }
    for (let i = stack.top - 1; i >= base; i--) {
      const item = stack.places[i] ?? absent;
      put(w, s, firstByte(s, item) === letterN ? absent : item);
      putVarint(w, tag);
    }
    stack.top = base;
  };
}

function putMap(tag: number, value: { readonly tag: number; readonly put: PutValue }): PutField {
  return (w, s, map) => {
    expect(s, map, openBrace);
    const { numbers } = s;
    const end = numbers[map + nextOf] ?? 0;
    const base = stack.top;
    for (let key = map + stride; key < end; ) {
      sortIn(s, base, key);
      key = numbers[valueOfKey(s, key, end) + nextOf] ?? end;
    }
    for (let i = stack.top - 1; i >= base; i--) {
      const key = stack.places[i] ?? absent;
      const item = key + stride;
      const before = sizeOf(w);
      value.put(w, s, firstByte(s, item) === letterN ? absent : item);
      putVarint(w, value.tag);
      putString(w, s, key);
      putDelimitedTag(w, wellKnown.key);
      putVarint(w, sizeOf(w) - before);
      putVarint(w, tag);
    }
    stack.top = base;
  };
}

/** Puts a key among those above `base`, in the order of their bytes. */
function sortIn(s: Source, base: number, key: number): void {
  let at = reserveStack(1);
  if (at - base >= mostKeys) throw unusual;
  const { places } = stack;
  for (; at > base; at--) {
    const before = places[at - 1] ?? absent;
    const order = compareStrings(s, before, key);
    // The last of them counts.
    if (order === 0) throw unusual;
    if (order < 0) break;
    places[at] = before;
  }
  places[at] = key;
}

function compareStrings({ bytes, numbers }: Source, a: number, b: number): number {
  const [aEnd = 0, bEnd = 0] = [numbers[a + endOf], numbers[b + endOf]];
  let [i, j] = [(numbers[a + startOf] ?? 0) + 1, (numbers[b + startOf] ?? 0) + 1];
  for (; i < aEnd - 1 && j < bEnd - 1; i++, j++) {
    const difference = (bytes[i] ?? 0) - (bytes[j] ?? 0);
    if (difference !== 0) return difference;
  }
  return aEnd - i - (bEnd - j);
}

function valuePut(type: Type): PutValue {
  switch (type.kind) {
    case "message":
      return putMessage(type);
    case "string":
      return putString;
    case "bool":
      return putBool;
    case "int32":
    case "int64":
      return putNumber(treePut(type));
    case "bytes":
      return putBase64Text;
    case "time":
      return putTime(treePut(type));
    case "intOrString":
      return putIntOrString(putNumber(treePut({ kind: "int64" })));
    case "quantity":
      return putQuantity;
    case "any":
    case "raw":
    case "fieldsV1":
      return putJson;
    default:
      return treePut(type);
  }
}

function putMessage(type: MessageType): PutValue {
  let plan: Plan | undefined;
  return (w, s, value) => {
    plan ??= planOf(type);
    if (value === absent) {
      const { empty } = messageWriter(type);
      putRaw(w, empty);
      putVarint(w, empty.length);
      return;
    }
    const before = sizeOf(w);
    const { object } = s;
    s.object = value;
    putFields(w, s, plan);
    s.object = object;
    putVarint(w, sizeOf(w) - before);
  };
}
