import { isDate } from "@orch/schema/formats/time.js";
import { parseDuration, parseTimestamp, secondsOf } from "../values/time.js";
import { CelError, Timestamp, type Value } from "../values/value.js";

/** The value of a text of a format: times, durations and bytes are values of their own. */
export function textValue(text: string, format: string | undefined): Value {
  switch (format) {
    case "duration":
      return durationValue(text);
    case "date":
      return dateValue(text);
    case "date-time":
      return dateTimeValue(text);
    case "byte":
      return bytesValue(text);
    default:
      return text;
  }
}

const dayNanos = 86_400_000_000_000n;
const spans: Readonly<Record<string, bigint>> = {
  ns: 1n,
  nano: 1n,
  nanosecond: 1n,
  nanoseconds: 1n,
  nanos: 1n,
  us: 1_000n,
  "\u00b5s": 1_000n,
  micro: 1_000n,
  micros: 1_000n,
  microsecond: 1_000n,
  microseconds: 1_000n,
  ms: 1_000_000n,
  milli: 1_000_000n,
  millis: 1_000_000n,
  millisecond: 1_000_000n,
  milliseconds: 1_000_000n,
  s: 1_000_000_000n,
  sec: 1_000_000_000n,
  secs: 1_000_000_000n,
  second: 1_000_000_000n,
  seconds: 1_000_000_000n,
  m: 60_000_000_000n,
  min: 60_000_000_000n,
  mins: 60_000_000_000n,
  minute: 60_000_000_000n,
  minutes: 60_000_000_000n,
  h: 3_600_000_000_000n,
  hr: 3_600_000_000_000n,
  hrs: 3_600_000_000_000n,
  hour: 3_600_000_000_000n,
  hours: 3_600_000_000_000n,
  d: dayNanos,
  day: dayNanos,
  days: dayNanos,
  w: 7n * dayNanos,
  wk: 7n * dayNanos,
  week: 7n * dayNanos,
  weeks: 7n * dayNanos,
};

/** A duration, or a number and a word: `1 day`, `2 weeks`. */
function durationValue(text: string): Value {
  const plain = parseDuration(text);
  if (plain !== undefined) return plain;
  const trimmed = text.trim();
  let digits = 0;
  while (digits < trimmed.length && trimmed.charCodeAt(digits) >= 48 && trimmed.charCodeAt(digits) <= 57) digits += 1;
  const unit = spans[trimmed.slice(digits).trim().toLowerCase()];
  const wrong = new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
  if (unit === undefined || digits === 0 || digits > 18) return wrong;
  return parseDuration(`${BigInt(trimmed.slice(0, digits)) * unit}ns`) ?? wrong;
}

function dateValue(text: string): Value {
  const parts = text.split("-");
  const [year = "", month = "", day = ""] = parts;
  const shaped = parts.length === 3 && year.length === 4 && month.length === 2 && day.length === 2;
  const date = { year: Number(year), month: Number(month), day: Number(day), hour: 0, minute: 0, second: 0 };
  const numbers = shaped && Object.values(date).every((n) => Number.isInteger(n) && n >= 0);
  if (numbers && isDate(date.year, date.month, date.day)) return new Timestamp(secondsOf(date), 0);
  const cause =
    numbers && date.month >= 1 && date.month <= 12
      ? "day out of range"
      : numbers
        ? "month out of range"
        : `cannot parse`;
  return new CelError(`Invalid date formatted string ${text}: parsing time ${JSON.stringify(text)}: ${cause}`);
}

function dateTimeValue(text: string): Value {
  const time = parseTimestamp(text.replace("t", "T").replace("z", "Z"));
  if (time !== undefined && !(time instanceof CelError)) return time;
  return new CelError(`Invalid date-time formatted string ${text}: parsing time ${JSON.stringify(text)}`);
}

function bytesValue(text: string): Value {
  const wrong = badBase64(text);
  if (wrong === undefined) return new Uint8Array(Buffer.from(text, "base64"));
  return new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${wrong}`);
}

/** The first byte that standard base64 does not take. */
function badBase64(text: string): number | undefined {
  let end = text.length;
  while (end > 0 && end > text.length - 2 && text[end - 1] === "=") end -= 1;
  for (let i = 0; i < end; i++) if (!isBase64(text.charCodeAt(i))) return i;
  return text.length % 4 === 0 ? undefined : text.length - (text.length % 4);
}

function isBase64(c: number): boolean {
  return (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 43 || c === 47;
}
