import { t } from "../check/types.js";
import { add, exactly, multiply, range, scale } from "../cost/sizes.js";
import { standardMacros } from "../syntax/macros.js";
import { concat, contains } from "../values/collections.js";
import { compare } from "../values/compare.js";
import { type Arithmetic, computeDoubles, computeInts, computeUints, isInt, negate } from "../values/numbers.js";
import { sizeOf } from "../values/size.js";
import { between, later, toDuration } from "../values/time.js";
import {
  CelError,
  Double,
  Duration,
  ListValue,
  MapValue,
  noSuchOverload,
  Opaque,
  Timestamp,
  Uint,
  untaken,
  type Value,
} from "../values/value.js";
import { conversionFunctions, standardTypes } from "./conversions.js";
import {
  argSize,
  type Cost,
  type Estimate,
  global,
  type Library,
  type LibraryFunction,
  type LibraryOverload,
  member,
  patternFactor,
  perUnit,
  type Run,
  stringFactor,
  traversal,
} from "./library.js";
import { matcher } from "./patterns.js";
import { timeFunctions } from "./times.js";
import { wellKnownTypes } from "./well-known.js";

const { bool, bytes, double, int, string, uint, duration, timestamp } = t;
const a = t.param("A");
const b = t.param("B");

function arithmetic(op: Arithmetic, x: Value, y: Value): Value {
  if (isInt(x)) return isInt(y) ? computeInts(op, x, y) : noSuchOverload;
  if (x instanceof Double) return y instanceof Double ? computeDoubles(op, x, y) : noSuchOverload;
  if (x instanceof Uint) return y instanceof Uint ? computeUints(op, x, y) : noSuchOverload;
  return noArithmetic;
}

/** Of what no arithmetic takes: the error then may name the operator. */
const noArithmetic = new CelError("");

const named =
  (name: string, run: (x: Value, y: Value) => Value): Run =>
  ([x = null, y = null]) => {
    const value = run(x, y);
    return value === noArithmetic ? untaken(name, x) : value;
  };

function plus(x: Value, y: Value): Value {
  if (typeof x === "string") return typeof y === "string" ? x + y : noSuchOverload;
  if (x instanceof ListValue) return y instanceof ListValue ? concat(x, y) : noSuchOverload;
  if (x instanceof Uint8Array) {
    return y instanceof Uint8Array ? new Uint8Array(Buffer.concat([x, y])) : noSuchOverload;
  }
  if (x instanceof Duration) {
    if (y instanceof Duration) return toDuration(x.nanos + y.nanos);
    return y instanceof Timestamp ? later(y, x.nanos) : noSuchOverload;
  }
  if (x instanceof Timestamp) return y instanceof Duration ? later(x, y.nanos) : noSuchOverload;
  return arithmetic("+", x, y);
}

function minus(x: Value, y: Value): Value {
  if (x instanceof Duration) return y instanceof Duration ? toDuration(x.nanos - y.nanos) : noSuchOverload;
  if (x instanceof Timestamp) {
    if (y instanceof Timestamp) return between(x, y);
    return y instanceof Duration ? later(x, -y.nanos) : noSuchOverload;
  }
  return arithmetic("-", x, y);
}

const numbers = [
  ["double", double],
  ["int64", int],
  ["uint64", uint],
] as const;

const sumSize: Estimate = ({ args: [x, y], lengthOf }) => {
  if (x === undefined || y === undefined) return undefined;
  const size = add(lengthOf(x), lengthOf(y));
  return { cost: scale(size, stringFactor), size };
};

const listSum: Estimate = (call) => {
  const summed = sumSize(call);
  return summed && { ...summed, cost: exactly(1) };
};

const both: Cost = (args) => perUnit(argSize(args, 0) + argSize(args, 1), stringFactor);

const operator = (name: string, overloads: readonly LibraryOverload[], run: Run): LibraryFunction => ({
  name,
  overloads,
  run,
});

const arithmeticFunctions: readonly LibraryFunction[] = [
  operator(
    "_+_",
    [
      { ...global("add_bytes", [bytes, bytes], bytes), cost: both, estimate: sumSize },
      global("add_double", [double, double], double),
      global("add_duration_duration", [duration, duration], duration),
      global("add_duration_timestamp", [duration, timestamp], timestamp),
      global("add_timestamp_duration", [timestamp, duration], timestamp),
      global("add_int64", [int, int], int),
      { ...global("add_list", [t.list(a), t.list(a)], t.list(a)), estimate: listSum },
      { ...global("add_string", [string, string], string), cost: both, estimate: sumSize },
      global("add_uint64", [uint, uint], uint),
    ],
    named("_+_", plus),
  ),
  operator(
    "_-_",
    [
      global("subtract_double", [double, double], double),
      global("subtract_duration_duration", [duration, duration], duration),
      global("subtract_int64", [int, int], int),
      global("subtract_timestamp_duration", [timestamp, duration], timestamp),
      global("subtract_timestamp_timestamp", [timestamp, timestamp], duration),
      global("subtract_uint64", [uint, uint], uint),
    ],
    named("_-_", minus),
  ),
  ...(
    [
      ["*", "multiply"],
      ["/", "divide"],
      ["%", "modulo"],
    ] as const
  ).map(([op, word]) =>
    operator(
      `_${op}_`,
      numbers
        .filter(([name]) => op !== "%" || name !== "double")
        .map(([name, type]) => global(`${word}_${name}`, [type, type], type)),
      named(`_${op}_`, (x, y) => (op === "%" && x instanceof Double ? noArithmetic : arithmetic(op, x, y))),
    ),
  ),
  operator("-_", [global("negate_double", [double], double), global("negate_int64", [int], int)], ([x = null]) =>
    x instanceof Duration ? toDuration(-x.nanos) : negate(x),
  ),
  operator("!_", [global("logical_not", [bool], bool)], ([x = null]) => (typeof x === "boolean" ? !x : noSuchOverload)),
];

const ordered = [
  ["bool", bool],
  ["bytes", bytes],
  ["double", double],
  ["duration", duration],
  ["int64", int],
  ["string", string],
  ["timestamp", timestamp],
  ["uint64", uint],
] as const;

const shorter: Cost = (args) => perUnit(Math.min(argSize(args, 0), argSize(args, 1)), stringFactor);

/** Of two sizes, the smaller is compared. */
export const comparison: Estimate = ({ args: [x, y], lengthOf }) => {
  if (x === undefined || y === undefined) return undefined;
  const maxima = [lengthOf(x).max, lengthOf(y).max] as const;
  const smaller = maxima[0] < maxima[1] ? maxima[0] : maxima[1];
  return { cost: scale(range(smaller > 0n ? 1 : 0, smaller), stringFactor) };
};

function isOrdered(x: Value): boolean {
  return (
    typeof x === "string" ||
    typeof x === "boolean" ||
    isInt(x) ||
    x instanceof Double ||
    x instanceof Uint ||
    x instanceof Uint8Array ||
    x instanceof Duration ||
    x instanceof Timestamp
  );
}

const relational = (name: string, word: string, holds: (order: number) => boolean): LibraryFunction => ({
  name,
  overloads: [
    ...ordered.map(([suffix, type]) => {
      const overload = global(`${word}_${suffix}`, [type, type], bool);
      return type === string || type === bytes ? { ...overload, cost: shorter, estimate: comparison } : overload;
    }),
    ...numbers.flatMap(([left, x]) =>
      numbers
        .filter(([right]) => right !== left)
        .map(([right, y]) => ({ ...global(`${word}_${left}_${right}`, [x, y], bool), since: 28 })),
    ),
  ],
  run: ([x = null, y = null]) => {
    if (!isOrdered(x)) return untaken(name, x);
    const order = compare(x, y);
    return order instanceof CelError ? order : holds(order);
  },
});

const sizes = [
  ["bytes", bytes],
  ["list", t.list(a)],
  ["map", t.map(a, b)],
  ["string", string],
] as const;

const within: Run = ([x = null, y = null]) => {
  if (y instanceof ListValue) return contains(y, x);
  if (!(y instanceof MapValue)) return noSuchOverload;
  const found = y.find(x);
  return found instanceof CelError ? found : found !== undefined;
};

const text =
  (test: (x: string, y: string) => boolean): Run =>
  ([x = null, y = null]) =>
    typeof x === "string" && typeof y === "string" ? test(x, y) : noSuchOverload;

const prefixEstimate: Estimate = ({ args: [x], lengthOf }) => x && { cost: scale(lengthOf(x), stringFactor) };

const containsEstimate: Estimate = ({ target, args: [x], lengthOf }) =>
  target && x && { cost: multiply(scale(lengthOf(target), stringFactor), scale(lengthOf(x), stringFactor)) };

const matchesEstimate: Estimate = ({ target, args: [x], lengthOf }) => {
  if (target === undefined || x === undefined) return undefined;
  const subject = scale(add(lengthOf(target), exactly(1)), stringFactor);
  return { cost: multiply(subject, scale(lengthOf(x), patternFactor)) };
};

const stringFunctions: readonly LibraryFunction[] = [
  {
    name: "contains",
    overloads: [
      {
        ...member("contains_string", [string, string], bool),
        cost: (args) => perUnit(argSize(args, 0), stringFactor) * perUnit(argSize(args, 1), stringFactor),
        estimate: containsEstimate,
      },
    ],
    run: text((x, y) => x.includes(y)),
  },
  {
    name: "startsWith",
    overloads: [
      { ...member("starts_with_string", [string, string], bool), cost: traversal(0), estimate: prefixEstimate },
    ],
    run: text((x, y) => x.startsWith(y)),
  },
  {
    name: "endsWith",
    overloads: [
      { ...member("ends_with_string", [string, string], bool), cost: traversal(0), estimate: prefixEstimate },
    ],
    run: text((x, y) => x.endsWith(y)),
  },
  {
    name: "matches",
    overloads: [
      global("matches", [string, string], bool),
      {
        ...member("matches_string", [string, string], bool),
        cost: (args) => perUnit(1 + argSize(args, 0), stringFactor) * perUnit(argSize(args, 1), patternFactor),
        estimate: matchesEstimate,
      },
    ],
    run: ([x = null, pattern = null]) => {
      if (typeof x !== "string") return untaken("matches", x);
      if (typeof pattern !== "string") return noSuchOverload;
      const compiled = matcher(pattern);
      return compiled instanceof CelError ? compiled : compiled.test(x);
    },
    pattern: {
      index: 1,
      make: (pattern) => {
        const compiled = matcher(pattern);
        if (compiled instanceof CelError) return { error: compiled.message };
        return ([x = null]) => (typeof x === "string" ? compiled.test(x) : noSuchOverload);
      },
    },
  },
];

const logical = (name: string, word: string): LibraryFunction => ({
  name,
  overloads: [global(word, [bool, bool], bool)],
});

export const standard: Library = {
  name: "standard",
  since: 23,
  macros: standardMacros,
  types: [...standardTypes, ...wellKnownTypes],
  functions: [
    {
      name: "_?_:_",
      overloads: [global("conditional", [bool, a, a], a)],
    },
    logical("_&&_", "logical_and"),
    logical("_||_", "logical_or"),
    {
      name: "@not_strictly_false",
      overloads: [{ ...global("not_strictly_false", [bool], bool), run: ([x = null]) => x !== false }],
    },
    { name: "_==_", overloads: [{ ...global("equals", [a, a], bool), estimate: comparison }] },
    { name: "_!=_", overloads: [{ ...global("not_equals", [a, a], bool), estimate: comparison }] },
    ...arithmeticFunctions,
    relational("_<_", "less", (order) => order < 0),
    relational("_<=_", "less_equals", (order) => order <= 0),
    relational("_>_", "greater", (order) => order > 0),
    relational("_>=_", "greater_equals", (order) => order >= 0),
    {
      name: "_[_]",
      overloads: [global("index_list", [t.list(a), int], a), global("index_map", [t.map(a, b), a], b)],
    },
    {
      name: "@in",
      overloads: [
        {
          ...global("in_list", [a, t.list(a)], bool),
          cost: (args) => argSize(args, 1),
          estimate: ({ args: [, list], lengthOf }) => list && { cost: scale(lengthOf(list), 1) },
        },
        global("in_map", [a, t.map(a, b)], bool),
      ],
      run: within,
    },
    {
      name: "size",
      overloads: [
        ...sizes.map(([name, type]) => global(`size_${name}`, [type], int)),
        ...sizes.map(([name, type]) => member(`${name}_size`, [type], int)),
      ],
      run: ([x = null]) =>
        typeof x === "string" ||
        x instanceof ListValue ||
        x instanceof MapValue ||
        x instanceof Uint8Array ||
        hasSize(x)
          ? sizeOf(x)
          : untaken("size", x),
    },
    ...stringFunctions,
    ...conversionFunctions,
    ...timeFunctions,
  ],
};

function hasSize(x: Value): boolean {
  return x instanceof Opaque && x.size() !== 1;
}
