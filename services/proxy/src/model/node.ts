import type { ProxyConfiguration } from "@orch/component-config/proxy/proxy-shape.js";
import type { Detection } from "./detection.js";
import { addressesOf, type Family, isWithin, networksOf } from "./family.js";

/** What rules depend on beside services. */
export interface NodeFacts {
  readonly detection: Detection;
  /** Where node ports are taken: every address of the node, or these. */
  readonly nodePorts: "all" | readonly string[];
  /** The node's own address. */
  readonly address: string | undefined;
}

export interface NodeState {
  /** Of the Node object, the first of a family is its own. */
  readonly addresses: readonly string[];
  readonly podNetworks: readonly string[];
  /** Of the machine's interfaces. */
  readonly interfaceAddresses: readonly string[];
}

type Detecting = Pick<ProxyConfiguration, "detectLocalMode" | "detectLocal" | "clusterCIDR">;

/** Undefined: it has to be waited for, the node has no network for pods yet. */
export function detectionOf(config: Detecting, node: NodeState, family: Family): Detection | undefined {
  const { bridgeInterface, interfaceNamePrefix } = config.detectLocal;
  switch (config.detectLocalMode) {
    case "BridgeInterface":
      return { by: "interface", name: bridgeInterface, isPrefix: false };
    case "InterfaceNamePrefix":
      return { by: "interface", name: interfaceNamePrefix, isPrefix: true };
    case "NodeCIDR":
      return node.podNetworks.length === 0 ? undefined : ofSource(node.podNetworks, family);
    default:
      return ofSource(config.clusterCIDR.split(","), family);
  }
}

function ofSource(networks: readonly string[], family: Family): Detection {
  const [network] = networksOf(networks, family);
  return network === undefined ? { by: "nothing" } : { by: "source", network };
}

/** `addresses`: of the configuration, networks or `primary`; with none of them node ports are taken at every address. */
export function nodePortsOf(configured: readonly string[], node: NodeState, family: Family): NodeFacts["nodePorts"] {
  if (configured.length === 0) return "all";
  if (configured.includes("primary")) return addressesOf(node.addresses, family).slice(0, 1);
  const networks = networksOf(configured, family);
  if (networks.some((network) => network.endsWith("/0"))) return "all";
  return [...addressesOf(node.interfaceAddresses, family)].filter((address) => isWithin(address, networks)).sort();
}
