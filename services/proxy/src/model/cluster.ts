import { type BalancedPort, balance } from "./balance.js";
import { endpointsOf } from "./endpoints.js";
import type { Family } from "./family.js";
import type { RawService, RawSlice } from "./objects.js";
import { isProxied, servicePorts } from "./service-port.js";

export interface ClusterOptions {
  /** Of the node, as slices name it. */
  readonly hostname: string;
  readonly families: readonly Family[];
}

/** A service after a change, with its ports by family; no ports: it has no rules. */
export interface ChangedService {
  /** `namespace/name`. */
  readonly service: string;
  readonly ports: Readonly<Record<Family, readonly BalancedPort[]>>;
}

/** How many endpoints of a service are on this node, for who balances in front of nodes. */
export interface HealthCheck {
  readonly service: string;
  readonly nodePort: number;
  readonly localEndpoints: number;
}

/** Services and their slices as they were last seen, and which of them have changed since somebody asked. */
export interface Cluster {
  /** `key`: `namespace/name`; undefined: it is gone. */
  service(key: string, service: RawService | undefined): void;
  /** `of`: the service that it is of, `namespace/name`; undefined: it is of none. */
  slice(key: string, of: string | undefined, slice: RawSlice | undefined): void;
  /** The node's zone; "": it has none. */
  zone(zone: string): void;
  /** Whether {@link take} has anything to give. */
  readonly hasChanges: boolean;
  /** What has changed since the last call, sorted by name. */
  take(): readonly ChangedService[];
  healthChecks(): readonly HealthCheck[];
}

export function createCluster({ hostname, families }: ClusterOptions): Cluster {
  const services = new Map<string, RawService>();
  /** By service, then by the slice's key. */
  const slices = new Map<string, Map<string, RawSlice>>();
  const owners = new Map<string, string>();
  const changed = new Set<string>();
  const checks = new Map<string, HealthCheck>();
  let zone = "";

  const portsOf = (key: string, family: Family): readonly BalancedPort[] => {
    const service = services.get(key);
    if (service === undefined || !families.includes(family)) return [];
    const own = slices.get(key)?.values() ?? [];
    const known = [...own];
    return servicePorts(service, family).map((port) =>
      balance(port, endpointsOf(known, port, { family, hostname }), zone),
    );
  };
  const forget = (key: string): void => {
    const owner = owners.get(key);
    if (owner === undefined) return;
    owners.delete(key);
    const own = slices.get(owner);
    if (own?.delete(key) === true && own.size === 0) slices.delete(owner);
    changed.add(owner);
  };
  const noteCheck = ({ service, ports }: ChangedService): void => {
    checks.delete(service);
    const all = [...ports.IPv4, ...ports.IPv6];
    const nodePort = all[0]?.port.healthCheckNodePort ?? 0;
    if (nodePort === 0) return;
    // Pods, not their ports and families: one with two ports is one.
    const counts = (["IPv4", "IPv6"] as const).map(
      (family) => new Set(ports[family].flatMap(({ local }) => local.map(({ address }) => address))).size,
    );
    checks.set(service, { service, nodePort, localEndpoints: Math.max(...counts) });
  };

  return {
    service(key, service) {
      changed.add(key);
      if (service === undefined || !isProxied(service)) services.delete(key);
      else services.set(key, service);
    },
    slice(key, of, slice) {
      if (owners.get(key) !== of || slice === undefined) forget(key);
      if (of === undefined || slice === undefined) return;
      owners.set(key, of);
      const own = slices.get(of);
      if (own === undefined) slices.set(of, new Map([[key, slice]]));
      else own.set(key, slice);
      changed.add(of);
    },
    zone(next) {
      if (next === zone) return;
      zone = next;
      for (const key of services.keys()) changed.add(key);
    },
    get hasChanges() {
      return changed.size > 0;
    },
    take() {
      const keys = [...changed].sort();
      changed.clear();
      return keys.map((service) => {
        const taken = { service, ports: { IPv4: portsOf(service, "IPv4"), IPv6: portsOf(service, "IPv6") } };
        noteCheck(taken);
        return taken;
      });
    },
    healthChecks: () => [...checks.values()],
  };
}
