/**
 * Quantities as the reference computes with them: an integer of 64 bits times a power of ten while that is exact
 * (`small`), a decimal number of any size beyond. What was read and never computed with keeps its text.
 */
export interface Quantity {
  readonly unscaled: bigint;
  /** Of ten. */
  readonly exponent: number;
  readonly small: boolean;
  readonly form: "decimal" | "binary" | "exponent";
  readonly text?: string;
}

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const suffixWrong = "unable to parse quantity's suffix";
const numericWrong = "unable to parse numeric part of quantity";

const int64Max = 2n ** 63n - 1n;
const fits = (value: bigint): boolean => value <= int64Max && value >= -int64Max - 1n;

/** Exponents further apart than this are not brought to one: their digits would not end. */
const farthest = 5000;

const decimals: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaries: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

interface Pieces {
  readonly positive: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
  readonly number: string;
}

const isDigit = (c: number): boolean => c >= 48 && c <= 57;

function scan(text: string): Pieces | undefined {
  let at = text[0] === "-" || text[0] === "+" ? 1 : 0;
  const positive = text[0] !== "-";
  while (text[at] === "0") at += 1;
  if (at >= text.length) return { positive, whole: "0", fraction: "", suffix: "", number: "0" };
  const digits = (): string => {
    const start = at;
    while (isDigit(text.charCodeAt(at))) at += 1;
    return text.slice(start, at);
  };
  const whole = digits() || "0";
  let fraction = "";
  if (text[at] === ".") {
    at += 1;
    fraction = digits();
  }
  const number = text.slice(0, at);
  const start = at;
  while (at < text.length && "eEinumkKMGTP".includes(text[at] ?? "")) at += 1;
  if (text[at] === "-" || text[at] === "+") at += 1;
  digits();
  return at < text.length ? undefined : { positive, whole, fraction, suffix: text.slice(start), number };
}

type Suffix = { readonly base: 2 | 10; readonly exponent: number; readonly form: Quantity["form"] };

function readSuffix(text: string): Suffix | undefined {
  const decimal = decimals[text];
  if (decimal !== undefined) return { base: 10, exponent: decimal, form: "decimal" };
  const binary = binaries[text];
  if (binary !== undefined) return { base: 2, exponent: binary, form: "binary" };
  if (text.length < 2 || (text[0] !== "e" && text[0] !== "E")) return undefined;
  const power = Number(text.slice(1));
  const ends = isDigit(text.charCodeAt(text.length - 1)) && text.length < 20;
  return ends && Number.isSafeInteger(power) ? { base: 10, exponent: power | 0, form: "exponent" } : undefined;
}

/** The quantity, or the reference's message of what is wrong with the text. */
export function parseQuantity(text: string): Quantity | { readonly problem: string } {
  if (text === "") return { problem: formatWrong };
  if (text === "0") return { unscaled: 0n, exponent: 0, small: true, form: "decimal", text };
  const pieces = scan(text);
  if (pieces === undefined) return { problem: formatWrong };
  const suffix = readSuffix(pieces.suffix);
  if (suffix === undefined) return { problem: suffixWrong };
  return smallQuantity(text, pieces, suffix) ?? largeQuantity(pieces, suffix);
}

function smallQuantity(text: string, pieces: Pieces, { form, exponent: power }: Suffix): Quantity | undefined {
  const { whole, fraction, positive } = pieces;
  const binary = form === "binary";
  if (binary && fraction !== "") return undefined;
  const room = binary ? 15 - whole.length - Math.trunc((power * 3) / 10) - 1 : 18 - whole.length - fraction.length;
  const exponent = (binary ? 0 : power) - fraction.length;
  if (room < 0 || exponent < -9) return undefined;
  const shifted = whole + fraction;
  const value = BigInt(shifted);
  const magnitude = binary ? value * 2n ** BigInt(power) : value;
  if (!fits(magnitude)) return undefined;
  const kept = binary
    ? power % 10 === 0 && (value & 7n) !== 0n
    : exponent % 3 === 0 && !shifted.endsWith("000") && shifted[0] !== "0";
  const quantity = { unscaled: positive ? magnitude : -magnitude, exponent, small: true, form };
  return kept ? { ...quantity, text } : quantity;
}

function largeQuantity(
  pieces: Pieces,
  { base, exponent: power, form }: Suffix,
): Quantity | { readonly problem: string } {
  const digits = pieces.number.replace("-", "").replace("+", "").replace(".", "");
  if (digits === "") return { problem: numericWrong };
  if (digits.length > farthest) return { problem: numericWrong };
  let unscaled = BigInt(digits) * (base === 2 ? 2n ** BigInt(power) : 1n);
  let exponent = (base === 10 ? power : 0) - pieces.fraction.length;
  // Nothing is smaller than a billionth: what is left of one counts as one.
  if (unscaled !== 0n && exponent < -9) {
    unscaled = ceilShift(unscaled, -9 - exponent);
    exponent = -9;
  }
  const probe = { unscaled, exponent };
  if (form === "binary" && compareDecimals(probe, { unscaled: int64Max, exponent: 0 }) > 0) {
    unscaled = int64Max;
    exponent = 0;
  }
  const belowOne = form === "binary" && unscaled > 0n && compareDecimals({ unscaled, exponent }, one) < 0;
  const signed = pieces.positive ? unscaled : -unscaled;
  return { unscaled: signed, exponent, small: false, form: belowOne ? "decimal" : form };
}

const one: Decimal = { unscaled: 1n, exponent: 0 };

function ceilShift(value: bigint, places: number): bigint {
  if (places > farthest) return 1n;
  const scale = 10n ** BigInt(places);
  return (value + scale - 1n) / scale;
}

type Decimal = Pick<Quantity, "unscaled" | "exponent">;

/** -1, 0 or 1, also of numbers whose exponents are far apart. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const signs = [sign(a.unscaled), sign(b.unscaled)] as const;
  if (signs[0] !== signs[1] || signs[0] === 0) return Math.sign(signs[0] - signs[1]);
  const sizes = [magnitude(a), magnitude(b)] as const;
  if (Math.abs(sizes[0] - sizes[1]) > 1) return sizes[0] > sizes[1] ? signs[0] : -signs[0];
  const low = Math.min(a.exponent, b.exponent);
  const x = a.unscaled * 10n ** BigInt(a.exponent - low);
  const y = b.unscaled * 10n ** BigInt(b.exponent - low);
  return x < y ? -1 : x > y ? 1 : 0;
}

const sign = (value: bigint): number => (value > 0n ? 1 : value < 0n ? -1 : 0);

function magnitude({ unscaled, exponent }: Decimal): number {
  return String(unscaled < 0n ? -unscaled : unscaled).length + exponent;
}

export const quantitySign = ({ unscaled }: Quantity): number => sign(unscaled);

export const ofInteger = (value: bigint): Quantity => ({ unscaled: value, exponent: 0, small: true, form: "exponent" });

/** The sum; undefined where the exponents are too far apart. */
export function addQuantities(a: Quantity, b: Quantity): Quantity | undefined {
  if (a.small && b.small) {
    if (a.unscaled === 0n) return { ...bare(b) };
    if (b.unscaled === 0n) return bare(a);
  }
  const form = a.unscaled === 0n ? b.form : a.form;
  const exponent = Math.min(a.exponent, b.exponent);
  if (Math.max(a.exponent, b.exponent) - exponent > farthest) return undefined;
  const x = a.unscaled * 10n ** BigInt(a.exponent - exponent);
  const y = b.unscaled * 10n ** BigInt(b.exponent - exponent);
  const small = a.small && b.small && fits(x) && fits(y) && fits(x + y);
  return { unscaled: x + y, exponent, small, form };
}

export function subtractQuantities(a: Quantity, b: Quantity): Quantity | undefined {
  return addQuantities(a, { ...bare(b), unscaled: -b.unscaled });
}

function bare({ unscaled, exponent, small, form }: Quantity): Quantity {
  return { unscaled, exponent, small, form };
}

/** The integer of a small quantity without a fraction's exponent; undefined else. */
export function integerOf({ unscaled, exponent, small }: Quantity): bigint | undefined {
  if (!small || exponent < 0) return undefined;
  if (unscaled === 0n) return 0n;
  if (exponent > 18) return undefined;
  const value = unscaled * 10n ** BigInt(exponent);
  return fits(value) ? value : undefined;
}

export function approximately({ unscaled, exponent }: Quantity): number {
  return exponent === 0 ? Number(unscaled) : Number(unscaled) * Number(`1e${exponent}`);
}

const suffixes = new Map(Object.entries(decimals).map(([suffix, power]) => [power, suffix]));
const binarySteps = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** The text that was read, or the canonical one: the largest suffix that leaves a whole number. */
export function formatQuantity(quantity: Quantity): string {
  const { text, unscaled, form } = quantity;
  if (text !== undefined) return text;
  if (unscaled === 0n) return "0";
  const whole = form === "binary" ? binaryInteger(quantity) : undefined;
  if (whole !== undefined) return whole;
  let value = unscaled;
  let { exponent } = quantity;
  while (value % 10n === 0n) {
    value /= 10n;
    exponent += 1;
  }
  while (exponent % 3 !== 0) {
    value *= 10n;
    exponent -= 1;
  }
  if (form === "exponent") return exponent === 0 ? String(value) : `${value}e${exponent}`;
  return `${value}${suffixes.get(exponent) ?? ""}`;
}

function binaryInteger({ unscaled, exponent }: Quantity): string | undefined {
  if (exponent > farthest) return undefined;
  const scale = 10n ** BigInt(Math.abs(exponent));
  if (exponent < 0 && unscaled % scale !== 0n) return undefined;
  let value = exponent < 0 ? unscaled / scale : unscaled * scale;
  if (value > -1024n && value < 1024n) return undefined;
  let step = 0;
  while (value % 1024n === 0n && step < binarySteps.length - 1) {
    value /= 1024n;
    step += 1;
  }
  return `${value}${binarySteps[step] ?? ""}`;
}
