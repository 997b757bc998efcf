import { parseInteger, toInt } from "../values/numbers.js";
import { CelError, Double, Uint, type Value } from "../values/value.js";

/** The value of a number's token; undefined where it is out of range. */
export function integerLiteral(text: string, negative: boolean): Value | undefined {
  const magnitude = hexOrDecimal(text);
  const value = toInt(negative ? -magnitude : magnitude);
  return value instanceof CelError ? undefined : value;
}

export function unsignedLiteral(text: string): Value | undefined {
  const value = hexOrDecimal(text.slice(0, -1));
  return value > 2n ** 64n - 1n ? undefined : new Uint(value);
}

/** Digits beyond every range are read as the smallest number beyond them: their text may be very long. */
function hexOrDecimal(text: string): bigint {
  if (!text.startsWith("0x"))
    return parseInteger(text.slice(leadingZeros(text)) || "0", { signed: false }) ?? 2n ** 64n;
  const digits = text.slice(2 + leadingZeros(text.slice(2)));
  return digits.length > 16 ? 2n ** 64n : BigInt(`0x${digits || "0"}`);
}

function leadingZeros(text: string): number {
  let count = 0;
  while (text.charCodeAt(count) === 48) count += 1;
  return count;
}

export function doubleLiteral(text: string, negative: boolean): Value | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? new Double(negative ? -value : value) : undefined;
}

const simple: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  "\\": 92,
  "'": 39,
  '"': 34,
  "`": 96,
  "?": 63,
};

const hexDigits: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

/** The text between the quotes of a token, without its prefix and quotes. */
function body(token: string): { readonly text: string; readonly raw: boolean } {
  const raw = (token.charCodeAt(0) | 32) === 114;
  const quoted = raw ? token.slice(1) : token;
  const triple = quoted.length >= 6 && (quoted.startsWith("'''") || quoted.startsWith('"""'));
  const quotes = triple ? 3 : 1;
  const text = quoted.slice(quotes, quoted.length - quotes);
  return { text: text.includes("\r") ? text.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : text, raw };
}

/** The string of a token; undefined where an escape stands for no character. Half of a pair becomes U+FFFD. */
export function stringLiteral(token: string): string | undefined {
  const { text, raw } = body(token);
  if (raw || !text.includes("\\")) return text;
  let out = "";
  const done = pieces(text, (piece) => {
    if (typeof piece === "string") out += piece;
    else if (piece.code > 0x10ffff) return false;
    else out += isSurrogate(piece.code) ? "\ufffd" : String.fromCodePoint(piece.code);
    return true;
  });
  return done ? out : undefined;
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

/** The bytes of a token (with its `b`): text as UTF-8, `\x` and octal escapes as the byte itself. */
export function bytesLiteral(token: string): Uint8Array | undefined {
  const { text, raw } = body(token.slice(1));
  if (raw) return new Uint8Array(Buffer.from(text));
  const parts: Buffer[] = [];
  const done = pieces(text, (piece) => {
    if (typeof piece === "string") parts.push(Buffer.from(piece));
    else if (piece.unicode) return false;
    else parts.push(Buffer.from([piece.code & 0xff]));
    return true;
  });
  return done ? new Uint8Array(Buffer.concat(parts)) : undefined;
}

type Piece = string | { readonly code: number; readonly unicode: boolean };

/** Calls `take` with each piece until it refuses one. */
function pieces(text: string, take: (piece: Piece) => boolean): boolean {
  let at = 0;
  while (at < text.length) {
    const backslash = text.indexOf("\\", at);
    if (backslash === -1) return take(text.slice(at));
    if (backslash > at && !take(text.slice(at, backslash))) return false;
    const letter = text[backslash + 1] ?? "";
    const code = simple[letter];
    if (code !== undefined) {
      if (!take(String.fromCharCode(code))) return false;
      at = backslash + 2;
      continue;
    }
    const digits = hexDigits[letter];
    const [length, base, from] = digits === undefined ? [3, 8, backslash + 1] : [digits, 16, backslash + 2];
    const unicode = letter === "u" || letter === "U";
    if (!take({ code: Number.parseInt(text.slice(from, from + length), base), unicode })) return false;
    at = from + length;
  }
  return true;
}
