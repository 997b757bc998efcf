import { type ChildProcess, spawn } from "node:child_process";
import { once as event } from "node:events";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { type Endpoint, httpRequest, sleep } from "./load/load.js";
import { fill, measureRequests, type Timing } from "./runs.js";
import type { Row } from "./table.js";
import { type Target, userTokens } from "./targets.js";

/** Of the one who floods. */
const floodConnections = 64;
const objects = 10_000;
/** Of the other. */
const lightConnections = 4;
/** Until priority levels have lent what they can, twice. */
const settleMs = 12_000;
const listPath = "/api/v1/namespaces/flood/configmaps";
const get = `${listPath}/cm-000500?resourceVersion=0`;

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
  const told: string[] = [];
  const compare = async (operation: string): Promise<void> => {
    const row = await measure(operation);
    told.push(`${(row.p99 / calm.p99).toFixed(1)} (${operation})`);
  };
  const during = async (lists: number, measures: () => Promise<void>): Promise<void> => {
    const clients = target.endpoints.map((endpoint) => startLists(endpoint, lists));
    try {
      await sleep(timing.warmupMs);
      await measures();
      if (clients.some(hasEnded)) throw new Error("a client that was to list has ended by itself");
    } finally {
      for (const client of clients) {
        if (hasEnded(client)) continue;
        const ended = event(client, "exit");
        client.kill("SIGKILL");
        await ended;
      }
    }
  };
  // What lists cost their neighbours where nobody floods: no queue can make a flood's cost less than this.
  await during(1, () => compare("get, another lists"));
  await during(floodConnections, async () => {
    await compare("get, another floods");
    await sleep(settleMs);
    await compare("get, flooded for long");
  });
  return `${target.name}: p99 of a get while another user lists, times the calm one: ${told.join(", ")}`;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** Less urgent than the client that is measured: the two share what the server leaves of the machine. */
function startLists({ host, port }: Endpoint, connections: number): ChildProcess {
  const script = fileURLToPath(new URL("./load/flood-client.js", import.meta.url));
  const args = [script, host, String(port), userTokens.heavy, listPath, String(connections)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  if (child.pid !== undefined) setPriority(child.pid, 10);
  return child;
}
