import { resolvePath } from "@orch/schema/structural/field-path.js";
import {
  embeddedResource,
  itemListOf,
  itemsOf,
  type JsonSchema,
  junctions,
  listMapKeys,
  listType,
  mapType,
  metaNames,
  preserveUnknownFields,
  propertyOf,
  type SchemaRule,
  unsupportedChildren,
  validations,
  valuesOf,
} from "@orch/schema/structural/json-schema.js";
import { createPattern } from "@orch/schema/structural/pattern.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { repeatsIn } from "../../shared/repeats.js";

/** Rules that came later than some stored definitions; these need not keep them. */
export interface SchemaChecks {
  /** Types are those of JSON. */
  readonly knownTypes: boolean;
  /** Every pattern is a regular expression. */
  readonly patterns: boolean;
  /** Items of a set are atomic. */
  readonly atomicSets: boolean;
  /** Keys of map lists are always there. */
  readonly listMapKeys: boolean;
  /** Why no default may stand in the schema; undefined where one may. */
  readonly noDefaults: string | undefined;
}

/**
 * Everything wrong with a schema part by part, structural or not: what is not supported, and extensions that do not fit
 * together. Rules of the expression language are read, not compiled.
 */
export function validateSchema(schema: JsonSchema, at: string, checks: SchemaChecks): readonly FieldError[] {
  return schemaRules(schema, at, { checks, root: true, insideMeta: false, noDefaults: checks.noDefaults });
}

interface Where {
  readonly checks: SchemaChecks;
  readonly root: boolean;
  /** Below `apiVersion`, `kind` or `metadata` of a whole object. */
  readonly insideMeta: boolean;
  readonly noDefaults: string | undefined;
}

function schemaRules(schema: JsonSchema, at: string, where: Where): readonly FieldError[] {
  return [
    ...unsupported(schema, at, where),
    ...mapRules(schema, at),
    ...below(schema, at, { ...where, root: false }, where.root),
    ...typedBy(schema, at, { extension: mapType, type: "object", values: ["atomic", "granular"] }),
    ...typedBy(schema, at, { extension: listType, type: "array", values: ["atomic", "set", "map"] }),
    ...(schema[preserveUnknownFields] === false
      ? [fieldError.invalid(`${at}.${preserveUnknownFields}`, false, "must be true or undefined")]
      : []),
    ...(where.checks.atomicSets && schema.type === "array" ? setItems(schema, `${at}.items`) : []),
    ...mapList(schema, at),
    ...(where.checks.listMapKeys ? keyedItems(schema, `${at}.items`) : []),
    ...(schema[validations] ?? []).flatMap((rule, i) => validateRule(rule, schema, `${at}.${validations}[${i}]`)),
  ];
}

function below(schema: JsonSchema, at: string, inner: Where, isRoot: boolean): readonly FieldError[] {
  const values = valuesOf(schema);
  const items = itemsOf(schema);
  const isWhole = isRoot || schema[embeddedResource] === true;
  // Pruning without the value at hand could not tell what such a default is part of.
  const mapDefaults = "inside additionalProperties applying to object metadata";
  return [
    ...(values === undefined
      ? []
      : schemaRules(values, `${at}.additionalProperties`, {
          ...inner,
          noDefaults: inner.insideMeta ? mapDefaults : inner.noDefaults,
        })),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const meta = isWhole && metaNames.includes(name);
      return schemaRules(property, `${at}.properties[${name}]`, {
        ...inner,
        insideMeta: inner.insideMeta || meta,
        noDefaults: meta && isRoot ? `in top-level ${name}` : inner.noDefaults,
      });
    }),
    ...junctions(schema).flatMap((child) => schemaRules(child.schema, `${at}.${child.step}`, inner)),
    ...(items === undefined ? [] : schemaRules(items, `${at}.items`, inner)),
    ...unsupportedChildren(schema)
      .filter((child) => /^(items|definitions|dependencies)\[/.test(child.step))
      .flatMap((child) => schemaRules(child.schema, `${at}.${child.step}`, inner)),
  ];
}

const types: readonly string[] = ["array", "boolean", "integer", "number", "object", "string"];

function unsupported(schema: JsonSchema, at: string, { checks, insideMeta, noDefaults }: Where): readonly FieldError[] {
  const { type = "" } = schema;
  const forbidden = (name: string, detail = `${name} is not supported`) =>
    fieldError.forbidden(`${at}.${name}`, detail);
  const given = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;
  return [
    ...(checks.knownTypes && type !== "" && !types.includes(type)
      ? [fieldError.notSupported(`${at}.type`, type, types)]
      : []),
    ...(schema.default !== undefined && noDefaults !== undefined
      ? [forbidden("default", `must not be set${noDefaults === "" ? "" : ` ${noDefaults}`}`)]
      : []),
    ...given.filter((name) => schema[name] !== undefined).map((name) => forbidden(name)),
    ...(checks.patterns ? patternRules(schema, at) : []),
    ...(type === "null" ? [forbidden("type", "type cannot be set to null, use nullable as an alternative")] : []),
    ...(itemListOf(schema).length > 0 ? [forbidden("items", "items must be a schema object and not an array")] : []),
    ...(insideMeta && schema[embeddedResource] === true
      ? [forbidden(embeddedResource, "must not be used inside of resource meta")]
      : []),
    ...(schema.uniqueItems === true
      ? [forbidden("uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic")]
      : []),
  ];
}

function patternRules({ pattern = "" }: JsonSchema, at: string): readonly FieldError[] {
  const problem = pattern === "" ? undefined : createPattern(pattern).problem();
  if (problem === undefined) return [];
  return [fieldError.invalid(`${at}.pattern`, pattern, `must be a valid regular expression, but isn't: ${problem}`)];
}

/** An object has named fields or keys of one kind, never both. */
function mapRules({ properties, additionalProperties }: JsonSchema, at: string): readonly FieldError[] {
  if (properties === undefined || additionalProperties === undefined || additionalProperties === true) return [];
  const detail = "additionalProperties and properties are mutual exclusive";
  return [fieldError.forbidden(`${at}.additionalProperties`, detail)];
}

/** An extension of a closed set of values that asks for a type. */
function typedBy(
  schema: JsonSchema,
  at: string,
  rule: {
    readonly extension: typeof mapType | typeof listType;
    readonly type: string;
    readonly values: readonly string[];
  },
): readonly FieldError[] {
  const value = schema[rule.extension];
  if (value === undefined) return [];
  const { type = "" } = schema;
  const detail = `must be ${rule.type} if ${rule.extension} is specified`;
  const path = `${at}.type`;
  return [
    ...(type === rule.type
      ? []
      : [type === "" ? fieldError.required(path, detail) : fieldError.invalid(path, type, detail)]),
    ...(rule.values.includes(value) ? [] : [fieldError.notSupported(`${at}.${rule.extension}`, value, rule.values)]),
  ];
}

/** Items of a set are told apart as wholes: they are not merged field by field. */
function setItems(schema: JsonSchema, at: string): readonly FieldError[] {
  const items = itemsOf(schema);
  if (schema[listType] !== "set" || items === undefined) return [];
  const detail = `must be atomic as item of a list with ${listType}=set`;
  if (items.type === "array" && (items[listType] ?? "atomic") !== "atomic") {
    return [fieldError.invalid(`${at}.${listType}`, items[listType], detail)];
  }
  if (items.type === "object" && items[mapType] !== "atomic") {
    // The reference shows an absence so.
    return [fieldError.invalid(`${at}.${mapType}`, items[mapType] ?? "null", detail)];
  }
  return [];
}

/** Items of a map list are told apart by some of their fields. */
function mapList(schema: JsonSchema, at: string): readonly FieldError[] {
  const keys = schema[listMapKeys] ?? [];
  const type = schema[listType];
  const wanted = `must be map if ${listMapKeys} is non-empty`;
  if (type !== "map") {
    if (keys.length === 0) return [];
    const path = `${at}.${listType}`;
    return [type === undefined ? fieldError.required(path, wanted) : fieldError.invalid(path, type, wanted)];
  }
  const items = itemsOf(schema);
  return [
    ...(keys.length === 0
      ? [fieldError.required(`${at}.${listMapKeys}`, `must not be empty if ${listType} is map`)]
      : []),
    ...(schema.items === undefined
      ? [fieldError.required(`${at}.items`, `must have a schema if ${listType} is map`)]
      : []),
    ...(schema.items !== undefined && items === undefined
      ? [fieldError.invalid(`${at}.items`, schema.items, `must only have a single schema if ${listType} is map`)]
      : []),
    ...(items !== undefined && items.type !== "object"
      ? [
          fieldError.invalid(
            `${at}.items.type`,
            items.type ?? "",
            `must be object if parent array's ${listType} is map`,
          ),
        ]
      : []),
    ...(items?.type === "object" ? validateKeys(keys, items, at) : []),
  ];
}

function validateKeys(keys: readonly string[], items: JsonSchema, at: string): readonly FieldError[] {
  const path = `${at}.${listMapKeys}`;
  const repeats = repeatsIn(keys);
  return keys.flatMap((key, i) => {
    const property = propertyOf(items, key);
    const wrong = (detail: string) => fieldError.invalid(path, keys, detail);
    return [
      ...(property === undefined ? [wrong("entries must all be names of item properties")] : []),
      ...(property?.type === "array" || property?.type === "object"
        ? [
            fieldError.invalid(
              `${at}.items.properties[${key}].type`,
              items.type,
              `must be a scalar type if parent array's ${listType} is map`,
            ),
          ]
        : []),
      ...(repeats.has(i) ? [wrong("must not contain duplicate entries")] : []),
    ];
  });
}

/** What tells items apart is always there and never null. */
function keyedItems(schema: JsonSchema, at: string): readonly FieldError[] {
  const items = itemsOf(schema);
  const type = schema[listType];
  if (items === undefined || (type !== "set" && type !== "map")) return [];
  const keys = type === "map" ? (schema[listMapKeys] ?? []) : [];
  const required = new Set(items.required ?? []);
  const inKeys = `this property is in ${listMapKeys}, so it`;
  return [
    ...(items.nullable === true
      ? [fieldError.forbidden(`${at}.nullable`, `cannot be nullable when ${listType} is ${type}`)]
      : []),
    ...keys.flatMap((key) => {
      const property = propertyOf(items, key);
      if (property === undefined) return [];
      const path = `${at}.properties[${key}]`;
      const always = property.default !== undefined || required.has(key);
      return [
        ...(always
          ? []
          : [fieldError.required(`${path}.default`, `${inKeys} must have a default or be a required property`)]),
        ...(property.nullable === true
          ? [fieldError.forbidden(`${path}.nullable`, `${inKeys} cannot be nullable`)]
          : []),
      ];
    }),
  ];
}

const reasons: readonly string[] = [
  "FieldValueDuplicate",
  "FieldValueForbidden",
  "FieldValueInvalid",
  "FieldValueRequired",
];
const lineBreak = /[\n\r]/;

/** Everything wrong with a rule but what compiling it would tell. */
function validateRule(rule: SchemaRule, schema: JsonSchema, at: string): readonly FieldError[] {
  const { messageExpression = "", reason, fieldPath = "" } = rule;
  return [
    ...ruleAndMessage(rule, at),
    ...(messageExpression !== "" && messageExpression.trim() === ""
      ? [fieldError.required(`${at}.messageExpression`, "messageExpression must be non-empty if specified")]
      : []),
    ...(reason === undefined || reasons.includes(reason)
      ? []
      : [fieldError.notSupported(`${at}.reason`, reason, reasons)]),
    ...(fieldPath === "" ? [] : validateFieldPath(fieldPath, schema, `${at}.fieldPath`)),
  ];
}

function ruleAndMessage({ rule = "", message = "" }: SchemaRule, at: string): readonly FieldError[] {
  const trimmed = message.trim();
  if (rule.trim() === "") return [fieldError.required(`${at}.rule`, "rule is not specified")];
  if (message !== "" && trimmed === "") {
    return [fieldError.invalid(`${at}.message`, message, "message must be non-empty if specified")];
  }
  if (lineBreak.test(trimmed)) {
    return [fieldError.invalid(`${at}.message`, message, "message must not contain line breaks")];
  }
  if (!lineBreak.test(rule.trim()) || trimmed !== "") return [];
  return [fieldError.required(`${at}.message`, "message must be specified if rule contains line breaks")];
}

function validateFieldPath(path: string, schema: JsonSchema, at: string): readonly FieldError[] {
  const leads = typeof resolvePath(path, schema, { brackets: true }) !== "string";
  return [
    ...(path.trim() === "" ? [fieldError.invalid(at, path, "fieldPath must be non-empty if specified")] : []),
    ...(lineBreak.test(path) ? [fieldError.invalid(at, path, "fieldPath must not contain line breaks")] : []),
    ...(leads ? [] : [fieldError.invalid(at, path, "fieldPath must be a valid path")]),
  ];
}
