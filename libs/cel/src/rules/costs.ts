import { unbounded } from "../cost/sizes.js";

/** What one rule or message may cost over all values of an object, estimated; more is refused. */
export const ruleCostLimit = 10_000_000n;
/** What all of a schema may cost together. */
export const schemaCostLimit = 100_000_000n;

/** The largest request, in bytes. */
const requestBytes = 3 * 1024 * 1024;

/** How many values of a size there may be in a request. */
export function mostValues(leastBytes: number): bigint {
  return BigInt(Math.floor(requestBytes / (leastBytes + 1)));
}

/** 2^64-1 stands for everything above. */
export function timesAtMost(a: bigint, b: bigint): bigint {
  const product = a * b;
  return product > unbounded ? unbounded : product;
}

const advice =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";

/** What is said of a cost over its limit. */
export function overCost(what: string, cost: bigint, limit: bigint): string {
  return `${what} exceeds budget by factor of ${factorText(Number(cost) / Number(limit))}x ${advice}`;
}

function factorText(factor: number): string {
  if (factor > 100) return "more than 100";
  return factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1);
}

/** What the rules of a schema cost together, and which of them cost the most. */
export interface CostTotal {
  observe(path: string, cost: bigint): void;
  readonly total: bigint;
  /** Of those that matter at all, the most expensive first. */
  readonly mostExpensive: readonly string[];
}

const namedRules = 4;
const worthNaming = 1_000_000n;

export function createCostTotal(): CostTotal {
  let total = 0n;
  let named: readonly { readonly path: string; readonly cost: bigint }[] = [];
  return {
    observe(path, cost) {
      total = total + cost > unbounded ? unbounded : total + cost;
      if (cost < worthNaming) return;
      // Those of one cost stay in their order.
      named = [...named, { path, cost }]
        .sort((a, b) => (a.cost < b.cost ? 1 : a.cost > b.cost ? -1 : 0))
        .slice(0, namedRules);
    },
    get total() {
      return total;
    },
    get mostExpensive() {
      return named.map(({ path }) => path);
    },
  };
}
