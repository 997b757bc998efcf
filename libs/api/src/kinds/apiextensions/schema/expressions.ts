import { type CompiledRule, compileRules } from "@orch/cel/rules/compile.js";
import {
  type CostTotal,
  createCostTotal,
  mostValues,
  overCost,
  ruleCostLimit,
  schemaCostLimit,
  timesAtMost,
} from "@orch/cel/rules/costs.js";
import type { RuleEnvironments } from "@orch/cel/rules/environments.js";
import {
  itemsOf,
  type JsonSchema,
  listType,
  type SchemaRule,
  validations,
  valuesOf,
} from "@orch/schema/structural/json-schema.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** How the rules of a definition are judged beside the one that is stored. */
export interface ExpressionChecks {
  readonly environments: RuleEnvironments;
  /** Whether the stored definition has a text: it may go on using what is younger than new texts may use. */
  readonly isStored: (part: "rule" | "message", text: string) => boolean;
  /** The stored definition has the very schema: what it may cost is not judged again. */
  readonly isKept: (schema: JsonSchema) => boolean;
}

/**
 * Everything wrong with the rules of a structural schema: their expressions, what they may cost, and what they compare.
 * `broken` are the errors of the schema itself: a rule is not looked at where they are, or above them.
 */
export function validateExpressions(
  schema: JsonSchema,
  at: string,
  { checks, broken }: { readonly checks: ExpressionChecks; readonly broken: readonly FieldError[] },
): readonly FieldError[] {
  return judgeExpressions(schema, at, { checks, broken }).errors;
}

/** A rule of a definition, with how many values it is for at most. */
export interface JudgedRule {
  /** Of the schema that it stands in. */
  readonly at: string;
  readonly compiled: CompiledRule;
  readonly values: bigint;
}

/** The same, and every rule that was looked at. */
export function judgeExpressions(
  schema: JsonSchema,
  at: string,
  { checks, broken }: { readonly checks: ExpressionChecks; readonly broken: readonly FieldError[] },
): { readonly errors: readonly FieldError[]; readonly rules: readonly JudgedRule[] } {
  const judge: Judge = {
    checks,
    total: createCostTotal(),
    ignoresCost: checks.isKept(schema),
    isBroken: broken.length === 0 ? () => false : placesOf(broken),
    errors: [],
    rules: [],
  };
  below(judge, schema, { at, name: "selfType", root: true, count: 1n, uncorrelated: undefined });
  return { errors: [...judge.errors, ...totalErrors(judge, at)], rules: judge.rules };
}

interface Judge {
  readonly checks: ExpressionChecks;
  readonly total: CostTotal;
  readonly ignoresCost: boolean;
  readonly isBroken: (at: string) => boolean;
  readonly errors: FieldError[];
  readonly rules: JudgedRule[];
}

interface Place {
  readonly at: string;
  /** Of the type of its values. */
  readonly name: string;
  readonly root: boolean;
  /** How many values of it an object has at most; undefined where nothing bounds them. */
  readonly count: bigint | undefined;
  /** The list around it whose items nothing tells apart. */
  readonly uncorrelated: string | undefined;
}

function below(judge: Judge, schema: JsonSchema, place: Place): void {
  const { at, name, count } = place;
  const inner = { ...place, root: false };
  const values = valuesOf(schema);
  if (values !== undefined) {
    const most = times(count, schema.maxProperties);
    below(judge, values, { ...inner, at: `${at}.additionalProperties`, name: `${name}.@elem`, count: most });
  }
  for (const [property, part] of Object.entries(schema.properties ?? {})) {
    below(judge, part, { ...inner, at: `${at}.properties[${property}]`, name: `${name}.${property}` });
  }
  const items = itemsOf(schema);
  if (items !== undefined) {
    const uncorrelated = schema[listType] === "map" ? place.uncorrelated : at;
    const most = times(count, schema.maxItems);
    below(judge, items, { ...inner, at: `${at}.items`, name: `${name}.@idx`, count: most, uncorrelated });
  }
  if ((schema[validations] ?? []).length > 0 && !judge.isBroken(at)) rulesOf(judge, schema, place);
}

function times(count: bigint | undefined, most: number | undefined): bigint | undefined {
  return count === undefined || most === undefined ? undefined : timesAtMost(count, BigInt(Math.max(0, most)));
}

function rulesOf(judge: Judge, schema: JsonSchema, { at, name, root, count, uncorrelated }: Place): void {
  const { environments, isStored } = judge.checks;
  const compiled = compileRules(schema, { environments, name, root, isStored });
  if (!compiled.ok) {
    const what = `internal error: failed to construct type information for ${validations} rules`;
    const message = `Internal error: ${what}: ${compiled.problem}`;
    judge.errors.push({ reason: "InternalError", message, field: `${at}.${validations}` });
    return;
  }
  const values = count ?? mostValues(compiled.least());
  for (const [i, rule] of compiled.rules.entries()) {
    judge.rules.push({ at, compiled: rule, values });
    ruleErrors(judge, rule, { at: `${at}.${validations}[${i}]`, values, uncorrelated });
  }
}

function ruleErrors(
  judge: Judge,
  compiled: CompiledRule,
  {
    at,
    values,
    uncorrelated,
  }: { readonly at: string; readonly values: bigint; readonly uncorrelated: string | undefined },
): void {
  const { errors } = judge;
  const { rule, problem, messageProblem, usesOldSelf } = compiled;
  costs(judge, `${at}.rule`, { what: "estimated rule cost", cost: timesAtMost(compiled.cost(), values) });
  if (problem !== undefined) errors.push(wrong(`${at}.rule`, rule, problem));
  if (messageProblem !== undefined) errors.push(wrong(`${at}.messageExpression`, rule, messageProblem));
  else if (compiled.message !== undefined) {
    costs(judge, `${at}.messageExpression`, {
      what: "estimated messageExpression cost",
      cost: compiled.messageCost(),
    });
  }
  if (usesOldSelf && uncorrelated !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
    errors.push(fieldError.invalid(`${at}.rule`, rule.rule ?? "", detail));
  }
  if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    const detail = "may not be set if oldSelf is not used in rule";
    errors.push(fieldError.invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, detail));
  }
}

function costs(judge: Judge, at: string, { what, cost }: { readonly what: string; readonly cost: bigint }): void {
  judge.total.observe(at, cost);
  if (cost <= ruleCostLimit || judge.ignoresCost) return;
  judge.errors.push(fieldError.forbidden(at, overCost(what, cost, ruleCostLimit)));
}

/** Shown as the rule is written. */
function wrong(at: string, rule: SchemaRule, problem: string): FieldError {
  return fieldError.invalid(at, rule, problem);
}

function totalErrors({ total, ignoresCost }: Judge, at: string): readonly FieldError[] {
  if (total.total <= schemaCostLimit || ignoresCost) return [];
  const contributed = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  const what = `${validations} estimated rule cost total for entire OpenAPIv3 schema`;
  return [
    ...total.mostExpensive.map((path) => fieldError.forbidden(path, contributed)),
    fieldError.forbidden(at, overCost(what, total.total, schemaCostLimit)),
  ];
}

/** Whether an error stands at a place or below it. */
function placesOf(errors: readonly FieldError[]): (at: string) => boolean {
  const fields = errors.map(({ field }) => field).sort();
  const known = new Set(fields);
  return (at) => {
    if (known.has(at)) return true;
    // In order, all that begin alike stand together.
    let [low, high] = [0, fields.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((fields[middle] ?? "") < `${at}.`) low = middle + 1;
      else high = middle;
    }
    return fields[low]?.startsWith(`${at}.`) === true;
  };
}

/** The texts of all rules of schemas. */
export function expressionTexts(schemas: readonly JsonSchema[]): ExpressionChecks["isStored"] {
  let texts: Readonly<Record<"rule" | "message", Set<string>>> | undefined;
  return (part, text) => {
    texts ??= collected(schemas);
    return texts[part].has(text);
  };
}

function collected(schemas: readonly JsonSchema[]): Readonly<Record<"rule" | "message", Set<string>>> {
  const texts = { rule: new Set<string>(), message: new Set<string>() };
  const waiting = [...schemas];
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    for (const { rule, messageExpression } of schema[validations] ?? []) {
      if (rule !== undefined) texts.rule.add(rule);
      if (messageExpression !== undefined) texts.message.add(messageExpression);
    }
    const [values, items] = [valuesOf(schema), itemsOf(schema)];
    if (values !== undefined) waiting.push(values);
    if (items !== undefined) waiting.push(items);
    waiting.push(...Object.values(schema.properties ?? {}));
  }
  return texts;
}
