import { CelError, Double, type Int, noSuchOverload, Uint, untaken, type Value } from "./value.js";

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const uint64Max = 2n ** 64n - 1n;
const two63 = 2 ** 63;
const two64 = 2 ** 64;

export const intOverflow = new CelError("integer overflow");
export const uintOverflow = new CelError("unsigned integer overflow");
const divisionByZero = new CelError("division by zero");
const modulusByZero = new CelError("modulus by zero");

/** A bigint as an int: a number where that is exact. */
export function toInt(value: bigint): Int | CelError {
  if (value >= -9007199254740991n && value <= 9007199254740991n) return Number(value);
  return value < int64Min || value > int64Max ? intOverflow : value;
}

export function toUint(value: bigint): Uint | CelError {
  return value < 0n || value > uint64Max ? uintOverflow : new Uint(value);
}

export function isInt(value: Value): value is Int {
  return typeof value === "number" || typeof value === "bigint";
}

export function addInts(a: Int, b: Int): Int | CelError {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return toInt(BigInt(a) + BigInt(b));
}

export type Arithmetic = "+" | "-" | "*" | "/" | "%";

export function computeInts(op: Arithmetic, a: Int, b: Int): Int | CelError {
  if (op === "+") return addInts(a, b);
  if (typeof a === "number" && typeof b === "number") {
    const result = computeSafe(op, a, b);
    if (result !== undefined) return result;
  }
  const x = BigInt(a);
  const y = BigInt(b);
  switch (op) {
    case "-":
      return toInt(x - y);
    case "*":
      return toInt(x * y);
    case "/":
      return y === 0n ? divisionByZero : toInt(x / y);
    case "%":
      if (y === 0n) return modulusByZero;
      return x === int64Min && y === -1n ? intOverflow : toInt(x % y);
  }
}

function computeSafe(op: Exclude<Arithmetic, "+">, a: number, b: number): Int | CelError | undefined {
  if (b === 0 && op === "/") return divisionByZero;
  if (b === 0 && op === "%") return modulusByZero;
  const result = op === "-" ? a - b : op === "*" ? a * b : op === "/" ? Math.trunc(a / b) : a % b;
  // A quotient of large safe integers may be rounded up: the exact one is computed by bigint.
  if (op === "/" && (a > 2 ** 50 || a < -(2 ** 50))) return undefined;
  return Number.isSafeInteger(result) ? result + 0 : undefined;
}

export function computeUints(op: Arithmetic, a: Uint, b: Uint): Uint | CelError {
  const x = a.value;
  const y = b.value;
  switch (op) {
    case "+":
      return toUint(x + y);
    case "-":
      return toUint(x - y);
    case "*":
      return toUint(x * y);
    case "/":
      return y === 0n ? divisionByZero : new Uint(x / y);
    case "%":
      return y === 0n ? modulusByZero : new Uint(x % y);
  }
}

export function computeDoubles(op: Arithmetic, a: Double, b: Double): Double | CelError {
  const x = a.value;
  const y = b.value;
  switch (op) {
    case "+":
      return new Double(x + y);
    case "-":
      return new Double(x - y);
    case "*":
      return new Double(x * y);
    case "/":
      return new Double(x / y);
    case "%":
      return noSuchOverload;
  }
}

export function negate(value: Value): Value {
  if (typeof value === "number") return 0 - value;
  if (typeof value === "bigint") return toInt(-value);
  if (value instanceof Double) return new Double(-value.value);
  return typeof value === "boolean" ? noSuchOverload : untaken("-_", value);
}

/** Order of two numbers of any type; undefined where one is NaN. An int or uint beside a double is rounded to one. */
export function compareNumbers(a: Int | Uint | Double, b: Int | Uint | Double): number | undefined {
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : a > b ? 1 : 0;
  if (a instanceof Double && b instanceof Double) return compareDoubles(a.value, b.value);
  if (a instanceof Double) return compareDoubles(a.value, Number(bigOf(b)));
  if (b instanceof Double) return compareDoubles(Number(bigOf(a)), b.value);
  const x = bigOf(a);
  const y = bigOf(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

function bigOf(value: Int | Uint | Double): bigint {
  if (value instanceof Uint) return value.value;
  return value instanceof Double ? 0n : BigInt(value);
}

function compareDoubles(a: number, b: number): number | undefined {
  if (a < b) return -1;
  if (a > b) return 1;
  return a === b ? 0 : undefined;
}

export function isNumeric(value: Value): value is Int | Uint | Double {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Double || value instanceof Uint;
}

export function doubleToInt(value: number): Int | CelError {
  if (Number.isNaN(value) || value <= -two63 || value >= two63) return intOverflow;
  return toInt(BigInt(Math.trunc(value)));
}

export function doubleToUint(value: number): Uint | CelError {
  if (Number.isNaN(value) || value < 0 || value >= two64) return uintOverflow;
  return toUint(BigInt(Math.trunc(value)));
}

/** A decimal number without blanks, as the reference reads one; undefined where it is none or out of range. */
export function parseInteger(text: string, { signed }: { readonly signed: boolean }): bigint | undefined {
  const digits = signed && (text[0] === "-" || text[0] === "+") ? text.slice(1) : text;
  if (digits === "" || digits.length > 400) return undefined;
  for (let i = 0; i < digits.length; i++) {
    const c = digits.charCodeAt(i);
    if (c < 48 || c > 57) return undefined;
  }
  const magnitude = BigInt(digits);
  const value = text[0] === "-" ? -magnitude : magnitude;
  return signed ? within(value, int64Min, int64Max) : within(value, 0n, uint64Max);
}

function within(value: bigint, min: bigint, max: bigint): bigint | undefined {
  return value < min || value > max ? undefined : value;
}
