import type { Problems } from "./names.js";

/** An address as its bytes in order: 4 of them or 16. An IPv4 address mapped into IPv6 is an IPv4 address. */
export type Address = readonly number[];

export function parseAddress(text: string): Address | undefined {
  return text.includes(":") ? parse6(text) : parse4(text);
}

/** Leading zeros are read as decimal, as the reference does for old objects. */
function parse4(text: string): Address | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const bytes = match.slice(1).map(Number);
  return bytes.every((b) => b <= 255) ? bytes : undefined;
}

function parse6(text: string): Address | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = groups(halves[0] ?? "", halves.length === 1);
  const tail = halves.length === 2 ? groups(halves[1] ?? "", true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 2 ? missing < 2 : missing !== 0) return undefined;
  const bytes = [...head, ...new Array<number>(missing).fill(0), ...tail];
  const mapped = bytes.slice(0, 10).every((b) => b === 0) && bytes[10] === 255 && bytes[11] === 255;
  return mapped ? bytes.slice(12) : bytes;
}

function groups(text: string, mayEndIn4: boolean): number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const parts = text.split(":");
  for (const [i, part] of parts.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      const group = Number.parseInt(part, 16);
      bytes.push(group >> 8, group & 255);
      continue;
    }
    const four = mayEndIn4 && i === parts.length - 1 ? parse4(part) : undefined;
    if (four === undefined) return undefined;
    bytes.push(...four);
  }
  return bytes;
}

/** The canonical text (RFC 5952 for IPv6). */
export function formatAddress(address: Address): string {
  if (address.length === 4) return address.join(".");
  const words = Array.from({ length: 8 }, (_, i) => ((address[2 * i] ?? 0) << 8) | (address[2 * i + 1] ?? 0));
  const run = longestZeroRun(words);
  const hex = (part: readonly number[]) => part.map((w) => w.toString(16)).join(":");
  if (run.length < 2) return hex(words);
  return `${hex(words.slice(0, run.start))}::${hex(words.slice(run.start + run.length))}`;
}

function longestZeroRun(words: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < words.length; start++) {
    let end = start;
    while (end < words.length && words[end] === 0) end++;
    if (end - start > best.length) best = { start, length: end - start };
    start = Math.max(start, end - 1);
  }
  return best;
}

export function ip(text: string): Problems {
  return parseAddress(text) === undefined ? ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"] : [];
}

export function ipv4(text: string): Problems {
  return parseAddress(text)?.length === 4 ? [] : ["must be a valid IPv4 address"];
}

export function ipv6(text: string): Problems {
  return parseAddress(text)?.length === 16 ? [] : ["must be a valid IPv6 address"];
}

/** Addresses that no endpoint may have: unspecified, loopback, link-local. */
export function ordinaryAddress(text: string): Problems {
  const address = parseAddress(text);
  if (address === undefined) return ["must be a valid IP address"];
  const problems: string[] = [];
  const [a = 0, b = 0, c = 0] = address;
  const four = address.length === 4;
  const zeroBut = (last: number) => address.every((byte, i) => byte === (i === address.length - 1 ? last : 0));
  if (zeroBut(0)) problems.push(`may not be unspecified (${text})`);
  if (four ? a === 127 : zeroBut(1)) problems.push("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (four ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80) {
    problems.push("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (four ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 2) {
    problems.push("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
  return problems;
}

export interface Network {
  readonly address: Address;
  readonly bits: number;
}

/** `10.0.0.0/8`. */
export function parseNetwork(text: string): Network | undefined {
  const slash = text.indexOf("/");
  const address = parseAddress(text.slice(0, Math.max(slash, 0)));
  const bits = text.slice(slash + 1);
  if (slash < 0 || address === undefined || !/^\d{1,3}$/.test(bits)) return undefined;
  return Number(bits) <= address.length * 8 ? { address, bits: Number(bits) } : undefined;
}

/** `10.0.0.0/8` or `fd00::/8`; bits behind the prefix may be set. */
export function cidr(text: string): Problems {
  return parseNetwork(text) === undefined ? ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"] : [];
}

/** The text of a network without bits behind its prefix: `10.1.2.3/8` → `10.0.0.0/8`. */
export function formatNetwork({ address, bits }: Network): string {
  return `${formatAddress(address.map((byte, i) => byte & maskByte(bits, i)))}/${bits}`;
}

/** Whether all addresses of `inner` are of `outer` and some of `outer` are not of `inner`. */
export function strictlyContains(outer: Network, inner: Network): boolean {
  if (outer.address.length !== inner.address.length || outer.bits >= inner.bits) return false;
  return includesAddress(outer, inner.address);
}

/** Whether an address is one of a network's. */
export const includesAddress = ({ address, bits }: Network, one: Address): boolean =>
  one.length === address.length && address.every((byte, i) => ((byte ^ (one[i] ?? 0)) & maskByte(bits, i)) === 0);

/** The mask of the byte at a position: 12 bits → ff, f0, 00, 00. */
function maskByte(bits: number, position: number): number {
  return (0xff00 >> Math.min(8, Math.max(0, bits - 8 * position))) & 0xff;
}
