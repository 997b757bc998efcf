import { equalJson } from "@orch/schema/equal.js";
import {
  embeddedResource,
  intOrString,
  itemListOf,
  itemsOf,
  type JsonSchema,
  junctions,
  listMapKeys,
  listType,
  mapType,
  preserveUnknownFields,
  propertyOf,
  structuralChildren,
  validations,
  valuesOf,
} from "@orch/schema/structural/json-schema.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/**
 * Structural schemas: the types of all values can be read from `properties`, `items` and `additionalProperties` alone;
 * what stands below `allOf`, `anyOf`, `oneOf` and `not` only narrows values. Pruning, defaults and merging rest on it.
 */

/** Why a schema has no structure to look at, at the first place that takes it away; undefined for most. */
export function unstructured(schema: JsonSchema): string | undefined {
  const not = (name: string) => `OpenAPIV3Schema '${name}' is not supported`;
  if (itemListOf(schema).length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  if (schema.id !== undefined) return not("id");
  if (schema.$schema !== undefined) return not("schema");
  if (schema.$ref !== undefined) return not("$ref");
  if (schema.patternProperties !== undefined) return not("patternProperties");
  if (schema.dependencies !== undefined) return not("dependencies");
  if (schema.additionalItems !== undefined) return not("additionalItems");
  if (schema.definitions !== undefined) return not("definitions");
  if (schema[preserveUnknownFields] === false) {
    return `internal error: '${preserveUnknownFields}' must be true or undefined`;
  }
  for (const child of [...structuralChildren(schema), ...junctions(schema)]) {
    const reason = unstructured(child.schema);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Whether a schema is one that pruning can go by. */
export function isStructural(schema: JsonSchema): boolean {
  return unstructured(schema) === undefined && validateStructural(schema, "").length === 0;
}

/** Everything that keeps a schema from being structural, sorted; it is not {@link unstructured}. */
export function validateStructural(schema: JsonSchema, at: string): readonly FieldError[] {
  const errors = [...invariants(schema, "root", at), ...completeness(schema, { schema, at, narrowedAt: at })];
  const text = (e: FieldError) => `${e.field}: ${e.message}`;
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
}

/** What a schema describes: the whole object, an item of a list, or a field. */
type Level = "root" | "item" | "field";

function invariants(schema: JsonSchema, level: Level, at: string): FieldError[] {
  const values = schema.additionalProperties;
  const embedded = schema[embeddedResource] === true;
  return [
    ...(schema.type === "array" && schema.items === undefined
      ? [fieldError.required(`${at}.items`, "must be specified")]
      : []),
    ...structuralChildren(schema).flatMap((child) =>
      invariants(child.schema, child.step === "items" ? "item" : "field", `${at}.${child.step}`),
    ),
    ...(level === "root" && values !== undefined
      ? [fieldError.forbidden(`${at}.additionalProperties`, "must not be used at the root")]
      : []),
    ...extensions(schema, at),
    ...narrowings(schema, at),
    ...typeRules(schema, level, `${at}.type`),
    ...(embedded && values !== undefined
      ? [fieldError.forbidden(`${at}.additionalProperties`, `must not be used if ${embeddedResource} is set`)]
      : []),
    ...metaRules(schema, level, at),
    ...(embedded && schema[preserveUnknownFields] !== true && Object.keys(schema.properties ?? {}).length === 0
      ? [
          fieldError.required(
            `${at}.properties`,
            `must not be empty if ${embeddedResource} is true without ${preserveUnknownFields}`,
          ),
        ]
      : []),
  ];
}

function extensions(schema: JsonSchema, at: string): readonly FieldError[] {
  if (schema[intOrString] !== true) return [];
  return ([preserveUnknownFields, embeddedResource] as const)
    .filter((name) => schema[name] === true)
    .map((name) => fieldError.invalid(`${at}.${name}`, true, `must be false if ${intOrString} is true`));
}

const typeMissing: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function typeRules(schema: JsonSchema, level: Level, at: string): readonly FieldError[] {
  const { type = "" } = schema;
  const errors: FieldError[] = [];
  if (schema[embeddedResource] === true && type !== "object") {
    const detail = `must be object if ${embeddedResource} is true`;
    errors.push(type === "" ? fieldError.required(at, detail) : fieldError.invalid(at, type, detail));
  } else if (type === "" && schema[intOrString] !== true && schema[preserveUnknownFields] !== true) {
    errors.push(fieldError.required(at, typeMissing[level]));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(fieldError.invalid(at, type, "must be object at the root"));
  }
  return errors;
}

/** `apiVersion`, `kind` and `metadata` are the server's; a schema may narrow names, no more. */
function metaRules(schema: JsonSchema, level: Level, at: string): readonly FieldError[] {
  const isObject = level === "root" || schema[embeddedResource] === true;
  const metadata = propertyOf(schema, "metadata");
  const path = `${at}.properties[metadata]`;
  return [
    ...(isObject ? ["kind", "apiVersion"] : []).flatMap((name) => {
      const type = propertyOf(schema, name)?.type ?? "";
      if (propertyOf(schema, name) === undefined || type === "string") return [];
      return [fieldError.invalid(`${at}.properties[${name}].type`, type, "must be string")];
    }),
    ...(isObject && metadata !== undefined && metadata.type !== "object"
      ? [fieldError.invalid(`${path}.type`, metadata.type ?? "", "must be object")]
      : []),
    ...(level === "root" && metadata !== undefined && !narrowsNamesOnly(metadata)
      ? [
          fieldError.forbidden(
            path,
            "must not specify anything other than name and generateName, but metadata is implicitly specified",
          ),
        ]
      : []),
  ];
}

function narrowsNamesOnly(metadata: JsonSchema): boolean {
  const { type: _type, default: _default, externalDocs: _docs, example: _example, properties = {}, ...rest } = metadata;
  const names = Object.keys(properties);
  return Object.keys(rest).length === 0 && names.every((name) => name === "name" || name === "generateName");
}

const intOrStringTypes: readonly JsonSchema[] = [{ type: "integer" }, { type: "string" }];

/** `anyOf: [{type: integer}, {type: string}]`: the one place where a type may stand below a junction. */
function saysIntOrString({ anyOf }: JsonSchema): boolean {
  return anyOf !== undefined && equalJson(anyOf, intOrStringTypes);
}

/** What stands below junctions of a structural schema. */
function narrowings(schema: JsonSchema, at: string): readonly FieldError[] {
  const plain = saysIntOrString(schema);
  return junctions(schema).flatMap(({ step, schema: narrowing }) => {
    if (plain && step.startsWith("anyOf")) return [];
    const first = step === "allOf[0]" && saysIntOrString(narrowing);
    return narrowingRules(narrowing, `${at}.${step}`, first);
  });
}

function narrowingRules(schema: JsonSchema, at: string, maySayIntOrString = false): readonly FieldError[] {
  const items = itemsOf(schema);
  return [
    ...junctions(schema).flatMap((child) =>
      maySayIntOrString && child.step.startsWith("anyOf") ? [] : narrowingRules(child.schema, `${at}.${child.step}`),
    ),
    ...(items === undefined ? [] : narrowingRules(items, `${at}.items`)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      narrowingRules(property, `${at}.properties[${name}]`),
    ),
    ...structureOnly
      .filter(([name]) => schema[name] !== undefined && schema[name] !== false)
      .map(([name, must]) => fieldError.forbidden(`${at}.${name}`, `must be ${must} to be structural`)),
    ...(propertyOf(schema, "metadata") === undefined
      ? []
      : [fieldError.forbidden(`${at}.properties[metadata]`, "must not be specified in a nested context")]),
  ];
}

/** What belongs to the structure, and how it must be in what only narrows. `additionalProperties: false` says much. */
const structureOnly: readonly (readonly [name: keyof JsonSchema, must: string])[] = [
  ["type", "empty"],
  ["additionalProperties", "undefined"],
  ["default", "undefined"],
  ["title", "empty"],
  ["description", "empty"],
  ["nullable", "false"],
  [preserveUnknownFields, "false"],
  [embeddedResource, "false"],
  [intOrString, "false"],
  [listMapKeys, "empty"],
  [listType, "undefined"],
  [mapType, "undefined"],
  [validations, "empty"],
];

/** The structure at the place that a narrowing speaks of; undefined where the structure ends before it. */
interface Place {
  readonly schema: JsonSchema | undefined;
  readonly at: string;
  readonly narrowedAt: string;
}

/** Everything that a narrowing speaks of must be in the structure. */
function completeness(narrowing: JsonSchema, { schema, at, narrowedAt }: Place): readonly FieldError[] {
  if (schema === undefined) return [fieldError.required(at, `because it is defined in ${narrowedAt}`)];
  return junctions(narrowing).flatMap((child) =>
    nestedCompleteness(child.schema, { schema, at, narrowedAt: `${narrowedAt}.${child.step}` }),
  );
}

function nestedCompleteness(narrowing: JsonSchema, place: Place): readonly FieldError[] {
  const { schema, at, narrowedAt } = place;
  if (schema === undefined) return completeness(narrowing, place);
  const items = itemsOf(narrowing);
  const values = valuesOf(narrowing);
  const below = (step: string, found: JsonSchema | undefined): Place => ({
    schema: found,
    at: `${at}.${step}`,
    narrowedAt: `${narrowedAt}.${step}`,
  });
  return [
    ...completeness(narrowing, place),
    ...(items === undefined ? [] : nestedCompleteness(items, below("items", itemsOf(schema)))),
    ...Object.entries(narrowing.properties ?? {}).flatMap(([name, property]) =>
      nestedCompleteness(property, below(`properties[${name}]`, propertyOf(schema, name))),
    ),
    ...(values === undefined ? [] : nestedCompleteness(values, below("additionalProperties", valuesOf(schema)))),
  ];
}
