import { ip } from "@orch/schema/formats/ip.js";
import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../../shared/problems.js";
import { each } from "./errors.js";
import type { PodSpec } from "./types.js";

const maxNameservers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;

export function validateDns({ dnsPolicy, dnsConfig }: PodSpec, at: string): FieldError[] {
  const place = `${at}.dnsConfig`;
  if (dnsPolicy === "None" && dnsConfig === undefined) {
    return [fieldError.required(place, "must provide `dnsConfig` when `dnsPolicy` is None")];
  }
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === "None" && nameservers.length === 0) {
    return [
      fieldError.required(`${place}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None"),
    ];
  }
  const tooMany = `must not have more than ${maxNameservers} nameservers`;
  return [
    ...(nameservers.length > maxNameservers ? [fieldError.invalid(`${place}.nameservers`, nameservers, tooMany)] : []),
    ...validateSearches(searches, `${place}.searches`),
    ...each(options, `${place}.options`, ({ name = "" }, option) =>
      name === "" ? [fieldError.required(option, "must not be empty")] : [],
    ),
  ];
}

function validateSearches(searches: readonly string[], at: string): FieldError[] {
  const tooLong = `must not have more than ${maxSearchCharacters} characters (including spaces) in the search list`;
  return [
    ...(searches.length > maxSearches
      ? [fieldError.invalid(at, searches, `must not have more than ${maxSearches} search paths`)]
      : []),
    ...(searches.join(" ").length > maxSearchCharacters ? [fieldError.invalid(at, searches, tooLong)] : []),
    ...each(searches, at, (search, place) => {
      const name = search.endsWith(".") ? search.slice(0, -1) : search;
      return invalidFor(place, name, dnsSubdomain(name));
    }),
  ];
}

/** Lines for the hosts file; one without an address has none that a check of the type could look at. */
export function validateHostAliases({ hostAliases }: PodSpec, at: string): FieldError[] {
  return each(hostAliases, `${at}.hostAliases`, ({ ip: address = "" }, place) =>
    address === "" ? invalidFor(`${place}.ip`, address, ip(address)) : [],
  );
}

/**
 * On the network of its host a container's port is the host's. In a template it may be left open: it is set when the
 * pod is made.
 */
export function validateHostNetwork(spec: PodSpec, isPod: boolean, at: string): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  return each(spec.containers, `${at}.containers`, ({ ports }, container) =>
    each(ports, `${container}.ports`, ({ hostPort = 0, containerPort = 0 }, place) =>
      (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [fieldError.invalid(`${place}.hostPort`, hostPort, "must match `containerPort` when `hostNetwork` is true")]
        : [],
    ),
  );
}

/** Users of its own go with no namespace of the host. */
export function validateHostUsers(spec: PodSpec, at: string): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const named = [
    ["hostNetwork", "hostNetwork"],
    ["hostPID", "HostPID"],
    ["hostIPC", "HostIPC"],
  ] as const;
  return named
    .filter(([name]) => spec[name] === true)
    .map(([, told]) => fieldError.forbidden(`${at}.${told}`, "when `pod.Spec.HostUsers` is false"));
}
