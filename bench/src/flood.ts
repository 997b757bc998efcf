import { type ChildProcess, spawn } from "node:child_process";
import { once as event } from "node:events";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { type Endpoint, httpRequest, sleep } from "./load.js";
import { fill, measureRequests, type Timing } from "./runs.js";
import type { Row } from "./table.js";
import { type Target, userTokens } from "./targets.js";

/** Of the one who floods. */
const connections = 64;
const objects = 10_000;
/** Of the other. */
const lightConnections = 4;
/** Until priority levels have lent what they can, twice. */
const settleMs = 12_000;
const lists = "/api/v1/namespaces/flood/configmaps";
const get = `${lists}/cm-000500?resourceVersion=0`;

/** How much longer one user waits for a get while another floods the server with lists. */
export async function benchFlood(
  target: Target,
  { timing, note }: { readonly timing: Timing; readonly note: (row: Row) => Row },
): Promise<string> {
  await fill(target, "flood", objects);
  const endpoints = target.endpoints.map((e) => ({ ...e, token: userTokens.light }));
  const measure = async (operation: string): Promise<Row> => {
    const request = (e: Endpoint): Buffer => httpRequest(e, { method: "GET", path: get });
    const run = { operation, connections: lightConnections, request, success: (c: number) => c === 200 };
    const row = await measureRequests({ ...target, endpoints }, { ...run, unit: "op/s" }, { timing, floor: undefined });
    return note(row);
  };
  const calm = await measure("get, calm");
  const flooders = target.endpoints.map(startFlood);
  try {
    await sleep(timing.warmupMs);
    const flooded = await measure("get, another floods lists");
    await sleep(settleMs);
    const later = await measure("get, flooded for long");
    const told = [flooded, later].map((row) => (row.p99 / calm.p99).toFixed(1));
    return `${target.name}: p99 of a get under a flood of lists by another user: ${told.join(", for long ")} times the calm one`;
  } finally {
    for (const flooder of flooders) {
      const ended = event(flooder, "exit");
      flooder.kill("SIGKILL");
      await ended;
    }
  }
}

/** Less urgent than the client that is measured: the two share what the server leaves of the machine. */
function startFlood({ host, port }: Endpoint): ChildProcess {
  const script = fileURLToPath(new URL("./flood-client.js", import.meta.url));
  const args = [script, host, String(port), userTokens.heavy, lists, String(connections)];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  if (child.pid !== undefined) setPriority(child.pid, 10);
  return child;
}
