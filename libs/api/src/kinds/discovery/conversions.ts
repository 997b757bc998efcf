import { type Conversions, conversion } from "../../conversion.js";
import type { Endpoint, EndpointSlice, OldEndpoint, OldEndpointSlice } from "./types.js";

interface TopologyKeys {
  readonly zone: string;
  readonly hostname: string;
}

/** `topology` of an endpoint became `nodeName`, `zone` and what is left (rules: Removed API versions by release). */
const endpointSlice = conversion<OldEndpointSlice, EndpointSlice>((naming) => {
  const keys = { zone: `topology.${naming.key("zone")}`, hostname: naming.key("hostname") };
  return {
    toHub: ({ endpoints, ...rest }) =>
      endpoints === undefined ? rest : { ...rest, endpoints: endpoints.map((e) => newEndpoint(e, keys)) },
    fromHub: ({ endpoints, ...rest }) =>
      endpoints === undefined ? rest : { ...rest, endpoints: endpoints.map((e) => oldEndpoint(e, keys)) },
  };
});

/** The hostname stays in the topology only where it is not the node's name. */
function newEndpoint({ topology, ...rest }: OldEndpoint, keys: TopologyKeys): Endpoint {
  if (topology === undefined) return rest;
  const { [keys.zone]: zone, [keys.hostname]: hostname, ...others } = topology;
  const deprecatedTopology =
    hostname === undefined || hostname === rest.nodeName ? others : { ...others, [keys.hostname]: hostname };
  return {
    ...rest,
    ...(zone === undefined ? {} : { zone }),
    ...(Object.keys(deprecatedTopology).length === 0 ? {} : { deprecatedTopology }),
  };
}

function oldEndpoint({ deprecatedTopology, zone, ...rest }: Endpoint, keys: TopologyKeys): OldEndpoint {
  const topology = {
    ...deprecatedTopology,
    ...(zone === undefined ? {} : { [keys.zone]: zone }),
    ...(rest.nodeName === undefined ? {} : { [keys.hostname]: rest.nodeName }),
  };
  return { ...rest, ...(Object.keys(topology).length === 0 ? {} : { topology }) };
}

export const discoveryConversions: Conversions = [["discovery/v1beta1.EndpointSlice", endpointSlice]];
