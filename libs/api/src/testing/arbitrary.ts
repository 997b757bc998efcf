import { isZero } from "@orch/schema/decode.js";
import {
  type Field,
  isObject,
  type JsonObject,
  type ListType,
  type MessageType,
  type ScalarKind,
  type Type,
} from "@orch/schema/descriptor.js";
import { formatDuration } from "@orch/schema/formats/duration.js";
import { canonicalQuantity } from "@orch/schema/formats/quantity.js";
import { exactNumber, integer64 } from "@orch/schema/integer64.js";
import { jsonText } from "@orch/status/json-text.js";
import fc from "fast-check";

/**
 * Random objects of a type as decoding leaves them: times, durations and quantities in canonical form, no zero where
 * it means absence, closed sets of values kept, lists without doubles where their type says so. Any field may be
 * absent, required ones too. What the objects' validation asks for is not looked at.
 */
export function arbitraryObject(type: MessageType): fc.Arbitrary<JsonObject> {
  return messageOf(type, 0);
}

/** How many fields a message has on average, by how deep it stands; below the last it has none. */
const fieldsAtDepth = [6, 6, 5, 4, 3, 3, 2, 2, 1, 1];
const maxItems = 2;

const made = new WeakMap<MessageType, Map<number, fc.Arbitrary<JsonObject>>>();

function messageOf(type: MessageType, depth: number): fc.Arbitrary<JsonObject> {
  const byDepth = made.get(type) ?? new Map<number, fc.Arbitrary<JsonObject>>();
  made.set(type, byDepth);
  const known = byDepth.get(depth);
  if (known !== undefined) return known;
  const wanted = fieldsAtDepth[depth];
  const message = wanted === undefined ? fc.constant({}) : withFields(type, depth, wanted);
  byDepth.set(depth, message);
  return message;
}

function withFields(type: MessageType, depth: number, wanted: number): fc.Arbitrary<JsonObject> {
  // Who reads and writes the object says what it is.
  const fields = [...type.byName.values()].filter((f) => f.number !== undefined || !isTypeMeta(f.name));
  const percent = Math.min(75, Math.ceil((100 * wanted) / Math.max(1, fields.length)));
  return fc.tuple(...fields.map((f) => maybe(fieldOf(f, depth), percent))).map((values) => {
    const entries = fields.flatMap((f, i): [string, unknown][] => {
      const value = values[i];
      return value === undefined || (f.dropsZero && isZero(value)) ? [] : [[f.name, value]];
    });
    return Object.fromEntries(entries);
  });
}

function isTypeMeta(name: string): boolean {
  return name === "kind" || name === "apiVersion";
}

function maybe(value: fc.Arbitrary<unknown>, percent: number): fc.Arbitrary<unknown> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 100 - percent, arbitrary: fc.constant(undefined) },
    { weight: percent, arbitrary: value },
  );
}

function fieldOf({ type, values }: Field, depth: number): fc.Arbitrary<unknown> {
  return arbitraryOf(type, depth, values);
}

/** `values`: the closed set, of a text or of the texts in a list or map. */
function arbitraryOf(type: Type, depth: number, values: readonly string[] | undefined): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case "message":
      return messageOf(type, depth + 1);
    case "list":
      return listOf(type, arbitraryOf(type.item, depth, values));
    case "map":
      return fc.dictionary(key, arbitraryOf(type.value, depth, values), { maxKeys: maxItems, noNullPrototype: true });
    case "either":
      return fc.oneof(...type.alternatives.map((a) => arbitraryOf(a.type, depth, values)));
    case "string":
      return values === undefined ? text : fc.constantFrom(...values);
    default:
      return scalars[type.kind];
  }
}

function listOf({ listType, keys }: ListType, item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const maxLength = maxItems;
  if (listType === "atomic") return fc.array(item, { maxLength });
  const selector = listType === "set" ? (value: unknown) => jsonText(value) : keyOf(keys);
  return fc.uniqueArray(item, { maxLength, selector });
}

function keyOf(keys: readonly string[]): (item: unknown) => string {
  return (item) => jsonText(keys.map((k) => (typeof item === "object" && item !== null ? Reflect.get(item, k) : item)));
}

const words = ["", "a", "b", "web", "v1", "80", "example.com/a", "a.example.com", "10.0.0.1", "::1", "10%", "a b", "é"];
const text = fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 6 }));
const key = fc.constantFrom(...words.filter((w) => w !== ""));
const json = fc
  .jsonValue({ maxDepth: 2, stringUnit: "grapheme" })
  .map(asRead)
  .filter((v) => v !== null);

/** As reading gives it: -0 is not a number that JSON text keeps, and large integers are exact. */
function asRead(value: unknown): unknown {
  if (typeof value === "number") return value === 0 ? 0 : exactNumber(value);
  if (Array.isArray(value)) return value.map(asRead);
  if (!isObject(value)) return value;
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) =>
    typeof inner === "number" ? exactNumber(inner) : inner,
  );
}

const seconds = fc.integer({ min: 0, max: 4_102_444_799 });
const timeOf = (s: number): string => new Date(s * 1000).toISOString().slice(0, 19);

/** Integers of 64 bits that a number does not hold. */
const beyondNumbers = fc
  .oneof(fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }), fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }))
  .map(integer64);

const scalars: Readonly<Record<Exclude<ScalarKind, "string">, fc.Arbitrary<unknown>>> = {
  int32: fc.oneof(fc.integer({ min: -1, max: 100 }), fc.integer()),
  int64: fc.oneof(fc.integer({ min: -1, max: 100 }), fc.maxSafeInteger(), beyondNumbers),
  bool: fc.boolean(),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
  bytes: fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  any: json,
  raw: fc
    .record({ kind: fc.constant("Thing"), apiVersion: fc.constant("example.com/v1"), data: json })
    .map((object): JsonObject => object),
  fieldsV1: fc.constantFrom({}, { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } }),
  time: seconds.map((s) => `${timeOf(s)}Z`),
  microTime: fc
    .tuple(seconds, fc.integer({ min: 0, max: 999_999 }))
    .map(([s, micro]) => `${timeOf(s)}.${String(micro).padStart(6, "0")}Z`),
  duration: fc.bigInt({ min: -(10n ** 9n), max: 10n ** 14n }).map(formatDuration),
  quantity: fc
    .tuple(fc.integer({ min: -9, max: 9999 }), fc.constantFrom("", "m", "k", "Ki", "Gi", "e3"))
    .map(([n, suffix]) => quantity(`${n}${suffix}`)),
  intOrString: fc.oneof(fc.integer({ min: 0, max: 65_535 }), fc.constantFrom("http", "10%", "80", "")),
};

function quantity(value: string): string {
  const canonical = canonicalQuantity(value);
  if ("wrong" in canonical) throw new Error(canonical.wrong);
  return canonical.text;
}
