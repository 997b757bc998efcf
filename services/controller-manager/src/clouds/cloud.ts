import type { SeenNode } from "../seen/node.js";
import type { LoadBalancers } from "./load-balancers.js";

/** What a provider of machines can do: whatever it lacks, the controllers that need it do not run. */
export interface Cloud {
  /** `simulated`: before `://` in the ids of its instances. */
  readonly name: string;
  readonly instances?: Instances;
  readonly zones?: Zones;
  readonly balancers?: LoadBalancers;
  readonly routes?: Routes;
}

/** The machines of a cloud, each known by the node that it is. Nothing of them is changed. */
export interface Instances {
  /** @throws Error where that cannot be told now: nobody takes a node for gone then */
  exists(node: SeenNode, signal: AbortSignal): Promise<boolean>;
  /** Whether it is there and does not run. @throws Error where it is not there, or that cannot be told now */
  isShutDown(node: SeenNode, signal: AbortSignal): Promise<boolean>;
  /** @throws Error where it is not there, or that cannot be told now */
  describe(node: SeenNode, signal: AbortSignal): Promise<Instance>;
}

export interface Instance {
  /** `simulated://node-1`: the same for as long as the machine is. */
  readonly providerId: string;
  /** Empty where the cloud has no types. */
  readonly type: string;
  readonly addresses: readonly NodeAddress[];
  /** What else nodes are to be labelled with. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface NodeAddress {
  /** `InternalIP`, `ExternalIP`, `Hostname`, `InternalDNS`, `ExternalDNS`. */
  readonly type: string;
  readonly address: string;
}

/** Where the machines of a cloud stand. */
export interface Zones {
  /** @throws Error where the machine is not there, or that cannot be told now */
  zoneOf(node: SeenNode, signal: AbortSignal): Promise<Zone>;
}

/** Empty texts where the cloud has none. */
export interface Zone {
  readonly zone: string;
  readonly region: string;
}

/** The ways of a cloud's network to the pods of nodes. */
export interface Routes {
  list(signal: AbortSignal): Promise<readonly Route[]>;
  /** Once more is as once. @throws Error where there is none afterwards */
  create(route: Route, signal: AbortSignal): Promise<void>;
  /** Nothing where there is none of this name. */
  remove(route: Route, signal: AbortSignal): Promise<void>;
}

export interface Route {
  /** Tells it from all others. */
  readonly name: string;
  /** A node's name. */
  readonly target: string;
  /** `10.244.1.0/24`. */
  readonly destination: string;
}
