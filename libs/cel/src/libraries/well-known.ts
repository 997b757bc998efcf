import type { StructDeclaration } from "../check/environment.js";
import { type Primitive, type Type, t } from "../check/types.js";
import { ArrayList, mapOf } from "../values/collections.js";
import { isInt, isNumeric } from "../values/numbers.js";
import { toDuration, toTimestamp } from "../values/time.js";
import { CelError, Double, ListValue, MapValue, Uint, type Value } from "../values/value.js";
import type { Library } from "./library.js";

/** Message types that stand for values of the language itself: wrappers, times, JSON. */
interface WellKnown {
  readonly type: Type;
  readonly fields: ReadonlyMap<string, Type>;
  readonly make: (fields: ReadonlyMap<string, Value>) => Value;
}

const outOfRange = new CelError("range error: integer overflow");

const wrapper = (of: Primitive, empty: Value, narrow: (value: Value) => Value = (value) => value): WellKnown => ({
  type: t.wrapper(of),
  fields: new Map([["value", t[of]]]),
  make: (fields) => narrow(fields.get("value") ?? empty),
});

const int32 = (value: Value): Value => {
  if (!isInt(value)) return value;
  return value > 2147483647 || value < -2147483648 ? outOfRange : value;
};

const uint32 = (value: Value): Value => (value instanceof Uint && value.value > 0xffffffffn ? outOfRange : value);

const float = (value: Value): Value => (value instanceof Double ? new Double(Math.fround(value.value)) : value);

function number(value: Value | undefined): number {
  if (value === undefined || !isNumeric(value)) return 0;
  return Number(value instanceof Uint || value instanceof Double ? value.value : value);
}

/** The fields of `google.protobuf.Value`: which kind of JSON it is. */
const jsonFields = new Map<string, Type>([
  ["null_value", t.int],
  ["number_value", t.double],
  ["string_value", t.string],
  ["bool_value", t.bool],
  ["struct_value", t.map(t.string, t.dyn)],
  ["list_value", t.list(t.dyn)],
]);

const types: ReadonlyMap<string, WellKnown> = new Map(
  Object.entries({
    BoolValue: wrapper("bool", false),
    BytesValue: wrapper("bytes", new Uint8Array()),
    DoubleValue: wrapper("double", new Double(0)),
    FloatValue: wrapper("double", new Double(0), float),
    Int32Value: wrapper("int", 0, int32),
    Int64Value: wrapper("int", 0),
    StringValue: wrapper("string", ""),
    UInt32Value: wrapper("uint", new Uint(0n), uint32),
    UInt64Value: wrapper("uint", new Uint(0n)),
    Duration: {
      type: t.duration,
      fields: new Map([
        ["seconds", t.int],
        ["nanos", t.int],
      ]),
      make: (fields) =>
        toDuration(BigInt(number(fields.get("seconds"))) * 1_000_000_000n + BigInt(number(fields.get("nanos")))),
    },
    Timestamp: {
      type: t.timestamp,
      fields: new Map([
        ["seconds", t.int],
        ["nanos", t.int],
      ]),
      make: (fields) => toTimestamp(number(fields.get("seconds")), number(fields.get("nanos"))),
    },
    ListValue: {
      type: t.list(t.dyn),
      fields: new Map([["values", t.list(t.dyn)]]),
      make: (fields) => {
        const values = fields.get("values");
        return values instanceof ListValue ? values : new ArrayList([]);
      },
    },
    Struct: {
      type: t.map(t.string, t.dyn),
      fields: new Map([["fields", t.map(t.string, t.dyn)]]),
      make: (fields) => {
        const values = fields.get("fields");
        return values instanceof MapValue ? values : mapOf([]);
      },
    },
    Value: {
      type: t.dyn,
      fields: jsonFields,
      make: (fields) => {
        const [first] = fields;
        if (first === undefined || first[0] === "null_value") return null;
        return first[0] === "number_value" ? new Double(number(first[1])) : first[1];
      },
    },
    Any: {
      type: t.any,
      fields: new Map([
        ["type_url", t.string],
        ["value", t.bytes],
      ]),
      make: () => new CelError("conversion error: got invalid Any"),
    },
  } satisfies Record<string, WellKnown>).map(([name, known]) => [`google.protobuf.${name}`, known]),
);

/** Their names, which have no value of their own where a value has another type at run time. */
export const wellKnownTypes: Required<Library>["types"] = [...types]
  .filter(([name]) => name !== "google.protobuf.Duration" && name !== "google.protobuf.Timestamp")
  .map(([name, { type }]) => ({ name, type }));

export function wellKnownStruct(name: string): StructDeclaration | undefined {
  const known = types.get(name);
  return known && { field: (field) => known.fields.get(field) };
}

export function constructWellKnown(name: string, fields: ReadonlyMap<string, Value>): Value | undefined {
  return types.get(name)?.make(fields);
}
