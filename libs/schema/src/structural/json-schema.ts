/**
 * The schema of a custom resource as decoded (`JSONSchemaProps`): a subset of JSON Schema with extensions. What stands
 * for nothing is absent.
 */
export interface JsonSchema {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly default?: unknown;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly unknown[];
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly properties?: SchemaMap;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly patternProperties?: SchemaMap;
  readonly dependencies?: Readonly<Record<string, JsonSchema | readonly string[]>>;
  readonly additionalItems?: boolean | JsonSchema;
  readonly definitions?: SchemaMap;
  readonly externalDocs?: object;
  readonly example?: unknown;
  readonly nullable?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly SchemaRule[];
}

export type SchemaMap = Readonly<Record<string, JsonSchema>>;

/** A rule of the expression language over the value at its schema. */
export interface SchemaRule {
  readonly rule?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

export const preserveUnknownFields = "x-kubernetes-preserve-unknown-fields";
export const embeddedResource = "x-kubernetes-embedded-resource";
export const intOrString = "x-kubernetes-int-or-string";
export const listMapKeys = "x-kubernetes-list-map-keys";
export const listType = "x-kubernetes-list-type";
export const mapType = "x-kubernetes-map-type";
export const validations = "x-kubernetes-validations";

/** What tells the server which object this is: it knows their schemas itself. */
export const metaNames: readonly string[] = ["metadata", "kind", "apiVersion"];

/** The schema of a list's items; undefined where there is none or a list of them, which is not supported. */
export function itemsOf({ items }: JsonSchema): JsonSchema | undefined {
  return items === undefined || isList(items) ? undefined : items;
}

/** The schemas of a list's items where they are given one by one. */
export function itemListOf({ items }: JsonSchema): readonly JsonSchema[] {
  return items !== undefined && isList(items) ? items : [];
}

/** The schema of a map's values; undefined where they may be anything, or nothing. */
export function valuesOf({ additionalProperties: values }: JsonSchema): JsonSchema | undefined {
  return typeof values === "object" ? values : undefined;
}

/** The property's schema; names that every object of the language has (`constructor`) are no properties. */
export function propertyOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

/** A schema below another, and the step from there: `properties[spec]`. */
export interface Child {
  readonly step: string;
  readonly schema: JsonSchema;
}

/** Schemas of the values below a schema's own: of items, properties and map values. */
export function structuralChildren(schema: JsonSchema): readonly Child[] {
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  return [
    ...(items === undefined ? [] : [{ step: "items", schema: items }]),
    ...mapChildren("properties", schema.properties),
    ...(values === undefined ? [] : [{ step: "additionalProperties", schema: values }]),
  ];
}

/** Schemas that say more of the same value. */
export function junctions(schema: JsonSchema): readonly Child[] {
  const list = (name: string, schemas: readonly JsonSchema[] = []): readonly Child[] =>
    schemas.map((s, i) => ({ step: `${name}[${i}]`, schema: s }));
  return [
    ...list("anyOf", schema.anyOf),
    ...list("allOf", schema.allOf),
    ...list("oneOf", schema.oneOf),
    ...(schema.not === undefined ? [] : [{ step: "not", schema: schema.not }]),
  ];
}

/** Schemas where none may stand: a walk that looks for anything anywhere goes there too. */
export function unsupportedChildren(schema: JsonSchema): readonly Child[] {
  const { additionalItems } = schema;
  return [
    ...itemListOf(schema).map((s, i) => ({ step: `items[${i}]`, schema: s })),
    ...mapChildren("patternProperties", schema.patternProperties),
    ...mapChildren("definitions", schema.definitions),
    ...Object.entries(schema.dependencies ?? {}).flatMap(([name, s]) =>
      // A null is kept as one: it says nothing.
      s === null || isList<JsonSchema | string>(s) ? [] : [{ step: `dependencies[${name}]`, schema: s }],
    ),
    ...(typeof additionalItems === "object" ? [{ step: "additionalItems", schema: additionalItems }] : []),
  ];
}

function mapChildren(name: string, schemas: SchemaMap = {}): readonly Child[] {
  return Object.entries(schemas).map(([key, schema]) => ({ step: `${name}[${key}]`, schema }));
}

/** Whether a schema or one anywhere below it is so. */
export function someSchema(schema: JsonSchema, is: (schema: JsonSchema) => boolean): boolean {
  if (is(schema)) return true;
  const below = [...structuralChildren(schema), ...junctions(schema), ...unsupportedChildren(schema)];
  return below.some((child) => someSchema(child.schema, is));
}
