/** RFC 3339 times, read with any offset and fraction, kept in UTC. */
const utcSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;

/** `2006-01-02T15:04:05Z`, or undefined when the text is no time. */
export function canonicalTime(text: string): string | undefined {
  if (utcSeconds.test(text) && isUtcInstant(text)) return text;
  const parts = parse(text);
  return parts === undefined ? undefined : `${secondsText(parts.milliseconds)}Z`;
}

/** `2006-01-02T15:04:05.000000Z`, or undefined. */
export function canonicalMicroTime(text: string): string | undefined {
  const parts = parse(text);
  if (parts === undefined) return undefined;
  return `${secondsText(parts.milliseconds)}.${parts.fraction.padEnd(6, "0").slice(0, 6)}Z`;
}

function secondsText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19);
}

/** Of a text of the right form; counted here, since Date takes ten times as long, for several times in each object. */
function isUtcInstant(text: string): boolean {
  if (twoDigits(text, 11) > 23 || twoDigits(text, 14) > 59 || twoDigits(text, 17) > 59) return false;
  return isDate(twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5), twoDigits(text, 8));
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 0x30) * 10 + text.charCodeAt(at + 1) - 0x30;
}

/** Whether the Gregorian calendar has the day; months and days count from 1. */
export function isDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function parse(text: string): { readonly milliseconds: number; readonly fraction: string } | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const local = `${text.slice(0, 19)}Z`;
  if (!isUtcInstant(local)) return undefined;
  const zone = match[8] ?? "Z";
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const milliseconds = Date.parse(local) - offset * 60_000;
  const year = new Date(milliseconds).getUTCFullYear();
  if (year < 0 || year > 9999) return undefined;
  return { milliseconds, fraction: match[7] ?? "" };
}

function offsetMinutes(zone: string): number | undefined {
  if (zone === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
