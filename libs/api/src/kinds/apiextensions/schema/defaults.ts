import { checkRules } from "@orch/cel/rules/check.js";
import type { RuleEnvironments } from "@orch/cel/rules/environments.js";
import { ruleTree } from "@orch/cel/rules/tree.js";
import { DecodeError, decodeValue } from "@orch/schema/decode.js";
import type { Type } from "@orch/schema/descriptor.js";
import { checkEmbedded } from "@orch/schema/structural/check-embedded.js";
import { checkValue } from "@orch/schema/structural/check-value.js";
import { compileSchema } from "@orch/schema/structural/compile.js";
import { type JsonSchema, metaNames } from "@orch/schema/structural/json-schema.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/**
 * Everything wrong with the defaults of a structural schema: each must be of the schema that it stands in and, where
 * `pruned`, hold nothing that pruning would take; with `environments` it must keep the rules, too. Defaults of map values
 * are refused elsewhere.
 */
export function validateDefaults(
  schema: JsonSchema,
  at: string,
  options: { readonly pruned: boolean; readonly environments?: RuleEnvironments },
): readonly FieldError[] {
  return defaultsBelow(compileSchema(schema, { name: "" }), at, { ...options, root: true, insideMeta: false });
}

interface Where {
  readonly pruned: boolean;
  readonly environments?: RuleEnvironments;
  /** The whole object. */
  readonly root: boolean;
  /** Below `apiVersion`, `kind` or `metadata`: what may stand there the server knows itself. */
  readonly insideMeta: boolean;
}

function defaultsBelow(type: Type, at: string, where: Where): readonly FieldError[] {
  if (type.rules === undefined) return [];
  const whole = where.root || objectOf(type)?.rules?.embedded === true;
  const insideMeta = where.insideMeta && !whole;
  const inner = { ...where, root: false };
  const item = (type.kind === "any" ? type.forms?.list : type.kind === "list" ? type : undefined)?.item;
  const object = objectOf(type);
  const fields = object?.kind === "message" ? [...object.byName.values()] : [];
  return [
    ...(type.rules.schema.default === undefined ? [] : ownDefault(type, at, { ...where, insideMeta })),
    ...(item === undefined ? [] : defaultsBelow(item, `${at}.items`, { ...inner, insideMeta })),
    ...fields.flatMap(({ name, type: property }) =>
      defaultsBelow(property, `${at}.properties[${name}]`, {
        ...inner,
        insideMeta: insideMeta || (whole && metaNames.includes(name)),
      }),
    ),
  ];
}

function objectOf(type: Type): Type | undefined {
  return type.kind === "any" ? type.forms?.object : type;
}

function ownDefault(type: Type, at: string, where: Where): readonly FieldError[] {
  const errors = schemaErrors(type, `${at}.default`, where);
  return errors.length > 0 ? errors : brokenRules(type, `${at}.default`, where);
}

/** A default takes the place of nothing: rules that compare see it on both sides. */
function brokenRules(type: Type, path: string, { root, environments }: Where): readonly FieldError[] {
  const rules = environments && ruleTree(type, { environments, root });
  if (rules === undefined) return [];
  const value = type.rules?.schema.default;
  return checkRules(rules, value, { old: value, ratchet: false, at: { up: undefined, step: path } }).errors;
}

function schemaErrors(type: Type, path: string, { pruned, root, insideMeta }: Where): readonly FieldError[] {
  const value = type.rules?.schema.default;
  if (insideMeta) return checkValue(type, value, { root: path });
  const unknown = pruned && hasUnknown(type, value);
  const embedded = checkEmbedded(type, value, { up: undefined, step: path }, root);
  return [
    ...(unknown ? [fieldError.invalid(path, value, unknownFields)] : []),
    ...(embedded.length > 0 ? embedded : checkValue(ofAnyType(type), value, { root: path })),
  ];
}

/** The default of a number or text may be of any type, as in the reference. */
function ofAnyType(type: Type): Type {
  return type.kind === "intOrString" && type.rules !== undefined
    ? { ...type, rules: { ...type.rules, types: [] } }
    : type;
}

const unknownFields = "must not have unknown fields";

/** What cannot be decoded at all is refused in other words, names in values of another shape in these too. */
function hasUnknown(type: Type, value: unknown): boolean {
  try {
    return decodeValue(type, value).unknown.length > 0;
  } catch (error) {
    if (error instanceof DecodeError) return false;
    throw error;
  }
}

/** Whether every default holds only what its schema knows; of a structural schema. */
export function hasPrunedDefaults(schema: JsonSchema): boolean {
  return validateDefaults(schema, "", { pruned: true }).every((e) => !e.message.endsWith(unknownFields));
}
