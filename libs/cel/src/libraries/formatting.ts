import { quoted } from "@orch/status/quoted.js";
import { elementsOf } from "../values/collections.js";
import { doubleText } from "../values/doubles.js";
import { utf8 } from "../values/text.js";
import { formatTimestamp, secondsText } from "../values/time.js";
import {
  CelError,
  Double,
  Duration,
  ListValue,
  MapValue,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from "../values/value.js";

/** What a clause does with its argument: `check` when a constant text is compiled, `format` when it runs. */
export interface Clause {
  readonly verb: "s" | "d" | "f" | "e" | "b" | "x" | "X" | "o";
  readonly precision: number | undefined;
}

export type Piece = string | Clause | { readonly error: string };

/** Pieces of a format text in order; the first error ends them. */
export function formatPieces(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < text.length) {
    const percent = text.indexOf("%", at);
    if (percent === -1) {
      pieces.push(text.slice(at));
      break;
    }
    if (percent > at) pieces.push(text.slice(at, percent));
    if (text[percent + 1] === "%") {
      pieces.push("%");
      at = percent + 2;
      continue;
    }
    const clause = clauseAt(text, percent + 1);
    pieces.push(clause.piece);
    if (typeof clause.piece !== "string" && "error" in clause.piece) break;
    at = clause.end;
  }
  return pieces;
}

const precisionLimit = 1000;

function clauseAt(text: string, start: number): { readonly piece: Piece; readonly end: number } {
  const failed = (error: string): { readonly piece: Piece; readonly end: number } => ({
    piece: { error: `could not parse formatting clause: ${error}` },
    end: text.length,
  });
  if (start >= text.length) return { piece: { error: "unexpected end of string" }, end: start };
  let at = start;
  let precision: number | undefined;
  if (text[at] === ".") {
    at += 1;
    const digits = at;
    while (at < text.length && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at += 1;
    if (at >= text.length) return failed("error while parsing precision: could not find end of precision specifier");
    const written = text.slice(digits, at);
    const wrong = written === "" ? "invalid syntax" : written.length > 18 ? "value out of range" : undefined;
    if (wrong !== undefined) {
      const cause = `strconv.Atoi: parsing ${quoted(written)}: ${wrong}`;
      return failed(`error while parsing precision: error while converting precision to integer: ${cause}`);
    }
    precision = Math.min(Number(written), precisionLimit);
  }
  const verb = text[at] ?? "";
  if (!isVerb(verb))
    return failed(`unrecognized formatting clause "${String.fromCharCode(Buffer.from(verb)[0] ?? 0)}"`);
  return { piece: { verb, precision }, end: at + 1 };
}

function isVerb(text: string): text is Clause["verb"] {
  return text.length === 1 && "sdfebxXo".includes(text);
}

/** The messages of clauses that do not take what they were given. */
export const clauseProblems: Readonly<Record<Clause["verb"], string>> = {
  s: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  d: "decimal clause can only be used on integers",
  f: "fixed-point clause can only be used on doubles",
  e: "scientific clause can only be used on doubles",
  b: "only integers and bools can be formatted as binary",
  x: "only integers, byte buffers, and strings can be formatted as hex",
  X: "only integers, byte buffers, and strings can be formatted as hex",
  o: "octal clause can only be used on integers",
};

class Unformattable {
  constructor(readonly message: string) {}
}

/** What of lists and maps may still be written: those that share their elements are larger as text than as values. */
interface Room {
  left: number;
}

const largestList = 1 << 20;

const tooLong = "result of string function is too long";

/** `%s`, `%d` and their kin with the list's elements in their places. */
export function formatString(text: string, args: ListValue, limit: number): Value {
  let out = "";
  let index = 0;
  const room: Room = { left: largestList };
  try {
    for (const piece of formatPieces(text)) {
      if (typeof piece === "string") {
        out += piece;
        continue;
      }
      if (index >= args.size) return new CelError(`index ${index} out of range`);
      if ("error" in piece) return new CelError(piece.error);
      out += formatClause(piece, args.at(index), room);
      index += 1;
      if (out.length > limit) return new CelError(tooLong);
    }
    return out;
  } catch (thrown) {
    if (room.left < 0) return new CelError(tooLong);
    if (thrown instanceof Unformattable) return new CelError(`error during formatting: ${thrown.message}`);
    throw thrown;
  }
}

function formatClause({ verb, precision }: Clause, value: Value, room: Room): string {
  const text = verb === "s" ? stringText(value, room) : formatted(verb, precision ?? 6, value);
  if (text === undefined) throw new Unformattable(`${clauseProblems[verb]}, was given ${typeNameOf(value)}`);
  return text;
}

function formatted(verb: Exclude<Clause["verb"], "s">, precision: number, value: Value): string | undefined {
  switch (verb) {
    case "d":
      return integerText(value, 10);
    case "f":
      return doubleWith(value, (x) => grouped(fixed(x, precision)));
    case "e":
      // The reference takes the digits after the point for the width.
      return doubleWith(value, scientific)?.padStart(precision);
    case "b":
      return typeof value === "boolean" ? (value ? "1" : "0") : integerText(value, 2);
    case "o":
      return integerText(value, 8);
    case "x":
      return hexText(value);
    case "X":
      return hexText(value)?.toUpperCase();
  }
}

function integerText(value: Value, base: number): string | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value.toString(base);
  return value instanceof Uint ? value.value.toString(base) : undefined;
}

function hexText(value: Value): string | undefined {
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return integerText(value, 16);
}

const infinities: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

function doubleWith(value: Value, write: (x: number) => string): string | undefined {
  const x = value instanceof Double ? value.value : typeof value === "string" ? infinities[value] : undefined;
  if (x === undefined) return undefined;
  if (Number.isNaN(x)) return "NaN";
  return Number.isFinite(x) ? write(x) : x > 0 ? "\u221e" : "-\u221e";
}

/** With `places` digits behind the point, exactly rounded, half to even as the digits of the number are. */
function fixed(x: number, places: number): string {
  if (Math.abs(x) < 1e21 && places <= 100) return isTie(x, places) ? toEven(x, places) : x.toFixed(places);
  const whole = BigInt(Math.trunc(x)).toString();
  return places === 0 ? whole : `${whole}.${"0".repeat(places)}`;
}

/** Digits that are looked at for whether a number lies in the middle of two others. */
const tieDigits = 30;

/** Whether the number lies exactly between two numbers of `places` digits. */
function isTie(x: number, places: number): boolean {
  if (places > 100 - tieDigits) return false;
  const digits = Math.abs(x).toFixed(places + tieDigits);
  return digits.slice(digits.length - tieDigits) === "5".padEnd(tieDigits, "0");
}

function toEven(x: number, places: number): string {
  const up = x.toFixed(places);
  const last = Number(up[up.length - 1]);
  if (last % 2 === 0) return up;
  const long = x.toFixed(places + tieDigits);
  const cut = long.slice(0, long.length - tieDigits);
  return cut.endsWith(".") ? cut.slice(0, -1) : cut;
}

/** A comma between thousands. */
function grouped(text: string): string {
  const negative = text.startsWith("-");
  const [whole = "", fraction] = (negative ? text.slice(1) : text).split(".");
  let out = "";
  for (let i = 0; i < whole.length; i++) {
    if (i > 0 && (whole.length - i) % 3 === 0) out += ",";
    out += whole[i];
  }
  return `${negative ? "-" : ""}${out}${fraction === undefined ? "" : `.${fraction}`}`;
}

const superscripts = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

/** Six digits behind the point, whatever the precision: so the reference prints. */
function scientific(x: number): string {
  const [mantissa = "", power = "0"] = x.toExponential(6).split("e");
  const size = String(Math.abs(Number(power))).padStart(2, "0");
  const raised = Array.from(size, (digit) => superscripts[Number(digit)] ?? "").join("");
  return `${mantissa}\u202f\u00d7\u202f10${Number(power) < 0 ? "\u207b" : ""}${raised}`;
}

function stringText(value: Value, room: Room): string | undefined {
  if (typeof value === "string") return value;
  if (value === null) return "null";
  if (value instanceof ListValue) return listText(value, room);
  if (value instanceof MapValue) return mapText(value, room);
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Double) return doubleText(value.value);
  if (value instanceof Uint8Array) return bytesText(value);
  if (value instanceof Duration) return secondsText(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  return value instanceof TypeValue ? value.name : undefined;
}

function bytesText(value: Uint8Array): string {
  const text = utf8(value);
  if (typeof text === "string") return text;
  throw new Unformattable(`could not convert argument "${text.message}" to string`);
}

function listText(list: ListValue, room: Room): string {
  const parts: string[] = [];
  for (const element of elementsOf(list)) parts.push(innerText(element, room));
  return `[${parts.join(", ")}]`;
}

function mapText(map: MapValue, room: Room): string {
  const pairs: { readonly key: string; readonly value: string }[] = [];
  for (const key of map.keys()) {
    if (!isKey(key)) throw new Unformattable(`no formatting function for map key of type ${typeNameOf(key)}`);
    pairs.push({ key: innerText(key, room), value: innerText(map.find(key) ?? null, room) });
  }
  pairs.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  return `{${pairs.map(({ key, value }) => `${key}:${value}`).join(", ")}}`;
}

function isKey(key: Value): boolean {
  return typeof key === "string" || typeof key === "boolean" || integerText(key, 10) !== undefined;
}

/** A value inside of a list or map: text in quotes, doubles with six digits. */
function innerText(value: Value, room: Room): string {
  const isContainer = value instanceof ListValue || value instanceof MapValue;
  const text = isContainer ? stringText(value, room) : leafText(value, room);
  if (text === undefined) throw new Unformattable(`no formatting function for ${typeNameOf(value)}`);
  room.left -= isContainer ? 2 : text.length;
  if (room.left < 0) throw new Unformattable(tooLong);
  return text;
}

function leafText(value: Value, room: Room): string | undefined {
  if (typeof value === "string") return quoted(value);
  if (value instanceof Uint8Array) return `b${quoted(bytesText(value))}`;
  if (value instanceof Double) return innerDouble(value.value);
  if (value instanceof Duration) return `duration(${quoted(secondsText(value))})`;
  if (value instanceof Timestamp) return `timestamp(${quoted(formatTimestamp(value))})`;
  return stringText(value, room);
}

function innerDouble(value: number): string {
  if (Number.isFinite(value)) return fixed(value, 6);
  return quoted(doubleText(value));
}
