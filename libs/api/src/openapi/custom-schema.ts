import type { JsonObject, MessageType, Rules, Type } from "@orch/schema/descriptor.js";
import { preserveUnknownFields } from "@orch/schema/structural/json-schema.js";

/** What the schema of a custom resource refers to. */
export interface CustomSchemaParts {
  /** Version 2 knows neither junctions nor null. */
  readonly form: "v2" | "v3";
  /** The property of a whole object that is the server's: `kind`, `apiVersion` or `metadata`. */
  readonly metaProperty: (name: string) => JsonObject;
}

/**
 * The published schema of a custom resource: as it is written, with what every whole object has. Clients cope with less in
 * version 2: there, a value of which something is kept or that may be null has no type.
 */
export function customSchema(type: MessageType, parts: CustomSchemaParts): JsonObject {
  if (parts.form === "v2" && type.unknown === "keep") return { type: "object" };
  const schema = schemaOf(parts, type);
  return { ...schema, properties: { ...asObject(schema["properties"]), ...metaProperties(parts) } };
}

const metaNames = ["kind", "apiVersion", "metadata"] as const;

function metaProperties({ metaProperty }: CustomSchemaParts): JsonObject {
  return Object.fromEntries(metaNames.map((name) => [name, metaProperty(name)]));
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function schemaOf(parts: CustomSchemaParts, type: Type): JsonObject {
  const { rules } = type;
  if (rules === undefined) return {};
  const { properties: _properties, items: _items, additionalProperties, required, ...own } = rules.schema;
  const plain = type.kind === "message" || required === undefined ? own : { ...own, required };
  const whole = { ...plain, ...below(parts, type, additionalProperties) };
  return parts.form === "v2" ? withoutNews(rules, whole) : unfolded(type, whole);
}

/** What stands below a value: as the type has it, so that whole objects say all that they have. */
function below(parts: CustomSchemaParts, type: Type, any: unknown): JsonObject {
  switch (type.kind) {
    case "any":
      return {
        ...(type.forms?.object === undefined ? {} : below(parts, type.forms.object, any)),
        ...(type.forms?.list === undefined ? {} : below(parts, type.forms.list, any)),
      };
    case "list":
      return type.item.rules === undefined ? {} : { items: schemaOf(parts, type.item) };
    case "map":
      return { additionalProperties: type.value.rules === undefined ? true : schemaOf(parts, type.value) };
    case "message":
      return { ...propertiesOf(parts, type), ...(any === undefined ? {} : { additionalProperties: any }) };
    default:
      return {};
  }
}

function propertiesOf(parts: CustomSchemaParts, type: MessageType): JsonObject {
  // Clients of version 2 would miss what else is kept.
  const told = type.rules?.embedded === true && !(parts.form === "v2" && type.unknown === "keep");
  const isWhole = type.object || type.rules?.embedded === true;
  const fields = [...type.byName.values()].filter(({ name }) => !(isWhole && metaNames.some((meta) => meta === name)));
  const own = fields.map(({ name, type: property }) => [name, schemaOf(parts, property)] as const);
  const properties = { ...Object.fromEntries(own), ...(told ? metaProperties(parts) : {}) };
  const required = requiredOf(parts, type, told ? ["kind", "apiVersion"] : []);
  return {
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

function requiredOf(
  { form }: CustomSchemaParts,
  { rules, byName }: MessageType,
  always: readonly string[],
): readonly string[] {
  const written = rules?.schema.required ?? [];
  const wanted = form === "v2" ? written.filter((name) => byName.get(name)?.nullable !== true) : written;
  return [...wanted, ...always.filter((name) => !wanted.includes(name))];
}

/** A number or text says so in the words of the language, too. */
function unfolded(type: Type, schema: JsonObject): JsonObject {
  const { anyOf, allOf } = type.rules?.schema ?? {};
  if (type.kind !== "intOrString" || saysSo(anyOf) || saysSo(allOf?.[0]?.anyOf)) return schema;
  const types = [{ type: "integer" }, { type: "string" }];
  return anyOf === undefined ? { ...schema, anyOf: types } : { ...schema, allOf: [{ anyOf: types }, ...(allOf ?? [])] };
}

function saysSo(anyOf: readonly { readonly type?: string }[] | undefined): boolean {
  return anyOf?.length === 2 && anyOf[0]?.type === "integer" && anyOf[1]?.type === "string";
}

/** Without what version 2 has no words for, and what its clients stumble over. */
function withoutNews(rules: Rules, schema: JsonObject): JsonObject {
  const { allOf, anyOf, oneOf, not, nullable, default: _default, ...rest } = schema;
  const keeps = rules.schema[preserveUnknownFields] === true;
  if (nullable !== true && !keeps) return rest;
  const { items, properties, type, required, ...bare } = rest;
  return {
    ...bare,
    ...(required === undefined ? {} : { required }),
    // What is neither an object nor a list keeps its type where it is not null.
    ...(nullable !== true && type !== "object" && type !== "array" && type !== undefined ? { type } : {}),
  };
}
