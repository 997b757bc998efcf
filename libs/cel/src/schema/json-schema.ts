import { type SchemaView, viewOf } from "./view.js";

/** A schema as JSON, of a definition or of an OpenAPI document. */
export type JsonSchema = { readonly [key: string]: unknown };

const types = new Set(["object", "array", "string", "boolean", "number", "integer"]);

/** The view of a structural schema. Parts that have no meaning for expressions are passed over. */
export function viewOfJsonSchema(schema: JsonSchema): SchemaView {
  const flag = (name: string): boolean => schema[`x-kubernetes-${name}`] === true;
  const intOrString = flag("int-or-string");
  const type = schema["type"];
  const values = schema["additionalProperties"];
  const listType = schema["x-kubernetes-list-type"];
  return viewOf({
    type: typeof type === "string" && isType(type) ? type : undefined,
    format: text(schema["format"]),
    nullable: schema["nullable"] === true,
    properties: isObject(schema["properties"]) ? propertiesOf(schema["properties"]) : undefined,
    required: new Set(texts(schema["required"])),
    values: isObject(values) ? viewOfJsonSchema(values) : undefined,
    items: isObject(schema["items"]) ? viewOfJsonSchema(schema["items"]) : undefined,
    listType: listType === "set" || listType === "map" || listType === "atomic" ? listType : undefined,
    listKeys: texts(schema["x-kubernetes-list-map-keys"]),
    hasDefault: schema["default"] !== undefined && schema["default"] !== null,
    enum: texts(schema["enum"]),
    maxLength: size(schema["maxLength"]),
    maxItems: size(schema["maxItems"]),
    maxProperties: size(schema["maxProperties"]),
    intOrString,
    embedded: flag("embedded-resource"),
    preserveUnknown: flag("preserve-unknown-fields"),
  });
}

function isType(text: string): text is NonNullable<SchemaView["type"]> {
  return types.has(text);
}

export function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function propertiesOf(properties: JsonSchema): ReadonlyMap<string, SchemaView> {
  const views = new Map<string, SchemaView>();
  for (const [name, schema] of Object.entries(properties)) {
    if (isObject(schema)) views.set(name, viewOfJsonSchema(schema));
  }
  return views;
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

const size = (value: unknown): number | undefined => (typeof value === "number" ? Math.max(0, value) : undefined);
