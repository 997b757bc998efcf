import type { Process } from "@orch/deploy/process.js";

/** The value of a metric without labels. @throws Error when the process does not have it */
export async function metricOf({ name: process, addresses }: Process, name: string): Promise<number> {
  const text = await (await fetch(`http://${addresses["metrics"]}/metrics`)).text();
  const value = new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1];
  if (value === undefined) throw new Error(`${process} has no metric ${name}`);
  return Number(value);
}
