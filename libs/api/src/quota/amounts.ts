import { compareQuantities, formatQuantity, nanoOf, parseQuantity } from "@orch/schema/formats/quantity.js";
import type { Resources } from "../kinds/core/resources.js";

/** In the form of the first, as long as that is not zero. */
export function sumOf(a: string | undefined, b: string): string {
  const [x, y] = [parseQuantity(a ?? "0"), parseQuantity(b)];
  if (typeof x === "string" || x.nano === 0n) return b;
  if (typeof y === "string") return a ?? b;
  return formatQuantity({ nano: x.nano + y.nano, form: x.form });
}

/** Of each resource of either. */
export function added(a: Resources, b: Resources): Resources {
  const total = new Map(Object.entries(a));
  for (const [name, amount] of Object.entries(b)) total.set(name, sumOf(total.get(name), amount));
  return Object.fromEntries(total);
}

/** What the first has more than the second; what it has less is negative. */
export function without(a: Resources, b: Resources): Resources {
  return added(a, Object.fromEntries(Object.entries(b).map(([name, amount]) => [name, negated(amount)])));
}

function negated(amount: string): string {
  const quantity = parseQuantity(amount);
  return typeof quantity === "string" ? amount : formatQuantity({ ...quantity, nano: -quantity.nano });
}

/** Only the resources of these names. */
export function only(resources: Resources, names: Iterable<string>): Resources {
  const wanted = new Set(names);
  return Object.fromEntries(Object.entries(resources).filter(([name]) => wanted.has(name)));
}

export function withoutZeros(resources: Resources): Resources {
  return Object.fromEntries(Object.entries(resources).filter(([, amount]) => nanoOf(amount) !== 0n));
}

export function amountOf(resources: Resources, name: string): string | undefined {
  return Object.hasOwn(resources, name) ? resources[name] : undefined;
}

/** Whether both have the same resources, in the same amounts however they are written. */
export function sameAmounts(a: Resources, b: Resources): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const [x, y] = [amountOf(a, name), amountOf(b, name)];
      return x !== undefined && y !== undefined && compareQuantities(x, y) === 0;
    })
  );
}

/** `cpu=1,pods=2`, in the order of the names. */
export function amountsText(resources: Resources): string {
  return Object.keys(resources)
    .sort()
    .map((name) => `${name}=${amountOf(resources, name)}`)
    .join(",");
}
