import { formatQuantity, parseQuantity } from "@orch/schema/formats/quantity.js";

const nanosInMilli = 1_000_000n;

/** In thousandths, rounded up; undefined of what is absent or no quantity. */
export function milliOf(quantity: unknown): number | undefined {
  if (typeof quantity !== "string" && typeof quantity !== "number") return undefined;
  const parsed = parseQuantity(String(quantity));
  if (typeof parsed === "string") return undefined;
  const { nano } = parsed;
  return Number(nano / nanosInMilli + (nano % nanosInMilli > 0n ? 1n : 0n));
}

/** Canonical text of thousandths. */
export function quantityOf(milli: number): string {
  return formatQuantity({ nano: BigInt(Math.round(milli)) * nanosInMilli, form: "decimal" });
}
