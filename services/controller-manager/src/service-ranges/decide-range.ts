import { formatNetwork, type Network, parseAddress, parseNetwork } from "@orch/schema/formats/ip.js";

/** What is seen of a ServiceCIDR. */
export interface SeenRange {
  readonly name: string;
  readonly cidrs: readonly string[];
  /** Milliseconds since 1970, of one that is to go. */
  readonly goesSince: number | undefined;
  readonly isProtected: boolean;
  readonly ready: ReadyCondition | undefined;
}

export interface ReadyCondition {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** What is to be done about it next; after `protect` it is looked at again. */
export type RangeStep =
  | { readonly step: "protect" }
  | { readonly step: "tell"; readonly ready: ReadyCondition }
  | { readonly step: "wait"; readonly ms: number }
  | { readonly step: "let go" }
  | { readonly step: "nothing" };

export interface Surroundings {
  /** All that there are, this one too. */
  readonly ranges: Iterable<SeenRange>;
  /** That services have: the names of IPAddress objects. */
  readonly addresses: Iterable<string>;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly productName: string;
}

/** So long whoever gives addresses may not have heard that the range goes. */
export const lateAllocationsMs = 10_000;

const terminating: ReadyCondition = {
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
};

/** A range is protected and ready; one that is to go stays while it alone has an address that is taken. */
export function decideRange(range: SeenRange, around: Surroundings): RangeStep {
  if (range.goesSince === undefined) {
    if (!range.isProtected) return { step: "protect" };
    return told(range, { status: "True", reason: "", message: `${around.productName} Service CIDR is ready` });
  }
  if (!range.isProtected) return { step: "nothing" };
  if (leavesOrphans(range, around)) return told(range, terminating);
  const ms = range.goesSince + lateAllocationsMs - around.now;
  return ms > 0 ? { step: "wait", ms } : { step: "let go" };
}

function told({ ready }: SeenRange, wanted: ReadyCondition): RangeStep {
  const isSaid = ready?.status === wanted.status && ready.reason === wanted.reason && ready.message === wanted.message;
  return isSaid ? { step: "nothing" } : { step: "tell", ready: wanted };
}

/** Whether an address that is taken lies in this range and in no other; one that is to go as well counts as the reference counts it. */
function leavesOrphans(range: SeenRange, { ranges, addresses }: Surroundings): boolean {
  const own = networksOf(range);
  const others = [...ranges].filter(({ name }) => name !== range.name).flatMap(networksOf);
  if (own.every((network) => others.some((other) => containsNetwork(other, network)))) return false;
  for (const text of addresses) {
    if (own.some((network) => has(network, text)) && !others.some((network) => has(network, text))) return true;
  }
  return false;
}

const networksOf = ({ cidrs }: SeenRange): readonly Network[] => cidrs.flatMap((text) => parseNetwork(text) ?? []);

function containsNetwork(outer: Network, inner: Network): boolean {
  return outer.bits <= inner.bits && isIn(outer, inner.address);
}

/** The address of the network itself and, of IPv4, its last one are given to nobody. */
function has(network: Network, text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined || !isIn(network, address)) return false;
  const rest = address.map((byte, i) => byte & ~maskByte(network.bits, i) & 255);
  if (rest.every((byte) => byte === 0)) return false;
  return address.length === 16 || rest.some((byte, i) => byte !== (~maskByte(network.bits, i) & 255));
}

function isIn({ address: base, bits }: Network, address: readonly number[]): boolean {
  return base.length === address.length && formatNetwork({ address, bits }) === formatNetwork({ address: base, bits });
}

const maskByte = (bits: number, i: number): number => (0xff00 >> Math.min(Math.max(bits - 8 * i, 0), 8)) & 255;
