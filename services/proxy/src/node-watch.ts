import type { Naming } from "@orch/naming/naming.js";
import type { Family } from "./model/family.js";
import { addressesOf } from "./model/family.js";
import { detectionOf, type NodeState, nodePortsOf } from "./model/node.js";
import type { RawNode } from "./model/objects.js";
import type { Surroundings } from "./ruleset.js";
import type { ProxySettings } from "./settings.js";

/** What the proxy knows of its node. */
export interface NodeWatch {
  put(node: RawNode | undefined): void;
  /** What rules of a family depend on; undefined: it has to be waited for. */
  surroundings(family: Family): Surroundings | undefined;
  readonly zone: string;
  /** Whether traffic may be sent to the node. */
  readonly isEligible: boolean;
}

export interface NodeWatchDeps {
  readonly naming: Naming;
  /** Addresses of the machine's interfaces at this moment. */
  readonly interfaceAddresses: () => readonly string[];
}

/** A node that is about to be scaled away has it. */
const leavingTaint = "ToBeDeletedByClusterAutoscaler";

export function createNodeWatch({ config, nodePortAddresses }: ProxySettings, deps: NodeWatchDeps): NodeWatch {
  const zoneLabel = `topology.${deps.naming.key("zone")}`;
  let node: RawNode | undefined;
  const state = (): NodeState => {
    const { spec = {}, status = {} } = node ?? {};
    const byType = (type: string) => (status.addresses ?? []).filter((each) => each.type === type);
    return {
      addresses: [...byType("InternalIP"), ...byType("ExternalIP")].map(({ address }) => address),
      podNetworks: spec.podCIDRs ?? (spec.podCIDR === undefined ? [] : [spec.podCIDR]),
      interfaceAddresses: deps.interfaceAddresses(),
    };
  };
  return {
    put(next) {
      node = next;
    },
    surroundings(family) {
      const now = state();
      const detection = detectionOf(config, now, family);
      if (detection === undefined) return undefined;
      const [address] = addressesOf(now.addresses, family);
      return { detection, address, nodePorts: nodePortsOf(nodePortAddresses, now, family), serviceNetworks: [] };
    },
    get zone() {
      return node?.metadata.labels?.[zoneLabel] ?? "";
    },
    get isEligible() {
      const isLeaving = node?.spec?.taints?.some(({ key }) => key === leavingTaint) === true;
      return node?.metadata.deletionTimestamp === undefined && !isLeaving;
    },
  };
}
