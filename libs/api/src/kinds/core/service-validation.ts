import { ordinaryAddress, parseAddress, parseNetwork } from "@orch/schema/formats/ip.js";
import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { isExternal, type ServicePort, type ServiceSpec } from "./service-spec.js";

const at = (field: string): string => `spec.${field}`;
const onlyBalanced = "may only be used when `type` is 'LoadBalancer'";
const maxAffinitySeconds = 86_400;

/** What depends on several fields of a service; the rest is data. */
export function validateService(spec: ServiceSpec): FieldError[] {
  return [
    ...validateType(spec),
    ...validatePorts(spec),
    ...validateAddresses(spec),
    ...validateAffinity(spec),
    ...validateTraffic(spec),
    ...validateBalancer(spec),
  ];
}

function validateType(spec: ServiceSpec): FieldError[] {
  if (spec.type === "ExternalName") return validateExternalName(spec);
  const needsAddress = spec.type === "LoadBalancer" || spec.type === "NodePort";
  return needsAddress && spec.clusterIP === "None"
    ? [fieldError.invalid(at("clusterIPs[0]"), "None", `may not be set to 'None' for ${spec.type} services`)]
    : [];
}

function validateExternalName(spec: ServiceSpec): FieldError[] {
  const { externalName = "" } = spec;
  const forbidden = (["clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const).filter(
    (name) => spec[name] !== undefined,
  );
  return [
    ...forbidden.map((name) => fieldError.forbidden(at(name), "may not be set for ExternalName services")),
    ...(externalName === ""
      ? [fieldError.required(at("externalName"))]
      : dnsSubdomain(externalName.replace(/\.$/, "")).map((problem) =>
          fieldError.invalid(at("externalName"), externalName, problem),
        )),
  ];
}

function validatePorts(spec: ServiceSpec): FieldError[] {
  const { ports = [] } = spec;
  if (ports.length === 0 && spec.type !== "ExternalName" && spec.clusterIP !== "None") {
    return [fieldError.required(at("ports"))];
  }
  return [
    ...ports.flatMap((port, i) => validatePort(port, { spec, at: at(`ports[${i}]`), alone: ports.length === 1 })),
    ...repeated(ports, (p) => `${p.protocol}/${p.port}`).map((i) =>
      fieldError.duplicate(at(`ports[${i}]`), { protocol: ports[i]?.protocol, port: ports[i]?.port }),
    ),
    ...repeated(ports, (p) => (p.nodePort === undefined ? undefined : `${p.protocol}/${p.nodePort}`)).map((i) =>
      fieldError.duplicate(at(`ports[${i}].nodePort`), ports[i]?.nodePort),
    ),
  ];
}

/** Positions whose key stood before. */
function repeated(ports: readonly ServicePort[], keyOf: (port: ServicePort) => string | undefined): readonly number[] {
  const keys = ports.map(keyOf);
  return keys.flatMap((key, i) => (key !== undefined && keys.indexOf(key) < i ? [i] : []));
}

interface PortPlace {
  readonly spec: ServiceSpec;
  readonly at: string;
  readonly alone: boolean;
}

function validatePort(port: ServicePort, place: PortPlace): FieldError[] {
  return [
    ...((port.name ?? "") === "" && !place.alone ? [fieldError.required(`${place.at}.name`)] : []),
    ...(port.nodePort !== undefined && (place.spec.type === "ClusterIP" || place.spec.type === "ExternalName")
      ? [fieldError.forbidden(`${place.at}.nodePort`, `may not be used when \`type\` is '${place.spec.type}'`)]
      : []),
  ];
}

function validateAddresses(spec: ServiceSpec): FieldError[] {
  if (spec.type === "ExternalName") return [];
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const errors = clusterIPs.flatMap((text, i) => {
    if (text === "None" && i === 0) return [];
    return parseAddress(text) === undefined
      ? [
          fieldError.invalid(
            at(`clusterIPs[${i}]`),
            text,
            "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
          ),
        ]
      : [];
  });
  if (spec.clusterIP !== clusterIPs[0]) {
    errors.push(fieldError.invalid(at("clusterIPs[0]"), clusterIPs[0] ?? "", "first value must match `clusterIP`"));
  }
  if (clusterIPs.includes("None") && clusterIPs.length > 1) {
    errors.push(fieldError.invalid(at("clusterIPs"), clusterIPs, "'None' must be the first and only value"));
  } else if (clusterIPs.length > 2) {
    errors.push(fieldError.invalid(at("clusterIPs"), clusterIPs, "may only hold up to 2 values"));
  } else if (new Set(clusterIPs.map((text) => parseAddress(text)?.length)).size < clusterIPs.length) {
    errors.push(fieldError.invalid(at("clusterIPs"), clusterIPs, "may specify no more than one IP for each IP family"));
  }
  for (const [i, family] of ipFamilies.entries()) {
    if (ipFamilies.indexOf(family) < i) errors.push(fieldError.duplicate(at(`ipFamilies[${i}]`), family));
  }
  return errors;
}

function validateAffinity({ sessionAffinity, sessionAffinityConfig: config }: ServiceSpec): FieldError[] {
  if (sessionAffinity !== "ClientIP") {
    return config === undefined
      ? []
      : [fieldError.forbidden(at("sessionAffinityConfig"), "must not be set when session affinity is None")];
  }
  const seconds = config?.clientIP?.timeoutSeconds ?? 0;
  const detail = `must be greater than 0 and less than ${maxAffinitySeconds}`;
  return seconds > 0 && seconds <= maxAffinitySeconds
    ? []
    : [fieldError.invalid(at("sessionAffinityConfig.clientIP.timeoutSeconds"), seconds, detail)];
}

function validateTraffic(spec: ServiceSpec): FieldError[] {
  const { externalTrafficPolicy: policy, trafficDistribution, healthCheckNodePort, externalIPs = [] } = spec;
  const checksHealth = spec.type === "LoadBalancer" && policy === "Local";
  return [
    ...externalIPs.flatMap((text, i) =>
      ordinaryAddress(text).map((problem) => fieldError.invalid(at(`externalIPs[${i}]`), text, problem)),
    ),
    ...(policy !== undefined && !isExternal(spec)
      ? [fieldError.invalid(at("externalTrafficPolicy"), policy, "may only be set for externally-accessible services")]
      : []),
    ...(healthCheckNodePort !== undefined && !checksHealth
      ? [
          fieldError.invalid(
            at("healthCheckNodePort"),
            healthCheckNodePort,
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
          ),
        ]
      : []),
    ...(trafficDistribution !== undefined && trafficDistribution !== "PreferClose"
      ? [fieldError.notSupported(at("trafficDistribution"), trafficDistribution, ["PreferClose"])]
      : []),
  ];
}

function validateBalancer(spec: ServiceSpec): FieldError[] {
  const { loadBalancerSourceRanges: ranges = [] } = spec;
  const fields = ["loadBalancerSourceRanges", "allocateLoadBalancerNodePorts", "loadBalancerClass"] as const;
  const misplaced = spec.type === "LoadBalancer" ? [] : fields.filter((name) => spec[name] !== undefined);
  return [
    ...misplaced.map((name) => fieldError.forbidden(at(name), onlyBalanced)),
    ...ranges.flatMap((text, i) =>
      parseNetwork(text.trim()) === undefined
        ? [
            fieldError.invalid(
              at(`loadBalancerSourceRanges[${i}]`),
              text,
              "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
            ),
          ]
        : [],
    ),
  ];
}

/** What may not change while a service lives; a change to or from ExternalName starts anew. */
export function validateServiceUpdate(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const renewed = (spec.type === "ExternalName") !== (old.type === "ExternalName");
  const errors: FieldError[] = [];
  if (!renewed && old.clusterIP !== undefined && spec.clusterIP !== old.clusterIP) {
    errors.push(fieldError.invalid(at("clusterIPs[0]"), spec.clusterIPs ?? [], "may not change once set"));
  }
  if (!renewed && old.ipFamilies?.[0] !== undefined && spec.ipFamilies?.[0] !== old.ipFamilies[0]) {
    errors.push(fieldError.invalid(at("ipFamilies[0]"), spec.ipFamilies ?? [], "may not change once set"));
  }
  if (spec.type !== "LoadBalancer" || old.type !== "LoadBalancer") return errors;
  if (spec.loadBalancerClass !== old.loadBalancerClass) {
    errors.push(fieldError.invalid(at("loadBalancerClass"), spec.loadBalancerClass ?? null, "may not change once set"));
  }
  const bothLocal = spec.externalTrafficPolicy === "Local" && old.externalTrafficPolicy === "Local";
  if (bothLocal && old.healthCheckNodePort !== undefined && spec.healthCheckNodePort !== old.healthCheckNodePort) {
    errors.push(fieldError.invalid(at("healthCheckNodePort"), spec.healthCheckNodePort ?? 0, "field is immutable"));
  }
  return errors;
}
