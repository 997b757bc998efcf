import type { JsonSchema } from "./structural/json-schema.js";
import type { Pattern } from "./structural/pattern.js";
import type { TextFormat } from "./structural/text-formats.js";

/**
 * The compiled type model: what a kind is made of. Every operation of this lib (decode, default,
 * validate, compare) and every codec is one walk over it. Built-in kinds are compiled from the
 * catalog's data files, custom resources from their schemas (`structural/compile.ts`); neither is known here.
 */

/** Leaves. How each looks in a JSON tree and how it is checked stands in `decode.ts`. */
export type ScalarKind =
  | "string"
  | "int32"
  | "int64"
  | "bool"
  | "double"
  /** Base64 text in JSON. */
  | "bytes"
  /** Any JSON value; in Protobuf a message with the JSON text in `raw` (1). */
  | "any"
  /** RFC 3339 in UTC, whole seconds. */
  | "time"
  /** RFC 3339 in UTC, six decimals. */
  | "microTime"
  /** `1h2m3s`. */
  | "duration"
  /** `100m`, `1Gi`; canonical after decoding. */
  | "quantity"
  | "intOrString"
  /** A value that is kept as it came: an embedded object (RawExtension). */
  | "raw"
  /** An object that is kept as it came. */
  | "fieldsV1";

/**
 * What the types of custom resources have and those of built-in kinds have not: a value that does not fit such a type is
 * kept by decoding and refused by validation, null and zero are values, and checks are those of the schema.
 */
interface Ruled {
  readonly rules?: Rules | undefined;
}

export interface ScalarType extends Ruled {
  readonly kind: ScalarKind;
  /** Only of `any` with rules: what the value is made of where it is an object or a list. */
  readonly forms?: Forms;
}

export interface Forms {
  readonly object: MessageType | MapType | undefined;
  readonly list: ListType | undefined;
}

export type ListKind = "atomic" | "set" | "map";

export interface ListType extends Ruled {
  readonly kind: "list";
  readonly item: Type;
  readonly listType: ListKind;
  /** Fields that together tell items apart; only with `listType` map. */
  readonly keys: readonly string[];
  /** A named list type: in Protobuf a message that holds `items` (1). */
  readonly wrapped: boolean;
}

export interface MapType extends Ruled {
  readonly kind: "map";
  readonly value: Type;
  readonly mapType: "atomic" | "granular";
}

/** One of several bare JSON forms, told apart by their shape; in Protobuf a message with one field set. */
export interface EitherType extends Ruled {
  readonly kind: "either";
  readonly name: string;
  readonly alternatives: readonly { readonly number: number; readonly type: Type }[];
}

export interface MessageType extends Ruled {
  readonly kind: "message";
  /** `core/v1.Pod`. */
  readonly name: string;
  /** It has `apiVersion` and `kind` in JSON. */
  readonly object: boolean;
  readonly structType: "atomic" | "granular";
  /** Exactly one of its members is meant to be set. */
  readonly union: boolean;
  /** Exists in Protobuf. */
  readonly protobuf: boolean;
  /** What becomes of members that no field names. */
  readonly unknown: "drop" | "keep";
  /** Fields by the place in which they are judged, `""` for the message itself; undefined where no order is said. */
  readonly order?: ReadonlyMap<string, number> | undefined;
  /** Of these fields only the first that is set is looked into by validation; its readers tell that there are more. */
  readonly firstOf?: readonly string[] | undefined;
  /** As declared, with inline fields unresolved: what Protobuf sees. */
  readonly fields: readonly Field[];
  /** By JSON name, with the fields of inline messages in their parent's place: what JSON sees. */
  readonly byName: ReadonlyMap<string, Field>;
}

export type Type = ScalarType | ListType | MapType | EitherType | MessageType;

export type JsonType = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

/** What a structural schema says of a value, beside what the value is made of. Made by `structural/compile.ts` alone. */
export interface Rules {
  /**
   * The node as it is written: bounds, lengths, `required`, `nullable`, `default`, texts for people and the rules of the
   * expression language are read here.
   */
  readonly schema: JsonSchema;
  /** JSON types that the value may have, in the order of error texts; none: any. */
  readonly types: readonly JsonType[];
  /** A value of another type cannot be decoded: the names that a whole object has for itself. */
  readonly strict: boolean;
  /** The format that texts are held to; undefined for one that nobody checks. */
  readonly format: TextFormat | undefined;
  readonly pattern: Pattern | undefined;
  readonly members: Members | undefined;
  /** Narrowings of the same value, in the place of the schemas of these names. */
  readonly allOf: readonly Type[];
  readonly anyOf: readonly Type[];
  readonly oneOf: readonly Type[];
  readonly not: Type | undefined;
  /** A whole object inside of another: it names its version and kind, and has metadata. */
  readonly embedded: boolean;
  /** What the schema says of the metadata of a whole object, whose type is the server's. */
  readonly metadata: Type | undefined;
  /** Unknown fields are kept here or around here: changes of topology below are not followed. */
  readonly open: boolean;
  readonly below: Below;
}

/** What there is in a type or somewhere below it: walks pass by all others. */
export interface Below {
  readonly defaults: boolean;
  readonly embedded: boolean;
  /** Lists of the types set and map. */
  readonly lists: boolean;
  /** Rules of the expression language. */
  readonly rules: boolean;
}

/** The closed set of values of an `enum`. */
export interface Members {
  /** {@link jsonKey} of each. */
  readonly keys: ReadonlySet<string>;
  /** As errors show them. */
  readonly shown: readonly string[];
}

export interface Field {
  /** JSON name; `""` for an inline message. */
  readonly name: string;
  readonly protoName: string;
  /** Protobuf number; undefined for what Protobuf does not carry. */
  readonly number: number | undefined;
  readonly type: Type;
  /** Required in the published schema. That a value must not be empty is said by `check.required`. */
  readonly required: boolean;
  readonly omitempty: boolean;
  /** Absent differs from zero. */
  readonly pointer: boolean;
  readonly nullable: boolean;
  readonly inline: boolean;
  /** A zero value (`""`, 0, false, [], {}) is the same as absence and is dropped when decoded. */
  readonly dropsZero: boolean;
  /** Overrides the message's own. */
  readonly structType: "atomic" | "granular" | undefined;
  readonly strategy: readonly ("merge" | "retainKeys" | "replace")[];
  readonly mergeKey: string | undefined;
  /** The closed set of values, of the field or of its items, in the order in which errors tell them. */
  readonly values: readonly string[] | undefined;
  /** Literal default; undefined for none. */
  readonly default: unknown;
  readonly check: Check | undefined;
  readonly doc: string;
}

/** What a value must satisfy, as data. Texts are the reference's (`validate.ts`). */
export interface Check {
  /** Must not be empty; a text is the detail of the error. */
  readonly required?: true | string;
  /**
   * A list that must be named, though it may be empty: null is the empty list, as Go's clients write it, and so is its
   * absence in Protobuf, which cannot tell the two apart.
   */
  readonly present?: true;
  readonly format?: FormatName;
  /** An empty text is held to the format, too. */
  readonly judgesEmpty?: true;
  /** Inclusive bounds: `must be between 1 and 65535, inclusive`. */
  readonly range?: readonly [number, number];
  /** `must be greater than or equal to 0`. */
  readonly min?: number;
  /** `must be greater than 0`. */
  readonly above?: number;
  readonly maxLength?: number;
  readonly maxBytes?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Items differ: as values (true) or in the named fields together. */
  readonly unique?: true | readonly string[];
  /** May not change once the object exists. */
  readonly immutable?: true;
  /** Checks of a map's keys, reported at the map. */
  readonly keys?: Check;
  /** Checks of a list's items, or of a map's values, these reported at the map. */
  readonly items?: Check;
  /** A closed set of texts that the published schema does not tell, in the order in which an error names them. */
  readonly oneOf?: readonly string[];
  /** The closed set of the type is not enforced (what only the server's own writers set). */
  readonly open?: true;
  /** Nothing below is judged: it is a draft of another kind's object, which is judged when it is made. */
  readonly draft?: true;
}

export const formatNames = [
  "dnsLabel",
  "dns1035Label",
  "dnsSubdomain",
  "qualifiedName",
  "labelValue",
  "pathSegment",
  "portName",
  "configKey",
  "envName",
  "ip",
  "quantity",
  "duration",
  "time",
  "absolutePath",
  "relativePath",
  "noBacksteps",
  "fileMode",
  "httpHeaderName",
  "portNumberOrName",
] as const;
export type FormatName = (typeof formatNames)[number];

interface MessageSpec {
  readonly name: string;
  readonly object?: boolean;
  readonly structType?: "atomic" | "granular";
  readonly union?: boolean;
  readonly protobuf?: boolean;
  readonly unknown?: "drop" | "keep";
  readonly rules?: Rules | undefined;
  readonly order?: readonly string[] | undefined;
  readonly firstOf?: readonly string[] | undefined;
  /** Called once, when a field is first asked for: messages may refer to each other and to themselves. */
  readonly fields: () => readonly Field[];
}

const typeMeta: readonly Field[] = [
  field({ name: "kind", type: { kind: "string" }, omitempty: true }),
  field({ name: "apiVersion", type: { kind: "string" }, omitempty: true }),
];

export function message(spec: MessageSpec): MessageType {
  return new Message(spec);
}

/** A class for its speed: an object whose accessors are its own is a hash table to the engine, and walks ask each message. */
class Message implements MessageType {
  readonly kind = "message";
  readonly name: string;
  readonly object: boolean;
  readonly structType: "atomic" | "granular";
  readonly union: boolean;
  readonly protobuf: boolean;
  readonly unknown: "drop" | "keep";
  readonly rules: Rules | undefined;
  readonly order: ReadonlyMap<string, number> | undefined;
  readonly firstOf: readonly string[] | undefined;
  readonly #own: () => readonly Field[];
  #fields: readonly Field[] | undefined;
  #byName: ReadonlyMap<string, Field> | undefined;

  constructor(spec: MessageSpec) {
    this.name = spec.name;
    this.object = spec.object ?? false;
    this.structType = spec.structType ?? "granular";
    this.union = spec.union ?? false;
    this.protobuf = spec.protobuf ?? true;
    this.unknown = spec.unknown ?? "drop";
    this.rules = spec.rules;
    this.firstOf = spec.firstOf;
    this.order = spec.order === undefined ? undefined : new Map(spec.order.map((name, i) => [name, i]));
    this.#own = spec.fields;
  }

  get fields(): readonly Field[] {
    this.#fields ??= this.object ? [...typeMeta, ...this.#own()] : this.#own();
    return this.#fields;
  }

  get byName(): ReadonlyMap<string, Field> {
    this.#byName ??= flattened(this.fields);
    return this.#byName;
  }
}

function flattened(fields: readonly Field[]): ReadonlyMap<string, Field> {
  const byName = new Map<string, Field>();
  for (const f of fields) {
    if (!f.inline) byName.set(f.name, f);
    else if (f.type.kind === "message") for (const [name, inner] of f.type.byName) byName.set(name, inner);
  }
  return byName;
}

type FieldSpec = Pick<Field, "name" | "type"> & Partial<Omit<Field, "dropsZero">>;

/**
 * An empty list or map is absent even where it is always written: no stored form of a built-in kind tells them apart
 * (`rules: null` is what the reference answers for `rules: []`).
 */
function dropsZero(spec: FieldSpec, optional: boolean): boolean {
  if (spec.type.kind === "message" || spec.type.kind === "raw") return false;
  return optional || (isRepeated(spec) && spec.check?.present !== true);
}

/** Whether Protobuf cannot tell an empty list or map from none: one that it holds in a message of its own it can. */
export function isRepeated({ type, pointer, number }: Pick<FieldSpec, "type" | "pointer" | "number">): boolean {
  if (type.rules !== undefined || pointer === true || number === undefined) return false;
  return type.kind === "map" || (type.kind === "list" && !type.wrapped);
}

export function field(spec: FieldSpec): Field {
  const omitempty = spec.omitempty ?? false;
  const pointer = spec.pointer ?? false;
  return {
    name: spec.name,
    protoName: spec.protoName ?? spec.name,
    number: spec.number,
    type: spec.type,
    required: spec.required ?? false,
    omitempty,
    pointer,
    nullable: spec.nullable ?? false,
    inline: spec.inline ?? false,
    dropsZero: dropsZero(spec, omitempty && !pointer),
    structType: spec.structType,
    strategy: spec.strategy ?? [],
    mergeKey: spec.mergeKey,
    values: spec.values,
    default: spec.default,
    check: spec.check,
    doc: spec.doc ?? "",
  };
}

export type JsonObject = { readonly [name: string]: unknown };

/** A JSON object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
