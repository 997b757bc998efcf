import { jsonText } from "@orch/status/json-text.js";
import {
  type Below,
  type Field,
  type Forms,
  field,
  type JsonType,
  type ListType,
  type MapType,
  type Members,
  type MessageType,
  message,
  type Rules,
  type Type,
} from "../descriptor.js";
import { jsonKey } from "../equal.js";
import {
  embeddedResource,
  intOrString,
  itemsOf,
  type JsonSchema,
  listMapKeys,
  listType,
  mapType,
  metaNames,
  preserveUnknownFields,
  propertyOf,
  validations,
  valuesOf,
} from "./json-schema.js";
import { createPattern } from "./pattern.js";
import { textFormat } from "./text-formats.js";

export interface CompileOptions {
  /** `stable.example.com/v1.Widget`. */
  readonly name: string;
  /** The type of the metadata of the whole object and of those embedded in it; absent: it is what the schema says. */
  readonly metadata?: MessageType;
  /** Nothing is pruned, as old definitions may have it for all their versions (`spec.preserveUnknownFields`). */
  readonly keepUnknown?: boolean;
}

/**
 * The type of a custom resource: the descriptor of its structural schema, with which every walk over built-in kinds
 * works. Linear in the schema; expressions of `pattern` are compiled when a value meets them.
 */
export function compileSchema(schema: JsonSchema, options: CompileOptions): MessageType {
  return messageOf({ ...options, open: options.keepUnknown === true, keep: false }, schema, true);
}

interface Context extends CompileOptions {
  /** Something around keeps unknown fields. */
  readonly open: boolean;
  /** Unknown fields of this value are kept, though it does not say so: items of a list that does. */
  readonly keep: boolean;
}

function typeOf(context: Context, schema: JsonSchema): Type {
  if (schema[intOrString] === true) return { kind: "intOrString", rules: rulesOf(context, schema, nothing) };
  switch (schema.type) {
    case "object":
      return objectOf(context, schema);
    case "array":
      return listOf(context, schema);
    case "string":
      return { kind: "string", rules: rulesOf(context, schema, nothing) };
    case "boolean":
      return { kind: "bool", rules: rulesOf(context, schema, nothing) };
    case "integer":
      return { kind: "int64", rules: rulesOf(context, schema, nothing) };
    case "number":
      return { kind: "double", rules: rulesOf(context, schema, nothing) };
    default:
      return anyOf(context, schema);
  }
}

/** What may be of any type, and is looked into where it is an object or a list. */
function anyOf(context: Context, schema: JsonSchema): Type {
  const hasMembers = schema.properties !== undefined || valuesOf(schema) !== undefined || isWhole(schema);
  const object = hasMembers || !keepsUnknown(context, schema) ? objectOf(context, schema) : undefined;
  const list = schema.items === undefined ? undefined : listOf(context, schema);
  const forms: Forms = { object, list };
  return { kind: "any", forms, rules: rulesOf(context, schema, belowAll([object, list])) };
}

function isWhole(schema: JsonSchema): boolean {
  return schema[embeddedResource] === true;
}

function objectOf(context: Context, schema: JsonSchema): MessageType | MapType {
  const { properties, additionalProperties } = schema;
  const isMap = properties === undefined && additionalProperties !== undefined && additionalProperties !== false;
  return isMap && !isWhole(schema) ? mapOf(context, schema) : messageOf(context, schema, false);
}

function mapOf(context: Context, schema: JsonSchema): MapType {
  const values = valuesOf(schema);
  const value: Type = values === undefined ? { kind: "any" } : typeOf(inside(context, schema), values);
  return { kind: "map", value, mapType: topology(schema), rules: rulesOf(context, schema, belowElements(value)) };
}

function topology(schema: JsonSchema): "atomic" | "granular" {
  return schema[mapType] === "atomic" ? "atomic" : "granular";
}

function listOf(context: Context, schema: JsonSchema): ListType {
  const items = itemsOf(schema);
  const kept = { ...inside(context, schema), keep: schema[preserveUnknownFields] === true };
  const item: Type = items === undefined ? { kind: "any" } : typeOf(kept, items);
  const type = schema[listType];
  const below = belowElements(item);
  return {
    kind: "list",
    item,
    listType: type === "set" || type === "map" ? type : "atomic",
    keys: type === "map" ? (schema[listMapKeys] ?? []) : [],
    wrapped: false,
    rules: rulesOf(context, schema, { ...below, lists: below.lists || type === "set" || type === "map" }),
  };
}

function messageOf(context: Context, schema: JsonSchema, isRoot: boolean): MessageType {
  const whole = isRoot || isWhole(schema);
  const fields = [
    ...(whole ? metaFields(context, schema, isRoot) : []),
    ...Object.entries(schema.properties ?? {})
      .filter(([name]) => !(whole && metaNames.includes(name)))
      .map(([name, property]) => fieldOf(inside(context, schema), schema, name, property)),
  ];
  const below = belowAll(fields.map((f) => f.type));
  const defaults = below.defaults || fields.some((f) => f.default !== undefined);
  const embedded = below.embedded || (whole && !isRoot);
  const meta = whole && context.metadata !== undefined ? propertyOf(schema, "metadata") : undefined;
  const metadata = meta && typeOf(inside(context, schema), meta);
  const rules = below.rules || metadata?.rules?.below.rules === true;
  return message({
    name: isRoot ? context.name : "",
    object: isRoot,
    structType: topology(schema),
    protobuf: false,
    unknown: keepsUnknown(context, schema) ? "keep" : "drop",
    rules: {
      ...rulesOf(context, schema, { ...below, defaults, embedded, rules }),
      embedded: whole && !isRoot,
      metadata,
    },
    fields: () => fields,
  });
}

function keepsUnknown({ keep, keepUnknown }: Context, schema: JsonSchema): boolean {
  return keep || keepUnknown === true || schema[preserveUnknownFields] === true || schema.additionalProperties === true;
}

/** What every whole object has; the root's version and kind are there unless the schema narrows them. */
function metaFields(context: Context, schema: JsonSchema, isRoot: boolean): readonly Field[] {
  const names = ["kind", "apiVersion"].flatMap((name) => {
    const property = propertyOf(schema, name);
    if (property === undefined && isRoot) return [];
    const rules = { ...rulesOf(context, property ?? { type: "string" }, nothing), strict: true };
    return [field({ name, type: { kind: "string", rules }, omitempty: true, pointer: true })];
  });
  const own = propertyOf(schema, "metadata");
  const known = context.metadata ?? (own === undefined ? { kind: "any" } : typeOf(inside(context, schema), own));
  const metadata = field({ name: "metadata", type: known, omitempty: true, pointer: !isRoot || known.kind === "any" });
  return [...names, metadata];
}

/** Absent, null and zero differ in a custom resource: its fields are what pointers are in built-in kinds. */
function fieldOf(context: Context, parent: JsonSchema, name: string, schema: JsonSchema): Field {
  return field({
    name,
    type: typeOf(context, schema),
    required: parent.required?.includes(name) === true,
    omitempty: true,
    pointer: true,
    nullable: schema.nullable === true,
    default: schema.default,
    doc: schema.description ?? "",
  });
}

function inside(context: Context, schema: JsonSchema): Context {
  const open = context.open || schema[preserveUnknownFields] === true;
  return open === context.open && !context.keep ? context : { ...context, open, keep: false };
}

const nothing: Below = { defaults: false, embedded: false, lists: false, rules: false };

function belowAll(types: readonly (Type | undefined)[]): Below {
  const found = types.flatMap((type) => type?.rules?.below ?? []);
  return {
    defaults: found.some((b) => b.defaults),
    embedded: found.some((b) => b.embedded),
    lists: found.some((b) => b.lists),
    rules: found.some((b) => b.rules),
  };
}

/** Of items or of the values of a map: a default of theirs stands for null. */
function belowElements(type: Type): Below {
  const below = type.rules?.below ?? nothing;
  return { ...below, defaults: below.defaults || type.rules?.schema.default !== undefined };
}

const jsonTypes: readonly JsonType[] = ["array", "boolean", "integer", "number", "object", "string"];

function rulesOf(context: Context, schema: JsonSchema, below: Below): Rules {
  const narrowed = (narrowing: JsonSchema): Type => typeOf({ ...context, keep: true }, narrowing);
  const { pattern = "", format = "" } = schema;
  const type = jsonTypes.find((t) => t === schema.type);
  return {
    schema,
    types: schema[intOrString] === true ? ["integer", "string"] : type === undefined ? [] : [type],
    strict: false,
    format: format === "" ? undefined : textFormat(format),
    pattern: pattern === "" ? undefined : createPattern(pattern),
    members: schema.enum === undefined ? undefined : membersOf(schema.enum),
    allOf: schema.allOf?.map(narrowed) ?? [],
    anyOf: schema.anyOf?.map(narrowed) ?? [],
    oneOf: schema.oneOf?.map(narrowed) ?? [],
    not: schema.not === undefined ? undefined : narrowed(schema.not),
    embedded: false,
    metadata: undefined,
    open: context.open || schema[preserveUnknownFields] === true,
    below: (schema[validations] ?? []).length > 0 ? { ...below, rules: true } : below,
  };
}

function membersOf(members: readonly unknown[]): Members {
  return { keys: new Set(members.map(jsonKey)), shown: members.map((m) => (typeof m === "string" ? m : jsonText(m))) };
}
