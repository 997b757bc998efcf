import { resolvePath } from "@orch/schema/structural/field-path.js";
import { type JsonSchema, preserveUnknownFields, validations } from "@orch/schema/structural/json-schema.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { repeatsIn } from "../shared/repeats.js";
import { validateDefaults } from "./schema/defaults.js";
import { validateExpressions } from "./schema/expressions.js";
import { validateSchema } from "./schema/rules.js";
import { unstructured, validateStructural } from "./schema/structural.js";
import type { Strictness } from "./strictness.js";
import type { PrinterColumn, SelectableField, Subresources, VersionSchema } from "./types.js";

// What a definition says of its versions, at the top of its spec or at one of them.

/** Everything wrong with a schema; `hasStatus`: the status has an endpoint of its own. */
export function validateVersionSchema(
  { openAPIV3Schema: schema }: VersionSchema,
  { at, hasStatus, strictness }: { readonly at: string; readonly hasStatus: boolean; readonly strictness: Strictness },
): readonly FieldError[] {
  if (schema === undefined) return [];
  const path = `${at}.openAPIV3Schema`;
  const noStructure = strictness.structural ? unstructured(schema) : undefined;
  const isStructural = strictness.structural && noStructure === undefined;
  const structural = isStructural ? structure(schema, path, strictness) : [];
  const broken = validateSchema(schema, path, strictness);
  const checks = strictness.expressions;
  const errors = [
    ...(hasStatus ? rootRules(schema, path) : []),
    ...(schema.nullable === true
      ? [fieldError.forbidden(`${path}.nullable`, "nullable cannot be true at the root")]
      : []),
    ...structural,
    ...broken,
    ...(isStructural && structural.length === 0 ? validateExpressions(schema, path, { checks, broken }) : []),
  ];
  // Mostly another error tells it better.
  return errors.length === 0 && noStructure !== undefined ? [fieldError.invalid(path, "", noStructure)] : errors;
}

function structure(
  schema: JsonSchema,
  path: string,
  { prunedDefaults, expressions }: Strictness,
): readonly FieldError[] {
  const errors = validateStructural(schema, path);
  if (errors.length > 0) return errors;
  return validateDefaults(schema, path, { pruned: prunedDefaults, environments: expressions.environments });
}

/** By the reference's names, as its sentence has them. The status is validated by `properties.status` alone. */
const allowedAtRoot: readonly string[] = [
  ..."Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength".split(" "),
  ..."Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example".split(" "),
  "XPreserveUnknownFields",
  "XValidations",
];

function rootRules(schema: JsonSchema, path: string): readonly FieldError[] {
  const { type } = schema;
  if (type !== undefined && type !== "object") {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [fieldError.invalid(`${path}.type`, type, detail)];
  }
  const known: Readonly<Record<string, string>> = {
    [preserveUnknownFields]: "XPreserveUnknownFields",
    [validations]: "XValidations",
  };
  const nameOf = (name: string) => known[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
  if (Object.keys(schema).every((name) => allowedAtRoot.includes(nameOf(name)))) return [];
  const fields = allowedAtRoot.join(" ");
  const detail = `only [${fields}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [fieldError.invalid(path, schema, detail)];
}

/** Everything wrong with the paths of a scale. */
export function validateSubresources({ scale }: Subresources, at: string): readonly FieldError[] {
  if (scale === undefined) return [];
  const { specReplicasPath = "", statusReplicasPath = "", labelSelectorPath = "" } = scale;
  return [
    ...replicasPath(specReplicasPath, `${at}.scale.specReplicasPath`, "spec"),
    ...replicasPath(statusReplicasPath, `${at}.scale.statusReplicasPath`, "status"),
    ...(labelSelectorPath === ""
      ? []
      : pathBelow(labelSelectorPath, `${at}.scale.labelSelectorPath`, {
          parts: ["spec", "status"],
          where: "under either .spec or .status",
        })),
  ];
}

function replicasPath(path: string, at: string, part: string): readonly FieldError[] {
  if (path === "") return [fieldError.required(at)];
  return pathBelow(path, at, { parts: [part], where: `under .${part}` });
}

function pathBelow(
  path: string,
  at: string,
  { parts, where }: { readonly parts: readonly string[]; readonly where: string },
): readonly FieldError[] {
  if (!path.startsWith(".")) return [notSimple(path, at)];
  if (parts.some((part) => path.startsWith(`.${part}.`))) return [];
  return [fieldError.invalid(at, path, `should be a json path ${where}`)];
}

function notSimple(path: string, at: string): FieldError {
  return fieldError.invalid(at, path, "must be a simple json path starting with .");
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** Everything wrong with the columns of a table. */
export function validateColumns(columns: readonly PrinterColumn[], at: string): readonly FieldError[] {
  return columns.flatMap(({ name = "", type = "", format = "", JSONPath = "" }, i) => {
    const path = `${at}[${i}]`;
    const oneOfTypes = `must be one of ${columnTypes.join(",")}`;
    return [
      ...(name === "" ? [fieldError.required(`${path}.name`)] : []),
      ...(type === "" ? [fieldError.required(`${path}.type`, oneOfTypes)] : []),
      ...(type === "" || columnTypes.includes(type) ? [] : [fieldError.invalid(`${path}.type`, type, oneOfTypes)]),
      ...(format === "" || columnFormats.includes(format)
        ? []
        : [fieldError.invalid(`${path}.format`, format, `must be one of ${columnFormats.join(",")}`)]),
      ...(JSONPath === "" ? [fieldError.required(`${path}.JSONPath`)] : []),
      ...(JSONPath === "" || JSONPath.startsWith(".") ? [] : [notSimple(JSONPath, `${path}.JSONPath`)]),
    ];
  });
}

const maxSelectableFields = 8;
const selectableTypes: readonly (string | undefined)[] = ["string", "boolean", "integer"];

/** Everything wrong with the fields that field selectors may name. */
export function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JsonSchema,
  at: string,
): readonly FieldError[] {
  const found = fields.map(({ jsonPath = "" }) => resolvePath(jsonPath, schema, { brackets: false }));
  const keys = found.map((path, i) =>
    typeof path === "string" || fields[i]?.jsonPath === undefined ? undefined : JSON.stringify(path.steps),
  );
  const repeats = repeatsIn(keys);
  const distinct = new Set(keys.filter((key) => key !== undefined));
  return [
    ...fields.flatMap(({ jsonPath = "" }, i) => {
      const step = `${at}[${i}].jsonPath`;
      const path = found[i];
      if (jsonPath === "" || path === undefined) return [fieldError.required(step)];
      if (typeof path === "string") return [fieldError.invalid(step, jsonPath, `is an invalid path: ${path}`)];
      const wrong = (detail: string) => fieldError.invalid(step, jsonPath, detail);
      const types =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      return [
        ...(path.steps[0] === "metadata" ? [wrong("must not point to fields in metadata")] : []),
        ...(selectableTypes.includes(path.schema.type) ? [] : [wrong(types)]),
        ...(repeats.has(i) ? [fieldError.duplicate(step, jsonPath)] : []),
      ];
    }),
    ...(distinct.size > maxSelectableFields ? [fieldError.tooMany(at, distinct.size, maxSelectableFields)] : []),
  ];
}
