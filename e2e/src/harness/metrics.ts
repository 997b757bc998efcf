import type { LocalCluster } from "@orch/deploy/local-cluster.js";
import type { Process } from "@orch/deploy/process.js";

/** The value of a metric without labels. @throws Error when the process does not have it */
export async function metricOf(cluster: LocalCluster, part: Process, name: string): Promise<number> {
  const { text } = await cluster.ask(part, "/metrics");
  const value = new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1];
  if (value === undefined) throw new Error(`${part.name} has no metric ${name}`);
  return Number(value);
}
