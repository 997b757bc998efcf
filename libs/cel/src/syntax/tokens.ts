import { codePoints } from "./source.js";

/** Kinds of tokens, as the messages of syntax errors name them. */
export type TokenKind =
  | "=="
  | "!="
  | "in"
  | "<"
  | "<="
  | ">="
  | ">"
  | "&&"
  | "||"
  | "["
  | "]"
  | "{"
  | "}"
  | "("
  | ")"
  | "."
  | ","
  | "-"
  | "!"
  | "?"
  | ":"
  | "+"
  | "*"
  | "/"
  | "%"
  | "true"
  | "false"
  | "null"
  | "NUM_FLOAT"
  | "NUM_INT"
  | "NUM_UINT"
  | "STRING"
  | "BYTES"
  | "IDENTIFIER"
  | "EOF";

export interface Token {
  readonly kind: TokenKind;
  /** As written; `<EOF>` at the end. */
  readonly text: string;
  /** UTF-16 offset. */
  readonly start: number;
}

export interface LexicalError {
  readonly offset: number;
  readonly text: string;
  /** Index of the token before which the error was met. */
  readonly before: number;
}

export interface Tokens {
  /** Ends with EOF. */
  readonly list: readonly Token[];
  readonly errors: readonly LexicalError[];
}

const words: ReadonlyMap<string, TokenKind> = new Map([
  ["in", "in"],
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
]);

const single = new Set<string>("<>[]{}().,-!?:+*/%");
const doubled = new Map<string, string>([
  ["=", "="],
  ["!", "="],
  ["<", "="],
  [">", "="],
  ["&", "&"],
  ["|", "|"],
]);

const isDigit = (c: number): boolean => c >= 48 && c <= 57;
const isHex = (c: number): boolean => isDigit(c) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102);
const isOctal = (c: number): boolean => c >= 48 && c <= 55;
const isWordStart = (c: number): boolean => (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95;
const isBlank = (c: number): boolean => c === 32 || c === 9 || c === 10 || c === 13 || c === 12;

/** What one attempt to read a token came to: where it ends, or the offset of the character that no token takes. */
type Scan = { readonly end: number } | { readonly failed: number };

/** Reads the whole text. An unreadable piece, with the character that made it so, is an error and is passed over. */
export function tokenize(text: string): Tokens {
  const list: Token[] = [];
  const errors: LexicalError[] = [];
  let at = 0;
  while (at < text.length) {
    const c = text.charCodeAt(at);
    if (isBlank(c)) {
      at += 1;
      continue;
    }
    if (c === 47 && text.charCodeAt(at + 1) === 47) {
      const end = text.indexOf("\n", at);
      at = end === -1 ? text.length : end;
      continue;
    }
    const found = scan(text, at, c);
    if ("kind" in found) {
      list.push({ kind: found.kind, text: text.slice(at, found.end), start: at });
      at = found.end;
      continue;
    }
    const end = Math.min(text.length, found.failed + width(text, found.failed));
    errors.push({ offset: at, text: text.slice(at, end), before: list.length });
    at = end;
  }
  list.push({ kind: "EOF", text: "<EOF>", start: text.length });
  return { list, errors };
}

function width(text: string, at: number): number {
  return codePoints(text, at, Math.min(text.length, at + 2)) === 1 ? 2 : 1;
}

function scan(text: string, at: number, c: number): { kind: TokenKind; end: number } | { failed: number } {
  if (isWordStart(c)) return scanWord(text, at, c);
  if (isDigit(c) || (c === 46 && isDigit(text.charCodeAt(at + 1)))) return scanNumber(text, at);
  if (c === 34 || c === 39) {
    const quoted = scanString(text, at, false);
    return "end" in quoted ? { kind: "STRING", end: quoted.end } : quoted;
  }
  const first = text[at] ?? "";
  const second = doubled.get(first);
  if (second !== undefined && text[at + 1] === second) return { kind: (first + second) as TokenKind, end: at + 2 };
  if (single.has(first)) return { kind: first as TokenKind, end: at + 1 };
  return { failed: second === undefined ? at : at + 1 };
}

function scanWord(text: string, at: number, c: number): { kind: TokenKind; end: number } {
  const prefixed = scanPrefixed(text, at, c);
  if (prefixed !== undefined) return prefixed;
  let end = at + 1;
  for (let d = text.charCodeAt(end); isWordStart(d) || isDigit(d); d = text.charCodeAt(end)) end += 1;
  const kind = words.get(text.slice(at, end)) ?? "IDENTIFIER";
  return { kind, end };
}

/** `r''`, `b''`, `br''`: a prefix whose string cannot be read is an identifier. */
function scanPrefixed(text: string, at: number, c: number): { kind: TokenKind; end: number } | undefined {
  const lower = c | 32;
  let quote = at + 1;
  let raw = lower === 114;
  if (lower === 98 && (text.charCodeAt(quote) | 32) === 114) {
    raw = true;
    quote += 1;
  }
  if (lower !== 98 && lower !== 114) return undefined;
  const q = text.charCodeAt(quote);
  if (q !== 34 && q !== 39) return undefined;
  const quoted = scanString(text, quote, raw);
  return "end" in quoted ? { kind: lower === 98 ? "BYTES" : "STRING", end: quoted.end } : undefined;
}

function scanString(text: string, start: number, raw: boolean): Scan {
  const quote = text.charCodeAt(start);
  if (text.charCodeAt(start + 1) === quote) {
    const triple = text.charCodeAt(start + 2) === quote ? scanTriple(text, start + 3, quote, raw) : undefined;
    return triple !== undefined ? { end: triple } : { end: start + 2 };
  }
  let i = start + 1;
  while (i < text.length) {
    const c = text.charCodeAt(i);
    if (c === quote) return { end: i + 1 };
    if (c === 10 || c === 13) return { failed: i };
    if (c !== 92 || raw) {
      i += 1;
      continue;
    }
    const escaped = scanEscape(text, i);
    if ("failed" in escaped) return escaped;
    i = escaped.end;
  }
  return { failed: text.length };
}

function scanTriple(text: string, from: number, quote: number, raw: boolean): number | undefined {
  let i = from;
  while (i < text.length) {
    const c = text.charCodeAt(i);
    if (c === quote && text.charCodeAt(i + 1) === quote && text.charCodeAt(i + 2) === quote) return i + 3;
    if (c !== 92 || raw) {
      i += 1;
      continue;
    }
    const escaped = scanEscape(text, i);
    if ("failed" in escaped) return undefined;
    i = escaped.end;
  }
  return undefined;
}

const simpleEscapes = new Set<string>("abfnrtv\"'\\?`");
const hexEscapes: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

function scanEscape(text: string, backslash: number): Scan {
  const letter = text[backslash + 1] ?? "";
  if (simpleEscapes.has(letter)) return { end: backslash + 2 };
  const digits = hexEscapes[letter];
  if (digits !== undefined) return scanDigits(text, backslash + 2, digits, isHex);
  if (letter >= "0" && letter <= "3") return scanDigits(text, backslash + 2, 2, isOctal);
  return { failed: backslash + 1 };
}

function scanDigits(text: string, from: number, count: number, is: (c: number) => boolean): Scan {
  for (let i = from; i < from + count; i++) if (!is(text.charCodeAt(i))) return { failed: i };
  return { end: from + count };
}

function scanNumber(text: string, at: number): { kind: TokenKind; end: number } {
  const isU = (i: number): boolean => (text.charCodeAt(i) | 32) === 117;
  if (text.charCodeAt(at) === 48 && text[at + 1] === "x" && isHex(text.charCodeAt(at + 2))) {
    let end = at + 3;
    while (isHex(text.charCodeAt(end))) end += 1;
    return isU(end) ? { kind: "NUM_UINT", end: end + 1 } : { kind: "NUM_INT", end };
  }
  let end = at;
  while (isDigit(text.charCodeAt(end))) end += 1;
  if (end > at && isU(end)) return { kind: "NUM_UINT", end: end + 1 };
  let float = false;
  if (text[end] === "." && isDigit(text.charCodeAt(end + 1))) {
    float = true;
    end += 2;
    while (isDigit(text.charCodeAt(end))) end += 1;
  }
  if ((text.charCodeAt(end) | 32) === 101) {
    const sign = text[end + 1] === "+" || text[end + 1] === "-" ? 1 : 0;
    let digit = end + 1 + sign;
    if (isDigit(text.charCodeAt(digit))) {
      while (isDigit(text.charCodeAt(digit))) digit += 1;
      float = true;
      end = digit;
    }
  }
  return { kind: float ? "NUM_FLOAT" : "NUM_INT", end };
}
