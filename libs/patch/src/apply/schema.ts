import type { Field, Forms, ListType, MessageType, ScalarType, Type } from "@orch/schema/descriptor.js";

export type ScalarForm = "numeric" | "string" | "boolean" | "untyped";

/** A list whose items are told apart (set or map), or one that is a single value (atomic). */
export interface ListForm {
  readonly atomic: boolean;
  readonly item: Schema;
  /** Fields that together tell items apart; none: items tell themselves apart. */
  readonly keys: readonly string[];
}

export interface MapForm {
  readonly atomic: boolean;
  /** What is declared by name. */
  readonly fields: ReadonlyMap<string, Schema>;
  /** What all other names are; undefined where there may be none. */
  readonly element: Schema | undefined;
  /** What stands for a key of a list's item that is absent; undefined for nothing. */
  readonly defaultOf: (name: string) => unknown;
  /** Anything goes at any depth: changes of its topology are not followed. */
  readonly deduced: boolean;
}

/**
 * A type as server-side apply sees it: the forms a value may have, told apart by its shape. Most have one; what is not
 * typed has all three. Null fits them all.
 */
export interface Schema {
  readonly scalar: ScalarForm | undefined;
  readonly list: ListForm | undefined;
  readonly map: MapForm | undefined;
}

function schemaOfScalar(scalar: ScalarForm): Schema {
  return { scalar, list: undefined, map: undefined };
}

const scalars: Readonly<Record<ScalarForm, Schema>> = {
  numeric: schemaOfScalar("numeric"),
  string: schemaOfScalar("string"),
  boolean: schemaOfScalar("boolean"),
  untyped: schemaOfScalar("untyped"),
};

const noFields: ReadonlyMap<string, Schema> = new Map();
const noDefault = (): undefined => undefined;

/** A type of three forms whose lists hold `item` and whose maps hold what is made of the type itself. */
function untyped(atomicMap: boolean, item: Schema | undefined): Schema {
  const schema: Schema = {
    scalar: "untyped",
    get list() {
      return { atomic: true, item: item ?? schema, keys: [] };
    },
    get map() {
      return { atomic: atomicMap, fields: noFields, element: schema, defaultOf: noDefault, deduced: !atomicMap };
    },
  };
  // Getters close the circle; after this they are plain values.
  return Object.defineProperties(schema, {
    list: { value: schema.list },
    map: { value: schema.map },
  });
}

/** Any value, as one piece: an embedded object. */
const atomicValue: Schema = untyped(true, undefined);
/** Any value, whose maps are followed field by field: what has no schema. */
const deducedValue: Schema = untyped(false, atomicValue);

const known = { granular: new WeakMap<MessageType, Schema>(), atomic: new WeakMap<MessageType, Schema>() };

/** The schema of a kind's version, worked out once. */
export function schemaOf(type: MessageType): Schema {
  return schemaOfMessage(type, type.structType);
}

function schemaOfMessage(type: MessageType, struct: "atomic" | "granular"): Schema {
  let schema = known[struct].get(type);
  if (schema === undefined) {
    schema = { scalar: undefined, list: undefined, map: new MessageForm(type, struct === "atomic") };
    known[struct].set(type, schema);
  }
  return schema;
}

/**
 * Messages may contain themselves: fields are looked into when they are asked for. A class for its speed, as messages
 * have one.
 */
class MessageForm implements MapForm {
  readonly atomic: boolean;
  readonly defaultOf: (name: string) => unknown;
  readonly #type: MessageType;
  #fields: ReadonlyMap<string, Schema> | undefined;
  #element: Schema | undefined;
  #bare: boolean | undefined;

  constructor(type: MessageType, atomic: boolean) {
    this.atomic = atomic;
    this.defaultOf = (name) => keyDefault(type, name);
    this.#type = type;
  }

  get fields(): ReadonlyMap<string, Schema> {
    this.#fields ??= new Map([...this.#type.byName].map(([name, field]) => [name, schemaOfField(field)]));
    return this.#fields;
  }

  /** A struct without fields is published as an object of which nothing is known; unknown fields that are kept have owners. */
  get element(): Schema | undefined {
    if (this.#bare === undefined) {
      const { rules, unknown } = this.#type;
      this.#bare = this.#type.byName.size === 0;
      this.#element = this.#bare || unknown === "keep" || rules?.open === true ? deducedValue : undefined;
    }
    return this.#element;
  }

  get deduced(): boolean {
    return this.#type.byName.size === 0;
  }
}

function schemaOfField(field: Field): Schema {
  if (field.type.kind === "message") return schemaOfMessage(field.type, field.structType ?? field.type.structType);
  if (field.type.kind === "map" && field.structType !== undefined) {
    return mapSchema(field.structType === "atomic", schemaOfType(field.type.value));
  }
  return schemaOfType(field.type);
}

function schemaOfType(type: Type): Schema {
  switch (type.kind) {
    case "string":
      return isPlainText(type) ? scalars.string : scalars.untyped;
    case "bytes":
    case "duration":
      return scalars.string;
    case "int32":
    case "int64":
    case "double":
      return scalars.numeric;
    case "bool":
      return scalars.boolean;
    case "time":
    case "microTime":
    case "quantity":
      return scalars.untyped;
    case "raw":
      return atomicValue;
    case "any":
      return type.forms === undefined ? deducedValue : schemaOfForms(type.forms);
    // Published without a type.
    case "intOrString":
    case "either":
      return deducedValue;
    case "fieldsV1":
      return mapSchema(false, deducedValue);
    case "message":
      return schemaOfMessage(type, type.structType);
    case "map":
      return mapSchema(type.mapType === "atomic", schemaOfType(type.value));
    case "list":
      return { scalar: undefined, list: listOfType(type), map: undefined };
  }
}

/** A text of a format is compared as what it is; built-in kinds have types for those. */
function isPlainText({ rules }: ScalarType): boolean {
  const { format = "" } = rules?.schema ?? {};
  return format === "" || format === "byte";
}

function listOfType({ listType, item, keys, rules }: ListType): ListForm {
  return {
    atomic: listType === "atomic",
    // A schema of no items knows nothing of them.
    item: rules !== undefined && item.rules === undefined ? atomicValue : schemaOfType(item),
    keys: listType === "map" ? keys : [],
  };
}

/** A value of any type: what its schema says of objects and lists is followed where it is one. */
function schemaOfForms({ object, list }: Forms): Schema {
  return {
    scalar: "untyped",
    list: list === undefined ? deducedValue.list : listOfType(list),
    map: object === undefined ? deducedValue.map : schemaOfType(object).map,
  };
}

function mapSchema(atomic: boolean, element: Schema): Schema {
  const map = { atomic, fields: noFields, element, defaultOf: noDefault, deduced: element === deducedValue };
  return { scalar: undefined, list: undefined, map };
}

/** The default of a field, or the zero of one that is always written. */
function keyDefault(type: MessageType, name: string): unknown {
  const field = type.byName.get(name);
  if (field === undefined || field.default !== undefined || field.omitempty || field.pointer) return field?.default;
  switch (field.type.kind) {
    case "string":
      return "";
    case "int32":
    case "int64":
    case "double":
      return 0;
    case "bool":
      return false;
    default:
      return undefined;
  }
}
