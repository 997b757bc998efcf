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
  /** A number of the range in its canonical text, undefined for others; also of those that are not given unasked. */
  nameOf(text: string): string | undefined;
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
  /** The ranges are objects, which change (gate MultiCIDRServiceAllocator). */
  readonly areObjects: boolean;
  /** Of the claims of this name: what they may be of now. */
  named(name: PoolName): readonly Pool[];
  /** In the order in which they are used up; none for a family that the cluster does not have. */
  ofFamily(family: string): readonly Pool[];
  readonly nodePorts: Pool;
}

export function createPools({ addresses, nodePorts }: PoolsConfig): Pools {
  const byName = new Map(addresses.map((network) => addressPool(network)).map((pool) => [pool.name, [pool]]));
  return poolsOver({ addresses, nodePorts }, (name) => byName.get(name) ?? [], false);
}

/** The families and node ports of the flags, with addresses from wherever they come. */
export function poolsOver(
  { addresses, nodePorts }: PoolsConfig,
  rangesOf: (name: PoolName) => readonly Pool[],
  areObjects: boolean,
): Pools {
  const families = addresses.map(({ address }) => familyName(address));
  const ports = [portPool(nodePorts)] as const;
  return {
    families,
    areObjects,
    named: (name) => (name === "node-ports" ? ports : rangesOf(name)),
    ofFamily: (family) => (families.includes(family) ? rangesOf(family === "IPv6" ? "ipv6" : "ipv4") : []),
    nodePorts: ports[0],
  };
}

/** Of these ranges the first that has the number. */
export function rangeWith(pools: readonly Pool[], text: string): Pool | undefined {
  return pools.find((pool) => pool.nameOf(text) !== undefined);
}

const familyName = (address: Address): string => (address.length === 16 ? "IPv6" : "IPv4");

/** IPv6 ranges of flags are used up to here: what could not be listed in one go helps nobody. */
const mostAddresses = 65_536;
/** Those of objects are given unasked up to here, so that an index is an exact number. */
export const mostOfObjects = 2 ** 52;

/** All of a network but its own address and, of IPv4, the broadcast address. */
export function addressPool(network: Network, most = mostAddresses): Pool {
  const { bits } = network;
  const length = network.address.length;
  const whole = 2 ** (length * 8 - bits);
  const usable = length === 16 ? Math.min(whole, most) - 1 : whole - 2;
  const range = formatNetwork(network);
  const base = numberOf(parseAddress(range.slice(0, range.indexOf("/"))) ?? network.address) + 1n;
  const size = Math.max(0, usable);
  // Whole ranges may be asked for where they are objects.
  const reach = most === mostOfObjects && length === 16 ? (1n << BigInt(128 - bits)) - 1n : BigInt(size);
  const offsetOf = (text: string, end: bigint): bigint | undefined => {
    const address = parseAddress(text);
    if (address?.length !== length) return undefined;
    const offset = numberOf(address) - base;
    return offset >= 0n && offset < end ? offset : undefined;
  };
  return {
    name: length === 16 ? "ipv6" : "ipv4",
    range,
    size,
    reserved: share(whole, { step: 16, most: 256 }),
    textAt: (index) => formatAddress(addressOf(base + BigInt(index), length)),
    indexOf(text) {
      const offset = offsetOf(text, BigInt(size));
      return offset === undefined ? undefined : Number(offset);
    },
    nameOf(text) {
      const offset = offsetOf(text, reach);
      return offset === undefined ? undefined : formatAddress(addressOf(base + offset, length));
    },
  };
}

export function portPool({ first, last }: PortRange): Pool {
  const size = last - first + 1;
  const indexOf = (text: string): number | undefined => {
    const index = Number(text) - first;
    return Number.isInteger(index) && index >= 0 && index < size ? index : undefined;
  };
  return {
    name: "node-ports",
    range: `${first}-${last}`,
    size,
    reserved: share(size, { step: 32, most: 128 }),
    textAt: (index) => String(first + index),
    indexOf,
    nameOf(text) {
      const index = indexOf(text);
      return index === undefined ? undefined : String(first + index);
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

/** One to begin with, the larger the likelier; undefined where none has a number. */
export function anyPool(pools: readonly Pool[], random: Random): Pool | undefined {
  const some = pools.filter(({ size }) => size > 0);
  if (some.length <= 1) return some[0];
  let at = random() * some.reduce((sum, { size }) => sum + size, 0);
  for (const pool of some) {
    at -= pool.size;
    if (at < 0) return pool;
  }
  return some[0];
}

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
