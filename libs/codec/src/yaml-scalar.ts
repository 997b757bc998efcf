import { outOfRange, rounded } from "./number-loss.js";

/**
 * What a plain (unquoted) YAML scalar stands for, as the reference's clients read it: YAML 1.1 booleans and
 * octals, no timestamps, no sexagesimal numbers (`1:20` and `2001-01-01` stay strings).
 */
export type PlainScalar =
  | { readonly ok: true; readonly value: string | number | boolean | null }
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
  const octal = prefixed.exec(bare);
  if (octal !== null) return kept(bare, (octal[1] === "-" ? -1 : 1) * magnitude(octal[2] ?? "0"));
  if (!decimal.test(bare)) return { ok: true, value: text };
  return kept(bare, Number(bare));
}

/** `x1F` → 31, `b101` → 5, `o17` and `17` (octal) → 15. */
function magnitude(digits: string): number {
  return /^[0-9]/.test(digits) ? Number(`0o${digits}`) : Number(`0${digits.toLowerCase()}`);
}

function kept(text: string, value: number): PlainScalar {
  const isInteger = /^[-+]?(?:0[xXbBoO])?[0-9a-fA-F]+$/.test(text);
  if (!Number.isFinite(value)) return { ok: false, problem: outOfRange(text) };
  return isInteger && !Number.isSafeInteger(value) ? { ok: false, problem: rounded(text) } : { ok: true, value };
}
