/**
 * Quantities: exact decimals with a binary or decimal suffix (`100m`, `1.5Gi`, `1e3`).
 * Read as the reference reads them, written in its canonical form: the largest suffix that leaves a
 * whole number.
 *
 *     1000m → 1     0.5Gi → 512Mi     1500 → 1500     2000 → 2k     1024Mi → 1Gi     1.5 → 1500m
 */
export interface Quantity {
  /** The value in billionths: nothing smaller is kept (rounded away from zero). */
  readonly nano: bigint;
  readonly form: "decimal" | "binary" | "exponent";
}

export const quantityPattern = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";
const formatWrong = `quantities must match the regular expression '${quantityPattern}'`;
const suffixWrong = "unable to parse quantity's suffix";
const numberWrong = "unable to parse numeric part of quantity";

const decimalPowers: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const decimalSuffixes = new Map([...decimalPowers].map(([suffix, power]) => [power, suffix]));
const binarySuffixes: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const nanos = 1_000_000_000n;
const largest = (2n ** 63n - 1n) * nanos;
// A digit has one place in it: of a million of them that are no quantity each is looked at once.
const whole = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:([eEinumkKMGTP]+)([-+]?[0-9]*)|([-+][0-9]*))?$/;
// Powers beyond these are past every value that can be held, or below a billionth.
const highestPower = 40;
const lowestPower = -100;
/** Digits that can make a difference: there are billionths, and of what has a binary suffix nothing beyond 2^63. */
const digitsKept = 60;

/** The quantity, or the reference's sentence about what is wrong with the text. */
export function parseQuantity(text: string): Quantity | string {
  const match = whole.exec(text);
  if (match === null || text === "") return formatWrong;
  const [, sign = "", integer = "", fraction = "", letters = "", power = match[6] ?? ""] = match;
  if (integer === "" && fraction === "") return /^[+-]?\.?$/.test(text) ? formatWrong : numberWrong;
  const suffix = readSuffix(letters, power);
  if (suffix === undefined) return suffixWrong;
  const magnitude = scaled(integer + fraction, suffix, fraction.length);
  const bounded = suffix.base === 2 && magnitude > largest ? largest : magnitude;
  return { nano: sign === "-" ? -bounded : bounded, form: suffix.form };
}

interface Suffix {
  readonly base: 2 | 10;
  readonly power: number;
  readonly form: Quantity["form"];
}

function readSuffix(letters: string, power: string): Suffix | undefined {
  if (power !== "") {
    if ((letters !== "e" && letters !== "E") || !/[0-9]/.test(power)) return undefined;
    return { base: 10, power: Number(power), form: "exponent" };
  }
  const decimal = decimalPowers.get(letters);
  if (decimal !== undefined) return { base: 10, power: decimal, form: "decimal" };
  const binary = binarySuffixes.indexOf(letters);
  return binary > 0 ? { base: 2, power: binary * 10, form: "binary" } : undefined;
}

/** Billionths, of what is smaller one. A text may have millions of digits: only those that count become a number. */
function scaled(text: string, suffix: Suffix, decimals: number): bigint {
  const significant = text.replace(/^0+/, "");
  if (significant === "") return 0n;
  const cut = Math.max(0, significant.length - digitsKept);
  const head = BigInt(significant.slice(0, digitsKept));
  // What is cut off makes the value a little larger, if it is anything at all.
  const digits = cut > 0 && /[1-9]/.test(significant.slice(digitsKept)) ? head + 1n : head;
  const binary = suffix.base === 2 ? 2n ** BigInt(suffix.power) : 1n;
  const power = (suffix.base === 2 ? 0 : suffix.power) - decimals + cut + 9;
  if (power >= 0) return power > highestPower ? largest : digits * binary * 10n ** BigInt(power);
  return power < lowestPower ? 1n : ceilDivide(digits * binary, 10n ** BigInt(-power));
}

function ceilDivide(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

export function formatQuantity(quantity: Quantity): string {
  const { nano, form } = quantity;
  if (nano === 0n) return "0";
  const small = nano > -1024n * nanos && nano < 1024n * nanos;
  if (form === "binary" && !small && nano % nanos === 0n) return binaryText(nano / nanos);
  let value = nano;
  let power = -9;
  while (value % 1000n === 0n && (form === "exponent" || power < 18)) {
    value /= 1000n;
    power += 3;
  }
  if (form === "exponent") return power === 0 ? String(value) : `${value}e${power}`;
  return `${value}${decimalSuffixes.get(power) ?? ""}`;
}

function binaryText(integer: bigint): string {
  let value = integer;
  let step = 0;
  while (value % 1024n === 0n && step < binarySuffixes.length - 1) {
    value /= 1024n;
    step++;
  }
  return `${value}${binarySuffixes[step] ?? ""}`;
}

// 100m, 1, 250Mi: already canonical, which most quantities are.
const plain = /^[1-9][0-9]{0,2}(?:m|k|M|G|T|Ki|Mi|Gi|Ti)?$/;

/** The canonical text of a quantity given as text or number. */
export function canonicalQuantity(text: string): { readonly text: string } | { readonly wrong: string } {
  if (plain.test(text)) return { text };
  const parsed = parseQuantity(text);
  return typeof parsed === "string" ? { wrong: parsed } : { text: formatQuantity(parsed) };
}

/** Negative, zero or positive as a < b, a = b, a > b. Texts that are not quantities count as zero. */
export function compareQuantities(a: string, b: string): number {
  const x = nanoOf(a);
  const y = nanoOf(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The value in billionths; zero for a text that is no quantity (decoded trees hold none). */
export function nanoOf(text: string): bigint {
  const parsed = parseQuantity(text);
  return typeof parsed === "string" ? 0n : parsed.nano;
}

/** The value rounded up to whole thousandths, canonical: what resource lists keep (`100u` → `1m`). */
export function roundUpToMilli(text: string): string {
  if (plain.test(text)) return text;
  const parsed = parseQuantity(text);
  if (typeof parsed === "string") return text;
  const step = 1_000_000n;
  if (parsed.nano % step === 0n) return formatQuantity(parsed);
  const magnitude = parsed.nano < 0n ? -parsed.nano : parsed.nano;
  const up = ceilDivide(magnitude, step) * step;
  return formatQuantity({ ...parsed, nano: parsed.nano < 0n ? -up : up });
}
