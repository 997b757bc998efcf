import { formatNetwork, type Network, parseNetwork } from "@orch/schema/formats/ip.js";
import type { Route } from "../clouds/cloud.js";
import type { SeenNode } from "../seen/node.js";

export interface RoutePlan {
  readonly create: readonly Route[];
  readonly remove: readonly Route[];
  /** Of each node its routes; none for one that has no addresses for pods yet. */
  readonly wanted: ReadonlyMap<string, readonly Route[]>;
}

/**
 * What is to become of the routes of a cloud: one to each block of each node. Those to what lies outside of `ranges` are
 * somebody else's.
 */
export function decideRoutes(
  nodes: readonly SeenNode[],
  routes: readonly Route[],
  ranges: readonly Network[],
): RoutePlan {
  const wanted = new Map(nodes.map((node) => [node.metadata.name ?? "", routesTo(node)]));
  const all = [...wanted.values()].flat();
  const keyOf = ({ target, destination }: Route): string => JSON.stringify([target, canonical(destination)]);
  const [present, due] = [routes, all].map((some) => new Set(some.map(keyOf)));
  return {
    wanted,
    create: all.filter((route) => present?.has(keyOf(route)) !== true),
    remove: routes.filter((route) => isWithin(route, ranges) && due?.has(keyOf(route)) !== true),
  };
}

function routesTo({ metadata, spec }: SeenNode): readonly Route[] {
  const { podCIDRs = [], podCIDR = "" } = spec ?? {};
  const blocks = podCIDRs.length > 0 ? podCIDRs : podCIDR === "" ? [] : [podCIDR];
  const [target = "", id = ""] = [metadata.name, metadata.uid];
  return blocks.map((destination, at) => ({ name: at === 0 ? id : `${id}-${at}`, target, destination }));
}

function canonical(destination: string): string {
  const network = parseNetwork(destination);
  return network === undefined ? destination : formatNetwork(network);
}

function isWithin({ destination }: Route, ranges: readonly Network[]): boolean {
  const network = parseNetwork(destination);
  return ranges.some(
    ({ address, bits }) =>
      network?.address.length === address.length &&
      network.bits >= bits &&
      formatNetwork({ address: network.address, bits }) === formatNetwork({ address, bits }),
  );
}
