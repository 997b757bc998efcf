import { type Address, formatNetwork, type Network } from "@orch/schema/formats/ip.js";

/** A range whose blocks are given to nodes. */
export interface BlockRange {
  readonly network: Network;
  /** Of a block: `24` gives 256 blocks of a range of 16. */
  readonly bits: number;
}

/** The blocks of a range, and which of them are given. */
export interface Blocks {
  /** The next free one, as text; undefined where all are given. */
  take(): string | undefined;
  /** What overlaps a network is not given to anybody. */
  occupy(network: Network): void;
  release(network: Network): void;
}

/** Blocks of a range at most, as a power of two. */
export const mostBits = 16;

/** Why the range has no such blocks; undefined where it has. */
export function rangeProblem({ network, bits }: BlockRange): string | undefined {
  const longest = network.address.length * 8;
  const range = formatNetwork(network);
  if (bits < network.bits || bits > longest) return `Node mask size ${bits} is invalid for ${range}`;
  if (bits - network.bits <= mostBits) return undefined;
  return `New CIDR set failed; the node CIDR size is too big: ${bits} for ${range}, at most ${network.bits + mostBits}`;
}

export function createBlocks({ network, bits }: BlockRange): Blocks {
  const length = network.address.length * 8;
  const shift = BigInt(length - bits);
  const base = (numberOf(network.address) >> BigInt(length - network.bits)) << BigInt(length - network.bits);
  const count = 2 ** (bits - network.bits);
  const given = new Uint8Array(count);
  let next = 0;
  /** The blocks that a network overlaps: from the first to the last. */
  const overlapped = (other: Network): readonly [first: number, last: number] | undefined => {
    if (other.address.length !== network.address.length) return undefined;
    const size = 1n << BigInt(length - other.bits);
    const start = numberOf(other.address) & ~(size - 1n);
    const first = (start - base) >> shift;
    const last = (start + size - 1n - base) >> shift;
    if (last < 0n || first >= BigInt(count)) return undefined;
    return [Math.max(0, Number(first)), Math.min(count - 1, Number(last))];
  };
  const mark = (other: Network, as: 0 | 1): void => {
    const range = overlapped(other);
    if (range !== undefined) given.fill(as, range[0], range[1] + 1);
  };
  return {
    take() {
      for (let tried = 0; tried < count; tried++) {
        const at = (next + tried) % count;
        if (given[at] === 1) continue;
        given[at] = 1;
        next = (at + 1) % count;
        return formatNetwork({ address: addressOf(base + (BigInt(at) << shift), network.address.length), bits });
      }
      return undefined;
    },
    occupy: (other) => mark(other, 1),
    release: (other) => mark(other, 0),
  };
}

const numberOf = (address: Address): bigint => address.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);

function addressOf(value: bigint, length: number): Address {
  return Array.from({ length }, (_, at) => Number((value >> BigInt(8 * (length - 1 - at))) & 0xffn));
}
