import type { Type } from "../check/types.js";
import type { Cost, LibraryFunction, LibraryOverload, Run } from "../libraries/library.js";
import type { Value } from "../values/value.js";
import { fits } from "./dispatch.js";
import { charge, isError, type Step } from "./frame.js";

export function costOf(fn: LibraryFunction, overload: LibraryOverload | undefined): Cost {
  return fn.cost ?? overload?.cost ?? (() => 1);
}

/** What `c ? x : null` has the type of, though it may be null. */
const mayBeNull: ReadonlySet<Type["kind"]> = new Set(["duration", "timestamp", "struct", "opaque"]);

export function fitsAlways(given: Type | undefined, wanted: Type | undefined): boolean {
  return given !== undefined && wanted !== undefined && !mayBeNull.has(given.kind) && fits(given, wanted);
}

export interface CallParts {
  readonly run: Run;
  readonly cost: Cost;
  readonly overload: string | undefined;
  /** An argument that fails ends the call before the next ones are read, and it is not charged. */
  readonly early: boolean;
}

export function callStep(args: readonly Step[], parts: CallParts): Step {
  const [first, second] = args;
  if (args.length === 1 && first !== undefined) return unaryStep(first, parts);
  if (args.length === 2 && first !== undefined && second !== undefined && !parts.early) {
    return binaryStep(first, second, parts);
  }
  const { run, cost, overload } = parts;
  return (f) => {
    const values: Value[] = [];
    for (const arg of args) {
      const value = arg(f);
      values.push(value);
      if (!isError(value)) continue;
      if (values.length === args.length) charge(f, cost(values, overload));
      return value;
    }
    charge(f, cost(values, overload));
    return run(values);
  };
}

/** A call that asks somebody else is charged once it was answered: what ends at the limit has asked. */
export function askingStep(args: readonly Step[], { run, cost, overload }: CallParts): Step {
  return (f) => {
    const values = args.map((arg) => arg(f));
    const failed = values.find(isError);
    const answer = failed ?? run(values);
    charge(f, cost(values, overload));
    return answer;
  };
}

function unaryStep(arg: Step, { run, cost, overload }: CallParts): Step {
  return (f) => {
    const value = arg(f);
    const values = [value];
    charge(f, cost(values, overload));
    return isError(value) && overload !== "not_strictly_false" ? value : run(values);
  };
}

function binaryStep(first: Step, second: Step, { run, cost, overload }: CallParts): Step {
  return (f) => {
    const a = first(f);
    const b = second(f);
    const values = [a, b];
    charge(f, cost(values, overload));
    if (isError(a)) return a;
    return isError(b) ? b : run(values);
  };
}
