import type { ServiceCIDR } from "@orch/api/kinds/networking/types.js";
import { parseNetwork } from "@orch/schema/formats/ip.js";
import type { Mirror } from "../mirror.js";
import {
  addressPool,
  mostOfObjects,
  type Pool,
  type PoolName,
  type Pools,
  type PoolsConfig,
  poolsOver,
} from "./pools.js";

/** Shorter prefixes of IPv6 are no range that services are given addresses of. */
const shortestIPv6 = 64;

interface Ranges {
  /** Of which these were made: the same list for as long as nothing changes. */
  readonly objects: unknown;
  readonly byText: ReadonlyMap<string, Pool>;
  readonly byName: ReadonlyMap<PoolName, readonly Pool[]>;
}

/** The ranges of all ServiceCIDR objects that are ready, as a mirror has them. Families and node ports are the flags'. */
export function createRanges(objects: Pick<Mirror, "inNamespace">, config: PoolsConfig): Pools {
  let known: Ranges = { objects: undefined, byText: new Map(), byName: new Map() };
  const now = (): Ranges => {
    const all: readonly ServiceCIDR[] = objects.inNamespace("");
    if (all !== known.objects) known = { objects: all, ...rangesIn(all, known.byText) };
    return known;
  };
  return poolsOver(config, (name) => now().byName.get(name) ?? [], true);
}

/** A range that was there before is the same one: metrics know it. */
function rangesIn(objects: readonly ServiceCIDR[], before: Ranges["byText"]): Omit<Ranges, "objects"> {
  const byText = new Map<string, Pool>();
  for (const { spec } of objects.filter(isReady)) {
    for (const text of spec?.cidrs ?? []) {
      const pool = before.get(text) ?? poolOf(text);
      if (pool !== undefined) byText.set(text, pool);
    }
  }
  const byName = new Map<PoolName, Pool[]>([
    ["ipv4", []],
    ["ipv6", []],
  ]);
  for (const pool of byText.values()) byName.get(pool.name)?.push(pool);
  return { byText, byName };
}

function poolOf(text: string): Pool | undefined {
  const network = parseNetwork(text);
  if (network === undefined || (network.address.length === 16 && network.bits < shortestIPv6)) return undefined;
  return addressPool(network, mostOfObjects);
}

/** One of which nobody has said anything is ready: there may be no controller. */
function isReady({ metadata, status }: ServiceCIDR): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready === undefined || ready.status === "True";
}
