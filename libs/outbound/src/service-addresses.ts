import type { ServiceReference } from "./destination.js";
import type { HostPort } from "./dial.js";

/** What a Service says of where it is reached. */
export interface ServiceState {
  readonly type: "ClusterIP" | "NodePort" | "LoadBalancer" | "ExternalName";
  /** "" or "None" where it has none. */
  readonly clusterIP: string;
  readonly externalName: string;
  readonly ports: readonly ServicePort[];
}

export interface ServicePort {
  readonly name: string;
  readonly port: number;
}

/** Those behind a Service that are ready, and where each of them serves the port of a name. */
export interface ServiceEndpoints {
  readonly addresses: readonly string[];
  readonly ports: ReadonlyMap<string, number>;
}

/** The objects that addresses come from, as they stand in the cluster. */
export interface ServiceObjects {
  /** Undefined where there is none. @throws ApiError where nobody can be asked */
  service(namespace: string, name: string): Promise<ServiceState | undefined>;
  endpoints(namespace: string, name: string): Promise<readonly ServiceEndpoints[]>;
}

/** Where a Service is reached now. @throws Error that says why it is not */
export type ResolveService = (service: ServiceReference) => Promise<HostPort>;

export interface ServiceAddressOptions {
  /** In [0, 1): which of several endpoints is taken. */
  readonly random: () => number;
  /**
   * `endpoints`: one that is ready, else the cluster address, which nobody answers where no proxy runs. `clusterAddress`:
   * that alone, as the reference does without `--enable-aggregator-routing`.
   */
  readonly prefer: "endpoints" | "clusterAddress";
}

/** Resolves Services by what the cluster says of them at that moment. */
export function createServiceAddresses(
  objects: ServiceObjects,
  { random, prefer }: ServiceAddressOptions,
): ResolveService {
  return async ({ namespace, name, port }) => {
    const service = await objects.service(namespace, name);
    if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
    if (service.type === "ExternalName") return { host: service.externalName, port };
    const found = service.ports.find((one) => one.port === port);
    if (found === undefined) {
      throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
    }
    if (prefer === "endpoints") {
      const choices = addressesOf(await objects.endpoints(namespace, name), found);
      const chosen = choices[Math.floor(random() * choices.length)];
      if (chosen !== undefined) return chosen;
    }
    if (service.clusterIP === "" || service.clusterIP === "None") {
      throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
    }
    return { host: service.clusterIP, port };
  };
}

function addressesOf(all: readonly ServiceEndpoints[], { name }: ServicePort): readonly HostPort[] {
  return all.flatMap(({ addresses, ports }) => {
    const port = ports.get(name);
    return port === undefined ? [] : addresses.map((host) => ({ host, port }));
  });
}
