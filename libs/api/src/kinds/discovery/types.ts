import type { ApiObject } from "../../object.js";

export interface Endpoint {
  readonly addresses?: readonly string[];
  readonly deprecatedTopology?: Readonly<Record<string, string>>;
  readonly nodeName?: string;
  readonly hostname?: string;
  readonly zone?: string;
}

interface EndpointPort {
  readonly appProtocol?: string;
}

export interface EndpointSlice extends ApiObject {
  readonly addressType?: string;
  readonly endpoints?: readonly Endpoint[];
  readonly ports?: readonly EndpointPort[];
}

/** In `v1beta1`: the zone stands in the topology, and the node there too. */
export interface OldEndpoint {
  readonly topology?: Readonly<Record<string, string>>;
  readonly nodeName?: string;
}

export interface OldEndpointSlice extends ApiObject {
  readonly endpoints?: readonly OldEndpoint[];
}
