import { declaredType } from "./check/types.js";
import type { Variables } from "./compile/frame.js";
import type { CelEnvironment } from "./environment.js";
import { type Budget, compileExpression, type Program, type RunOptions } from "./program.js";
import { CelError } from "./values/value.js";

/** What is wrong with an expression that must give a bool; undefined: nothing. */
export type ConditionProblem = { readonly kind: "required" } | { readonly kind: "invalid"; readonly message: string };

export type Condition =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly problem: ConditionProblem };

/** Compiles a match condition. */
export function compileCondition(expression: string, env: CelEnvironment): Condition {
  const invalid = (message: string): Condition => ({ ok: false, problem: { kind: "invalid", message } });
  if (expression.trim() === "") return { ok: false, problem: { kind: "required" } };
  const made = compileExpression(expression, env);
  if (!made.ok && made.stage === "compile") return invalid(`compilation failed: ${made.display}`);
  if (!made.ok) return invalid(`program instantiation failed: ${made.display}`);
  if (made.type.kind !== "bool") return invalid(`must evaluate to bool but got ${declaredType(made.type)}`);
  return { ok: true, program: made.program };
}

/** What conditions together came to. `failed`: the index of the one that was false. */
export type Match =
  | { readonly matches: true }
  | { readonly matches: false; readonly failed: number }
  | { readonly matches: "unknown"; readonly errors: readonly string[] };

export const budgetExceeded =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/**
 * Whether all conditions hold. One that is false decides, whatever the others did; else errors leave it unknown. An
 * exceeded budget ends all.
 */
export function matchAll(
  programs: readonly Program[],
  variables: Variables,
  { budget, ...options }: RunOptions & { readonly budget: Budget },
): Match {
  const errors: string[] = [];
  for (const [index, program] of programs.entries()) {
    const left = budget.remaining;
    const outcome = program.run(variables, options);
    budget.remaining -= outcome.cost;
    if (outcome.cost > left) return { matches: "unknown", errors: [budgetExceeded] };
    if (!outcome.ok) errors.push(`expression '${program.text}' resulted in error: ${outcome.error}`);
    else if (outcome.value === false) return { matches: false, failed: index };
    else if (outcome.value instanceof CelError) errors.push(outcome.value.message);
  }
  return errors.length === 0 ? { matches: true } : { matches: "unknown", errors };
}
