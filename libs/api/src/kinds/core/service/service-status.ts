import { ip, parseAddress } from "@orch/schema/formats/ip.js";
import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../../shared/problems.js";
import type { Ingress, Service } from "./service-spec.js";

const at = "status.loadBalancer.ingress";
const modes = ["Proxy", "VIP"];

/** An address of a balancer without a mode is one that traffic keeps as its destination. */
export function defaultModes(object: Service): Service {
  const { spec, status } = object;
  const ingress = status?.loadBalancer?.ingress;
  if (spec?.type !== "LoadBalancer" || ingress === undefined) return object;
  const filled = ingress.map((entry) =>
    (entry.ip ?? "") !== "" && entry.ipMode === undefined ? { ...entry, ipMode: "VIP" } : entry,
  );
  return { ...object, status: { ...status, loadBalancer: { ...status?.loadBalancer, ingress: filled } } };
}

/** What a balancer reached stays only while the service asks for one. */
export function withoutBalancer(object: Service): Service {
  if (object.spec?.type === "LoadBalancer" || object.status?.loadBalancer?.ingress === undefined) return object;
  return { ...object, status: { ...object.status, loadBalancer: {} } };
}

export function validateServiceStatus({ spec, status }: Service): FieldError[] {
  const { ingress = [] } = status?.loadBalancer ?? {};
  if (spec?.type !== "LoadBalancer" && ingress.length > 0) {
    return [fieldError.forbidden(at, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return ingress.flatMap((entry, i) => validateIngress(entry, `${at}[${i}]`));
}

function validateIngress(entry: Ingress, path: string): FieldError[] {
  const { ip: address = "", hostname = "" } = entry;
  return [
    ...(address === "" ? [] : invalidFor(`${path}.ip`, address, ip(address))),
    ...validateMode(entry, `${path}.ipMode`),
    ...(hostname === "" ? [] : invalidFor(`${path}.hostname`, hostname, dnsSubdomain(hostname))),
    ...(parseAddress(hostname) === undefined
      ? []
      : [fieldError.invalid(`${path}.hostname`, hostname, "must be a DNS name, not an IP address")]),
  ];
}

function validateMode({ ip: address = "", ipMode }: Ingress, path: string): FieldError[] {
  if (ipMode === undefined) {
    return address === "" ? [] : [fieldError.required(path, "must be specified when `ip` is set")];
  }
  if (address === "") return [fieldError.forbidden(path, "may not be specified when `ip` is not set")];
  return modes.includes(ipMode) ? [] : [fieldError.notSupported(path, ipMode, modes)];
}
