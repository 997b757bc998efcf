import { formatNetwork, type Network, parseAddress, parseNetwork } from "@orch/schema/formats/ip.js";
import { type Blocks, createBlocks } from "../node-ipam/blocks.js";
import type { BalancedService } from "../service-lb/decide-balancer.js";
import type { BalancerStatus, LoadBalancers } from "./load-balancers.js";

export interface SimulatedCloud {
  /** Of the addresses of balancers: one of each family at most. */
  readonly ranges: readonly Network[];
}

const familyOf = ({ address }: Network): string => (address.length === 4 ? "IPv4" : "IPv6");
const bitsOf = ({ address }: Network): number => address.length * 8;

/**
 * A cloud without machines: a balancer is an address that nobody else has. What was given away before this process began is
 * read from the status of services. `known`: all of them.
 */
export function createSimulatedBalancers(
  { ranges }: SimulatedCloud,
  known: () => Iterable<BalancedService>,
): LoadBalancers {
  const pools = new Map<string, Blocks>();
  for (const range of ranges) pools.set(familyOf(range), poolOf(range));
  const balancers = new Map<string, BalancerStatus>();
  let isRestored = false;
  const restore = (): void => {
    if (isRestored) return;
    isRestored = true;
    for (const { metadata, status } of known()) {
      const ingress = (status?.loadBalancer?.ingress ?? []).filter(({ ip }) => isOurs(ip, ranges));
      if (ingress.length === 0) continue;
      balancers.set(metadata.uid ?? "", { ingress });
      for (const { ip = "" } of ingress) for (const pool of pools.values()) occupy(pool, ip);
    }
  };
  const take = (family: string): string => {
    const block = pools.get(family)?.take();
    if (block === undefined) throw new Error(`the simulated cloud has no ${family} address left`);
    return block.slice(0, block.indexOf("/"));
  };
  const remove = (uid: string): void => {
    for (const { ip = "" } of balancers.get(uid)?.ingress ?? []) {
      const network = single(ip);
      if (network !== undefined) for (const pool of pools.values()) pool.release(network);
    }
    balancers.delete(uid);
  };
  return {
    async get({ metadata }) {
      restore();
      return balancers.get(metadata.uid ?? "");
    },
    async ensure({ metadata, spec }) {
      restore();
      const uid = metadata.uid ?? "";
      const families = spec?.ipFamilies ?? ["IPv4"];
      const before = balancers.get(uid)?.ingress ?? [];
      const missing = families.filter((family) => !pools.has(family));
      if (missing.length === families.length) {
        throw new Error(`the simulated cloud has no range of ${families.join(" or ")} addresses`);
      }
      const wanted = families.filter((family) => pools.has(family));
      const kept = wanted.flatMap((family) => before.find(({ ip }) => familyOfAddress(ip) === family) ?? []);
      if (kept.length === wanted.length && before.length === kept.length) return { ingress: before };
      remove(uid);
      const ingress = wanted.map((family) => ({ ip: take(family), ipMode: "VIP" }));
      balancers.set(uid, { ingress });
      return { ingress };
    },
    async update() {},
    async remove({ metadata }) {
      restore();
      remove(metadata.uid ?? "");
    },
  };
}

/** Addresses one by one, without those of the range itself and of everybody in it. */
function poolOf(network: Network): Blocks {
  const bits = bitsOf(network);
  const pool = createBlocks({ network, bits });
  if (bits - network.bits < 2) return pool;
  const text = formatNetwork(network);
  occupy(pool, text.slice(0, text.indexOf("/")));
  if (network.address.length === 4) pool.occupy({ address: lastOf(network), bits });
  return pool;
}

function lastOf({ address, bits }: Network): readonly number[] {
  return address.map((byte, i) => byte | (0xff >> Math.min(8, Math.max(0, bits - 8 * i))));
}

function occupy(pool: Blocks, ip: string): void {
  const network = single(ip);
  if (network !== undefined) pool.occupy(network);
}

function single(ip: string): Network | undefined {
  const address = parseAddress(ip);
  return address === undefined ? undefined : parseNetwork(`${ip}/${address.length * 8}`);
}

function familyOfAddress(ip = ""): string {
  return ip.includes(":") ? "IPv6" : "IPv4";
}

function isOurs(ip: string | undefined, ranges: readonly Network[]): boolean {
  const address = ip === undefined ? undefined : parseAddress(ip);
  if (address === undefined) return false;
  return ranges.some((range) => {
    const same = address.length === range.address.length;
    return same && formatNetwork({ address, bits: range.bits }) === formatNetwork(range);
  });
}
