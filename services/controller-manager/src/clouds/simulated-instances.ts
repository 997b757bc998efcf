import type { Naming } from "@orch/naming/naming.js";
import type { SeenNode } from "../seen/node.js";
import type { Instances, NodeAddress, Zones } from "./cloud.js";
import type { InstanceEntry, SimulatedMachines } from "./simulated-file.js";

export const simulatedName = "simulated";

export interface InstancesDeps {
  /** What is said of machines now. @throws Error where that cannot be read */
  readonly machines: () => SimulatedMachines;
  readonly naming: Naming;
}

/**
 * Machines that are not there: of every node one that runs, as far as the cloud's file says nothing else of it. A node
 * without a zone in the file has one of the cloud's, always the same.
 */
export function createSimulatedInstances({ machines, naming }: InstancesDeps): Instances & Zones {
  const providedIp = `alpha.${naming.key("provided-node-ip")}`;
  const entryOf = ({ metadata }: SeenNode): InstanceEntry | undefined =>
    machines().instances.find(({ name }) => name === metadata.name);
  const there = (node: SeenNode): InstanceEntry | undefined => {
    const entry = entryOf(node);
    if (entry?.state === "Gone") throw new Error(`the simulated cloud has no instance of ${node.metadata.name}`);
    return entry;
  };
  return {
    async exists(node) {
      return entryOf(node)?.state !== "Gone";
    },
    async isShutDown(node) {
      return there(node)?.state === "ShutDown";
    },
    async describe(node) {
      const entry = there(node);
      const { name = "" } = node.metadata;
      const ip = node.metadata.annotations?.[providedIp];
      const own = entry === undefined || entry.addresses.length === 0 ? addressesOf(node, ip) : entry.addresses;
      return {
        providerId: node.spec?.providerID ?? `${simulatedName}://${name}`,
        type: entry?.type || simulatedName,
        addresses: own,
        labels: entry?.labels ?? {},
      };
    },
    async zoneOf(node) {
      const entry = there(node);
      const { region, zones } = machines();
      return { region, zone: entry?.zone || (zones[placeOf(node.metadata.name ?? "") % zones.length] ?? "") };
    },
  };
}

/** What an agent was told of its address, else what it says itself. */
function addressesOf({ metadata, status }: SeenNode, ip: string | undefined): readonly NodeAddress[] {
  const hostname = { type: "Hostname", address: metadata.name ?? "" };
  if (ip !== undefined) return [{ type: "InternalIP", address: ip }, hostname];
  const said = status?.addresses ?? [];
  return said.length > 0 ? said : [hostname];
}

/** A number that spreads names evenly. */
function placeOf(name: string): number {
  let place = 0;
  for (const character of name) place = (place * 31 + (character.codePointAt(0) ?? 0)) % 0x7fff_ffff;
  return place;
}
