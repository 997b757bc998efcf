import type { Timing } from "./runs.js";
import type { Row } from "./table.js";

/** So often each is measured in turn, where not said otherwise: what else the machine does then meets them alike. */
const usualRounds = 5;

/**
 * The same done by several, in turns; of each the row of its median CPU time, with the ratio of that to the first one's. On a
 * machine that others use, too, throughput says little.
 */
export async function* compared<T>(
  all: readonly T[],
  timing: Timing & { readonly rounds?: number },
  measure: (one: T, timing: Timing) => Promise<Row>,
): AsyncGenerator<Row> {
  const { rounds = usualRounds } = timing;
  const each = { warmupMs: timing.warmupMs / rounds, durationMs: timing.durationMs / rounds };
  const rows: Row[][] = all.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, one] of all.entries()) rows[i]?.push(await measure(one, each));
  }
  let floor: Row | undefined;
  for (const row of rows.map(medianOf)) {
    if (row === undefined) continue;
    yield floor === undefined ? row : againstCpu(row, floor);
    floor ??= row;
  }
}

/** A row with the ratio of its CPU time to another's. */
export function againstCpu(row: Row, floor: Row): Row {
  return { ...row, ratio: cpuOf(row) / cpuOf(floor), floor: `CPU of ${floor.operation}` };
}

function medianOf(rows: readonly Row[]): Row | undefined {
  // What nothing came of in its time says nothing.
  const failures = rows.reduce((sum, row) => sum + row.failures + (row.perSecond === 0 ? 1 : 0), 0);
  const median = rows.toSorted((a, b) => cpuOf(a) - cpuOf(b))[Math.floor(rows.length / 2)];
  return median && { ...median, failures };
}

function cpuOf({ cpu }: Row): number {
  return [...cpu.values()].reduce((sum, used) => sum + used, 0);
}
