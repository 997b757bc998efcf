import { type ClientProcess, startClient } from "./load/client-process.js";
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
    } finally {
      await Promise.all(clients.map((client) => client.end()));
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

/** Less urgent than the client that is measured: the two share what the server leaves of the machine. */
function startLists({ host, port }: Endpoint, connections: number): ClientProcess {
  const script = new URL("./load/flood-client.js", import.meta.url);
  const client = startClient(script, [host, String(port), userTokens.heavy, listPath, String(connections)], 10);
  client.stdout.resume();
  return client;
}
