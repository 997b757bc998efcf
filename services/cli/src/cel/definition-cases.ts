import { judgeExpressions } from "@orch/api/kinds/apiextensions/schema/expressions.js";
import { strictnessOfCreate } from "@orch/api/kinds/apiextensions/strictness.js";
import { validateVersionSchema } from "@orch/api/kinds/apiextensions/version-parts.js";
import type { Got } from "@orch/cel/cases/run.js";
import { checkRules } from "@orch/cel/rules/check.js";
import { ruleTree } from "@orch/cel/rules/tree.js";
import { createNaming, type Dialect } from "@orch/naming/naming.js";
import { compileSchema } from "@orch/schema/structural/compile.js";
import type { JsonSchema, SchemaRule } from "@orch/schema/structural/json-schema.js";
import type { FieldError } from "@orch/status/field-error.js";
import { readJson } from "@orch/status/read-json.js";
import { isObject } from "./document.js";

/** A row of kind `crd`: the schema of a definition with rules, and objects that are held against them. */
export interface DefinitionCase {
  readonly schema: JsonSchema;
  readonly instances?: readonly { readonly object: unknown; readonly old?: unknown; readonly want?: unknown }[];
}

export function definitionCase(row: unknown): DefinitionCase | undefined {
  if (!isObject(row) || !isObject(row["schema"])) return undefined;
  const { schema, instances } = row;
  return { schema, ...(Array.isArray(instances) && { instances }) };
}

/** What a row wants: what its instances want is told with them. */
export function wantedOf(want: Got, { instances }: DefinitionCase): Got {
  return { ...want, ...(instances && { instances: instances.map((one) => one.want) }) };
}

/** What is made of a row, in the form of {@link wantedOf}: errors in the order of their fields. */
export function runDefinition({ schema, instances }: DefinitionCase, dialect: Dialect): Got {
  const strictness = strictnessOfCreate("v1", { naming: createNaming(dialect), release: "1.32" });
  const checks = strictness.expressions;
  const errors = validateVersionSchema(
    { openAPIV3Schema: schema },
    { at: "spec.validation", hasStatus: false, strictness },
  );
  const { rules } = judgeExpressions(schema, "schema", { checks, broken: [] });
  const told = rules
    .filter(({ compiled }) => compiled.problem === undefined)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const tree = ruleTree(compileSchema(schema, { name: "" }), { environments: checks.environments, root: true });
  return {
    ...(errors.length > 0 && { create_errors: texts(errors) }),
    ...(told.length > 0 && {
      rules: told.map(({ at, compiled, values }) => ({
        path: at,
        rule: compiled.rule.rule ?? "",
        cardinality: amount(values),
        max_cost: amount(compiled.cost()),
        estimated_cost: amount(compiled.cost() * values),
        ...(compiled.message !== undefined && { message_max_cost: amount(compiled.messageCost()) }),
        ...(compiled.usesOldSelf && { uses_old_self: true }),
      })),
    }),
    ...(instances !== undefined && {
      instances: instances.map(({ object, old }) => {
        if (tree === undefined) return { cost: 0, errors: [] };
        const found = checkRules(tree, object, { old, ratchet: old !== undefined });
        return {
          cost: found.cost ?? "exhausted",
          errors: texts(found.errors),
          ...(found.warnings.length > 0 && { warnings: texts(found.warnings) }),
        };
      }),
    }),
  };
}

const amount = (value: bigint): number | string => (value <= 9007199254740991n ? Number(value) : String(value));

function texts(errors: readonly FieldError[]): readonly string[] {
  const order = (a: FieldError, b: FieldError): number => (a.field < b.field ? -1 : a.field > b.field ? 1 : 0);
  return errors.toSorted(order).map(({ field, message }) => `${field}: ${asRowsShow(message)}`);
}

/** The rows show a rule as the reference's language writes its parts. */
function asRowsShow(message: string): string {
  const start = 'Invalid value: {"';
  const end = message.indexOf("}: ");
  if (!message.startsWith(start) || end < 0) return message;
  const {
    rule = "",
    message: own = "",
    messageExpression = "",
    fieldPath = "",
  }: SchemaRule = readJson(message.slice("Invalid value: ".length, end + 1));
  const parts = [
    `Rule:${JSON.stringify(rule)}`,
    `Message:${JSON.stringify(own)}`,
    `MessageExpression:${JSON.stringify(messageExpression)}`,
    "Reason:(*apiextensions.FieldValueErrorReason)(nil)",
    `FieldPath:${JSON.stringify(fieldPath)}`,
    "OptionalOldSelf:(*bool)(nil)",
  ];
  return `Invalid value: apiextensions.ValidationRule{${parts.join(", ")}}${message.slice(end + 1)}`;
}
