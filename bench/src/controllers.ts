import { configMap, measureStoreFloor, type Timing } from "./runs.js";
import type { Row } from "./table.js";
import { startStandalone, type Target, type TargetOptions } from "./targets.js";
import { measuringCreates } from "./writes/creates.js";

export interface ControllersBench {
  readonly timing: Timing;
  readonly connections: readonly number[];
  readonly note: (row: Row) => void;
  readonly options: TargetOptions;
}

/** Two servers take turns, many short ones: on a machine that others use too, a figure means something beside its neighbour alone. */
const rounds = 24;
/** In which what runs often is compiled. */
const firstRounds = 4;

/** What controllers inside standalone cost a create: a line for each number of connections. */
export async function benchControllers(bench: ControllersBench): Promise<readonly string[]> {
  const notes: string[] = [];
  const { timing, options } = bench;
  const floor = measureStoreFloor("lmdb", { inFlight: 32, bytes: 1100, timing, endpoints: [] });
  notes.push(`controllers: floor, bare LMDB puts: ${floor.cpu.toFixed(1)} µs`);
  for (const connections of bench.connections) {
    const without = await startStandalone({ ...options, controllers: false });
    const beside = await startStandalone({ ...options, controllers: true });
    try {
      notes.push(await compare({ without, beside }, { ...bench, connections }));
    } finally {
      await Promise.all([without.stop(), beside.stop()]);
    }
  }
  return notes;
}

interface Pair {
  readonly without: Target;
  readonly beside: Target;
}

async function compare(
  { without, beside }: Pair,
  { timing, connections, note }: Omit<ControllersBench, "connections"> & { readonly connections: number },
): Promise<string> {
  const turn = { warmupMs: timing.warmupMs / rounds, durationMs: (timing.durationMs * 4) / rounds };
  const creates = (operation: string) => ({
    ...{ operation, connections, body: configMap },
    path: "/api/v1/namespaces/default/configmaps",
  });
  const plain = measuringCreates(without, turn);
  const watched = measuringCreates(beside, turn);
  const costs: { readonly off: number; readonly on: number }[] = [];
  for (let round = 0; round < firstRounds + rounds; round++) {
    // Each goes first as often as the other.
    const first = round % 2 === 0 ? await plain(creates("create, no controllers")) : undefined;
    const on = await watched(creates("create, controllers"));
    const off = first ?? (await plain(creates("create, no controllers")));
    if (round >= firstRounds) costs.push({ off: cpuOf(off), on: cpuOf(on) });
    if (round < firstRounds + rounds - 1) continue;
    note(off);
    note(on);
  }
  const [off, on] = [middle(costs.map((cost) => cost.off)), middle(costs.map((cost) => cost.on))];
  const more = (100 * (middle(costs.map((cost) => cost.on / cost.off)) - 1)).toFixed(0);
  return `controllers: ${connections} connections: a create costs ${off.toFixed(0)} µs without, ${on.toFixed(0)} µs beside them, by pairs ${more} % more (medians of ${rounds})`;
}

const middle = (some: readonly number[]): number => [...some].sort((a, b) => a - b)[some.length >> 1] ?? Number.NaN;
const cpuOf = ({ cpu }: Row): number => [...cpu.values()].reduce((sum, one) => sum + one, 0);
