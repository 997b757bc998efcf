/** As the reference's standard library quotes. */
export function quoted(text: string): string {
  let out = "";
  for (const point of Buffer.from(text).toString("utf8"))
    out += escapes[point] ?? (isPrintable(point) ? point : escaped(point));
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
