import { residentBytes } from "../cpu.js";
import { type Endpoint, once, sleep } from "../load/load.js";
import type { Target } from "../targets.js";

// Of servers with simulated nodes.

export const namespace = "/api/v1/namespaces/default";
const patienceMs = 600_000;

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
export const residentOf = (target: Target): number =>
  [...target.pids.values()].reduce((sum, pid) => sum + residentBytes(pid).anonymous, 0);

export function endpointOf({ endpoints: [endpoint] }: Target): Endpoint {
  if (endpoint === undefined) throw new TypeError("no endpoint");
  return endpoint;
}

/** Until every simulated node has come and takes pods, and pods have the account that they run as. */
export async function nodesReady(target: Target, count: number): Promise<void> {
  const endpoint = endpointOf(target);
  await eventually(`${count} nodes`, 1000, async () => {
    const page = await metricsOf(endpoint);
    return numberIn(page, /^orch_node_simulator_nodes(?:\{[^}]*\})? (\S+)$/m) >= count;
  });
  await eventually("accounts of pods", 100, async () => {
    const { code } = await once(endpoint, { method: "GET", path: `${namespace}/serviceaccounts/default` });
    return code === 200;
  });
}

export async function metricsOf(endpoint: Endpoint): Promise<string> {
  const { body } = await once(endpoint, { method: "GET", path: "/metrics" });
  return body?.toString() ?? "";
}

export const numberIn = (page: string, what: RegExp): number => Number(what.exec(page)?.[1] ?? 0);

export async function eventually(what: string, everyMs: number, holds: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > until) throw new Error(`did not come true: ${what}`);
    await sleep(everyMs);
  }
}
