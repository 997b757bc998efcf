import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import type { ServiceEndpoints, ServiceObjects, ServiceState } from "@orch/outbound/service-addresses.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { getFrom, listFrom } from "./caller-source.js";

/** What Services and the objects behind them say, read from objects as they stand in the cluster. */

export function serviceStateOf(object: AnyObject): ServiceState {
  return {
    type: typeOf(valueAt(object, "spec.type")),
    clusterIP: String(valueAt(object, "spec.clusterIP") ?? ""),
    externalName: String(valueAt(object, "spec.externalName") ?? ""),
    ports: listIn(valueAt(object, "spec.ports")).map(({ name = "", port = 0 }) => ({
      name: String(name),
      port: Number(port),
    })),
  };
}

function typeOf(value: unknown): ServiceState["type"] {
  return value === "ExternalName" || value === "NodePort" || value === "LoadBalancer" ? value : "ClusterIP";
}

/** Those of an Endpoints object that are ready, by the ports of each subset. */
export function endpointsOfSubsets(object: AnyObject): readonly ServiceEndpoints[] {
  return listIn(valueAt(object, "subsets")).map((subset) => ({
    addresses: listIn(subset["addresses"]).map(({ ip }) => String(ip)),
    ports: portsOf(subset["ports"]),
  }));
}

/** Those of an EndpointSlice: whoever is not said to be unready is ready. */
export function endpointsOfSlice(object: AnyObject): ServiceEndpoints {
  const ready = listIn(valueAt(object, "endpoints")).filter(
    ({ conditions }) => !isRecord(conditions) || conditions["ready"] !== false,
  );
  return {
    addresses: ready.flatMap(({ addresses }) => (Array.isArray(addresses) ? addresses.map(String) : [])),
    ports: portsOf(object["ports"]),
  };
}

/** A port that is not told stands for none. */
function portsOf(ports: unknown): ReadonlyMap<string, number> {
  return new Map(
    listIn(ports).flatMap(({ name = "", port }) => (port === undefined ? [] : [[String(name), Number(port)] as const])),
  );
}

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields => value instanceof Object && !Array.isArray(value);
const listIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);

export interface AskedServicesDeps {
  /** The watch caches that answer for a group. */
  readonly caches: (group: string) => Caller;
  readonly naming: Naming;
}

const askMs = 5_000;

/** Services and their EndpointSlices as the watch caches have them, a moment behind the store; asked each time. */
export function askedServices({ caches, naming }: AskedServicesDeps): ServiceObjects {
  const group = naming.group("discovery");
  return {
    async service(namespace, name) {
      const collection = { group: "", version: "v1", resource: "services", namespace };
      const found = await getFrom(caches(""), collection, name);
      return found && serviceStateOf(found);
    },
    async endpoints(namespace, name) {
      const collection = { group, version: "v1", resource: "endpointslices", namespace };
      const labelSelector = `${naming.key("service-name")}=${name}`;
      const slices = await listFrom(caches(group), { ...collection, labelSelector }, { deadlineMs: askMs });
      return slices.map(endpointsOfSlice);
    },
  };
}
