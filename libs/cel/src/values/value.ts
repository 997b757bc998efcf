/**
 * What expressions work on. Strings, booleans and null are JavaScript's own; an int is a number while it is safe and a
 * bigint beyond; a double is tagged, so that 1.0 is not 1; bytes are an array of bytes. An error is a value that flows
 * through the calls above it until `&&`, `||` or a conditional decides without it.
 */
export type Int = number | bigint;

export class Uint {
  constructor(readonly value: bigint) {}
}

export class Double {
  constructor(readonly value: number) {}
}

export class Duration {
  constructor(readonly nanos: bigint) {}
}

export class Timestamp {
  /**
   * Seconds since 1970, and nanoseconds from 0 to 999,999,999 on top of them. `offset`: the minutes east of UTC in
   * which its text was written, and in which it is written again.
   */
  constructor(
    readonly seconds: number,
    readonly nanos: number,
    readonly offset = 0,
  ) {}
}

export class TypeValue {
  constructor(readonly name: string) {}
}

export class Optional {
  constructor(readonly value: Value | undefined) {}
}

export const none = new Optional(undefined);

export class CelError {
  constructor(readonly message: string) {}
}

/** A value that only its own functions look into: a URL, an address, a quantity. */
export abstract class Opaque {
  abstract readonly typeName: string;
  /** Equality, which for some types fails with an error. */
  abstract equals(other: Value): boolean | CelError;
  /** Whether `==` with it on the left costs 1 whatever its size. */
  readonly flatEquality: boolean = true;
  /** Whether it cannot be a key of a map. */
  readonly unhashable: boolean = false;
  /** Undefined: an optional keeps it as it is. */
  untyped?(): Value;
  /** What the cost of a call that reads it counts; 1 where it has no size. */
  size(): number {
    return 1;
  }
}

/** What an optional makes of a value that only its own functions look into. */
export const noNative = (type: string, text: string): CelError =>
  new CelError(`unsupported conversion to ref.Val: (${type})${text}`);

export abstract class ListValue {
  abstract readonly size: number;
  /** `index` is within the list. */
  abstract at(index: number): Value;
  /** Undefined: by elements. */
  equals?(other: ListValue): boolean | CelError;
  /** Undefined: one list after the other. */
  plus?(other: ListValue): ListValue;
  /** Without its schema. Undefined: it has none. */
  untyped?(): Value;
}

export abstract class MapValue {
  abstract readonly size: number;
  /** Undefined where there is no such entry. */
  abstract find(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;
  /** Of objects whose type is not `map`. */
  readonly typeName?: string;
  /** Whether a field is set, where that is more than to be found. */
  present?(key: Value): boolean | CelError;
  /** Objects of a schema compare what no property shows. Undefined: by entries. */
  equals?(other: MapValue): boolean | CelError;
  /** Without its schema. Undefined: it has none. */
  untyped?(): Value;
}

export type Value =
  | boolean
  | Int
  | Uint
  | Double
  | string
  | Uint8Array
  | null
  | Duration
  | Timestamp
  | TypeValue
  | Optional
  | Opaque
  | ListValue
  | MapValue
  | CelError;

export const noSuchOverload = new CelError("no such overload");

/** Of an operator or function that its first operand does not know; texts and times are asked, and know no name. */
export function untaken(name: string, operand: Value): CelError {
  const isAsked = typeof operand === "string" || operand instanceof Duration || operand instanceof Timestamp;
  return isAsked ? noSuchOverload : new CelError(`no such overload: ${name}`);
}

export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "number":
    case "bigint":
      return "int";
    case "string":
      return "string";
    default:
      return typeNameOfObject(value);
  }
}

function typeNameOfObject(value: Exclude<Value, boolean | Int | string>): string {
  if (value === null) return "null_type";
  if (value instanceof ListValue) return "list";
  if (value instanceof MapValue) return value.typeName ?? "map";
  if (value instanceof Double) return "double";
  if (value instanceof Opaque) return value.typeName;
  if (value instanceof Uint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Duration) return "google.protobuf.Duration";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof TypeValue) return "type";
  if (value instanceof Optional) return "optional_type";
  return "error";
}

const nativeNames: Readonly<Record<string, string>> = {
  null_type: "types.Null",
  optional_type: "*types.Optional",
  type: "*types.Type",
  list: "*types.baseList",
  map: "*types.baseMap",
  error: "*types.Err",
};

/** As some messages name the type of a value: by the reference's own types. */
export function nativeTypeName(value: Value): string {
  const name = typeNameOf(value);
  const known = nativeNames[name];
  if (known !== undefined) return known;
  const short = name.slice(name.lastIndexOf(".") + 1);
  if (value instanceof Opaque) return `cel.${short === "NamedFormat" ? "Format" : short}`;
  return `types.${short.charAt(0).toUpperCase()}${short.slice(1)}`;
}
