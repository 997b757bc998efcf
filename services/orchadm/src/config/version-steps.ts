import type { Naming } from "@orch/naming/naming.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";

export interface Changed {
  readonly fields: JsonObject;
  /** What the version has no place for, for a person. */
  readonly lost: readonly string[];
}

/** v1beta2 → v1beta3, which has an image of its own for each component, and one kind of DNS. */
export function fromSecondBeta(kind: string, fields: JsonObject): Changed {
  if (kind !== "ClusterConfiguration") return { fields, lost: [] };
  const { useHyperKubeImage, ...rest } = fields;
  const { dns } = rest;
  const { type, ...plainDns } = isObject(dns) ? dns : {};
  return {
    fields: { ...rest, ...(isObject(dns) ? { dns: plainDns } : {}) },
    lost: [
      ...(useHyperKubeImage === true ? ["useHyperKubeImage is gone: each component has an image of its own"] : []),
      ...(type === undefined || type === "CoreDNS" ? [] : [`dns.type is gone: ${String(type)} becomes CoreDNS`]),
    ],
  };
}

/** v1beta3 → v1beta4, which has flags as lists, where one may stand twice, and all timeouts in one place. */
export function fromThirdBeta(kind: string, fields: JsonObject, naming: Naming): Changed {
  if (kind === "ClusterConfiguration") return withoutServerTimeout(listsOfCluster(fields));
  const registration = fields["nodeRegistration"];
  const listed = isObject(registration)
    ? { ...fields, nodeRegistration: withLists(registration, naming.configurationWord("agentExtraArgs")) }
    : fields;
  return { fields: kind === "JoinConfiguration" ? withDiscoveryTimeout(listed) : listed, lost: [] };
}

const components = ["apiServer", "controllerManager", "scheduler"];

function listsOfCluster(fields: JsonObject): JsonObject {
  const listed = components.flatMap((name): readonly (readonly [string, JsonObject])[] => {
    const component = fields[name];
    return isObject(component) ? [[name, withLists(component, "extraArgs")]] : [];
  });
  const etcd = fields["etcd"];
  const local = isObject(etcd) ? etcd["local"] : undefined;
  return {
    ...fields,
    ...Object.fromEntries(listed),
    ...(isObject(etcd) && isObject(local) ? { etcd: { ...etcd, local: withLists(local, "extraArgs") } } : {}),
  };
}

/** `{v: "4"}` → `[{name: v, value: "4"}]` */
function withLists(fields: JsonObject, name: string): JsonObject {
  const map = fields[name];
  if (!isObject(map)) return fields;
  return { ...fields, [name]: Object.entries(map).map(([flag, value]) => ({ name: flag, value })) };
}

const usualTimeout = "4m0s";

/** The place for it is in another document, which may be in another file. */
function withoutServerTimeout(fields: JsonObject): Changed {
  const { apiServer } = fields;
  if (!isObject(apiServer)) return { fields, lost: [] };
  const { timeoutForControlPlane: timeout, ...rest } = apiServer;
  const where = "timeouts.controlPlaneComponentHealthCheck of InitConfiguration or JoinConfiguration";
  const isUsual = timeout === undefined || timeout === usualTimeout;
  return {
    fields: { ...fields, apiServer: rest },
    lost: isUsual ? [] : [`apiServer.timeoutForControlPlane is gone: say ${JSON.stringify(timeout)} in ${where}`],
  };
}

function withDiscoveryTimeout(fields: JsonObject): JsonObject {
  const { discovery, timeouts } = fields;
  if (!isObject(discovery) || discovery["timeout"] === undefined) return fields;
  const { timeout, ...rest } = discovery;
  return { ...fields, discovery: rest, timeouts: { discovery: timeout, ...(isObject(timeouts) ? timeouts : {}) } };
}
