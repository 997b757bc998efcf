import { nanoOf } from "@orch/schema/formats/quantity.js";
import type { RawAmounts } from "./objects.js";

/**
 * What a pod asks for or a node has. Numbers, because every cycle adds and compares them: exact up to 2^53, which is 9 PB.
 */
export interface Amounts {
  /** Thousandths of a processor. */
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
  /** Bytes of local storage (`ephemeral-storage`). */
  readonly storage: number;
  /** Everything else by name, but `pods`: devices, huge pages, attachable volumes. Whole units. */
  readonly scalars: ReadonlyMap<string, number>;
}

const none: ReadonlyMap<string, number> = new Map();
export const noAmounts: Amounts = { cpu: 0, memory: 0, storage: 0, scalars: none };

const parsed = new Map<string, bigint>();
const longestKept = 4096;

/** Templates say the same few quantities again and again: they are read once. */
function nano(text: string | number): bigint {
  const key = String(text);
  let value = parsed.get(key);
  if (value === undefined) {
    value = nanoOf(key);
    if (parsed.size >= longestKept) parsed.clear();
    parsed.set(key, value);
  }
  return value;
}

const up = (value: bigint, unit: bigint): number => Number(value > 0n ? (value + unit - 1n) / unit : value / unit);

/** Of a quantity in whole units, rounded up. */
export const wholeUnits = (text: string | number): number => up(nano(text), 1_000_000_000n);

/** Of a quantity as a resource counts it: thousandths of `cpu`, whole units of everything else. */
export const unitsOf = (name: string, text: string | number): number =>
  name === "cpu" ? up(nano(text), 1_000_000n) : wholeUnits(text);

/** Of resources by name; `pods` is left out. */
export function amountsOf(raw: RawAmounts | undefined): Amounts {
  if (raw === undefined) return noAmounts;
  return fromUnits(Object.entries(raw).map(([name, text]) => [name, unitsOf(name, text)] as const));
}

/** Of units as {@link unitsOf} gives them. */
export function fromUnits(units: Iterable<readonly [name: string, units: number]>): Amounts {
  let [cpu, memory, storage] = [0, 0, 0];
  let scalars: Map<string, number> | undefined;
  for (const [name, value] of units) {
    if (name === "cpu") cpu = value;
    else if (name === "memory") memory = value;
    else if (name === "ephemeral-storage") storage = value;
    else if (name !== "pods") {
      scalars ??= new Map();
      scalars.set(name, value);
    }
  }
  return { cpu, memory, storage, scalars: scalars ?? none };
}

/** `a + sign × b`. */
export function summed(a: Amounts, b: Amounts, sign: 1 | -1): Amounts {
  return {
    cpu: a.cpu + sign * b.cpu,
    memory: a.memory + sign * b.memory,
    storage: a.storage + sign * b.storage,
    scalars: b.scalars.size === 0 ? a.scalars : summedScalars(a.scalars, b.scalars, sign),
  };
}

function summedScalars(a: Amounts["scalars"], b: Amounts["scalars"], sign: 1 | -1): Amounts["scalars"] {
  const sum = new Map(a);
  for (const [name, value] of b) sum.set(name, (sum.get(name) ?? 0) + sign * value);
  return sum;
}

/** The amount of a resource by its name. */
export function amountOf(amounts: Amounts, name: string): number {
  if (name === "cpu") return amounts.cpu;
  if (name === "memory") return amounts.memory;
  if (name === "ephemeral-storage") return amounts.storage;
  return amounts.scalars.get(name) ?? 0;
}

export const isScalar = (name: string): boolean => name !== "cpu" && name !== "memory" && name !== "ephemeral-storage";
