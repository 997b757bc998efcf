import { ip, parseAddress } from "@orch/schema/formats/ip.js";
import {
  dns1035Label,
  dnsSubdomain,
  pathSegment,
  portName,
  portNumber,
  wildcardSubdomain,
} from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { invalidFor } from "../shared/problems.js";
import { requiredText } from "../shared/required-text.js";
import type { Backend, HttpPath, Ingress, IngressSpec, Rule, TypedReference } from "./types.js";

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];
const notInPaths = ["//", "/./", "/../", "%2f", "%2F"];
const notAtPathEnds = ["/..", "/."];

export const ingress = behavior<Ingress>((naming) => {
  const classKey = naming.key("ingress.class");
  return {
    warnings: ({ metadata, spec }, { old }) =>
      old === undefined && metadata.annotations?.[classKey] !== undefined && spec?.ingressClassName === undefined
        ? [`annotation ${JSON.stringify(classKey)} is deprecated, please use 'spec.ingressClassName' instead`]
        : [],
    validate: (object) => validateSpec(object.spec ?? {}),
    validateCreate: (object) => {
      const annotated = object.metadata.annotations?.[classKey];
      const named = object.spec?.ingressClassName;
      if (annotated === undefined || named === undefined || annotated === named) return [];
      return [
        fieldError.invalid(
          `annotations.${classKey}`,
          annotated,
          "must match `ingressClassName` when both are specified",
        ),
      ];
    },
    parts: { status: { validate: validateStatus } },
  };
});

function validateSpec(spec: IngressSpec): FieldError[] {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec;
  const nothing = rules.length === 0 && defaultBackend === undefined;
  return [
    ...(nothing ? [fieldError.invalid("spec", undefined, "either `defaultBackend` or `rules` must be specified")] : []),
    ...(defaultBackend === undefined ? [] : validateBackend(defaultBackend, "spec.defaultBackend")),
    ...rules.flatMap((rule, i) => validateRule(rule, `spec.rules[${i}]`)),
    ...tls.flatMap(({ hosts = [], secretName = "" }, i) => [
      ...hosts.flatMap((host, j) => invalidFor(`spec.tls[${i}].hosts[${j}]`, host, hostProblems(host))),
      ...(secretName === "" ? [] : invalidFor(`spec.tls[${i}].secretName`, secretName, dnsSubdomain(secretName))),
    ]),
    ...(ingressClassName === undefined
      ? []
      : invalidFor("spec.ingressClassName", ingressClassName, dnsSubdomain(ingressClassName))),
  ];
}

function hostProblems(host: string): readonly string[] {
  return host.includes("*") ? wildcardSubdomain(host) : dnsSubdomain(host);
}

function isAddress(text: string): readonly string[] {
  return parseAddress(text) === undefined ? [] : ["must be a DNS name, not an IP address"];
}

function validateRule({ host = "", http }: Rule<Backend>, at: string): FieldError[] {
  const named = host === "" ? [] : invalidFor(`${at}.host`, host, [...isAddress(host), ...hostProblems(host)]);
  if (http === undefined) return named;
  const { paths = [] } = http;
  return [
    ...named,
    ...(paths.length === 0 ? [fieldError.required(`${at}.http.paths`)] : []),
    ...paths.flatMap((path, i) => validatePath(path, `${at}.http.paths[${i}]`)),
  ];
}

function validatePath({ path = "", pathType, backend = {} }: HttpPath<Backend>, at: string): FieldError[] {
  if (pathType === undefined) return [fieldError.required(`${at}.pathType`, "pathType must be specified")];
  const known = pathTypes.includes(pathType);
  return [
    ...(known ? [] : [fieldError.notSupported(`${at}.pathType`, pathType, pathTypes)]),
    ...(known ? invalidFor(`${at}.path`, path, pathProblems(path, pathType)) : []),
    ...validateBackend(backend, `${at}.backend`),
  ];
}

function pathProblems(path: string, pathType: string): readonly string[] {
  const free = pathType === "ImplementationSpecific";
  if (free && path === "") return [];
  const relative = path.startsWith("/") ? [] : ["must be an absolute path"];
  if (free) return relative;
  return [
    ...relative,
    ...notInPaths.filter((part) => path.includes(part)).map((part) => `must not contain '${part}'`),
    ...notAtPathEnds.filter((end) => path.endsWith(end)).map((end) => `cannot end with '${end}'`),
  ];
}

function validateBackend({ service, resource }: Backend, at: string): FieldError[] {
  if (service !== undefined && resource !== undefined) {
    return [fieldError.invalid(at, "", "cannot set both resource and service backends")];
  }
  if (resource !== undefined) return validateReference(resource, `${at}.resource`);
  if (service === undefined) return [fieldError.invalid(at, "", "resource or service backend is required")];
  const name = requiredText(`${at}.service.name`, service.name, dns1035Label);
  const port = service.port ?? {};
  if (port.name !== undefined && port.number !== undefined) {
    return [...name, fieldError.invalid(at, "", "cannot set both port name & port number")];
  }
  if (port.name !== undefined) {
    return [...name, ...invalidFor(`${at}.service.port.name`, port.name, portName(port.name))];
  }
  return [
    ...name,
    ...(port.number === undefined
      ? [fieldError.required(at, "port name or number is required")]
      : invalidFor(`${at}.service.port.number`, port.number, portNumber(port.number))),
  ];
}

/** A reference to an object of any kind in the same namespace. */
export function validateReference({ apiGroup, kind, name }: TypedReference, at: string): FieldError[] {
  return [
    ...(apiGroup === undefined ? [] : invalidFor(`${at}.apiGroup`, apiGroup, dnsSubdomain(apiGroup))),
    ...validateSegment(kind, `${at}.kind`, "kind is required"),
    ...validateSegment(name, `${at}.name`, "name is required"),
  ];
}

function validateSegment(value = "", at: string, missing: string): FieldError[] {
  return value === "" ? [fieldError.required(at, missing)] : invalidFor(at, value, pathSegment(value));
}

function validateStatus(object: Ingress): FieldError[] {
  return (object.status?.loadBalancer?.ingress ?? []).flatMap(({ ip: address = "", hostname = "" }, i) => {
    const at = `status.loadBalancer.ingress[${i}]`;
    return [
      ...(address === "" ? [] : invalidFor(`${at}.ip`, address, ip(address))),
      ...(hostname === ""
        ? []
        : invalidFor(`${at}.hostname`, hostname, [...dnsSubdomain(hostname), ...isAddress(hostname)])),
    ];
  });
}
