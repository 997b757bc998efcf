import { parseDuration } from "../formats/duration.js";
import { parseAddress, parseNetwork } from "../formats/ip.js";
import { isDate } from "../formats/time.js";

// Texts of the formats that the schemas of custom resources may ask for. Other formats are for people alone.

const tests = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  byte: isBase64,
  cidr: (text) => !hasLeadingZero(text) && parseNetwork(text) !== undefined,
  creditcard: isCreditCard,
  date: isFullDate,
  datetime: isDateTime,
  duration: isDuration,
  email: isEmail,
  hexcolor: (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  hostname: isHostname,
  ipv4: (text) => text.includes(".") && isAddress(text),
  ipv6: (text) => text.includes(":") && isAddress(text),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  mac: isMac,
  password: () => true,
  rgbcolor: isRgbColor,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  uri: isRequestUri,
  uuid: (text) => isUuid(text, /^[0-9a-f]{32}$/),
  uuid3: (text) => isUuid(text, /^[0-9a-f]{12}3[0-9a-f]{19}$/),
  uuid4: (text) => isUuid(text, /^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/),
  uuid5: (text) => isUuid(text, /^[0-9a-f]{12}5[0-9a-f]{3}[89ab][0-9a-f]{15}$/),
} satisfies Readonly<Record<string, (text: string) => boolean>>;

export type TextFormat = keyof typeof tests;

/** The format of a name (`date-time` and `datetime` are one); undefined for one that is not checked. */
export function textFormat(name: string): TextFormat | undefined {
  const plain = name.replaceAll("-", "");
  return isFormat(plain) ? plain : undefined;
}

function isFormat(name: string): name is TextFormat {
  return Object.hasOwn(tests, name);
}

export function isOfFormat(format: TextFormat, text: string): boolean {
  return tests[format](text);
}

/** No text is a valid one of no characters. */
function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isFullDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (match === null) return false;
  return isDate(Number(match[1]), Number(match[2]), Number(match[3]));
}

const longestTime = 64;

function isDateTime(text: string): boolean {
  if (text.length > longestTime) return false;
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isFullDate(date)) return false;
  const match = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time);
  if (match === null) return false;
  return Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59;
}

/** Units as people write them; of the last of a row the beginning is enough (`seconds`). */
const units: readonly (readonly string[])[] = [
  ["ns", "nano"],
  ["us", "µs", "micro"],
  ["ms", "milli"],
  ["s", "sec"],
  ["m", "min"],
  ["h", "hr", "hour"],
  ["d", "day"],
  ["w", "week", "wk"],
];
const longestDuration = 256;

function isDuration(text: string): boolean {
  if (text.length > longestDuration) return false;
  if (parseDuration(text) !== undefined) return true;
  for (const [, unit = ""] of text.matchAll(/\d+\s*([A-Za-zµ]+)/g)) if (isUnit(unit.toLowerCase())) return true;
  return false;
}

function isUnit(unit: string): boolean {
  return units.some((names) => names.includes(unit) || unit.startsWith(names.at(-1) ?? unit));
}

/** A part of an IPv4 address such as `01`, which could be read in two ways. */
function hasLeadingZero(text: string): boolean {
  return /(?:^|[.:])0\d+(?:\.|\/|$)/.test(text.slice(0, longestAddress)) && text.includes(".");
}

const longestAddress = 64;

function isAddress(text: string): boolean {
  return text.length <= longestAddress && !hasLeadingZero(text) && parseAddress(text) !== undefined;
}

/** Six, eight or twenty bytes: `aa:bb:…`, `aa-bb-…` or `aabb.ccdd.…`. */
function isMac(text: string): boolean {
  if (text.length > longestAddress) return false;
  if (/^[0-9a-fA-F]{2}(?:(?::[0-9a-fA-F]{2}){5,}|(?:-[0-9a-fA-F]{2}){5,})$/.test(text)) {
    return [6, 8, 20].includes((text.length + 1) / 3);
  }
  return /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+$/.test(text) && [6, 8, 20].includes(((text.length + 1) / 5) * 2);
}

/** Hyphens may stand between the parts, or not. */
function isUuid(text: string, plain: RegExp): boolean {
  if (!/^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$/.test(text)) return false;
  return plain.test(text.replaceAll("-", "").toLowerCase());
}

const longestIsbn = 32;

function isbnDigits(text: string): string {
  return text.length > longestIsbn ? "" : text.replaceAll(/[\s-]/g, "");
}

function isIsbn10(text: string): boolean {
  const digits = isbnDigits(text);
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce((total, d, i) => total + (10 - i) * (d === "X" ? 10 : Number(d)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = isbnDigits(text);
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = [...digits].reduce((total, d, i) => total + (i % 2 === 0 ? 1 : 3) * Number(d), 0);
  return sum % 10 === 0;
}

/** Issuers by their first digits and lengths, and the check digit of Luhn. */
const cards =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
const longestCard = 64;

function isCreditCard(text: string): boolean {
  if (text.length > longestCard) return false;
  const digits = text.replaceAll(/[^0-9]/g, "");
  if (!cards.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, d, i) => {
    const value = i % 2 === 0 ? Number(d) : Number(d) * 2;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

const longestColor = 64;

function isRgbColor(text: string): boolean {
  if (text.length > longestColor) return false;
  const match = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return match?.slice(1).every((part) => Number(part) <= 255 && (part === "0" || !part.startsWith("0"))) === true;
}

const longestHostname = 255;
const letter = "[a-zA-Z0-9\\p{S}\\p{L}]";
const alone = new RegExp(`^${letter}(?:-?${letter}{0,62})$`, "u");
const inner = new RegExp(`^${letter}(?:(?:${letter}|-){0,61}${letter})?$`, "u");
const last = new RegExp(`^${letter}(?:-?${letter}){1,62}$`, "u");

function isHostname(text: string): boolean {
  if (text.length > longestHostname) return false;
  const labels = text.split(".");
  const end = labels.pop() ?? "";
  if (labels.length === 0) return alone.test(end);
  return last.test(end) && end.length <= 63 && labels.every((label) => label.length <= 63 && inner.test(label));
}

const longestEmail = 1024;
const atom = "[\\p{L}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const mailbox = new RegExp(
  `^(?:${atom}(?:\\.${atom})*|"(?:[^"\\\\]|\\\\.)*")@(?:${atom}(?:\\.${atom})*|\\[[^\\]\\s]+\\])$`,
  "u",
);

/** A mailbox, alone or in angle brackets behind the name of its owner. */
function isEmail(text: string): boolean {
  if (text.length > longestEmail) return false;
  const trimmed = text.trim();
  const open = trimmed.lastIndexOf("<");
  if (open < 0) return mailbox.test(trimmed);
  return (
    trimmed.endsWith(">") && !/[<>@]/.test(trimmed.slice(0, open)) && mailbox.test(trimmed.slice(open + 1, -1).trim())
  );
}

const longestUri = 65_536;

/** An absolute URI, or an absolute path: what a request line may name. */
function isRequestUri(text: string): boolean {
  if (text === "" || text.length > longestUri || /[\u0000-\u001f\u007f]/.test(text)) return false;
  if (text === "*") return true;
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(text)?.[0] ?? "";
  const [rest = ""] = text.slice(scheme.length).split("?", 1);
  if (!rest.startsWith("/")) return scheme !== "";
  if (/%(?![0-9a-fA-F]{2})/.test(rest)) return false;
  if (!rest.startsWith("//") || (scheme === "" && rest.startsWith("///"))) return true;
  const authority = rest.slice(2).split("/", 1)[0] ?? "";
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  return /^(?:\[[^[\]\s]*\]|[^[\]\s<>"\\^`{|}:]*)(?::\d*)?$/.test(host);
}
