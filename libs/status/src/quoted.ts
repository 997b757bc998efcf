/** A text in quotes, as the reference's standard library quotes (`%q`). */
export function quoted(text: string): string {
  const wellFormed = Buffer.from(text).toString("utf8");
  const inner = wellFormed.replace(unprintable, (point) => shortEscapes[point] ?? escaped(point));
  return `"${inner}"`;
}

export const shortEscapes: Readonly<Record<string, string>> = {
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

/** Quotes, backslashes, and what is no letter, mark, number, punctuation, symbol or space. */
const unprintable = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

function escaped(point: string): string {
  const code = point.codePointAt(0) ?? 0;
  const digits = (width: number): string => code.toString(16).padStart(width, "0");
  if (code < 0x80) return `\\x${digits(2)}`;
  return code < 0x10000 ? `\\u${digits(4)}` : `\\U${digits(8)}`;
}
