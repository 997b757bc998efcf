import { exactNumber, integer64 } from "@orch/schema/integer64.js";
import { outOfRange, rounded } from "../number-loss.js";

/**
 * What a plain (unquoted) YAML scalar stands for, as the reference's clients read it: YAML 1.1 booleans and
 * octals, no timestamps, no sexagesimal numbers (`1:20` and `2001-01-01` stay strings).
 */
export type PlainScalar =
  | { readonly ok: true; readonly value: string | number | bigint | boolean | null }
  | { readonly ok: false; readonly problem: string };

const words: ReadonlyMap<string, boolean | null> = new Map([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map((w) => [w, true] as const),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map((w) => [w, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((w) => [w, null] as const),
]);

const notNumbers = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const prefixed = /^([-+]?)0([xX][0-9a-fA-F]+|[bB][01]+|[oO]?[0-7]+)$/;
const decimal = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

export function readPlain(text: string): PlainScalar {
  const word = words.get(text);
  if (word !== undefined) return { ok: true, value: word };
  const first = text.charAt(0);
  if (!(first >= "0" && first <= "9") && !"+-.".includes(first)) return { ok: true, value: text };
  if (notNumbers.test(text)) return { ok: false, problem: `${text} is not a JSON value` };
  const bare = text.replaceAll("_", "");
  if (prefixed.test(bare) || signedDigits.test(bare)) return integerOf(bare);
  return decimal.test(bare) ? floatOf(bare) : { ok: true, value: text };
}

const signedDigits = /^[-+]?\d+$/;
/** The length of a sign, `0b` and 64 binary digits. Longer texts are not made into a bigint, which would not be linear. */
const longestInteger = 68;

/** `x1F` → 31, `b101` → 5, `o17` and `17` behind a 0 (octal) → 15. */
function integerOf(text: string): PlainScalar {
  const [, sign = "", digits] = prefixed.exec(text) ?? [];
  const magnitude = digits === undefined ? text.replace(/^[-+]/, "") : prefixedMagnitude(digits);
  if (magnitude.length > longestInteger) return { ok: false, problem: rounded(text) };
  const size = BigInt(magnitude);
  const value = integer64((digits === undefined ? text.startsWith("-") : sign === "-") ? -size : size);
  if (value !== undefined) return { ok: true, value: value === 0 ? 0 : value };
  return String(Number(text)) === text ? { ok: true, value: Number(text) } : { ok: false, problem: rounded(text) };
}

function prefixedMagnitude(digits: string): string {
  return /^[0-9]/.test(digits) ? `0o${digits}` : `0${digits.toLowerCase()}`;
}

function floatOf(text: string): PlainScalar {
  const value = Number(text);
  if (!Number.isFinite(value)) return { ok: false, problem: outOfRange(text) };
  return { ok: true, value: exactNumber(value) };
}
