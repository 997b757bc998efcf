import { quoted } from "@orch/status/quoted.js";
/** IP addresses and networks as the reference's standard library reads and writes them. */
export interface Problem {
  readonly problem: string;
}

const at = (text: string, rest: string, what: string): Problem => ({
  problem: `ParseAddr(${quoted(text)}): ${what}${rest === "" ? "" : ` (at ${quoted(rest)})`}`,
});

export type Address = { readonly bytes: readonly number[]; readonly zone: string };

export function parseAddress(text: string): Address | Problem {
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case ".": {
        const bytes = parse4(text, text);
        return "problem" in bytes ? bytes : { bytes, zone: "" };
      }
      case ":":
        return parse6(text);
      case "%":
        return at(text, "", "missing IPv6 address");
    }
  }
  return at(text, "", "unable to parse IP");
}

function parse4(text: string, part: string): readonly number[] | Problem {
  const bytes: number[] = [];
  let value = 0;
  let digits = 0;
  for (let i = 0; i < part.length; i++) {
    const c = part.charCodeAt(i);
    if (c >= 48 && c <= 57) {
      if (digits === 1 && value === 0) return at(text, "", "IPv4 field has octet with leading zero");
      value = value * 10 + c - 48;
      digits += 1;
      if (value > 255) return at(text, "", "IPv4 field has value >255");
    } else if (c === 46) {
      if (i === 0 || i === part.length - 1 || part[i - 1] === ".") {
        return at(text, part.slice(i), "IPv4 field must have at least one digit");
      }
      if (bytes.length === 3) return at(text, "", "IPv4 address too long");
      bytes.push(value);
      value = 0;
      digits = 0;
    } else return at(text, part.slice(i), "unexpected character");
  }
  if (bytes.length < 3) return at(text, "", "IPv4 address too short");
  return [...bytes, value];
}

const isHex = (c: number): boolean => (c >= 48 && c <= 57) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102);

function parse6(text: string): Address | Problem {
  const percent = text.indexOf("%");
  const zone = percent === -1 ? "" : text.slice(percent + 1);
  if (percent !== -1 && zone === "") return at(text, "", "zone must be a non-empty string");
  let rest = percent === -1 ? text : text.slice(0, percent);
  const bytes: number[] = [];
  let ellipsis = -1;
  if (rest.startsWith("::")) {
    ellipsis = 0;
    rest = rest.slice(2);
    if (rest === "") return { bytes: new Array<number>(16).fill(0), zone };
  }
  while (bytes.length < 16) {
    let digits = 0;
    while (isHex(rest.charCodeAt(digits))) {
      digits += 1;
      if (digits > 4) return at(text, rest, "each group must have 4 or less digits");
    }
    if (digits === 0) return at(text, rest, "each colon-separated field must have at least one digit");
    if (rest[digits] === ".") {
      if (ellipsis < 0 && bytes.length !== 12) {
        return at(text, rest, "embedded IPv4 address must replace the final 2 fields of the address");
      }
      if (bytes.length + 4 > 16) {
        return at(text, rest, "too many hex fields to fit an embedded IPv4 at the end of the address");
      }
      const four = parse4(text, rest);
      if ("problem" in four) return four;
      bytes.push(...four);
      rest = "";
      break;
    }
    const group = Number.parseInt(rest.slice(0, digits), 16);
    bytes.push(group >> 8, group & 255);
    rest = rest.slice(digits);
    if (rest === "") break;
    if (rest[0] !== ":") return at(text, rest, "unexpected character, want colon");
    if (rest.length === 1) return at(text, rest, "colon must be followed by more characters");
    rest = rest.slice(1);
    if (rest[0] !== ":") continue;
    if (ellipsis >= 0) return at(text, rest, "multiple :: in address");
    ellipsis = bytes.length;
    rest = rest.slice(1);
    if (rest === "") break;
  }
  if (rest !== "") return at(text, rest, "trailing garbage after address");
  if (bytes.length < 16) {
    if (ellipsis < 0) return at(text, "", "address string too short");
    const zeros = new Array<number>(16 - bytes.length).fill(0);
    return { bytes: [...bytes.slice(0, ellipsis), ...zeros, ...bytes.slice(ellipsis)], zone };
  }
  return ellipsis >= 0 ? at(text, "", "the :: must expand to at least one field of zeros") : { bytes, zone };
}

export function isMapped({ bytes }: Address): boolean {
  return bytes.length === 16 && bytes.slice(0, 10).every((b) => b === 0) && bytes[10] === 255 && bytes[11] === 255;
}

export interface Prefix {
  readonly address: Address;
  readonly bits: number;
}

export function parsePrefix(text: string): Prefix | Problem {
  const wrong = (what: string): Problem => ({ problem: `netip.ParsePrefix(${quoted(text)}): ${what}` });
  const slash = text.lastIndexOf("/");
  if (slash === -1) return wrong("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if ("problem" in address) return wrong(address.problem);
  if (address.zone !== "") return wrong("IPv6 zones cannot be present in a prefix");
  const written = text.slice(slash + 1);
  const bits = decimal(written);
  if (bits === undefined) return wrong(`bad bits after slash: ${quoted(written)}`);
  return bits > address.bytes.length * 8 ? wrong("prefix length out of range") : { address, bits };
}

function decimal(text: string): number | undefined {
  if (text === "" || text.length > 18 || (text.length > 1 && text[0] === "0")) return undefined;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 48 || text.charCodeAt(i) > 57) return undefined;
  return Number(text);
}

export function masked({ address, bits }: Prefix): Prefix {
  const bytes = address.bytes.map((byte, i) => {
    const kept = Math.max(0, Math.min(8, bits - i * 8));
    return byte & (0xff00 >> kept) & 0xff;
  });
  return { address: { bytes, zone: "" }, bits };
}

/** Whether the first `bits` bits are the same, of addresses of one family. */
export function sharesBits(a: Address, b: Address, bits: number): boolean {
  if (a.bytes.length !== b.bytes.length) return false;
  const x = masked({ address: a, bits }).address.bytes;
  const y = masked({ address: b, bits }).address.bytes;
  return x.every((byte, i) => byte === y[i]);
}

/** The canonical text (RFC 5952 for IPv6). */
export function formatAddress({ bytes, zone }: Address): string {
  if (bytes.length === 4) return bytes.join(".");
  const words = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  let best = { start: 0, length: 1 };
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (end < 8 && words[end] === 0) end += 1;
    if (end - start > best.length) best = { start, length: end - start };
  }
  const hex = (part: readonly number[]): string => part.map((word) => word.toString(16)).join(":");
  const text =
    best.length < 2 ? hex(words) : `${hex(words.slice(0, best.start))}::${hex(words.slice(best.start + best.length))}`;
  return zone === "" ? text : `${text}%${zone}`;
}
