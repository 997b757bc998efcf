import { httpRequest } from "./load/load.js";
import { configMap, fill, measureRequests, type Timing } from "./runs.js";
import type { Row } from "./table.js";
import { startDistributed, type TargetOptions } from "./targets.js";
import { create, measuringCreates } from "./writes/creates.js";

const gatewayCounts = [1, 2, 4];
const connections = 32;
const objects = 1000;
const namespace = "scale";
const path = `/api/v1/namespaces/${namespace}/configmaps`;

export interface ScaleOptions {
  readonly timing: Timing;
  readonly target: TargetOptions;
  readonly note: (row: Row) => void;
}

/**
 * The same load on more and more gateways, its clients parted among them. On one machine more gateways serve no more; what an
 * operation costs tells what they would on machines of their own: as long as it stays what it is, twice as many serve twice
 * as much. Gives a line for each operation: its cost in all gateways together and behind them, to that with one.
 */
export async function benchScale({ timing, target, note }: ScaleOptions): Promise<readonly string[]> {
  const costs = new Map<string, Cost[]>();
  for (const gateways of gatewayCounts) {
    const started = await startDistributed({ ...target, gateways });
    try {
      await fill(started, namespace, objects);
      const read = (operation: string, query: string) => ({
        ...({ operation, connections, unit: "op/s" } as const),
        request: (endpoint: Parameters<typeof httpRequest>[0]) =>
          httpRequest(endpoint, { method: "GET", path: path + query }),
        success: (code: number) => code === 200,
      });
      const [endpoint] = started.endpoints;
      if (endpoint === undefined) continue;
      await create(endpoint, "/api/v1/namespaces", { metadata: { name: "scaled" } });
      const creates = {
        operation: "create",
        connections,
        path: "/api/v1/namespaces/scaled/configmaps",
        body: configMap,
      };
      const rows = [
        await measureRequests(started, read("get Any", "/cm-000500?resourceVersion=0"), { timing, floor: undefined }),
        await measureRequests(started, read("get Most Recent", "/cm-000500"), { timing, floor: undefined }),
        await measureRequests(started, read("list 500", "?limit=500"), { timing, floor: undefined }),
        await measuringCreates(started, timing)(creates),
      ];
      for (const row of rows) {
        note({ ...row, operation: `${row.operation}, ${gateways} gateways` });
        costs.set(row.operation, [...(costs.get(row.operation) ?? []), costOf(row)]);
      }
    } finally {
      await started.stop();
    }
  }
  return [...costs].map(([operation, of]) => `scale: ${operation}: ${summary(of)}`);
}

/** Microseconds of CPU of an operation. */
interface Cost {
  readonly gateways: number;
  readonly behind: number;
}

function costOf({ cpu }: Row): Cost {
  let [gateways, behind] = [0, 0];
  for (const [name, used] of cpu) {
    if (name.startsWith("gateway")) gateways += used;
    else behind += used;
  }
  return { gateways, behind };
}

function summary([one, ...more]: readonly Cost[]): string {
  if (one === undefined) return "";
  const against = more.map(
    (cost, i) =>
      `with ${gatewayCounts[i + 1]} ${(cost.gateways / one.gateways).toFixed(2)} and ${(cost.behind / one.behind).toFixed(2)} times`,
  );
  return `${one.gateways.toFixed(0)} µs in one gateway and ${one.behind.toFixed(0)} behind it; ${against.join(", ")}`;
}
