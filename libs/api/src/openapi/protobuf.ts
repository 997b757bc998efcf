/**
 * JSON documents as messages of Protobuf, by tables. A shape says how one JSON value is written; a message's
 * table gives a number and a shape for each JSON key.
 */
export type Shape =
  | { readonly kind: "text" }
  /** Written where it is true. */
  | { readonly kind: "flag" }
  /** Written always, as one of a choice must be. */
  | { readonly kind: "choice" }
  /** A double. */
  | { readonly kind: "number" }
  /** Of 64 bits, with its sign. */
  | { readonly kind: "integer" }
  /** Any JSON value, as its text in field 2. */
  | { readonly kind: "any" }
  | { readonly kind: "list"; readonly item: Shape }
  | { readonly kind: "message"; readonly fields: () => Fields; readonly extensions: number | undefined }
  /** A JSON object as a message of named values: each has its name (1) and value (2). */
  | { readonly kind: "named"; readonly number: number; readonly value: Shape }
  /** A message that holds the value in one field. */
  | { readonly kind: "inside"; readonly number: number; readonly shape: Shape }
  /** Written as one of several shapes, told by the value; none leaves it out. */
  | { readonly kind: "either"; readonly choose: (value: unknown) => Shape | undefined };

export type Fields = Readonly<Record<string, readonly [number: number, shape: Shape]>>;

export const text: Shape = { kind: "text" };
export const flag: Shape = { kind: "flag" };
export const choice: Shape = { kind: "choice" };
export const number: Shape = { kind: "number" };
export const integer: Shape = { kind: "integer" };
export const any: Shape = { kind: "any" };
export const listOf = (item: Shape): Shape => ({ kind: "list", item });
export const named = (value: Shape, number = 1): Shape => ({ kind: "named", number, value });
export const inside = (number: number, shape: Shape): Shape => ({ kind: "inside", number, shape });
export const either = (choose: (value: unknown) => Shape | undefined): Shape => ({ kind: "either", choose });
/** `extensions`: where keys that begin with `x-` go. */
export const messageOf = (fields: () => Fields, extensions?: number): Shape => ({
  kind: "message",
  fields,
  extensions,
});

const eightBytes = 1;
const lengthDelimited = 2;

/** @throws TypeError for a key that the table does not have: a document never loses something in silence. */
export function encode(value: unknown, shape: Shape): Uint8Array {
  const parts: Uint8Array[] = [];
  content(value, shape, parts);
  return Buffer.concat(parts);
}

/** The inside of a message, or of a text. */
function content(value: unknown, shape: Shape, parts: Uint8Array[]): void {
  switch (shape.kind) {
    case "text":
      parts.push(Buffer.from(String(value), "utf8"));
      return;
    case "any":
      parts.push(...tagged(2, Buffer.from(`${JSON.stringify(value)}\n`, "utf8")));
      return;
    case "message":
      messageContent(asEntries(value), shape, parts);
      return;
    case "named":
      for (const entry of asEntries(value)) parts.push(...tagged(shape.number, namedValue(entry, shape.value)));
      return;
    case "inside":
      fieldContent(shape.number, value, shape.shape, parts);
      return;
    case "either": {
      const chosen = shape.choose(value);
      if (chosen !== undefined) content(value, chosen, parts);
      return;
    }
    case "flag":
    case "choice":
    case "number":
    case "integer":
    case "list":
      throw new TypeError(`${shape.kind} stands in a field only`);
  }
}

type Entries = readonly (readonly [key: string, value: unknown])[];

function messageContent(entries: Entries, shape: Extract<Shape, { kind: "message" }>, parts: Uint8Array[]): void {
  const fields = shape.fields();
  for (const [key, value] of entries) {
    const known = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (known !== undefined) fieldContent(known[0], value, known[1], parts);
    else if (key.startsWith("x-") && shape.extensions !== undefined)
      parts.push(...tagged(shape.extensions, namedValue([key, value], any)));
    else throw new TypeError(`no number for ${key}`);
  }
}

function fieldContent(number: number, value: unknown, shape: Shape, parts: Uint8Array[]): void {
  switch (shape.kind) {
    case "flag":
      if (value === true) parts.push(varint(number << 3), varint(1));
      return;
    case "choice":
      parts.push(varint(number << 3), varint(value === true ? 1 : 0));
      return;
    case "number":
      parts.push(varint((number << 3) | eightBytes), double(Number(value)));
      return;
    case "integer":
      parts.push(varint(number << 3), wideVarint(Math.trunc(Number(value))));
      return;
    case "list":
      for (const item of Array.isArray(value) ? value : [value]) fieldContent(number, item, shape.item, parts);
      return;
    case "either": {
      const chosen = shape.choose(value);
      if (chosen !== undefined) fieldContent(number, value, chosen, parts);
      return;
    }
    default:
      parts.push(...tagged(number, encode(value, shape)));
  }
}

function double(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

function namedValue([name, value]: Entries[number], shape: Shape): Uint8Array {
  const parts = tagged(1, Buffer.from(name, "utf8"));
  fieldContent(2, value, shape, parts);
  return Buffer.concat(parts);
}

function tagged(number: number, bytes: Uint8Array): Uint8Array[] {
  return [varint((number << 3) | lengthDelimited), varint(bytes.length), bytes];
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/** Below zero: as the 64 bits of its two's complement. */
function wideVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

function asEntries(value: unknown): Entries {
  if (typeof value !== "object" || value === null) throw new TypeError("an object is expected");
  return Object.entries(value);
}
