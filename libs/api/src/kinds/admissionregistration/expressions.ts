import {
  compilePolicy,
  compileWebhookConditions,
  type PolicyExpression,
  type PolicySource,
} from "@orch/cel/admission/policy.js";
import type { Naming } from "@orch/naming/naming.js";
import { groupBy } from "@orch/schema/group-by.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { MatchCondition } from "./types.js";

/** What expressions are compiled for. */
export interface Server {
  readonly naming: Naming;
  readonly release: string;
}

/** Everything wrong with the expressions of a policy; those that are stored may use what is younger than new ones may. */
export function validatePolicyExpressions(
  spec: PolicySource,
  old: PolicySource | undefined,
  { naming, release }: Server,
): readonly FieldError[] {
  const { dialect } = naming;
  const policy = compilePolicy(spec, { dialect, release, isStored: storedIn(old === undefined ? [] : textsOf(old)) });
  return problemsOf([
    ...policy.conditions,
    ...policy.variables.map(({ value }) => value),
    ...policy.validations.flatMap(({ expression, message }) => [expression, ...(message ? [message] : [])]),
    ...policy.annotations.map(({ value }) => value),
    ...policy.mutations,
  ]);
}

/** Everything wrong with the expressions of the match conditions of a webhook. */
export function validateConditionExpressions(
  conditions: readonly MatchCondition[],
  old: readonly MatchCondition[],
  { at, server }: { readonly at: string; readonly server: Server },
): readonly FieldError[] {
  if (conditions.length === 0) return [];
  const { naming, release } = server;
  const isStored = storedIn(old.map(({ expression }) => expression));
  return problemsOf(compileWebhookConditions(conditions, at, { dialect: naming.dialect, release, isStored }));
}

/** The lists whose items have expressions, in order, and the order in which the parts of an item are told of. */
const lists: readonly (readonly [name: string, parts: readonly string[]])[] = [
  ["matchConditions", ["expression", "name"]],
  ["variables", ["name", "expression"]],
  ["validations", ["expression", "messageExpression", "message", "reason"]],
  ["auditAnnotations", ["key", "valueExpression"]],
];

interface Place {
  /** What stands before the list. */
  readonly owner: string;
  readonly list: number;
  readonly index: number;
  readonly part: number;
}

/** Where an error belongs; undefined of one that is not about an item of these lists. */
function placeOf({ field }: FieldError): Place | undefined {
  for (const [list, [name, parts]] of lists.entries()) {
    const at = field.indexOf(`.${name}[`);
    if (at === -1) continue;
    const [index = "", part = ""] = field.slice(at + name.length + 2).split("].");
    return { owner: field.slice(0, at), list, index: Number(index), part: parts.indexOf(part) };
  }
  return undefined;
}

/** Each error of an expression among the others: before the first that is about what comes later in the same owner. */
export function amongOthers(
  others: readonly FieldError[],
  ofExpressions: readonly FieldError[],
): readonly FieldError[] {
  if (ofExpressions.length === 0) return others;
  const places = others.map(placeOf);
  const ofOwner = groupBy(places.keys(), (at) => places[at]?.owner);
  const told = ofExpressions.map((error) => ({ error, place: placeOf(error) }));
  const placed = [...groupBy(told, ({ place }) => place?.owner)].flatMap(([owner, errors]) => {
    const ofSame = ofOwner.get(owner) ?? [];
    let next = 0;
    // In order, so that the search goes on where the one before ended.
    return [...errors]
      .sort((a, b) => compare(a.place, b.place))
      .map(({ error, place }) => {
        while (next < ofSame.length && compare(places[ofSame[next] ?? 0], place) <= 0) next++;
        return { error, before: place === undefined ? undefined : ofSame[next] };
      });
  });
  const byNext = groupBy(placed, ({ before }) => before);
  const before = (at: number | undefined): readonly FieldError[] => (byNext.get(at) ?? []).map(({ error }) => error);
  return [...others.flatMap((other, at) => [...before(at), other]), ...before(undefined)];
}

/** Of places in one owner; one that is in no list is before all. */
function compare(a: Place | undefined, b: Place | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return a.list - b.list || a.index - b.index || a.part - b.part;
}

function problemsOf(expressions: readonly PolicyExpression[]): readonly FieldError[] {
  return expressions.flatMap((expression): readonly FieldError[] => {
    const { at, text, problem } = expression;
    if (problem === undefined) return [];
    if (expression.internal !== true) return [fieldError.invalid(at, text, problem)];
    return [{ reason: "InternalError", message: `Internal error: ${problem}`, field: at }];
  });
}

function storedIn(texts: readonly (string | undefined)[]): (text: string) => boolean {
  const known = new Set(texts);
  return (text) => known.has(text);
}

function textsOf(spec: PolicySource): readonly (string | undefined)[] {
  const { matchConditions = [], variables = [], validations = [], auditAnnotations = [], mutations = [] } = spec;
  return [
    ...[...matchConditions, ...variables].map(({ expression }) => expression),
    ...validations.flatMap(({ expression, messageExpression }) => [expression, messageExpression]),
    ...auditAnnotations.map(({ valueExpression }) => valueExpression),
    ...mutations.flatMap(({ applyConfiguration, jsonPatch }) => [
      applyConfiguration?.expression,
      jsonPatch?.expression,
    ]),
  ];
}
