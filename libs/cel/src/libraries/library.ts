import type { Overload } from "../check/environment.js";
import type { Type } from "../check/types.js";
import type { CallEstimate, EstimateCall } from "../cost/sizes.js";
import type { Macro } from "../syntax/macros.js";
import { sizeOf } from "../values/size.js";
import type { Value } from "../values/value.js";

/** The receiver of a member is the first argument. Errors come back as values. */
export type Run = (args: readonly Value[]) => Value;

/** What a call costs, known from its arguments before it runs. */
export type Cost = (args: readonly Value[], overload: string | undefined) => number;

export type Estimate = (call: EstimateCall) => CallEstimate | undefined;

export interface LibraryOverload extends Overload {
  /** Undefined: the function's own, for all overloads. */
  readonly run?: Run;
  /** Where this overload alone is meant; of a call that is decided by the values, each costs 1. */
  readonly cost?: Cost;
  readonly estimate?: Estimate;
  /** The minor release that brought it, where it is younger than its library. */
  readonly since?: number;
}

export interface LibraryFunction {
  readonly name: string;
  readonly overloads: readonly LibraryOverload[];
  /** Serves all overloads and tells itself what does not fit. Else the overload is chosen by the values' types. */
  readonly run?: Run;
  /** Whatever the overload. */
  readonly cost?: Cost;
  readonly estimate?: Estimate;
  /** Whether an argument that fails ends a call of two before the second is read. */
  readonly early?: boolean;
  /** Whether a call asks somebody outside of the expression. */
  readonly asks?: boolean;
  /** The argument that holds a pattern: a constant one is compiled once, and refused when the program is made. */
  readonly pattern?: { readonly index: number; readonly make: (pattern: string) => Run | { readonly error: string } };
}

export interface Library {
  readonly name: string;
  /** Minor releases of 1: where it is first known, and where no more. */
  readonly since: number;
  readonly until?: number;
  readonly functions: readonly LibraryFunction[];
  readonly macros?: readonly Macro[];
  readonly types?: readonly { readonly name: string; readonly type: Type; readonly value?: Value }[];
}

export const global = (id: string, args: readonly Type[], result: Type): Overload => ({
  id,
  member: false,
  args,
  result,
});

export const member = (id: string, args: readonly Type[], result: Type): Overload => ({
  id,
  member: true,
  args,
  result,
});

/** Costs as the reference writes them: per traversed unit, rounded up. */
export const perUnit = (size: number, factor: number): number => Math.ceil(size * factor);

export const stringFactor = 0.1;
export const patternFactor = 0.25;

/** The size of an argument. */
export const argSize = (args: readonly Value[], index: number): number => sizeOf(args[index] ?? null);

/** One traversal of the argument, `times` over. */
export const traversal =
  (index: number, times = 1): Cost =>
  (args) =>
    perUnit(argSize(args, index), stringFactor * times);

export const one: Cost = () => 1;
