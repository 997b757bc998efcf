import { compareNumbers, isNumeric } from "./numbers.js";
import { CelError, Duration, noSuchOverload, Timestamp, type Value } from "./value.js";

const notOrdered = new CelError("NaN values cannot be ordered");

/** -1, 0 or 1 of two values of one ordered type, or of two numbers. */
export function compare(a: Value, b: Value): number | CelError {
  if (isNumeric(a)) return isNumeric(b) ? (compareNumbers(a, b) ?? notOrdered) : noSuchOverload;
  if (typeof a === "string") return typeof b === "string" ? compareStrings(a, b) : noSuchOverload;
  if (typeof a === "boolean") return typeof b === "boolean" ? Number(a) - Number(b) : noSuchOverload;
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? Buffer.compare(a, b) : noSuchOverload;
  if (a instanceof Duration) return b instanceof Duration ? sign(a.nanos, b.nanos) : noSuchOverload;
  if (a instanceof Timestamp) return b instanceof Timestamp ? compareTimes(a, b) : noSuchOverload;
  return noSuchOverload;
}

function sign<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareTimes(a: Timestamp, b: Timestamp): number {
  return a.seconds === b.seconds ? sign(a.nanos, b.nanos) : sign(a.seconds, b.seconds);
}

/** By code points, which is the order of the bytes of UTF-8 and not that of UTF-16. */
export function compareStrings(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) < rank(y) ? -1 : 1;
  }
  return sign(a.length, b.length);
}

/** Surrogates stand for code points above all that one unit writes. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
