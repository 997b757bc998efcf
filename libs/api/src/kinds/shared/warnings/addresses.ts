import { formatAddress, parseAddress } from "@orch/schema/formats/ip.js";
import { quoted } from "./text.js";

/** Addresses that are read today in more than one way, or that others write otherwise. */
export function* addressWarnings(text: string, at: string, product: string): Iterable<string> {
  const problem = strictProblem(text);
  if (problem !== undefined) {
    yield `${at}: IP address was accepted, but will be invalid in a future ${product} release: ParseAddr(${quoted(text)}): ${problem}`;
    return;
  }
  const canonical = canonicalAddress(text);
  if (canonical === undefined || canonical === text) return;
  const why = `is not in RFC 5952 canonical format (${JSON.stringify(canonical)}), which may cause controller apply-loops`;
  yield `${at}: IPv6 address ${quoted(text)} ${why}`;
}

export function* networkWarnings(text: string, at: string, product: string): Iterable<string> {
  const slash = text.lastIndexOf("/");
  const [address, bits] = [text.slice(0, Math.max(0, slash)), text.slice(slash + 1)];
  const problem = strictProblem(address);
  if (problem !== undefined) {
    const why = `netip.ParsePrefix(${quoted(text)}): ParseAddr(${quoted(address)}): ${problem}`;
    yield `${at}: IP prefix was accepted, but will be invalid in a future ${product} release: ${why}`;
    return;
  }
  const canonical = canonicalAddress(address);
  if (canonical === undefined || canonical === address) return;
  const why = `is not in RFC 5952 canonical format ("${canonical}/${bits}"), which may cause controller apply-loops`;
  yield `${at}: IPv6 prefix ${quoted(text)} ${why}`;
}

/** What those say who take an octet with a leading zero for an octal number, or for none. */
function strictProblem(text: string): string | undefined {
  // No address at all: of one that the server does not read itself.
  if (!/[.:]/.test(text)) return "unable to parse IP";
  const last = text.slice(text.lastIndexOf(":") + 1);
  if (!last.includes(".")) return undefined;
  return last.split(".").some((octet) => octet.length > 1 && octet.startsWith("0"))
    ? "IPv4 field has octet with leading zero"
    : undefined;
}

/** Undefined for what is no IPv6 address. */
function canonicalAddress(text: string): string | undefined {
  if (!text.includes(":")) return undefined;
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  return address.length === 4 ? `::ffff:${formatAddress(address)}` : formatAddress(address);
}
