import { type Address, formatAddress, formatNetwork, type Network, parseAddress } from "@orch/schema/formats/ip.js";

/** The numbers that services share: addresses of a family, ports of the nodes. */
export const poolNames = ["ipv4", "ipv6", "node-ports"] as const;
export type PoolName = (typeof poolNames)[number];

/** A range of which services are given one number each; a number is told by its index in the range. */
export interface Pool {
  readonly name: PoolName;
  /** As people write it: `10.0.0.0/24`, `30000-32767`. */
  readonly range: string;
  readonly size: number;
  /** The first so many are left to who asks for one of them, for as long as there are others. */
  readonly reserved: number;
  textAt(index: number): string;
  /** Undefined for what is not in the range. */
  indexOf(text: string): number | undefined;
}

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export interface PoolsConfig {
  /** One of a family; the first family is the default. */
  readonly addresses: readonly Network[];
  readonly nodePorts: PortRange;
}

export interface Pools {
  /** `IPv4`, `IPv6`: which there are, the default first. */
  readonly families: readonly string[];
  readonly all: readonly Pool[];
  /** Undefined for a family that the cluster does not have. */
  ofFamily(family: string): Pool | undefined;
  readonly nodePorts: Pool;
}

export function createPools({ addresses, nodePorts }: PoolsConfig): Pools {
  const byFamily = new Map(addresses.map((network) => [familyName(network.address), addressPool(network)]));
  const ports = portPool(nodePorts);
  return {
    families: [...byFamily.keys()],
    all: [...byFamily.values(), ports],
    ofFamily: (family) => byFamily.get(family),
    nodePorts: ports,
  };
}

const familyName = (address: Address): string => (address.length === 16 ? "IPv6" : "IPv4");

/** IPv6 ranges are used up to here: what could not be listed in one go helps nobody. */
const mostAddresses = 65_536;

/** All of a network but its own address and, of IPv4, the broadcast address. */
export function addressPool(network: Network): Pool {
  const { bits } = network;
  const length = network.address.length;
  const whole = 2 ** (length * 8 - bits);
  const usable = length === 16 ? Math.min(whole, mostAddresses) - 1 : whole - 2;
  const range = formatNetwork(network);
  const base = numberOf(parseAddress(range.slice(0, range.indexOf("/"))) ?? network.address) + 1n;
  const size = Math.max(0, usable);
  return {
    name: length === 16 ? "ipv6" : "ipv4",
    range,
    size,
    reserved: share(whole, { step: 16, most: 256 }),
    textAt: (index) => formatAddress(addressOf(base + BigInt(index), length)),
    indexOf(text) {
      const address = parseAddress(text);
      if (address?.length !== length) return undefined;
      const index = numberOf(address) - base;
      return index >= 0n && index < BigInt(size) ? Number(index) : undefined;
    },
  };
}

export function portPool({ first, last }: PortRange): Pool {
  const size = last - first + 1;
  return {
    name: "node-ports",
    range: `${first}-${last}`,
    size,
    reserved: share(size, { step: 32, most: 128 }),
    textAt: (index) => String(first + index),
    indexOf(text) {
      const index = Number(text) - first;
      return Number.isInteger(index) && index >= 0 && index < size ? index : undefined;
    },
  };
}

const leastReserved = 16;

/** A part of a range, between 16 and `most`; nothing of a range that is no larger. */
function share(size: number, { step, most }: { readonly step: number; readonly most: number }): number {
  if (size <= leastReserved) return 0;
  return Math.min(Math.max(Math.floor(size / step), leastReserved), most);
}

function numberOf(address: Address): bigint {
  return address.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

function addressOf(number: bigint, length: number): Address {
  return Array.from({ length }, (_, i) => Number((number >> BigInt(8 * (length - 1 - i))) & 255n));
}

/** `[0, 1)` */
export type Random = () => number;

/** An index to begin with, of those that are not reserved. */
export function anyIndex({ size, reserved }: Pool, random: Random): number {
  return reserved + Math.floor(random() * (size - reserved));
}

/** Every index that is not used, in the order in which they are given away: the reserved ones last. */
export function* freeIndexes(pool: Pool, used: ReadonlySet<number>, random: Random): Generator<number> {
  const bands = [
    { from: pool.reserved, to: pool.size },
    { from: 0, to: pool.reserved },
  ];
  for (const { from, to } of bands) {
    const width = to - from;
    const start = Math.floor(random() * width);
    for (let i = 0; i < width; i++) {
      const index = from + ((start + i) % width);
      if (!used.has(index)) yield index;
    }
  }
}
