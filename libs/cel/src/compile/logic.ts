import type { Call, Expr } from "../syntax/ast.js";
import { equal } from "../values/equality.js";
import { sizeOf } from "../values/size.js";
import { noSuchOverload, Opaque, Optional, type Value } from "../values/value.js";
import { charge, isError, type Step } from "./frame.js";
import { PlanError } from "./plan.js";

/** The terms of a chain of one operator, however it was balanced. */
export function chainOf(e: Call, name: string): readonly Expr[] {
  return e.args.flatMap((arg) => (arg.kind === "call" && arg.function === name ? chainOf(arg, name) : [arg]));
}

export function allOf(terms: readonly Step[]): Step {
  return decide(terms, false);
}

export function anyOf(terms: readonly Step[]): Step {
  return decide(terms, true);
}

/** The first term that is `deciding` decides; else the first error, if there was one. */
function decide(terms: readonly Step[], deciding: boolean): Step {
  return (f) => {
    let failed: Value | undefined;
    for (const term of terms) {
      const value = term(f);
      if (value === deciding) return deciding;
      if (value !== !deciding) failed ??= isError(value) ? value : noSuchOverload;
    }
    return failed ?? !deciding;
  };
}

export function equality(args: readonly Step[], negated: boolean): Step {
  const [left, right] = args;
  if (left === undefined || right === undefined) throw new PlanError("unsupported expression");
  return (f) => {
    const a = left(f);
    const b = right(f);
    charge(f, equalityCost(a, b, negated));
    if (isError(a)) return a;
    if (isError(b)) return b;
    const same = equal(a, b);
    if (negated) return same !== true;
    return same;
  };
}

function equalityCost(a: Value, b: Value, negated: boolean): number {
  if (a instanceof Opaque && !negated && a.flatEquality) return 1;
  return Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * 0.1);
}

export function optionalElse(args: readonly Step[], name: "or" | "orValue"): Step {
  const [left, right] = args;
  if (left === undefined || right === undefined) throw new PlanError("unsupported expression");
  return (f) => {
    const optional = left(f);
    if (!(optional instanceof Optional)) return optional;
    if (optional.value === undefined) return right(f);
    return name === "or" ? optional : optional.value;
  };
}
