import { type Checked, check } from "./check/check.js";
import { declaredType, type Type } from "./check/types.js";
import { compile } from "./compile/compile.js";
import { Cancelled, type Frame, type Variables } from "./compile/frame.js";
import { PlanError } from "./compile/plan.js";
import { estimate } from "./cost/estimate.js";
import type { Range } from "./cost/sizes.js";
import type { CelEnvironment } from "./environment.js";
import type { Expr } from "./syntax/ast.js";
import { parse } from "./syntax/parser.js";
import { display } from "./syntax/source.js";
import { CelError, type Value } from "./values/value.js";

/** One expression, one evaluation: more ends it. */
export const perCallLimit = 1_000_000;

/** What several expressions may cost together; what is left of it is written back. */
export interface Budget {
  remaining: number;
}

export interface RunOptions {
  /** Units of cost; {@link perCallLimit} if it is not set. */
  readonly limit?: number;
  readonly budget?: Budget;
  /** Asked now and then in loops: true ends the evaluation with `operation interrupted`. */
  readonly interrupted?: () => boolean;
}

export type Outcome =
  | { readonly ok: true; readonly value: Value; readonly cost: number }
  /** `cancelled`: a limit or the time ended it, and nothing was found out. */
  | { readonly ok: false; readonly error: string; readonly cost: number; readonly cancelled: boolean };

export interface Program {
  readonly text: string;
  run(variables: Variables, options?: RunOptions): Outcome;
}

export type Compilation =
  | { readonly ok: true; readonly program: Program; readonly type: Type; readonly typeName: string }
  /** `display` is the text of all errors with their places; of a `program` error, which has none, its message. */
  | { readonly ok: false; readonly stage: "compile" | "program"; readonly display: string; readonly type?: Type };

export interface MakeOptions {
  /** Sees each value of an explained evaluation. */
  readonly observe?: (e: Expr, value: Value) => void;
}

export type Analysis =
  | { readonly ok: true; readonly checked: Checked }
  | { readonly ok: false; readonly display: string };

/** Reads and checks an expression. */
export function analyze(text: string, env: CelEnvironment): Analysis {
  const parsed = parse(text, { macros: env.check.macros, optionals: env.check.optionals });
  if (!parsed.ok) return { ok: false, display: display(text, parsed.issues) };
  const result = check(text, parsed.expr, env.check);
  return result.ok ? result : { ok: false, display: display(text, result.issues) };
}

/** Reads, checks and compiles an expression: a program that runs any number of times. */
export function compileExpression(text: string, env: CelEnvironment, options: MakeOptions = {}): Compilation {
  const analysis = analyze(text, env);
  if (!analysis.ok) return { ok: false, stage: "compile", display: analysis.display };
  return makeProgram(text, analysis.checked, { env, ...options });
}

/** Compiles what was checked. Stored expressions are checked and run with all libraries. */
export function makeProgram(
  text: string,
  checked: Checked,
  options: MakeOptions & { readonly env: CelEnvironment },
): Compilation {
  const { env, ...rest } = options;
  try {
    const { run: evaluate, slots } = compile(checked, {
      env: env.check,
      functions: env.functions,
      costs: env.costs,
      construct: env.construct,
      ...rest,
    });
    const run = (variables: Variables, runOptions: RunOptions = {}): Outcome => {
      const { limit = perCallLimit, budget, interrupted } = runOptions;
      const frame: Frame = {
        cost: 0,
        limit: budget === undefined ? limit : Math.min(limit, budget.remaining),
        slots: new Array<Value | undefined>(slots).fill(undefined),
        variables,
        interrupted,
        ticks: 0,
      };
      const outcome = evaluated(frame, evaluate);
      if (budget !== undefined) budget.remaining -= outcome.cost;
      return outcome;
    };
    return { ok: true, program: { text, run }, type: checked.type, typeName: declaredType(checked.type) };
  } catch (thrown) {
    if (thrown instanceof PlanError)
      return { ok: false, stage: "program", display: thrown.message, type: checked.type };
    throw thrown;
  }
}

function evaluated(frame: Frame, evaluate: (f: Frame) => Value): Outcome {
  try {
    const value = evaluate(frame);
    if (value instanceof CelError) return { ok: false, error: value.message, cost: frame.cost, cancelled: false };
    return { ok: true, value, cost: frame.cost };
  } catch (thrown) {
    if (thrown instanceof Cancelled) return { ok: false, error: thrown.message, cost: frame.cost, cancelled: true };
    if (thrown instanceof RangeError) {
      return { ok: false, error: "evaluation nests too deep", cost: frame.cost, cancelled: true };
    }
    throw thrown;
  }
}

/** What an expression may cost, given the sizes of what its variables are declared to hold. */
export function estimateCost(
  checked: Checked,
  env: CelEnvironment,
  declared?: (path: readonly string[]) => Range | undefined,
): Range {
  return estimate(checked, {
    functions: env.functions,
    costs: env.costs,
    domain: env.domain,
    ...(declared && { declared }),
  });
}
