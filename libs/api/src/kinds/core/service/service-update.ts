import { sameList, withFamilies } from "./service-families.js";
import {
  checksHealth,
  hasAddress,
  hasNodePorts,
  isExternal,
  type ServicePort,
  type ServiceSpec,
} from "./service-spec.js";

/**
 * The new state of a service next to its old one: a client that leaves out what the server allocated keeps it; what
 * belonged to the old type goes with it, unless the client changed it, too.
 */
export function updatedSpec(
  given: ServiceSpec,
  old: ServiceSpec,
  clusterFamilies: readonly string[] | undefined,
): ServiceSpec {
  const kept = { ...given, ...keptAddresses(given, old), ...keptPorts(given, old), ...keptHealthPort(given, old) };
  return withoutOldType(withFamilies(withAddressList(kept, old), old, clusterFamilies), old);
}

function keptAddresses(spec: ServiceSpec, old: ServiceSpec): Partial<ServiceSpec> {
  if (!hasAddress(spec) || !hasAddress(old) || old.clusterIP === undefined) return {};
  const clusterIP = spec.clusterIP ?? old.clusterIP;
  const unlisted = spec.clusterIPs === undefined && clusterIP === old.clusterIP && old.clusterIPs !== undefined;
  return { clusterIP, ...(unlisted ? { clusterIPs: old.clusterIPs } : {}) };
}

/** By the ports' names; a number that another port of the new state has is not given back. */
function keptPorts(spec: ServiceSpec, old: ServiceSpec): Partial<ServiceSpec> {
  if (!hasNodePorts(spec) || !hasNodePorts(old) || spec.ports === undefined) return {};
  const given = nodePortsOf(spec);
  const used = new Set([...nodePortsOf(old)].filter((port) => given.has(port)));
  const allocated = new Map((old.ports ?? []).map(({ name = "", nodePort }) => [name, nodePort]));
  const keep = (port: ServicePort): ServicePort => {
    const before = allocated.get(port.name ?? "");
    if (port.nodePort !== undefined || before === undefined || used.has(before)) return port;
    used.add(before);
    return { ...port, nodePort: before };
  };
  return { ports: spec.ports.map(keep) };
}

function keptHealthPort(spec: ServiceSpec, old: ServiceSpec): Partial<ServiceSpec> {
  if (!checksHealth(spec) || !checksHealth(old)) return {};
  const healthCheckNodePort = spec.healthCheckNodePort ?? old.healthCheckNodePort;
  return healthCheckNodePort === undefined ? {} : { healthCheckNodePort };
}

/** Clients that know one address only say it in `clusterIP`: then `clusterIPs` follows. */
export function withAddressList(spec: ServiceSpec, old?: ServiceSpec): ServiceSpec {
  const { clusterIP, clusterIPs } = spec;
  if (clusterIP === undefined) return spec;
  const changed = old !== undefined && old.clusterIP !== clusterIP;
  const follows = clusterIPs === undefined || (changed && sameList(clusterIPs, old.clusterIPs));
  return follows ? { ...spec, clusterIPs: [clusterIP] } : spec;
}

const isBalanced = ({ type }: ServiceSpec): boolean => type === "LoadBalancer";

/** Fields that go when nothing needs them any more. */
const dependent: readonly (readonly [field: keyof ServiceSpec, needs: (spec: ServiceSpec) => boolean])[] = [
  ["clusterIP", hasAddress],
  ["clusterIPs", hasAddress],
  ["ipFamilies", hasAddress],
  ["ipFamilyPolicy", hasAddress],
  ["healthCheckNodePort", checksHealth],
  ["allocateLoadBalancerNodePorts", isBalanced],
  ["loadBalancerClass", isBalanced],
  ["externalTrafficPolicy", isExternal],
];

function withoutOldType(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  const idle = dependent.filter(
    ([field, needs]) => needs(old) && !needs(spec) && JSON.stringify(spec[field]) === JSON.stringify(old[field]),
  );
  const names = new Set<string>(idle.map(([field]) => field));
  const rest = names.size === 0 ? spec : Object.fromEntries(Object.entries(spec).filter(([name]) => !names.has(name)));
  const leavesPorts = hasNodePorts(old) && !hasNodePorts(spec) && samePorts(nodePortsOf(spec), nodePortsOf(old));
  if (!leavesPorts || spec.ports === undefined) return rest;
  return { ...rest, ports: spec.ports.map(({ nodePort: _left, ...port }) => port) };
}

function nodePortsOf({ ports = [] }: ServiceSpec): ReadonlySet<number> {
  return new Set(ports.flatMap(({ nodePort }) => (nodePort === undefined ? [] : [nodePort])));
}

const samePorts = (a: ReadonlySet<number>, b: ReadonlySet<number>): boolean =>
  a.size === b.size && [...a].every((port) => b.has(port));
