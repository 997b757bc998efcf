import { lazyProperties, type Properties, type SchemaView, viewOf } from "./view.js";

/** A schema as JSON, of a definition or of an OpenAPI document. */
export type JsonSchema = object;

const types = new Set(["object", "array", "string", "boolean", "number", "integer"]);

const known = new WeakMap<JsonSchema, SchemaView>();

/**
 * The view of a structural schema, the same one each time. Parts that have no meaning for expressions are passed over, and
 * nothing is made of a property before somebody asks for it.
 */
export function viewOfJsonSchema(schema: JsonSchema): SchemaView {
  const view = known.get(schema) ?? makeView(schema);
  known.set(schema, view);
  return view;
}

function makeView(schema: JsonSchema): SchemaView {
  const at = (name: string): unknown => Reflect.get(schema, name);
  const flag = (name: string): boolean => at(`x-kubernetes-${name}`) === true;
  const intOrString = flag("int-or-string");
  const type = at("type");
  const values = at("additionalProperties");
  const items = at("items");
  const properties = at("properties");
  const listType = at("x-kubernetes-list-type");
  return viewOf({
    type: typeof type === "string" && isType(type) ? type : undefined,
    format: text(at("format")),
    nullable: at("nullable") === true,
    properties: isObject(properties) ? propertiesOf(properties) : undefined,
    required: texts(at("required")),
    values: isObject(values) ? viewOfJsonSchema(values) : undefined,
    items: isObject(items) ? viewOfJsonSchema(items) : undefined,
    listType: listType === "set" || listType === "map" || listType === "atomic" ? listType : undefined,
    listKeys: texts(at("x-kubernetes-list-map-keys")),
    hasDefault: at("default") !== undefined && at("default") !== null,
    enum: texts(at("enum")),
    maxLength: size(at("maxLength")),
    maxItems: size(at("maxItems")),
    maxProperties: size(at("maxProperties")),
    intOrString,
    embedded: flag("embedded-resource"),
    preserveUnknown: flag("preserve-unknown-fields"),
  });
}

function isType(text: string): text is NonNullable<SchemaView["type"]> {
  return types.has(text);
}

type Members = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function propertiesOf(properties: Members): Properties {
  const schemaOf = (name: string): JsonSchema | undefined => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(schema) ? schema : undefined;
  };
  return lazyProperties(
    () => Object.keys(properties).filter((name) => schemaOf(name) !== undefined),
    (name) => {
      const schema = schemaOf(name);
      return schema && viewOfJsonSchema(schema);
    },
  );
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

const size = (value: unknown): number | undefined =>
  typeof value === "number" || typeof value === "bigint" ? Math.max(0, Number(value)) : undefined;
