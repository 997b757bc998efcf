import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { residentBytes } from "../cpu.js";
import { type Endpoint, httpRequest, once, sleep } from "../load/load.js";
import { measureRequests, type Timing } from "../runs.js";
import type { Row } from "../table.js";
import { type OrchTarget, startStandalone, type TargetOptions } from "../targets.js";
import { nameOf, namespaceOf } from "./objects.js";

const script = fileURLToPath(new URL("./fill.js", import.meta.url));
const settleMs = 5000;
const starts = 3;
const seed = 0x2545f491;

export interface Many {
  readonly counts: readonly number[];
  readonly timing: Timing;
  readonly note: (row: Row) => Row;
  readonly target: TargetOptions;
}

/** What the number of objects of 0.5 KB in one cache costs: gets, a list by a label that 100 have, the start, memory. */
export async function benchMany({ counts, timing, note, target }: Many): Promise<readonly string[]> {
  const told: string[] = [];
  for (const count of counts) {
    const prepare = async (dataDir: string): Promise<void> => {
      await promisify(execFile)(process.execPath, [script, join(dataDir, "store"), String(count)]);
    };
    const standalone = await startStandalone({ ...target, prepare });
    try {
      told.push(...(await startAndMemory(standalone, count)));
      await selectiveList(standalone, count, { timing, note, told });
      for (const connections of [1, 32]) note(await gets(standalone, count, { timing, connections }));
    } finally {
      await standalone.stop();
    }
  }
  return told;
}

async function startAndMemory(target: OrchTarget, count: number): Promise<readonly string[]> {
  const took: string[] = [];
  for (let i = 0; i < starts; i++) {
    const began = performance.now();
    await target.restartCache();
    took.push((performance.now() - began).toFixed(0));
  }
  await sleep(settleMs);
  const { anonymous, file } = residentBytes([...target.pids.values()][0] ?? 0);
  const each = (bytes: number): string => (bytes / count).toFixed(0);
  return [
    `${count} objects: ${took.join(", ")} ms from a kill to a cache that serves all`,
    `${count} objects: ${(anonymous / 1e6).toFixed(0)} MB of its own (${each(anonymous)} bytes for each), ${(file / 1e6).toFixed(0)} MB of files`,
  ];
}

const isOk = (code: number): boolean => code === 200;

async function gets(
  target: OrchTarget,
  count: number,
  { timing, connections }: { readonly timing: Timing; readonly connections: number },
): Promise<Row> {
  let random = seed;
  const request = (e: Endpoint): Buffer => {
    random = (Math.imul(random, 1103515245) + 12345) & 0x7fffffff;
    const i = random % count;
    return httpRequest(e, {
      method: "GET",
      path: `/api/v1/namespaces/${namespaceOf(i)}/configmaps/${nameOf(i)}?resourceVersion=0`,
    });
  };
  const run = { operation: `get Any of ${count}`, connections, request, success: isOk, unit: "op/s" } as const;
  return measureRequests(target, run, { timing, floor: undefined });
}

async function selectiveList(
  target: OrchTarget,
  count: number,
  { timing, note, told }: Pick<Many, "timing" | "note"> & { readonly told: string[] },
): Promise<void> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) return;
  const path = "/api/v1/configmaps?resourceVersion=0&labelSelector=pick%3Dme";
  const began = performance.now();
  await once(endpoint, { method: "GET", path });
  told.push(`${count} objects: ${(performance.now() - began).toFixed(0)} ms for the first list by a label`);
  const request = (e: Endpoint): Buffer => httpRequest(e, { method: "GET", path });
  const run = { operation: `list 100 by a label of ${count}`, connections: 8, request, success: isOk } as const;
  note(await measureRequests(target, { ...run, unit: "op/s" }, { timing, floor: undefined }));
}
