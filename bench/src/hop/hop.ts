import { httpRequest, once } from "../load/load.js";
import { fill, measureRequests, nameOf, type Timing } from "../runs.js";
import type { Row } from "../table.js";
import { startDistributed, startRelay, type TargetOptions } from "../targets.js";

const connections = 8;
const lists = [
  ["list 500", 500],
  ["list 10,000", 10_000],
] as const;

export interface HopOptions {
  readonly timing: Timing;
  readonly target: TargetOptions;
  readonly note: (row: Row) => void;
}

/**
 * What it costs that lists come from another process, against processes that do nothing but pass on the same bytes: one that has them
 * prepared and one that asks it, both by `node:https`. Gives a line for each list: the CPU of our gateway and watch cache to theirs, for
 * lists that are asked for again, of which the gateway keeps what it was sent, and for lists of which each is another one.
 */
export async function benchHop({ timing, target, note }: HopOptions): Promise<readonly string[]> {
  const lines: string[] = [];
  const started = await startDistributed({ ...target, gateways: 1 });
  const relay = await startRelay();
  try {
    for (const [operation, count] of lists) {
      const namespace = `hop-${count}`;
      await fill(started, namespace, count);
      let asked = 0;
      const measure = async (of: typeof relay, pathOf: (i: number) => string, named: string): Promise<number> => {
        const request = (endpoint: Parameters<typeof httpRequest>[0]): Buffer =>
          httpRequest(endpoint, { method: "GET", path: pathOf(asked++ % count) });
        const success = (code: number): boolean => code === 200;
        const run = { operation: named, connections, request, success, unit: "B/s" } as const;
        const row = await measureRequests(of, run, { timing, floor: undefined });
        note(row);
        return [...row.cpu.values()].reduce((sum, used) => sum + used, 0);
      };
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      const [endpoint] = started.endpoints;
      if (endpoint === undefined) continue;
      const { bytes } = await once(endpoint, { method: "GET", path });
      const bare = await measure(relay, () => `/bytes/${bytes}`, `bare relay: ${bytes} bytes`);
      const same = await measure(started, () => path, operation);
      // Without one object, each time another one.
      const other = (i: number): string => `${path}?fieldSelector=metadata.name%21%3D${nameOf(i)}`;
      const changing = await measure(started, other, `${operation}, each another`);
      lines.push(
        `hop: ${operation}: ${(same / bare).toFixed(2)} times the CPU of a bare relay (${bare.toFixed(0)} µs), ` +
          `${(changing / bare).toFixed(2)} times where each list is another one`,
      );
    }
  } finally {
    await relay.stop();
    await started.stop();
  }
  return lines;
}
