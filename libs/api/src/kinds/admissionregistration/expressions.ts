import {
  compilePolicy,
  compileWebhookConditions,
  type PolicyExpression,
  type PolicySource,
} from "@orch/cel/admission/policy.js";
import type { Naming } from "@orch/naming/naming.js";
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

function problemsOf(expressions: readonly PolicyExpression[]): readonly FieldError[] {
  return expressions.flatMap(({ at, text, problem }) =>
    problem === undefined ? [] : [fieldError.invalid(at, text, problem)],
  );
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
