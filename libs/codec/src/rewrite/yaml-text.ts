import { readPlain } from "../yaml/scalar.js";

/** Where a string stands in a document of YAML. */
export type YamlPlace = "root" | "outermostKey" | "key" | "value";

/** How a string is written: as it is, in quotes, or as a literal block, whose lines are yet to be indented. */
export type YamlText =
  | { readonly style: "plain" | "single" | "double" }
  | { readonly style: "block"; readonly header: string; readonly lines: string };

const plain: YamlText = { style: "plain" };
/** In the quotes of JSON, which are YAML, too: on one line, whatever it holds. */
const double: YamlText = { style: "double" };
const single: YamlText = { style: "single" };

/**
 * The shortest way to write a string that every reader of YAML takes for that string: as it is, else as a block where
 * it has several lines and may have them, else in quotes.
 */
export function yamlText(value: string, place: YamlPlace): YamlText {
  const read = readPlain(value);
  if (!read.ok || read.value !== value || value === "<<" || unprintable.test(value)) return double;
  if (value.includes("\n")) return place === "value" && fitsBlock(value) ? block(value) : double;
  const atMargin = place === "root" || place === "outermostKey";
  if (!mustBeQuoted(value) && !isOldWord(value) && !(atMargin && marker.test(value))) return plain;
  return value.includes('"') && !value.includes("'") ? single : double;
}

/** Control characters, half a surrogate pair, and the mark that a reader would drop. */
const unprintable = /[\0-\x08\x0b-\x1f\x7f-\x9f\ufeff]|\p{Surrogate}/u;

/** Begins or ends a document at the beginning of a line. */
const marker = /^(?:---|\.\.\.)/;

/** What YAML 1.1 takes for numbers and times and `readPlain` for strings: other readers know only the one or the other. */
const oldWords: readonly RegExp[] = [
  /^[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)$/,
  /^[-+]?(?:[0-9][0-9_]*)?\.[0-9_]*$/,
  /^[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?[eE][-+]?[0-9]+$/,
  /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/,
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$/,
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?[ \t]*(?:Z|[-+][012]?[0-9](?::[0-9]{2})?)?$/,
];

function isOldWord(value: string): boolean {
  return "0123456789+-.eE".includes(value.charAt(0)) && oldWords.some((word) => word.test(value));
}

const indicators = "\t ,[]{}#&*!|>'\"%@`";

/** One line that would be read as something else than the whole of it. */
function mustBeQuoted(line: string): boolean {
  const [first, second] = [line.charAt(0), line.charAt(1)];
  if (indicators.includes(first)) return true;
  if ((first === "?" || first === "-") && (second === "" || second === " " || second === "\t")) return true;
  const last = line.charAt(line.length - 1);
  if (last === ":" || last === " " || last === "\t") return true;
  return [": ", ":\t", " #", "\t#"].some((mark) => line.includes(mark));
}

/** The last line is not blank but for its newline; a text of nothing but blanks would lose some of them. */
function fitsBlock(value: string): boolean {
  const behind = value.slice(ofText(value));
  if (behind.length === value.length) return !/[ \t]/.test(value);
  return behind.endsWith("\n") || !behind.includes("\n");
}

/** Where the blanks and newlines at the end begin. */
function ofText(value: string): number {
  let end = value.length;
  while (end > 0 && "\n\t ".includes(value.charAt(end - 1))) end--;
  return end;
}

/**
 * Of the newlines at the end none (`-`), one (nothing) or all (`+`) belong to the text. Where it begins with spaces, a number
 * says that the indentation are two of them.
 */
function block(value: string): YamlText {
  const end = ofText(value);
  const behind = value.slice(end);
  const first = behind.indexOf("\n");
  const kept = first < 0 ? "-" : end === 0 || first < behind.length - 1 ? "+" : "";
  const header = end > 0 && /^\n* /.test(value) ? `|2${kept}` : `|${kept}`;
  return { style: "block", header, lines: first < 0 ? value : value.slice(0, -1) };
}
