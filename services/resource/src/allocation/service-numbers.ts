import {
  checksHealth,
  hasAddress,
  hasNodePorts,
  type ServicePort,
  type ServiceSpec,
} from "@orch/api/kinds/core/service/service-spec.js";
import { internalError, invalid } from "@orch/status/api-error.js";
import { fieldError } from "@orch/status/field-error.js";
import { addressUse, type Use } from "./claims.js";
import type { Pool, Pools } from "./pools.js";
import type { Refusal, Takings } from "./takings.js";

const serviceKind = { group: "", kind: "Service" } as const;

/** Every number that a service has. */
export function usesOf(spec: ServiceSpec): readonly Use[] {
  return [...addressesOf(spec).flatMap((text) => addressUse(text) ?? []), ...portsOf(spec).map(portUse)];
}

const portUse = (port: number): Use => ({ pool: "node-ports", text: String(port) });

function addressesOf(spec: ServiceSpec): readonly string[] {
  if (!hasAddress(spec)) return [];
  const { clusterIP, clusterIPs = clusterIP === undefined ? [] : [clusterIP] } = spec;
  return clusterIPs.filter((text) => text !== "None");
}

function portsOf(spec: ServiceSpec): readonly number[] {
  const health = checksHealth(spec) && spec.healthCheckNodePort !== undefined ? [spec.healthCheckNodePort] : [];
  return [...(hasNodePorts(spec) ? nodePortsOf(spec) : []), ...health];
}

function nodePortsOf({ ports = [] }: ServiceSpec): readonly number[] {
  return ports.flatMap(({ nodePort }) => (nodePort === undefined ? [] : [nodePort]));
}

/** What numbers are taken for: a service, its state before this write, and where from. */
export interface Numbering {
  readonly name: string;
  readonly old: ServiceSpec | undefined;
  readonly pools: Pools;
  readonly takings: Takings;
}

/** The spec with every number that it needs taken. @throws ApiError Invalid, InternalError when a range is used up */
export async function numbered(spec: ServiceSpec, numbering: Numbering): Promise<ServiceSpec> {
  const addressed = await withAddresses(spec, numbering);
  const ported = await withNodePorts(addressed, numbering);
  return withHealthPort(ported, numbering);
}

/** One of each family; those that it has stay. */
async function withAddresses(spec: ServiceSpec, { name, old, pools, takings }: Numbering): Promise<ServiceSpec> {
  const { clusterIPs: given = [], ipFamilies = [] } = spec;
  if (!hasAddress(spec) || given[0] === "None") return spec;
  const own = new Set(old === undefined ? [] : addressesOf(old));
  const clusterIPs = [...given, ...ipFamilies.slice(given.length).map(() => "")];
  for (const [i, family] of ipFamilies.entries()) {
    const asked = clusterIPs[i] ?? "";
    if (own.has(asked) || !pools.families.includes(family)) continue;
    const ranges = pools.ofFamily(family);
    if (asked === "") {
      clusterIPs[i] = await anyOf(takings, ranges, "failed to allocate a serviceIP");
      continue;
    }
    const refusal = await takings.take(ranges, asked);
    if (refusal === undefined) continue;
    const detail = `failed to allocate IP ${asked}: ${addressRefusal(refusal, asked, pools.areObjects ? undefined : ranges[0])}`;
    throw invalid(serviceKind, name, [fieldError.invalid("spec.clusterIPs", clusterIPs, detail)]);
  }
  const [first] = clusterIPs;
  return first === undefined ? spec : { ...spec, clusterIP: first, clusterIPs };
}

/** `of`: the only range that there is; undefined where ranges are objects. */
function addressRefusal(refusal: Refusal, address: string, of: Pool | undefined): string {
  if (refusal === "allocated") return "provided IP is already allocated";
  if (of === undefined) return "the provided network does not match the current range";
  return `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${of.range}`;
}

function portRefusal(refusal: Refusal, { range }: Pool): string {
  return refusal === "allocated"
    ? "provided port is already allocated"
    : `provided port is not in the valid range. The range of valid ports is ${range}`;
}

/** @throws ApiError InternalError: neither the field is wrong nor the server, so the text is for the client */
async function anyOf(takings: Takings, pools: readonly Pool[], failure: string): Promise<string> {
  const text = await takings.takeAny(pools);
  if (text === undefined) throw internalError(`${failure}: range is full`);
  return text;
}

async function withNodePorts(spec: ServiceSpec, numbering: Numbering): Promise<ServiceSpec> {
  if (!hasNodePorts(spec) || spec.ports === undefined) return spec;
  const ports = numbering.old === undefined ? newPorts(spec, numbering) : changedPorts(spec, numbering.old, numbering);
  return { ...spec, ports: await ports };
}

function givesNodePorts(spec: ServiceSpec): boolean {
  return spec.type === "NodePort" || spec.allocateLoadBalancerNodePorts !== false;
}

/** Ports of a new service that share their number (TCP and UDP of one port) share a node port, too. */
async function newPorts(spec: ServiceSpec, numbering: Numbering): Promise<readonly ServicePort[]> {
  const { ports = [] } = spec;
  const asking = new Map<number, number>();
  for (const { port, nodePort } of ports) if (nodePort !== undefined && !asking.has(port)) asking.set(port, nodePort);
  const byPort = new Map<number, number>();
  const filled: ServicePort[] = [];
  for (const [i, port] of ports.entries()) {
    if (port.nodePort === undefined && !givesNodePorts(spec)) {
      filled.push(port);
      continue;
    }
    const shared = byPort.get(port.port);
    const asked = port.nodePort ?? shared ?? asking.get(port.port);
    const nodePort = asked !== undefined && asked === shared ? asked : await takePort(asked, i, numbering);
    if (shared === undefined) byPort.set(port.port, nodePort);
    filled.push({ ...port, nodePort });
  }
  return filled;
}

/** Ports that the service has stay; one that is asked for twice is taken once. */
async function changedPorts(
  spec: ServiceSpec,
  old: ServiceSpec,
  numbering: Numbering,
): Promise<readonly ServicePort[]> {
  const own = new Set(hasNodePorts(old) ? nodePortsOf(old) : []);
  const filled: ServicePort[] = [];
  for (const [i, port] of (spec.ports ?? []).entries()) {
    const asked = port.nodePort;
    if (asked === undefined ? !givesNodePorts(spec) : own.has(asked)) {
      filled.push(port);
      continue;
    }
    const nodePort = await takePort(asked, i, numbering);
    own.add(nodePort);
    filled.push({ ...port, nodePort });
  }
  return filled;
}

async function takePort(asked: number | undefined, i: number, { name, pools, takings }: Numbering): Promise<number> {
  const pool = pools.nodePorts;
  if (asked === undefined) return Number(await anyOf(takings, [pool], "failed to allocate a nodePort"));
  const refusal = await takings.take([pool], String(asked));
  if (refusal === undefined) return asked;
  const error = fieldError.invalid(`spec.ports[${i}].nodePort`, asked, portRefusal(refusal, pool));
  throw invalid(serviceKind, name, [error]);
}

async function withHealthPort(spec: ServiceSpec, { old, pools, takings }: Numbering): Promise<ServiceSpec> {
  const { healthCheckNodePort: asked } = spec;
  if (!checksHealth(spec)) return spec;
  if (old !== undefined && checksHealth(old) && asked !== undefined) return spec;
  const pool = pools.nodePorts;
  if (asked === undefined) {
    const any = await anyOf(takings, [pool], "failed to allocate a HealthCheck NodePort 0");
    return { ...spec, healthCheckNodePort: Number(any) };
  }
  const refusal = await takings.take([pool], String(asked));
  if (refusal === undefined) return spec;
  throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${portRefusal(refusal, pool)}`);
}
