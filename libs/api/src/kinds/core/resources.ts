import { compareQuantities, roundUpToMilli } from "@orch/schema/formats/quantity.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** Quantities by resource name. */
export type Resources = Readonly<Record<string, string>>;

export interface Requirements {
  readonly limits?: Resources;
  readonly requests?: Resources;
  readonly claims?: readonly { readonly name?: string; readonly request?: string }[];
}

/** Quantities that are not negative. */
export function validateAmounts(resources: Resources | undefined, at: string): FieldError[] {
  return Object.entries(resources ?? {}).flatMap(([name, amount]) =>
    compareQuantities(amount, "0") < 0
      ? [fieldError.invalid(`${at}[${name}]`, amount, "must be greater than or equal to 0")]
      : [],
  );
}

/** Quantities in whole thousandths, rounded up. */
export function rounded(resources: Resources): Resources {
  const entries = Object.entries(resources).map(([name, amount]) => [name, roundUpToMilli(amount)] as const);
  return entries.every(([name, amount]) => resources[name] === amount) ? resources : Object.fromEntries(entries);
}
