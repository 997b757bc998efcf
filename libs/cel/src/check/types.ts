/** Types of expressions. Two types are one type if {@link formatType} writes them alike. */
export type Type =
  | { readonly kind: Simple }
  | { readonly kind: "wrapper"; readonly of: Primitive }
  | { readonly kind: "list"; readonly element: Type }
  | { readonly kind: "map"; readonly key: Type; readonly value: Type }
  /** A type with functions alone, or with parameters: an address, an optional. */
  | { readonly kind: "opaque"; readonly name: string; readonly params: readonly Type[] }
  /** An object with declared fields. */
  | { readonly kind: "struct"; readonly name: string }
  | { readonly kind: "param"; readonly name: string }
  /** The type of a type. */
  | { readonly kind: "type"; readonly of: Type | undefined };

export type Primitive = "bool" | "bytes" | "double" | "int" | "string" | "uint";
export type Simple = Primitive | "dyn" | "any" | "null" | "duration" | "timestamp" | "error" | "unspecified";

const simple = (kind: Simple): Type => ({ kind });

export const t = {
  bool: simple("bool"),
  bytes: simple("bytes"),
  double: simple("double"),
  int: simple("int"),
  string: simple("string"),
  uint: simple("uint"),
  dyn: simple("dyn"),
  any: simple("any"),
  null: simple("null"),
  duration: simple("duration"),
  timestamp: simple("timestamp"),
  error: simple("error"),
  /** Of what has none: the variables of a loop over dyn with two of them. */
  unspecified: simple("unspecified"),
  type: { kind: "type", of: undefined } satisfies Type as Type,
  list: (element: Type): Type => ({ kind: "list", element }),
  map: (key: Type, value: Type): Type => ({ kind: "map", key, value }),
  optional: (value: Type): Type => ({ kind: "opaque", name: "optional_type", params: [value] }),
  opaque: (name: string, ...params: readonly Type[]): Type => ({ kind: "opaque", name, params }),
  struct: (name: string): Type => ({ kind: "struct", name }),
  param: (name: string): Type => ({ kind: "param", name }),
  typeOf: (of: Type): Type => ({ kind: "type", of }),
  wrapper: (of: Primitive): Type => ({ kind: "wrapper", of }),
};

/** As messages name a type. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case "error":
      return "!error!";
    case "unspecified":
      return "";
    case "wrapper":
      return `wrapper(${type.of})`;
    default:
      return write(type, formatType) ?? type.kind;
  }
}

const declared: Partial<Record<Type["kind"], string>> = {
  any: "google.protobuf.Any",
  duration: "google.protobuf.Duration",
  timestamp: "google.protobuf.Timestamp",
  null: "null_type",
};

/** As the interface names the type of an expression. */
export function declaredType(type: Type): string {
  return write(type, declaredType) ?? declared[type.kind] ?? formatType(type);
}

function write(type: Type, part: (type: Type) => string): string | undefined {
  switch (type.kind) {
    case "list":
      return `list(${part(type.element)})`;
    case "map":
      return `map(${part(type.key)}, ${part(type.value)})`;
    case "opaque":
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(part).join(", ")})`;
    case "struct":
    case "param":
      return type.name;
    case "type":
      return type.of === undefined ? "type" : `type(${part(type.of)})`;
    default:
      return undefined;
  }
}

export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case "list":
      return b.kind === "list" && sameType(a.element, b.element);
    case "map":
      return b.kind === "map" && sameType(a.key, b.key) && sameType(a.value, b.value);
    case "opaque":
      return b.kind === "opaque" && a.name === b.name && sameTypes(a.params, b.params);
    case "struct":
    case "param":
      return "name" in b && a.name === b.name;
    case "wrapper":
      return b.kind === "wrapper" && a.of === b.of;
    case "type":
      if (b.kind !== "type" || a.of === undefined || b.of === undefined) return b.kind === "type" && a.of === b.of;
      return sameType(a.of, b.of);
    default:
      return true;
  }
}

function sameTypes(a: readonly Type[], b: readonly Type[]): boolean {
  return a.length === b.length && a.every((type, i) => sameType(type, b[i] ?? t.error));
}

export function isDyn(type: Type): boolean {
  return type.kind === "dyn" || type.kind === "any";
}

/** The type inside an optional. */
export function optionalOf(type: Type): Type | undefined {
  return type.kind === "opaque" && type.name === "optional_type" ? type.params[0] : undefined;
}

/** The parts of a type that it is put together from. */
export function paramsOf(type: Type): readonly Type[] {
  switch (type.kind) {
    case "list":
      return [type.element];
    case "map":
      return [type.key, type.value];
    case "opaque":
      return type.params;
    case "type":
      return type.of === undefined ? [] : [type.of];
    default:
      return [];
  }
}
