import { roundUpToMilli } from "@orch/schema/formats/quantity.js";

/** Quantities by resource name. */
export type Resources = Readonly<Record<string, string>>;

export interface Requirements {
  readonly limits?: Resources;
  readonly requests?: Resources;
  readonly claims?: readonly { readonly name?: string; readonly request?: string }[];
}

/** Quantities in whole thousandths, rounded up. */
export function rounded(resources: Resources): Resources {
  const entries = Object.entries(resources).map(([name, amount]) => [name, roundUpToMilli(amount)] as const);
  return entries.every(([name, amount]) => resources[name] === amount) ? resources : Object.fromEntries(entries);
}
