import { isDate } from "@orch/schema/formats/time.js";
import { quoted } from "@orch/status/quoted.js";
import { intOverflow } from "./numbers.js";
import { CelError, Duration, Timestamp } from "./value.js";

const minSeconds = -62_135_596_800;
const maxSeconds = 253_402_300_799;
const nanosPerSecond = 1_000_000_000n;
const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

export const timestampOverflow = new CelError("timestamp overflow");

export function toDuration(nanos: bigint): Duration | CelError {
  return nanos > int64Max || nanos < int64Min ? intOverflow : new Duration(nanos);
}

export function toTimestamp(seconds: number, nanos: number, offset = 0): Timestamp | CelError {
  return seconds < minSeconds || seconds > maxSeconds ? timestampOverflow : new Timestamp(seconds, nanos, offset);
}

/** The time `nanos` nanoseconds later. */
export function later(time: Timestamp, nanos: bigint): Timestamp | CelError {
  const sum = BigInt(time.nanos) + nanos;
  let seconds = sum / nanosPerSecond;
  let rest = sum % nanosPerSecond;
  if (rest < 0n) {
    rest += nanosPerSecond;
    seconds -= 1n;
  }
  return toTimestamp(time.seconds + Number(seconds), Number(rest), time.offset);
}

export function between(later: Timestamp, earlier: Timestamp): Duration | CelError {
  const seconds = BigInt(later.seconds - earlier.seconds);
  return toDuration(seconds * nanosPerSecond + BigInt(later.nanos - earlier.nanos));
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  "\u00b5s": 1_000n,
  "\u03bcs": 1_000n,
  ms: 1_000_000n,
  s: nanosPerSecond,
  m: 60n * nanosPerSecond,
  h: 3_600n * nanosPerSecond,
};

const isDigit = (c: number): boolean => c >= 48 && c <= 57;

/** `-1h2m3.5s` and the like; undefined where the text is none or beyond 292 years. */
export function parseDuration(text: string): Duration | undefined {
  const signed = text[0] === "-" || text[0] === "+";
  let rest = signed ? text.slice(1) : text;
  if (rest === "0") return new Duration(0n);
  if (rest === "" || rest.length > 1000) return undefined;
  let total = 0n;
  while (rest !== "") {
    const part = durationPart(rest);
    if (part === undefined) return undefined;
    total += part.nanos;
    if (total > int64Max + 1n) return undefined;
    rest = part.rest;
  }
  const nanos = text[0] === "-" ? -total : total;
  return nanos > int64Max ? undefined : new Duration(nanos);
}

function durationPart(text: string): { readonly nanos: bigint; readonly rest: string } | undefined {
  let at = 0;
  while (isDigit(text.charCodeAt(at))) at += 1;
  const whole = text.slice(0, at);
  let fraction = "";
  if (text[at] === ".") {
    const start = at + 1;
    at = start;
    while (isDigit(text.charCodeAt(at))) at += 1;
    fraction = text.slice(start, at);
  }
  if (whole === "" && fraction === "") return undefined;
  const unitStart = at;
  while (at < text.length && text[at] !== "." && !isDigit(text.charCodeAt(at))) at += 1;
  const unit = units[text.slice(unitStart, at)];
  if (unit === undefined) return undefined;
  const digits = fraction.slice(0, 18);
  const extra = digits === "" ? 0n : (BigInt(digits) * unit) / 10n ** BigInt(digits.length);
  return { nanos: BigInt(whole || "0") * unit + extra, rest: text.slice(at) };
}

/** In hours, minutes and seconds: `1h2m3.5s`, `1.5ms`, `0s`. */
export function formatDuration({ nanos }: Duration): string {
  if (nanos === 0n) return "0s";
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}\u00b5s`;
  if (size < nanosPerSecond) return `${sign}${decimal(size, 6)}ms`;
  const minutes = size / (60n * nanosPerSecond);
  const seconds = `${decimal(size % (60n * nanosPerSecond), 9)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

/** `value` with its last `places` digits behind a point, without zeros at the end. */
function decimal(value: bigint, places: number): string {
  const scale = 10n ** BigInt(places);
  const fraction = trimZeros((value % scale).toString().padStart(places, "0"));
  return fraction === "" ? `${value / scale}` : `${value / scale}.${fraction}`;
}

function trimZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

/** The seconds as a decimal number with `s`, as `string()` writes a duration. */
export function secondsText({ nanos }: Duration): string {
  const size = nanos < 0n ? -nanos : nanos;
  const seconds = Number(size / nanosPerSecond) + Number(size % nanosPerSecond) / 1e9;
  return `${nanos < 0n ? "-" : ""}${plainDecimal(seconds)}s`;
}

/** The shortest digits of a number that is not negative, never with an exponent. */
export function plainDecimal(value: number): string {
  const text = String(value);
  const e = text.indexOf("e");
  if (e === -1) return text;
  const digits = text.slice(0, e).replace(".", "");
  const exponent = Number(text.slice(e + 1));
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
  return digits.padEnd(exponent + 1, "0");
}

interface Fields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** A timestamp of RFC 3339; undefined where the text is none. */
export function parseTimestamp(written: string): Timestamp | CelError | undefined {
  // An hour may be of one digit.
  const text = written[12] === ":" ? `${written.slice(0, 11)}0${written.slice(11)}` : written;
  const fields = dateTimeFields(text);
  if (fields === undefined || !isDate(fields.year, fields.month, fields.day)) return undefined;
  if (fields.hour > 23 || fields.minute > 59 || fields.second > 59) return undefined;
  let at = 19;
  let nanos = 0;
  if (text[at] === "." || text[at] === ",") {
    const start = at + 1;
    at = start;
    while (isDigit(text.charCodeAt(at))) at += 1;
    if (at === start) return undefined;
    nanos = Number(text.slice(start, at).slice(0, 9).padEnd(9, "0"));
  }
  const offset = zoneOffset(text.slice(at));
  if (offset === undefined) return undefined;
  return toTimestamp(secondsOf(fields) - offset * 60, nanos, offset);
}

function dateTimeFields(text: string): Fields | undefined {
  for (const [at, mark] of [
    [4, "-"],
    [7, "-"],
    [10, "T"],
    [13, ":"],
    [16, ":"],
  ] as const) {
    if (text[at] !== mark) return undefined;
  }
  const number = (from: number, to: number): number => digitsOf(text.slice(from, to)) ?? Number.NaN;
  const fields = {
    year: number(0, 4),
    month: number(5, 7),
    day: number(8, 10),
    hour: number(11, 13),
    minute: number(14, 16),
    second: number(17, 19),
  };
  return Object.values(fields).some(Number.isNaN) ? undefined : fields;
}

function digitsOf(text: string): number | undefined {
  for (let i = 0; i < text.length; i++) if (!isDigit(text.charCodeAt(i))) return undefined;
  return text === "" ? undefined : Number(text);
}

/** Minutes east of UTC of `Z` or `+02:00`. */
function zoneOffset(text: string): number | undefined {
  if (text === "Z") return 0;
  if (text.length !== 6 || (text[0] !== "+" && text[0] !== "-") || text[3] !== ":") return undefined;
  const hours = digitsOf(text.slice(1, 3));
  const minutes = digitsOf(text.slice(4, 6));
  if (hours === undefined || minutes === undefined || hours > 24 || minutes > 60) return undefined;
  const offset = hours * 60 + minutes;
  return text[0] === "-" ? -offset : offset;
}

export function secondsOf({ year, month, day, hour, minute, second }: Fields): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return Math.floor(date.getTime() / 1000) + hour * 3600 + minute * 60 + second;
}

/** In RFC 3339, in the offset in which it was written. */
export function formatTimestamp(time: Timestamp, offset = time.offset): string {
  const date = new Date((time.seconds + offset * 60) * 1000);
  const pad = (value: number, width = 2): string => String(value).padStart(width, "0");
  const day = `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
  const clock = `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`;
  const fraction = trimZeros(pad(time.nanos, 9));
  const minutes = Math.abs(offset);
  const zone = offset === 0 ? "Z" : `${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
  return `${day}T${clock}${fraction === "" ? "" : `.${fraction}`}${zone}`;
}

/** The time's fields in a zone by name or by offset (`-08:00`), as a date whose UTC fields they are. */
export function inZone(time: Timestamp, zone: string): Date | CelError {
  const colon = zone.indexOf(":");
  if (colon !== -1) {
    const offset = offsetOf(zone, colon);
    return offset instanceof CelError ? offset : new Date((time.seconds + offset * 60) * 1000);
  }
  if (zone === "" || zone === "UTC") return new Date(time.seconds * 1000);
  const shift = zoneShift(zone, time.seconds);
  return shift === undefined ? new CelError(`unknown time zone ${zone}`) : new Date((time.seconds + shift) * 1000);
}

function offsetOf(zone: string, colon: number): number | CelError {
  const parts = [zone.slice(0, colon), zone.slice(colon + 1)];
  const numbers = parts.map((part) => {
    const digits = part[0] === "-" || part[0] === "+" ? part.slice(1) : part;
    const value = digitsOf(digits);
    return value === undefined || value > 1e6 ? undefined : part[0] === "-" ? -value : value;
  });
  const wrong = numbers.indexOf(undefined);
  if (wrong !== -1) return new CelError(`strconv.Atoi: parsing ${quoted(parts[wrong] ?? "")}: invalid syntax`);
  const [hours = 0, minutes = 0] = numbers;
  return zone[0] === "-" ? hours * 60 - minutes : hours * 60 + minutes;
}

/** Seconds east of UTC that a zone has at a time; undefined where there is no such zone. */
function zoneShift(zone: string, seconds: number): number | undefined {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    const parts = new Map(format.formatToParts(new Date(seconds * 1000)).map(({ type, value }) => [type, value]));
    const field = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name) ?? 0);
    const year = parts.get("era") === "BC" ? 1 - field("year") : field("year");
    const local = secondsOf({
      year,
      month: field("month"),
      day: field("day"),
      hour: field("hour"),
      minute: field("minute"),
      second: field("second"),
    });
    return local - seconds;
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}
