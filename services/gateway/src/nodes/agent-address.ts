import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { HostPort } from "@orch/outbound/dial.js";
import { listAt } from "./objects.js";

export interface AgentAddressOptions {
  /** Types of addresses, the best first. */
  readonly preferred: readonly string[];
  /** Of nodes whose status names none. */
  readonly port: number;
}

/** Where the agent of a node is reached, as its status says; undefined where it has no address of a type that is wanted. */
export function agentAddress(node: AnyObject, { preferred, port }: AgentAddressOptions): HostPort | undefined {
  const addresses = listAt(node, "status.addresses");
  for (const type of preferred) {
    const found = addresses.find((one) => one["type"] === type);
    if (found === undefined) continue;
    const told = Number(valueAt(node, "status.daemonEndpoints.kubeletEndpoint.Port") ?? 0);
    return { host: String(found["address"] ?? ""), port: told > 0 ? told : port };
  }
  return undefined;
}

/** What is said of a node without one. */
export function noAddress(node: AnyObject): string {
  const known = listAt(node, "status.addresses").map(({ type, address }) => `{${type} ${address}}`);
  return `no preferred addresses found; known addresses: [${known.join(" ")}]`;
}
