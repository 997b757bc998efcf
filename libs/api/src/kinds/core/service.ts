import { parseAddress } from "@orch/schema/formats/ip.js";
import { behavior } from "../../behavior.js";
import { validateFamilyPolicy } from "./service-addresses.js";
import { isExternal, type Service, type ServiceSpec } from "./service-spec.js";
import { defaultModes, validateServiceStatus, withoutBalancer } from "./service-status.js";
import { validateService, validateServiceUpdate } from "./service-validation.js";

const affinitySeconds = 10_800;

export const service = behavior<Service>((naming) => ({
  setDefaults: (object) => defaultModes({ ...object, spec: defaultSpec(object.spec ?? {}) }),
  prepareForCreate: (object) => ({ ...object, spec: withFamilies(object.spec ?? {}) }),
  prepareForUpdate: (object, old) =>
    withoutBalancer({ ...object, spec: withFamilies(keepAllocated(object.spec ?? {}, old.spec ?? {})) }),
  validate: (object) => validateService(object, naming),
  validateCreate: (object) => validateFamilyPolicy(object.spec ?? {}),
  validateUpdate: (object, old) => validateServiceUpdate(object.spec ?? {}, old.spec ?? {}),
  parts: { status: { validate: validateServiceStatus } },
}));

function defaultSpec(given: ServiceSpec): ServiceSpec {
  const { sessionAffinityConfig: affinity, ...rest } = given;
  const spec = { ...rest, ...withBothAddresses(given) };
  const byType = {
    ...(isExternal(spec) ? { externalTrafficPolicy: spec.externalTrafficPolicy ?? "Cluster" } : {}),
    ...(spec.type === "ExternalName" ? {} : { internalTrafficPolicy: spec.internalTrafficPolicy ?? "Cluster" }),
    ...(spec.type === "LoadBalancer"
      ? { allocateLoadBalancerNodePorts: spec.allocateLoadBalancerNodePorts ?? true }
      : {}),
  };
  const ports = spec.ports?.map((p) => (p.targetPort === undefined ? { ...p, targetPort: p.port } : p));
  const clientIP = { timeoutSeconds: affinity?.clientIP?.timeoutSeconds ?? affinitySeconds };
  return {
    ...spec,
    ...byType,
    ...(ports === undefined ? {} : { ports }),
    ...(spec.sessionAffinity === "ClientIP" ? { sessionAffinityConfig: { clientIP } } : {}),
  };
}

/** `clusterIP` is the first of `clusterIPs`, given either way. */
function withBothAddresses({ clusterIP, clusterIPs = [] }: ServiceSpec): Partial<ServiceSpec> {
  const [first] = clusterIPs;
  if (clusterIP !== undefined && first === undefined) return { clusterIPs: [clusterIP] };
  return clusterIP === undefined && first !== undefined ? { clusterIP: first } : {};
}

/** One family, the given address's or IPv4, until addresses are allocated. */
function withFamilies(spec: ServiceSpec): ServiceSpec {
  if (spec.type === "ExternalName") return spec;
  const address = parseAddress(spec.clusterIP ?? "");
  const headless = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  return {
    ...spec,
    ipFamilyPolicy: spec.ipFamilyPolicy ?? (headless ? "RequireDualStack" : "SingleStack"),
    ipFamilies: spec.ipFamilies ?? [address?.length === 16 ? "IPv6" : "IPv4"],
  };
}

/** A PUT that leaves out what the server allocated keeps it; what belonged to the old type goes with it. */
function keepAllocated(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  return dropOfOldType({ ...spec, ...keptAddresses(spec, old), ...keptPorts(spec, old) }, old);
}

function keptAddresses(spec: ServiceSpec, old: ServiceSpec): Partial<ServiceSpec> {
  if (spec.type === "ExternalName" || old.type === "ExternalName" || spec.clusterIP !== undefined) return {};
  return {
    ...(old.clusterIP === undefined ? {} : { clusterIP: old.clusterIP }),
    ...(old.clusterIPs === undefined ? {} : { clusterIPs: old.clusterIPs }),
    ...(old.ipFamilies === undefined ? {} : { ipFamilies: spec.ipFamilies ?? old.ipFamilies }),
    ...(old.ipFamilyPolicy === undefined ? {} : { ipFamilyPolicy: spec.ipFamilyPolicy ?? old.ipFamilyPolicy }),
  };
}

const hasNodePorts = (spec: ServiceSpec): boolean => spec.type === "NodePort" || spec.type === "LoadBalancer";

function keptPorts(spec: ServiceSpec, old: ServiceSpec): Partial<ServiceSpec> {
  if (!hasNodePorts(spec) || !hasNodePorts(old) || spec.ports === undefined) return {};
  const allocated = new Map((old.ports ?? []).map((p) => [`${p.protocol}/${p.port}`, p.nodePort]));
  return {
    ports: spec.ports.map((p) => {
      const nodePort = p.nodePort ?? allocated.get(`${p.protocol}/${p.port}`);
      return nodePort === undefined ? p : { ...p, nodePort };
    }),
  };
}

function dropOfOldType(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  if (spec.type === old.type) return spec;
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, ...nameOnly } = spec;
  const unchanged = clusterIP === old.clusterIP;
  const kept = spec.type === "ExternalName" && unchanged ? nameOnly : spec;
  const ports = kept.ports?.map((p, i) => {
    const { nodePort, ...rest } = p;
    return !hasNodePorts(kept) && nodePort !== undefined && nodePort === old.ports?.[i]?.nodePort ? rest : p;
  });
  const {
    allocateLoadBalancerNodePorts: allocate,
    loadBalancerClass,
    healthCheckNodePort,
    externalTrafficPolicy,
    ...rest
  } = kept;
  const leaves = old.type === "LoadBalancer";
  const wasReached = isExternal(old) && !isExternal(kept) && kept.externalTrafficPolicy === old.externalTrafficPolicy;
  return {
    ...rest,
    ...(ports === undefined ? {} : { ports }),
    ...(allocate === undefined || (leaves && allocate === old.allocateLoadBalancerNodePorts)
      ? {}
      : { allocateLoadBalancerNodePorts: allocate }),
    ...(externalTrafficPolicy === undefined || wasReached ? {} : { externalTrafficPolicy }),
    ...(loadBalancerClass === undefined || (leaves && loadBalancerClass === old.loadBalancerClass)
      ? {}
      : { loadBalancerClass }),
    ...(healthCheckNodePort === undefined || (leaves && healthCheckNodePort === old.healthCheckNodePort)
      ? {}
      : { healthCheckNodePort }),
  };
}
