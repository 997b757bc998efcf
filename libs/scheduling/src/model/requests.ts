import { type Amounts, fromUnits, unitsOf } from "./amounts.js";
import type { RawAmounts, RawContainer, RawPod } from "./objects.js";

/** What scores count of a container that names no request: a tenth of a processor and 200 MiB. */
export const unnamed: ReadonlyMap<string, number> = new Map([
  ["cpu", 100],
  ["memory", 200 * 1024 * 1024],
]);

/**
 * What a pod needs at its hungriest moment: its containers together with the init containers that stay (sidecars), or
 * one init container beside the sidecars started before it, whichever is more; and its overhead.
 * `missing` are the amounts of resources that a container does not name.
 */
export function podRequests(spec: RawPod["spec"], missing?: ReadonlyMap<string, number>): Amounts {
  return fromUnits(sumOf(spec, (container) => unitsOfContainer(container, missing)));
}

/** The same by name, of requests or of limits; of limits only what a container has one of gets the overhead. */
export function podResources(spec: RawPod["spec"], part: "requests" | "limits"): ReadonlyMap<string, number> {
  const unitsIn = ({ resources }: RawContainer): Units => unitsOfAll(resources?.[part] ?? {});
  if (part === "requests") return sumOf(spec, unitsIn);
  const { overhead = {}, ...rest } = spec ?? {};
  const limits = sumOf(rest, unitsIn);
  add(
    limits,
    unitsOfAll(overhead).filter(([name]) => limits.has(name)),
  );
  return limits;
}

type UnitsIn = (container: RawContainer) => Units;

function sumOf(spec: RawPod["spec"], unitsIn: UnitsIn): Map<string, number> {
  const { containers = [], initContainers = [], overhead } = spec ?? {};
  const total = new Map<string, number>();
  for (const container of containers) add(total, unitsIn(container));
  if (initContainers.length > 0) addInitContainers(total, initContainers, unitsIn);
  if (overhead !== undefined) add(total, unitsOfAll(overhead));
  return total;
}

type Units = readonly (readonly [name: string, units: number])[];

function addInitContainers(
  total: Map<string, number>,
  initContainers: readonly RawContainer[],
  unitsIn: UnitsIn,
): void {
  const sidecars = new Map<string, number>();
  const starting = new Map<string, number>();
  for (const container of initContainers) {
    const units = unitsIn(container);
    if (container.restartPolicy === "Always") {
      add(total, units);
      add(sidecars, units);
      raise(starting, [...sidecars]);
    } else {
      const beside = new Map(sidecars);
      add(beside, units);
      raise(starting, [...beside]);
    }
  }
  raise(total, [...starting]);
}

const unitsOfAll = (raw: RawAmounts): Units =>
  Object.entries(raw).map(([name, text]) => [name, unitsOf(name, text)] as const);

function unitsOfContainer({ resources }: RawContainer, missing: ReadonlyMap<string, number> | undefined): Units {
  const requests = resources?.requests ?? {};
  const units = unitsOfAll(requests);
  if (missing === undefined) return units;
  return [...units, ...[...missing].filter(([name]) => !Object.hasOwn(requests, name))];
}

function add(total: Map<string, number>, units: Units): void {
  for (const [name, value] of units) total.set(name, (total.get(name) ?? 0) + value);
}

function raise(least: Map<string, number>, units: Units): void {
  for (const [name, value] of units) if (value > (least.get(name) ?? 0)) least.set(name, value);
}
