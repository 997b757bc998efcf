import { quoted } from "@orch/status/quoted.js";

/**
 * Texts as the reference's language writes them: they are part of what is stored (values inside path elements) and
 * of what errors say.
 */

/** Order of texts by their UTF-8 bytes: code points, not UTF-16 units. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates stand for code points above all other units.
    const surrogates = (x >= 0xd800 && x < 0xe000 ? 1 : 0) - (y >= 0xd800 && y < 0xe000 ? 1 : 0);
    return surrogates === 0 ? x - y : surrogates;
  }
  return a.length - b.length;
}

const plain = /^[\w./ -]*$/;
const escaped = /[\u0000-\u001f"\\<>&\u2028\u2029]/g;
const escapedInNames = /[\u0000-\u001f"\\]/g;

function escapeOf(character: string): string {
  switch (character) {
    case '"':
      return '\\"';
    case "\\":
      return "\\\\";
    case "\n":
      return "\\n";
    case "\r":
      return "\\r";
    case "\t":
      return "\\t";
    default:
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  }
}

/** The name of a key inside a path element: printed without the care for HTML that values get. */
export function printName(name: string): string {
  return plain.test(name) ? `"${name}"` : `"${name.replace(escapedInNames, escapeOf)}"`;
}

/** A JSON text as the reference prints it: keys sorted, `<`, `>` and `&` escaped, `1e-07`. */
export function printJson(value: unknown): string {
  switch (typeof value) {
    case "string":
      return plain.test(value) ? `"${value}"` : `"${value.replace(escaped, escapeOf)}"`;
    case "number":
      return printNumber(value);
    case "bigint":
      return String(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (Array.isArray(value)) return `[${value.map(printJson).join(",")}]`;
      return `{${Object.entries(value)
        .sort(([a], [b]) => compareTexts(a, b))
        .map(([name, v]) => `${printJson(name)}:${printJson(v)}`)
        .join(",")}}`;
    default:
      return "null";
  }
}

function printNumber(value: number): string {
  return Object.is(value, -0) ? "-0" : withLongExponent(String(value));
}

/** Exponents have at least two digits. */
function withLongExponent(number: string): string {
  return number.replace(/e([+-])(\d)$/, "e$10$2");
}

/** A value inside the path of an error message: `[name="a",port=80]`. */
export function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map(shown).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    return Object.entries(value)
      .map(([name, v]) => `${name}=${shown(v)}`)
      .join("");
  }
  return typeof value === "number" ? shownNumber(value) : String(value);
}

/** `%v` of a float: with an exponent from a million on, and below a ten thousandth. */
function shownNumber(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return withLongExponent(value.toExponential());
  return printNumber(value);
}
