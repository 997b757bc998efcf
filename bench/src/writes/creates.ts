import { againstCpu } from "../compared.js";
import { type Endpoint, httpRequest, once } from "../load/load.js";
import { measureRequests, type Timing } from "../runs.js";
import type { Row } from "../table.js";
import type { Target } from "../targets.js";

/** Creates of objects at a path, each with a name of its own. */
export interface Creates {
  readonly operation: string;
  readonly connections: number;
  readonly path: string;
  readonly body: (name: string) => string;
  readonly mostPerSecond?: number;
}

/** Measures creates of a target; beside a floor by the CPU time of both. */
export type MeasureCreates = (creates: Creates, floor?: Row) => Promise<Row>;

export function measuringCreates(target: Target, timing: Timing): MeasureCreates {
  let made = 0;
  return async ({ operation, connections, path, body, mostPerSecond }, floor) => {
    const request = (endpoint: Endpoint): Buffer =>
      httpRequest(endpoint, { method: "POST", path, body: body(`o${made++}`) });
    const success = (code: number): boolean => code === 201;
    const run = { operation, connections, request, success, unit: "op/s", mostPerSecond } as const;
    const row = await measureRequests(target, run, { timing, floor: undefined });
    return floor === undefined ? row : againstCpu(row, floor);
  };
}

/** @throws Error unless it is created */
export async function create(endpoint: Endpoint, path: string, object: object): Promise<void> {
  const made = await once(endpoint, { method: "POST", path, body: JSON.stringify(object) });
  if (made.code !== 201) throw new Error(`${path} was answered with ${made.code}`);
}
