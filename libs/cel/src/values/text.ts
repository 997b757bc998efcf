import { CelError } from "./value.js";

/** The text with each half of a pair that stands alone replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString("utf8");
}

/** The text that bytes hold. */
export function utf8(value: Uint8Array): string | CelError {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}

/** As the reference's standard library quotes. */
export function quoted(text: string): string {
  let out = "";
  for (const point of wellFormed(text)) out += escapes[point] ?? (isPrintable(point) ? point : escaped(point));
  return `"${out}"`;
}

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** Letters, marks, numbers, punctuation and symbols. */
const graphic = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;

const isPrintable = (point: string): boolean => point === " " || graphic.test(point);

function escaped(point: string): string {
  const code = point.codePointAt(0) ?? 0;
  const digits = (width: number): string => code.toString(16).padStart(width, "0");
  if (code < 0x80) return `\\x${digits(2)}`;
  return code < 0x10000 ? `\\u${digits(4)}` : `\\U${digits(8)}`;
}
