import type { Type } from "../check/types.js";
import type { Expr } from "../syntax/ast.js";

/** From the smallest to the largest; 2^64-1 is unbounded. Sizes and costs alike. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

export const unbounded = 2n ** 64n - 1n;

export const range = (min: bigint | number, max: bigint | number): Range => ({ min: BigInt(min), max: BigInt(max) });
export const exactly = (value: bigint | number): Range => range(value, value);

const saturate = (value: bigint): bigint => (value > unbounded ? unbounded : value);

export function add(...ranges: readonly Range[]): Range {
  return ranges.reduce((a, b) => ({ min: saturate(a.min + b.min), max: saturate(a.max + b.max) }), exactly(0));
}

export function multiply(a: Range, b: Range): Range {
  return { min: saturate(a.min * b.min), max: saturate(a.max * b.max) };
}

export function union(a: Range, b: Range): Range {
  return { min: a.min < b.min ? a.min : b.min, max: a.max > b.max ? a.max : b.max };
}

/** Multiplies as floating-point numbers and rounds up, as the reference does. */
export function scale(a: Range, factor: number): Range {
  return { min: scaleOne(a.min, factor), max: scaleOne(a.max, factor) };
}

function scaleOne(value: bigint, factor: number): bigint {
  const product = Math.ceil(Number(value) * factor);
  return product >= 2 ** 64 ? unbounded : BigInt(product);
}

/** A node as an estimate sees it. */
export interface Sized {
  readonly expr: Expr | undefined;
  readonly type: Type;
  /** From a variable through fields, `@items`, `@keys`, `@values`; undefined where it is no such path. */
  readonly path: readonly string[] | undefined;
  /** Of literals and of results whose size is known. */
  readonly size: Range | undefined;
}

export interface CallEstimate {
  readonly cost: Range;
  /** Of the result, where it has a size. */
  readonly size?: Range;
}

export interface EstimateCall {
  readonly overload: string;
  readonly target: Sized | undefined;
  readonly args: readonly Sized[];
  readonly argCosts: readonly Range[];
  /** The size of a node: what is known, what the declared schema says, or unbounded. */
  sizeOf(node: Sized): Range;
  /** As `sizeOf`, where nodes of scalar types count 1. */
  lengthOf(node: Sized): Range;
  /** The elements of a list as a node of their own, if its type has parameters. */
  elementOf(node: Sized): Sized | undefined;
}
