import type { ApiObject } from "@orch/client/objects.js";
import type { Meta } from "../rim/objects.js";
import type { SeenPod } from "../seen/pod.js";
import type { SeenService } from "../seen/service.js";

export type AddressType = "IPv4" | "IPv6";

export interface EndpointPort {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
}

export interface Endpoint {
  readonly addresses?: readonly string[];
  readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean };
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly targetRef?: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
  readonly hints?: { readonly forZones?: readonly { readonly name?: string }[] };
}

/** One without a name is to be made. */
export interface Slice extends ApiObject {
  readonly metadata: Meta;
  readonly addressType?: string;
  readonly endpoints?: readonly Endpoint[];
  readonly ports?: readonly EndpointPort[] | null;
}

/** What is to be done, in this order. */
export interface SliceChanges {
  readonly create: readonly Slice[];
  readonly update: readonly Slice[];
  readonly remove: readonly Slice[];
}

/** The slices of one family of a service: what changes, and what does not. */
export interface SlicePlan extends SliceChanges {
  readonly unchanged: readonly Slice[];
}

export interface NodePlace {
  /** "" where the node has none. */
  readonly zone: string;
}

/** A service and all that its slices are made from. */
export interface ServiceState {
  readonly service: SeenService;
  /** Those that the service selects. */
  readonly pods: readonly SeenPod[];
  /** Those that were made for it. */
  readonly slices: readonly Slice[];
  /** Undefined for a node that there is not. */
  readonly nodeOf: (name: string) => NodePlace | undefined;
}

export const endpointsOf = ({ endpoints }: Slice): readonly Endpoint[] => endpoints ?? [];

/** `ready` is false where it is not said: the controller says it always. */
export const isEndpointReady = ({ conditions }: Endpoint): boolean => conditions?.ready === true;
