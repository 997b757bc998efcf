/**
 * A whole number of 64 bits in a tree: a number wherever one holds it exactly, else a bigint. So each value has one
 * form, `===` compares them, and bigints are met by nobody who sends none.
 */
export type Integer64 = number | bigint;

/** Undefined for what has more than 64 bits. */
export function integer64(value: bigint): Integer64 | undefined {
  if (BigInt.asIntN(64, value) !== value) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** A number as a tree has it: one that is whole and too large to be sure of its last digits becomes exact. */
export function exactNumber(value: number): Integer64 {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  return integer64(BigInt(value)) ?? value;
}
