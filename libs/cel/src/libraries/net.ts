import { quoted } from "@orch/status/quoted.js";
import { t } from "../check/types.js";
import { add, type CallEstimate, exactly, range, scale } from "../cost/sizes.js";
import {
  type Address,
  formatAddress,
  isMapped,
  masked,
  type Prefix,
  parseAddress,
  parsePrefix,
  sharesBits,
} from "../values/address.js";
import { CelError, noNative, noSuchOverload, Opaque, TypeValue, type Value } from "../values/value.js";
import {
  argSize,
  type Cost,
  type Estimate,
  global,
  type Library,
  type LibraryFunction,
  member,
  one,
  perUnit,
  type Run,
  stringFactor,
  traversal,
} from "./library.js";

export class IpValue extends Opaque {
  readonly typeName = "net.IP";
  constructor(readonly address: Address) {
    super();
  }
  equals(other: Value): boolean | CelError {
    if (!(other instanceof IpValue)) return noSuchOverload;
    return formatAddress(this.address) === formatAddress(other.address);
  }
  override untyped(): Value {
    return noNative("netip.Addr", formatAddress(this.address));
  }
  override size(): number {
    return this.address.bytes.length;
  }
}

export class CidrValue extends Opaque {
  readonly typeName = "net.CIDR";
  constructor(readonly prefix: Prefix) {
    super();
  }
  equals(other: Value): boolean | CelError {
    return other instanceof CidrValue ? prefixText(this.prefix) === prefixText(other.prefix) : noSuchOverload;
  }
  override untyped(): Value {
    return noNative("netip.Prefix", prefixText(this.prefix));
  }
  override size(): number {
    return Math.ceil(this.prefix.bits / 8);
  }
}

export const prefixText = ({ address, bits }: Prefix): string => `${formatAddress(address)}/${bits}`;

const { bool, int, string } = t;
const ipType = t.opaque("net.IP");
const cidrType = t.opaque("net.CIDR");

function toIp(text: string): IpValue | CelError {
  const address = parseAddress(text);
  const shown = quoted(text);
  if ("problem" in address) {
    return new CelError(`IP Address ${shown} parse error during conversion from string: ${address.problem}`);
  }
  if (address.zone !== "") return new CelError(`IP address ${shown} with zone value is not allowed`);
  if (isMapped(address)) return new CelError(`IPv4-mapped IPv6 address ${shown} is not allowed`);
  return new IpValue(address);
}

const conversion = "network address parse error during conversion from string: ";

function toCidr(text: string): CidrValue | CelError {
  const prefix = parsePrefix(text);
  if ("problem" in prefix) return new CelError(conversion + conversion + prefix.problem);
  if (isMapped(prefix.address)) {
    return new CelError(`${conversion}IPv4-mapped IPv6 address ${quoted(text)} is not allowed`);
  }
  return new CidrValue(prefix);
}

const ofText =
  (read: (text: string) => Value): Run =>
  ([x = null]) =>
    typeof x === "string" ? read(x) : noSuchOverload;

const ofIp =
  (read: (address: Address) => Value): Run =>
  ([x = null]) =>
    x instanceof IpValue ? read(x.address) : noSuchOverload;

const ofCidr =
  (read: (prefix: Prefix) => Value): Run =>
  ([x = null]) =>
    x instanceof CidrValue ? read(x.prefix) : noSuchOverload;

const isV4 = ({ bytes }: Address): boolean => bytes.length === 4;
const first = ({ bytes }: Address): readonly [number, number, number] => [bytes[0] ?? 0, bytes[1] ?? 0, bytes[2] ?? 0];
const isUnspecified = ({ bytes }: Address): boolean => bytes.every((b) => b === 0);

function isLoopback(address: Address): boolean {
  if (isV4(address)) return address.bytes[0] === 127;
  return address.bytes.every((b, i) => b === (i === 15 ? 1 : 0));
}

function isMulticast(address: Address): boolean {
  const [a] = first(address);
  return isV4(address) ? (a & 0xf0) === 0xe0 : a === 0xff;
}

function isLinkLocalMulticast(address: Address): boolean {
  const [a, b, c] = first(address);
  return isV4(address) ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 2;
}

function isLinkLocalUnicast(address: Address): boolean {
  const [a, b] = first(address);
  return isV4(address) ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80;
}

function isGlobalUnicast(address: Address): boolean {
  if (isV4(address) && address.bytes.every((b) => b === 255)) return false;
  return !isUnspecified(address) && !isLoopback(address) && !isMulticast(address) && !isLinkLocalUnicast(address);
}

const estimateOne: Estimate = (): CallEstimate => ({ cost: exactly(1) });

const estimateText =
  (times: number): Estimate =>
  ({ args: [x], sizeOf }) =>
    x && { cost: scale(sizeOf(x), stringFactor * times) };

const ipTests: readonly (readonly [name: string, id: string, test: (address: Address) => boolean])[] = [
  ["isUnspecified", "ip_is_unspecified", isUnspecified],
  ["isLoopback", "ip_is_loopback", isLoopback],
  ["isLinkLocalMulticast", "ip_is_link_local_multicast", isLinkLocalMulticast],
  ["isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocalUnicast],
  ["isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast],
];

/** `ip` of a text is a traversal of it, of a network a look at a field. */
const ipCost: Cost = (args, overload) => (overload === "cidr_ip" ? 1 : perUnit(argSize(args, 0), stringFactor));

const ipEstimate: Estimate = (call) => (call.overload === "cidr_ip" ? { cost: exactly(1) } : estimateText(1)(call));

const stringOf = (id: string, type: typeof ipType, run: Run): LibraryFunction => ({
  name: "string",
  overloads: [{ ...global(id, [type], string), run }],
});

export const ip: Library = {
  name: "ip",
  since: 30,
  types: [{ name: "net.IP", type: ipType, value: new TypeValue("net.IP") }],
  functions: [
    {
      name: "ip",
      cost: ipCost,
      estimate: ipEstimate,
      overloads: [{ ...global("string_to_ip", [string], ipType), run: ofText(toIp) }],
    },
    {
      name: "isIP",
      cost: traversal(0),
      estimate: estimateText(1),
      overloads: [{ ...global("is_ip", [string], bool), run: ofText((x) => !(toIp(x) instanceof CelError)) }],
    },
    {
      name: "ip.isCanonical",
      cost: traversal(0, 2),
      estimate: estimateText(2),
      overloads: [{ ...global("ip_is_canonical", [string], bool), run: ofText(isCanonical) }],
    },
    {
      name: "family",
      cost: one,
      estimate: estimateOne,
      overloads: [{ ...member("ip_family", [ipType], int), run: ofIp((address) => (isV4(address) ? 4 : 6)) }],
    },
    ...ipTests.map(([name, id, test]) => ({
      name,
      cost: one,
      estimate: estimateOne,
      overloads: [{ ...member(id, [ipType], bool), run: ofIp(test) }],
    })),
    stringOf("ip_to_string", ipType, ofIp(formatAddress)),
  ],
};

function isCanonical(text: string): Value {
  const value = toIp(text);
  return value instanceof CelError ? value : formatAddress(value.address) === text;
}

const compared = range(4, 16);

function containsEstimate({ string: overload, masks }: { readonly string: string; readonly masks: boolean }): Estimate {
  return (call) => {
    const {
      args: [x],
      sizeOf,
    } = call;
    if (x === undefined) return undefined;
    const base = scale(add(compared, compared), stringFactor);
    const mask = masks ? add(scale(compared, stringFactor), exactly(1)) : exactly(0);
    const text = call.overload === overload ? scale(sizeOf(x), stringFactor) : exactly(0);
    return { cost: add(base, mask, text) };
  };
}

/** Twice the bytes of the prefix; for networks a third time and one; and the text, where there is one to read. */
const containsCost =
  ({ string: text, masks }: { readonly string: string; readonly masks: boolean }): Cost =>
  (args, overload) => {
    const size = argSize(args, 0);
    const base = perUnit(2 * size, stringFactor) + (masks ? perUnit(size, stringFactor) + 1 : 0);
    return overload === text ? base + perUnit(argSize(args, 1), stringFactor) : base;
  };

function containsIp([x = null, y = null]: readonly Value[]): Value {
  const inner = typeof y === "string" ? toIp(y) : y;
  if (!(x instanceof CidrValue) || !(inner instanceof IpValue)) return noSuchOverload;
  return sharesBits(x.prefix.address, inner.address, x.prefix.bits);
}

function containsCidr([x = null, y = null]: readonly Value[]): Value {
  const inner = typeof y === "string" ? toCidr(y) : y;
  if (inner instanceof CelError) return inner;
  if (!(x instanceof CidrValue) || !(inner instanceof CidrValue)) return noSuchOverload;
  const { prefix } = x;
  return prefix.bits <= inner.prefix.bits && sharesBits(prefix.address, inner.prefix.address, prefix.bits);
}

const ipParts = { string: "cidr_contains_ip_string", masks: false };
const cidrParts = { string: "cidr_contains_cidr_string", masks: true };

export const cidr: Library = {
  name: "cidr",
  since: 30,
  types: [{ name: "net.CIDR", type: cidrType, value: new TypeValue("net.CIDR") }],
  functions: [
    {
      name: "cidr",
      cost: traversal(0),
      estimate: estimateText(1),
      overloads: [{ ...global("string_to_cidr", [string], cidrType), run: ofText(toCidr) }],
    },
    {
      name: "isCIDR",
      cost: traversal(0),
      estimate: estimateText(1),
      overloads: [
        {
          ...global("is_cidr", [string], bool),
          run: ofText((x) => !("problem" in parsePrefix(x)) && !(toCidr(x) instanceof CelError)),
        },
      ],
    },
    {
      name: "containsIP",
      cost: containsCost(ipParts),
      estimate: containsEstimate(ipParts),
      overloads: [
        { ...member("cidr_contains_ip_string", [cidrType, string], bool), run: containsIp },
        { ...member("cidr_contains_ip_ip", [cidrType, ipType], bool), run: containsIp },
      ],
    },
    {
      name: "containsCIDR",
      cost: containsCost(cidrParts),
      estimate: containsEstimate(cidrParts),
      overloads: [
        { ...member("cidr_contains_cidr_string", [cidrType, string], bool), run: containsCidr },
        { ...member("cidr_contains_cidr", [cidrType, cidrType], bool), run: containsCidr },
      ],
    },
    {
      name: "ip",
      overloads: [{ ...member("cidr_ip", [cidrType], ipType), run: ofCidr(({ address }) => new IpValue(address)) }],
    },
    {
      name: "prefixLength",
      cost: one,
      estimate: estimateOne,
      overloads: [{ ...member("cidr_prefix_length", [cidrType], int), run: ofCidr(({ bits }) => bits) }],
    },
    {
      name: "masked",
      cost: one,
      estimate: estimateOne,
      overloads: [
        { ...member("cidr_masked", [cidrType], cidrType), run: ofCidr((prefix) => new CidrValue(masked(prefix))) },
      ],
    },
    stringOf("cidr_to_string", cidrType, ofCidr(prefixText)),
  ],
};
