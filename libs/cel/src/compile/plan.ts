import type { Run } from "../libraries/library.js";
import { CelError, Optional, type Value } from "../values/value.js";
import { type Attribute, resolver } from "./attribute.js";
import { charge, type Frame, isError, type Step } from "./frame.js";

/** A program that cannot be made: a constant pattern or conversion is wrong. */
export class PlanError {
  constructor(readonly message: string) {}
}

/** What a node became. Constants are folded into what stands above them; paths grow while they are selected from. */
export type Plan =
  | { readonly kind: "constant"; readonly value: Value }
  | { readonly kind: "attribute"; readonly attribute: Attribute; readonly test: boolean }
  | { readonly kind: "step"; readonly run: Step };

export const unplanned: Plan = { kind: "constant", value: null };

/** A frame for what is constant. */
export const freeFrame: Frame = {
  cost: 0,
  limit: Number.POSITIVE_INFINITY,
  slots: [],
  variables: () => undefined,
  interrupted: undefined,
  ticks: 0,
};

export function attributeOf(read: Step): Plan {
  return { kind: "attribute", attribute: { root: { kind: "value", read }, qualifiers: [] }, test: false };
}

export function runner(plan: Plan): Step {
  switch (plan.kind) {
    case "constant": {
      const { value } = plan;
      return () => value;
    }
    case "step":
      return plan.run;
    case "attribute": {
      const resolve = resolver(plan.attribute);
      // A conditional costs what its parts do: has() takes off it what it does not count of a variable.
      const isConditional = plan.attribute.root.kind === "conditional";
      if (plan.test) return presence(resolve, isConditional ? -1 : 0);
      if (isConditional) return resolve;
      return (f) => {
        const value = resolve(f);
        charge(f, 1);
        return value;
      };
    }
  }
}

/** Of has() the variable is not charged; of an optional it asks whether there is one. */
function presence(resolve: Step, cost: number): Step {
  return (f) => {
    const value = resolve(f);
    charge(f, cost);
    return value instanceof Optional ? value.value !== undefined : value;
  };
}

export function readSlot(slot: number): Step {
  return (f) => f.slots[slot] ?? null;
}

export function readLazily(slot: number, init: Step): Step {
  return (f) => {
    const known = f.slots[slot];
    if (known !== undefined) return known;
    const value = init(f);
    f.slots[slot] = value;
    return value;
  };
}

export function readVariable(slot: number, name: string): Step {
  return (f) => {
    const known = f.slots[slot];
    if (known !== undefined) return known;
    const found = f.variables(name);
    const value = found === undefined ? new CelError(`no such attribute(s): ${name}`) : found;
    f.slots[slot] = value;
    return value;
  };
}

const conversions = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "dyn",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);

/** A conversion of a constant is done once; what is wrong with it is found before the program runs. */
export function foldConstant(name: string, { run }: { readonly run: Run }, plans: readonly Plan[]): Plan | undefined {
  const [only] = plans;
  if (!conversions.has(name) || plans.length !== 1 || only?.kind !== "constant") return undefined;
  const value = run([only.value]);
  if (isError(value)) throw new PlanError(value.message);
  return { kind: "constant", value };
}
