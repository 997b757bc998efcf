import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { type Path, pathText } from "@orch/schema/path.js";
import { keyText } from "@orch/schema/structural/check-lists.js";
import { enoughErrors } from "@orch/status/errors-of-each.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { schemaValue } from "../schema/values.js";
import { Optional, type Value } from "../values/value.js";
import type { CompiledRule } from "./compile.js";
import { type Correlation, correlated } from "./correlation.js";
import { messageOf } from "./message.js";
import type { RuleNode } from "./tree.js";

/** What all the rules of one object may cost together. */
export const objectBudget = 10_000_000;

export interface CheckRulesOptions {
  /** The value before; undefined for none. Rules that compare are run where there is one. */
  readonly old?: unknown;
  /** What breaks a rule and is as it was is told in a warning. */
  readonly ratchet: boolean;
  readonly at?: Path;
}

export interface RuleFindings {
  readonly errors: readonly FieldError[];
  /** What an update may leave as it was. */
  readonly warnings: readonly FieldError[];
  /** Units; undefined where the budget or the limit of a call ended it. */
  readonly cost: number | undefined;
}

/** Holds a value, of its schema in all else, against the rules of its schema, in the reference's words. */
export function checkRules(node: RuleNode, value: unknown, options: CheckRulesOptions): RuleFindings {
  const { old, ratchet, at } = options;
  const walk: Walk = { errors: [], warnings: [], left: objectBudget };
  check(walk, node, { value, old, at, was: ratchet ? correlated(value, old, node) : undefined });
  const { errors, warnings, left } = walk;
  return { errors, warnings, cost: left < 0 ? undefined : objectBudget - left };
}

export interface Walk {
  readonly errors: FieldError[];
  readonly warnings: FieldError[];
  /** What is left of the budget; negative: nothing more is run. */
  left: number;
}

interface Place {
  readonly value: unknown;
  /** What it is compared with; undefined where there was none, or none can be told. */
  readonly old: unknown;
  readonly at: Path | undefined;
  /** Whether it is as it was, itself or as part of what can be told apart; undefined where nothing is excused. */
  readonly was: Correlation | undefined;
}

function check(walk: Walk, node: RuleNode, place: Place): void {
  const { value } = place;
  if (value === null || value === undefined) return;
  checkHere(walk, node, place);
  if (Array.isArray(value)) checkItems(walk, node, value, place);
  else if (isObject(value)) checkMembers(walk, node, value, place);
}

function isOver(walk: Walk): boolean {
  return walk.left < 0 || walk.errors.length >= enoughErrors;
}

function checkItems(walk: Walk, node: RuleNode, list: readonly unknown[], place: Place): void {
  const items = node.items();
  if (items === undefined) return;
  const { listKeys } = node;
  const { old, at, was } = place;
  const before =
    listKeys !== undefined && Array.isArray(old)
      ? new Map(old.map((item) => [keyText(listKeys, item), item]))
      : undefined;
  for (let i = 0; i < list.length && !isOver(walk); i++) {
    const value = list[i];
    const one = before?.get(keyText(listKeys ?? [], value));
    const inner = before === undefined ? was?.lost : was?.part(value, one, items);
    check(walk, items, { value, old: one, at: { up: at, step: i }, was: inner });
  }
}

function checkMembers(walk: Walk, node: RuleNode, object: JsonObject, place: Place): void {
  const { old, at, was } = place;
  const before = isObject(old) ? old : undefined;
  const member = (name: string, step: string, part: RuleNode): void => {
    const value = object[name];
    const one = before !== undefined && Object.hasOwn(before, name) ? before[name] : undefined;
    check(walk, part, { value, old: one, at: { up: at, step }, was: was?.part(value, one, part) });
  };
  for (const [name, part] of node.fields()) {
    if (isOver(walk)) return;
    if (Object.hasOwn(object, name)) member(name, name, part);
  }
  const values = node.values();
  if (values === undefined) return;
  for (const name of Object.keys(object)) {
    if (isOver(walk)) return;
    member(name, `[${name}]`, values);
  }
}

function checkHere(walk: Walk, node: RuleNode, place: Place): void {
  const { value, at, was } = place;
  const field = at === undefined ? "" : pathText(at);
  const invalid = (detail: string): void =>
    void walk.errors.push(fieldError.invalid(field === "" ? noPlace : field, node.typeName, detail));
  const problem = node.problem();
  if (problem !== undefined) invalid(`rule compiler initialization error: ${problem}`);
  const rules = node.rules();
  if (rules.length === 0) return;
  const self = schemaValue(value, node.view);
  const old = place.old ?? undefined;
  const oldSelf = old === undefined ? undefined : schemaValue(old, node.view);
  for (const compiled of rules) {
    if (isOver(walk)) return;
    const { rule, program, usesOldSelf } = compiled;
    if (compiled.problem !== undefined) invalid(`rule compile error: ${compiled.problem}`);
    if (program === undefined) continue;
    const optional = rule.optionalOldSelf === true;
    if (usesOldSelf && old === undefined && !optional) continue;
    const before = optional ? new Optional(oldSelf) : oldSelf;
    const variables = (name: string): Value | undefined =>
      name === "self" ? self : name === "oldSelf" ? before : undefined;
    const outcome = program.run(variables);
    if (outcome.cost > walk.left) {
      invalid(outOfBudget);
      walk.left = -1;
      return;
    }
    walk.left -= outcome.cost;
    if (!outcome.ok) {
      invalid(errorText(outcome.error, outcome.cancelled, compiled));
      if (outcome.cancelled) walk.left = -1;
      continue;
    }
    if (outcome.value === true) continue;
    const message = messageOf(compiled, variables, walk.left);
    walk.left = message.left;
    const told = brokenRule(pathBelow(field, compiled.fieldPath), node.typeName, { compiled, detail: message.text });
    if (!usesOldSelf && was?.same() === true) walk.warnings.push(told);
    else walk.errors.push(told);
  }
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";
/** What the reference calls the place of an error that has none. */
const noPlace = "<nil>";

function pathBelow(field: string, below: string): string {
  if (below === "") return field === "" ? noPlace : field;
  if (field === "") return below;
  return below.startsWith("[") ? field + below : `${field}.${below}`;
}

/** As errors name a rule. */
function nameOf({ rule: { rule = "", message = "" } }: CompiledRule): string {
  return (message.length > 0 ? message : rule).trim();
}

function errorText(error: string, cancelled: boolean, compiled: CompiledRule): string {
  const name = nameOf(compiled);
  if (cancelled) {
    return `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`;
  }
  if (error.startsWith("no such overload")) {
    return `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`;
  }
  return `${error} evaluating rule: ${name}`;
}

function brokenRule(
  field: string,
  typeName: string,
  { compiled, detail }: { readonly compiled: CompiledRule; readonly detail: string },
): FieldError {
  switch (compiled.rule.reason) {
    case "FieldValueForbidden":
      return fieldError.forbidden(field, detail);
    case "FieldValueRequired":
      return fieldError.required(field, detail);
    case "FieldValueDuplicate":
      return fieldError.duplicate(field, typeName);
    default:
      return fieldError.invalid(field, typeName, detail);
  }
}
