import { type Type, t } from "../check/types.js";
import { range, scale } from "../cost/sizes.js";
import { doubleText, parseDouble } from "../values/doubles.js";
import { doubleToInt, doubleToUint, parseInteger, toInt, toUint } from "../values/numbers.js";
import { utf8 } from "../values/text.js";
import { formatTimestamp, parseDuration, parseTimestamp, secondsText, toTimestamp } from "../values/time.js";
import {
  CelError,
  Double,
  Duration,
  noSuchOverload,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from "../values/value.js";
import {
  type Estimate,
  global,
  type Library,
  type LibraryFunction,
  type LibraryOverload,
  type Run,
  stringFactor,
  traversal,
} from "./library.js";

const { bool, bytes, double, int, string, uint, duration, timestamp } = t;
const a = t.param("A");

const unreadable = (from: string, to: string): CelError =>
  new CelError(`type conversion error from '${from}' to '${to}'`);

const identity: Run = ([x = null]) => x;

/** Converts values of one type; the checker and the dispatcher let no other in. */
const from =
  <T extends Value>(is: (x: Value) => x is T, convert: (x: T) => Value): Run =>
  ([x = null]) =>
    is(x) ? convert(x) : noSuchOverload;

const isString = (x: Value): x is string => typeof x === "string";
const isBool = (x: Value): x is boolean => typeof x === "boolean";
const isIntValue = (x: Value): x is number | bigint => typeof x === "number" || typeof x === "bigint";
const isUint = (x: Value): x is Uint => x instanceof Uint;
const isDouble = (x: Value): x is Double => x instanceof Double;
const isBytes = (x: Value): x is Uint8Array => x instanceof Uint8Array;
const isDuration = (x: Value): x is Duration => x instanceof Duration;
const isTimestamp = (x: Value): x is Timestamp => x instanceof Timestamp;

const booleans: Readonly<Record<string, boolean>> = {
  "1": true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  "0": false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
};

const bytesSize: Estimate = ({ args: [x], lengthOf }) => {
  if (x === undefined) return undefined;
  const size = lengthOf(x);
  return { cost: scale(size, stringFactor), size: range(size.min, BigInt.asUintN(64, size.max * 4n)) };
};

const textSize: Estimate = ({ args: [x], lengthOf }) => {
  if (x === undefined) return undefined;
  const size = lengthOf(x);
  return { cost: scale(size, stringFactor), size: range(size.min / 4n, size.max) };
};

function timestampOf(text: string): Value {
  return parseTimestamp(text) ?? unreadable("string", "google.protobuf.Timestamp");
}

function parsedInt(text: string): Value {
  const value = parseInteger(text, { signed: true });
  return value === undefined ? unreadable("string", "int") : toInt(value);
}

function parsedUint(text: string): Value {
  const value = parseInteger(text, { signed: false });
  return value === undefined ? unreadable("string", "uint") : new Uint(value);
}

const conversion = (name: string, result: Type, overloads: readonly LibraryOverload[]): LibraryFunction => ({
  name,
  overloads: overloads.map((overload) => ({ ...overload, result })),
});

const by = (id: string, type: Type, run: Run): LibraryOverload => ({ ...global(id, [type], t.dyn), run });

export const conversionFunctions: readonly LibraryFunction[] = [
  {
    name: "type",
    overloads: [global("type", [a], t.typeOf(a))],
    run: ([x = null]) => new TypeValue(typeNameOf(x)),
  },
  { name: "dyn", overloads: [global("to_dyn", [a], t.dyn)], run: identity },
  conversion("bool", bool, [
    by("bool_to_bool", bool, identity),
    by(
      "string_to_bool",
      string,
      from(isString, (x) => booleans[x] ?? unreadable("string", "bool")),
    ),
  ]),
  conversion("bytes", bytes, [
    by("bytes_to_bytes", bytes, identity),
    {
      ...by(
        "string_to_bytes",
        string,
        from(isString, (x) => new Uint8Array(Buffer.from(x))),
      ),
      cost: traversal(0),
      estimate: bytesSize,
    },
  ]),
  conversion("double", double, [
    by("double_to_double", double, identity),
    by(
      "int64_to_double",
      int,
      from(isIntValue, (x) => new Double(Number(x))),
    ),
    by(
      "string_to_double",
      string,
      from(isString, (x) => toDouble(parseDouble(x))),
    ),
    by(
      "uint64_to_double",
      uint,
      from(isUint, (x) => new Double(Number(x.value))),
    ),
  ]),
  conversion("duration", duration, [
    by("duration_to_duration", duration, identity),
    by("int64_to_duration", int, () => unreadable("int", "google.protobuf.Duration")),
    by(
      "string_to_duration",
      string,
      from(isString, (x) => parseDuration(x) ?? unreadable("string", "google.protobuf.Duration")),
    ),
  ]),
  conversion("int", int, [
    by("int64_to_int64", int, identity),
    by(
      "double_to_int64",
      double,
      from(isDouble, (x) => doubleToInt(x.value)),
    ),
    by(
      "duration_to_int64",
      duration,
      from(isDuration, (x) => toInt(x.nanos)),
    ),
    by("string_to_int64", string, from(isString, parsedInt)),
    by(
      "timestamp_to_int64",
      timestamp,
      from(isTimestamp, (x) => x.seconds),
    ),
    by(
      "uint64_to_int64",
      uint,
      from(isUint, (x) => toInt(x.value)),
    ),
  ]),
  conversion("string", string, [
    by("string_to_string", string, identity),
    by("bool_to_string", bool, from(isBool, String)),
    { ...by("bytes_to_string", bytes, from(isBytes, utf8)), cost: traversal(0), estimate: textSize },
    by(
      "double_to_string",
      double,
      from(isDouble, (x) => doubleText(x.value)),
    ),
    by("duration_to_string", duration, from(isDuration, secondsText)),
    by("int64_to_string", int, from(isIntValue, String)),
    by(
      "timestamp_to_string",
      timestamp,
      from(isTimestamp, (x) => formatTimestamp(x)),
    ),
    by(
      "uint64_to_string",
      uint,
      from(isUint, (x) => String(x.value)),
    ),
  ]),
  conversion("timestamp", timestamp, [
    by("timestamp_to_timestamp", timestamp, identity),
    by(
      "int64_to_timestamp",
      int,
      from(isIntValue, (x) => toTimestamp(Number(x), 0)),
    ),
    by("string_to_timestamp", string, from(isString, timestampOf)),
  ]),
  conversion("uint", uint, [
    by("uint64_to_uint64", uint, identity),
    by(
      "double_to_uint64",
      double,
      from(isDouble, (x) => doubleToUint(x.value)),
    ),
    by(
      "int64_to_uint64",
      int,
      from(isIntValue, (x) => toUint(BigInt(x))),
    ),
    by("string_to_uint64", string, from(isString, parsedUint)),
  ]),
];

function toDouble(value: number | undefined): Value {
  return value === undefined ? unreadable("string", "double") : new Double(value);
}

/** Types that have names in expressions. */
export const standardTypes: Required<Library>["types"] = (
  [
    ["bool", bool],
    ["bytes", bytes],
    ["double", double],
    ["int", int],
    ["uint", uint],
    ["string", string],
    ["list", t.list(a)],
    ["map", t.map(a, t.param("B"))],
    ["null_type", t.null],
    ["type", t.type],
    ["google.protobuf.Duration", duration],
    ["google.protobuf.Timestamp", timestamp],
  ] as const
).map(([name, type]) => ({ name, type, value: new TypeValue(name) }));
