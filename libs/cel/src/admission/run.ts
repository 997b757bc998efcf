import { CelError, type Value } from "../values/value.js";
import type { PolicyExpression } from "./policy.js";
import type { Activation } from "./subject.js";

/** What all expressions of one binding may cost together. */
export const policyBudget = 10_000_000;
/** What the match conditions of one policy or webhook may. */
export const conditionsBudget = 2_500_000;

/** What came of an expression. */
export type Evaluated = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: string };

export interface Run {
  /** One for each expression; fewer where the budget ended before. */
  readonly results: readonly Evaluated[];
  /** Why nothing more was run. */
  readonly stopped: string | undefined;
  readonly left: number;
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

/** Runs expressions one after the other within a budget; undefined ones have no result of their own. */
export function runExpressions(
  expressions: readonly (PolicyExpression | undefined)[],
  { read, spent }: Activation,
  budget: number,
): Run {
  const results: Evaluated[] = [];
  let left = budget;
  for (const expression of expressions) {
    if (expression === undefined) {
      results.push({ ok: true, value: null });
      continue;
    }
    if (expression.problem !== undefined) {
      results.push({ ok: false, error: `compilation error: ${expression.problem}` });
      continue;
    }
    const outcome = expression.program.run(read);
    left -= spent() + outcome.cost;
    if (left < 0) return { results, stopped: outOfBudget, left };
    const error = outcome.ok ? errorOf(outcome.value) : outcome.error;
    const text = `expression '${expression.text}' resulted in error: ${error}`;
    results.push(outcome.ok && error === undefined ? outcome : { ok: false, error: text });
  }
  return { results, stopped: undefined, left };
}

const errorOf = (value: Value): string | undefined => (value instanceof CelError ? value.message : undefined);

/** Whether all conditions hold; errors count where none is false. */
export type Match =
  | { readonly matches: true }
  | { readonly matches: false; readonly failed: number }
  | { readonly matches: "unknown"; readonly error: string };

export function matchConditions(conditions: readonly PolicyExpression[], activation: Activation): Match {
  const { results, stopped } = runExpressions(conditions, activation, conditionsBudget);
  if (stopped !== undefined) return { matches: "unknown", error: stopped };
  const failed = results.findIndex((result) => result.ok && result.value === false);
  if (failed >= 0) return { matches: false, failed };
  const errors = results.flatMap((result) => (result.ok ? [] : [result.error]));
  if (errors.length === 0) return { matches: true };
  return { matches: "unknown", error: errors.length === 1 ? errors.join() : `[${errors.join(", ")}]` };
}
