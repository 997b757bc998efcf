import type { Naming } from "@orch/naming/naming.js";
import { ip, ordinaryAddress, parseNetwork } from "@orch/schema/formats/ip.js";
import { dnsSubdomain, portNumber, qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../../shared/problems.js";
import { repeatsIn } from "../../shared/repeats.js";
import { oneOf } from "../pod/errors.js";
import { validateAddresses, validateAddressUpdate, validateFamilyPolicy } from "./service-addresses.js";
import { checksHealth, isExternal, type Service, type ServicePort, type ServiceSpec } from "./service-spec.js";

const at = (field: string): string => `spec.${field}`;
const onlyBalanced = "may only be used when `type` is 'LoadBalancer'";
const kubeletPort = 10_250;
const maxAffinitySeconds = 86_400;

/**
 * What is wrong with a service's own addresses and their families. Nothing else is told of such a service: before it is
 * validated it is given addresses, for which the reference looks at these fields alone.
 */
export function validateOwnAddresses({ spec = {} }: Service): FieldError[] {
  return spec.type === "ExternalName" ? [] : validateAddresses(spec);
}

/** What depends on several fields of a service; the rest is data. */
export function validateService({ metadata, spec = {} }: Service, naming: Naming): FieldError[] {
  const annotations = metadata.annotations ?? {};
  return [
    ...validateHints(annotations, naming),
    ...validateType(spec),
    ...validatePorts(spec),
    ...validateFamilyPolicy(spec),
    ...validateAffinity(spec),
    ...validateTraffic(spec),
    ...validateBalancer(spec),
    ...validateSourceRanges(spec, annotations, naming),
  ];
}

type Annotations = Readonly<Record<string, string>>;

/** The two names of one setting agree. */
function validateHints(annotations: Annotations, naming: Naming): FieldError[] {
  const hints = `service.${naming.key("topology-aware-hints")}`;
  const mode = `service.${naming.key("topology-mode")}`;
  const value = annotations[mode];
  if (value === undefined || annotations[hints] === undefined || value === annotations[hints]) return [];
  const detail = `must match annotations[${hints}] when both are specified`;
  return [fieldError.invalid(`metadata.annotations[${mode}]`, value, detail)];
}

function validateType(spec: ServiceSpec): FieldError[] {
  if (spec.type === "ExternalName") return validateExternalName(spec);
  const needsAddress = spec.type === "LoadBalancer" || spec.type === "NodePort";
  const exposed = spec.type === "LoadBalancer" ? (spec.ports ?? []) : [];
  return [
    ...exposed.flatMap(({ port }, i) =>
      port === kubeletPort
        ? [
            fieldError.invalid(
              at(`ports[${i}]`),
              port,
              `may not expose port ${port} externally since it is used by kubelet`,
            ),
          ]
        : [],
    ),
    ...(needsAddress && spec.clusterIP === "None"
      ? [fieldError.invalid(at("clusterIPs[0]"), "None", `may not be set to 'None' for ${spec.type} services`)]
      : []),
  ];
}

function validateExternalName(spec: ServiceSpec): FieldError[] {
  const externalName = (spec.externalName ?? "").replace(/\.$/, "");
  const forbidden = (["clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const).filter(
    (name) => spec[name] !== undefined,
  );
  return [
    ...forbidden.map((name) => fieldError.forbidden(at(name), "may not be set for ExternalName services")),
    ...(externalName === ""
      ? [fieldError.required(at("externalName"))]
      : dnsSubdomain(externalName).map((problem) => fieldError.invalid(at("externalName"), externalName, problem))),
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
  return [...repeatsIn(keys)].filter((i) => keys[i] !== undefined);
}

interface PortPlace {
  readonly spec: ServiceSpec;
  readonly at: string;
  readonly alone: boolean;
}

function validatePort(port: ServicePort, place: PortPlace): FieldError[] {
  return [
    ...((port.name ?? "") === "" && !place.alone ? [fieldError.required(`${place.at}.name`)] : []),
    ...(port.nodePort !== undefined && place.spec.type === "ClusterIP"
      ? [fieldError.forbidden(`${place.at}.nodePort`, `may not be used when \`type\` is '${place.spec.type}'`)]
      : []),
  ];
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
  return [
    ...externalIPs.flatMap((text, i) => {
      const problems = ip(text);
      return invalidFor(at(`externalIPs[${i}]`), text, problems.length > 0 ? problems : ordinaryAddress(text));
    }),
    ...(policy !== undefined && !isExternal(spec)
      ? [fieldError.invalid(at("externalTrafficPolicy"), policy, "may only be set for externally-accessible services")]
      : []),
    ...(isExternal(spec) ? oneOf(at("externalTrafficPolicy"), policy, ["Cluster", "Local"]) : []),
    ...(healthCheckNodePort !== undefined && !checksHealth(spec)
      ? [
          fieldError.invalid(
            at("healthCheckNodePort"),
            healthCheckNodePort,
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
          ),
        ]
      : []),
    ...(healthCheckNodePort !== undefined && checksHealth(spec)
      ? invalidFor(at("healthCheckNodePort"), healthCheckNodePort, portNumber(healthCheckNodePort))
      : []),
    ...(trafficDistribution !== undefined && trafficDistribution !== "PreferClose"
      ? [fieldError.notSupported(at("trafficDistribution"), trafficDistribution, ["PreferClose"])]
      : []),
  ];
}

function validateBalancer(spec: ServiceSpec): FieldError[] {
  const fields = ["allocateLoadBalancerNodePorts", "loadBalancerClass"] as const;
  const { loadBalancerClass: name } = spec;
  if (spec.type === "LoadBalancer") {
    return name === undefined ? [] : invalidFor(at("loadBalancerClass"), name, qualifiedName(name));
  }
  return fields
    .filter((field) => spec[field] !== undefined)
    .map((field) => fieldError.forbidden(at(field), onlyBalanced));
}

/** Of the field, or of the annotation that it replaced; blanks around a range were always taken. */
function validateSourceRanges(spec: ServiceSpec, annotations: Annotations, naming: Naming): FieldError[] {
  const { loadBalancerSourceRanges: ranges = [] } = spec;
  const key = `service.beta.${naming.key("load-balancer-source-ranges")}`;
  const text = annotations[key];
  if (ranges.length === 0 && text === undefined) return [];
  const annotation = `metadata.annotations[${key}]`;
  // The reference's own spelling of the field in its errors.
  const field = at("LoadBalancerSourceRanges");
  const given =
    ranges.length > 0
      ? ranges.map((range, i) => [`${field}[${i}]`, range.trim()] as const)
      : (text ?? "").trim() === ""
        ? []
        : (text ?? "").split(",").map((range) => [annotation, range.trim()] as const);
  return [
    ...(spec.type === "LoadBalancer"
      ? []
      : [fieldError.forbidden(ranges.length > 0 ? field : annotation, onlyBalanced)]),
    ...given
      .filter(([, range]) => parseNetwork(range) === undefined)
      .map(([path, range]) =>
        fieldError.invalid(path, range, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
      ),
  ];
}

/** What may not change while a service lives. */
export function validateServiceUpdate(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const errors = validateAddressUpdate(spec, old);
  if (spec.type !== "LoadBalancer" || old.type !== "LoadBalancer") return errors;
  if (spec.loadBalancerClass !== old.loadBalancerClass) {
    errors.push(fieldError.invalid(at("loadBalancerClass"), spec.loadBalancerClass ?? null, "may not change once set"));
  }
  if (
    checksHealth(spec) &&
    checksHealth(old) &&
    old.healthCheckNodePort !== undefined &&
    spec.healthCheckNodePort !== old.healthCheckNodePort
  ) {
    errors.push(fieldError.forbidden(at("healthCheckNodePort"), "field is immutable"));
  }
  return errors;
}
