import { add, exactly, multiply, type Range, range, scale, unbounded } from "../cost/sizes.js";
import { type Estimate, stringFactor } from "./library.js";
import { isInt } from "./string-functions.js";

export const sameSize: Estimate = ({ target, sizeOf }) => {
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  return { cost: scale(size, stringFactor), size };
};

const twice = (size: Range): Range => scale(size, 2 * stringFactor);

export const splitEstimate: Estimate = ({ target, args: [, limit], sizeOf }) => {
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  const written = limit?.expr?.kind === "literal" && isInt(limit.expr.value) ? BigInt(limit.expr.value) : undefined;
  return { cost: twice(size), size: range(0, written === undefined ? size.max : BigInt.asUintN(64, written)) };
};

export const joinEstimate: Estimate = ({ target, args: [separator], sizeOf, elementOf }) => {
  if (target === undefined) return undefined;
  const count = sizeOf(target);
  const element = elementOf(target);
  const parts = element === undefined ? exactly(0) : multiply(count, sizeOf(element));
  const gaps = range(count.min > 0n ? count.min - 1n : 0n, count.max > 0n ? count.max - 1n : 0n);
  const size = separator === undefined ? parts : add(parts, multiply(sizeOf(separator), gaps));
  return { cost: scale(size, stringFactor), size };
};

const ceilDivide = (a: bigint, b: bigint): bigint => {
  const value = Math.ceil(Number(a) / Number(b));
  return value >= 2 ** 64 ? unbounded : BigInt(value);
};

const plusOne = (value: bigint): bigint => (value < unbounded ? value + 1n : value);

/** From the shortest to the longest result that the sizes of text, old and new allow. */
export const replaceEstimate: Estimate = ({ target, args: [old, by], sizeOf }) => {
  if (target === undefined || old === undefined || by === undefined) return undefined;
  const text = sizeOf(target);
  const from = sizeOf(old);
  const to = sizeOf(by);
  const count = { min: 0n, max: 0n };
  const retained = { min: 0n, max: 0n };
  if (from.min === 0n) {
    count.max = plusOne(text.max);
    retained.max = text.max;
  } else if (to.max <= from.min) retained.max = text.max;
  else count.max = ceilDivide(text.max, from.min);
  if (from.max === 0n) {
    count.min = plusOne(text.min);
    retained.min = text.min;
  } else if (from.max <= to.min) retained.min = text.min;
  else count.min = ceilDivide(text.min, from.max);
  return { cost: twice(text), size: add(multiply(count, to), retained) };
};

export const quoteEstimate: Estimate = ({ args: [x], lengthOf }) => {
  if (x === undefined) return undefined;
  const size = lengthOf(x);
  const max = BigInt.asUintN(64, size.max * 2n + 2n);
  return { cost: scale(size, stringFactor), size: range(size.min + 2n, max) };
};
