import type { RawEndpoint, RawService, RawSlice } from "../model/objects.js";

type Spec = NonNullable<RawService["spec"]>;

/** `ns1/svc1` of 172.30.0.41 with the port p80. */
export function service(key: string, spec: Spec = {}, status: RawService["status"] = {}): RawService {
  const [namespace = "", name = ""] = key.split("/");
  const clusterIPs = spec.clusterIPs ?? [spec.clusterIP ?? "172.30.0.41"];
  return {
    metadata: { namespace, name },
    spec: {
      type: "ClusterIP",
      ports: [{ name: "p80", protocol: "TCP", port: 80 }],
      ...spec,
      clusterIP: clusterIPs[0] ?? "",
      clusterIPs,
    },
    status,
  };
}

/** What is said of an endpoint beside its address: `here` is on this node. */
export interface Said {
  readonly here?: boolean;
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
  readonly zones?: readonly string[];
}

export function endpoint(address: string, { here = false, zones, ...conditions }: Said = {}): RawEndpoint {
  return {
    addresses: [address],
    conditions,
    nodeName: here ? "here" : "there",
    ...(zones === undefined ? {} : { hints: { forZones: zones.map((name) => ({ name })) } }),
  };
}

/** A slice for the port p80. */
export function slice(endpoints: readonly RawEndpoint[], parts: Partial<RawSlice> = {}): RawSlice {
  return {
    metadata: { namespace: "ns1", name: "slice" },
    addressType: "IPv4",
    endpoints,
    ports: [{ name: "p80", protocol: "TCP", port: 80 }],
    ...parts,
  };
}
