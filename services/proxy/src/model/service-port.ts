import { addressesOf, type Family, networksOf } from "./family.js";
import type { RawService, RawServicePort } from "./objects.js";

export const protocols = ["tcp", "udp", "sctp"] as const;
export type Protocol = (typeof protocols)[number];
export type Policy = "Cluster" | "Local";

/** A port of a service, in one address family: all that rules depend on beside its endpoints. */
export interface ServicePort {
  /** One of a family: `ns1/svc1/tcp/p80`. */
  readonly key: string;
  /** What people know it by: `ns1/svc1:p80`, without the colon where the port has no name. */
  readonly text: string;
  /** `ns1/svc1`. */
  readonly service: string;
  readonly portName: string;
  readonly protocol: Protocol;
  readonly clusterIp: string;
  readonly port: number;
  /** 0: none. */
  readonly nodePort: number;
  readonly externalIps: readonly string[];
  readonly loadBalancerIps: readonly string[];
  /** Empty: everybody may reach the addresses of the load balancer. */
  readonly sourceRanges: readonly string[];
  /** For how long a client stays with its endpoint; undefined: each connection goes where it goes. */
  readonly affinitySeconds: number | undefined;
  readonly internalPolicy: Policy;
  readonly externalPolicy: Policy;
  /** 0: none. */
  readonly healthCheckNodePort: number;
}

const defaultAffinitySeconds = 10_800;

/** Names and ports of names go into rules as they are. */
const isPlainName = (text: string): boolean => /^[a-z0-9.-]{0,253}$/.test(text);
const isPort = (port: number | undefined): port is number =>
  port !== undefined && Number.isInteger(port) && port > 0 && port <= 65_535;

/** Whether the proxy has anything to do with it: a service without an address of its own has no rules. */
export const isProxied = ({ spec = {} }: RawService): boolean =>
  spec.type !== "ExternalName" && !["", "None"].includes(spec.clusterIP ?? spec.clusterIPs?.[0] ?? "");

/** A service's ports of one family, by `key`; none where the service has no address of the family. */
export function servicePorts(service: RawService, family: Family): readonly ServicePort[] {
  const { metadata, spec = {}, status = {} } = service;
  const { name = "", namespace = "" } = metadata;
  if (!isProxied(service) || !isPlainName(name) || !isPlainName(namespace)) return [];
  const [clusterIp] = addressesOf(spec.clusterIPs ?? [spec.clusterIP ?? ""], family);
  if (clusterIp === undefined) return [];
  const isExternal = spec.type === "NodePort" || spec.type === "LoadBalancer";
  const ingress = spec.type === "LoadBalancer" ? (status.loadBalancer?.ingress ?? []) : [];
  const vips = ingress.filter(({ ipMode }) => ipMode !== "Proxy").map(({ ip = "" }) => ip);
  const affinity = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? defaultAffinitySeconds;
  const shared = {
    service: `${namespace}/${name}`,
    clusterIp,
    externalIps: addressesOf(spec.externalIPs ?? [], family),
    loadBalancerIps: addressesOf(vips, family),
    sourceRanges: networksOf(spec.loadBalancerSourceRanges ?? [], family),
    affinitySeconds: spec.sessionAffinity === "ClientIP" ? affinity : undefined,
    internalPolicy: policyOf(spec.internalTrafficPolicy),
    externalPolicy: policyOf(spec.externalTrafficPolicy),
  };
  const healthCheckNodePort = shared.externalPolicy === "Local" ? (spec.healthCheckNodePort ?? 0) : 0;
  return (spec.ports ?? []).flatMap((port) => {
    const own = ownOf(port, shared.service);
    if (own === undefined) return [];
    return {
      ...shared,
      ...own,
      nodePort: isExternal && isPort(port.nodePort) ? port.nodePort : 0,
      healthCheckNodePort,
    };
  });
}

function ownOf({ name = "", protocol = "TCP", port }: RawServicePort, service: string) {
  const known = protocols.find((each) => each === protocol.toLowerCase());
  if (known === undefined || !isPort(port) || !isPlainName(name)) return undefined;
  const text = name === "" ? service : `${service}:${name}`;
  return { key: `${service}/${known}/${name}`, text, portName: name, protocol: known, port };
}

const policyOf = (text: string | undefined): Policy => (text === "Local" ? "Local" : "Cluster");

/** Whether anybody outside of the cluster may reach it. */
export const isExternallyAccessible = (port: ServicePort): boolean =>
  port.nodePort !== 0 || port.loadBalancerIps.length > 0 || port.externalIps.length > 0;

/** Local external traffic needs the endpoints of the cluster, too: pods and the node itself are let through to all of them. */
export const usesClusterEndpoints = (port: ServicePort): boolean =>
  port.internalPolicy === "Cluster" || isExternallyAccessible(port);

export const usesLocalEndpoints = (port: ServicePort): boolean =>
  port.internalPolicy === "Local" || (port.externalPolicy === "Local" && isExternallyAccessible(port));
