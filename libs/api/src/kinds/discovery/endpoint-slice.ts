import { jsonKey } from "@orch/schema/equal.js";
import { ipv4, ipv6, ordinaryAddress } from "@orch/schema/formats/ip.js";
import { dnsLabel, dnsSubdomain, fullyQualifiedDomain, qualifiedName } from "@orch/schema/formats/names.js";
import { validateLabels } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior, type WriteContext } from "../../behavior.js";
import { invalidFor } from "../shared/problems.js";
import type { Endpoint, EndpointSlice } from "./types.js";

const maxTopologyLabels = 16;

/** Limits, names, ports and the frozen address type are data; see rules: EndpointSlice. */
export const endpointSlice = behavior<EndpointSlice>((naming) => {
  // In v1beta1 the topology is an ordinary field.
  const writesTopology = ({ apiVersion }: WriteContext) => apiVersion === `${naming.group("discovery")}/v1beta1`;
  return {
    // The type cannot change: whoever creates the object is told.
    warnings: ({ addressType }, { old }) =>
      addressType === "FQDN" && old === undefined ? ["spec.addressType: FQDN endpoints are deprecated"] : [],
    prepareForCreate: (object, context) => (writesTopology(context) ? object : withTopologyOf(object, [])),
    prepareForUpdate: (object, old, context) =>
      writesTopology(context) ? object : withTopologyOf(object, old.endpoints ?? []),
    validate: ({ endpoints = [], addressType, ports = [] }) => [
      ...endpoints.flatMap((endpoint, i) => validateEndpoint(endpoint, addressType, `endpoints[${i}]`)),
      ...ports.flatMap(({ appProtocol }, i) => named(`ports[${i}].appProtocol`, appProtocol, qualifiedName)),
    ],
  };
});

/** `deprecatedTopology` cannot be written in v1: it stays only at an endpoint that has it stored and did not change. */
function withTopologyOf(object: EndpointSlice, stored: readonly Endpoint[]): EndpointSlice {
  if (!(object.endpoints ?? []).some((e) => e.deprecatedTopology !== undefined)) return object;
  const known = new Set(stored.map(jsonKey));
  const endpoints = (object.endpoints ?? []).map((endpoint) => {
    if (endpoint.deprecatedTopology === undefined || known.has(jsonKey(endpoint))) return endpoint;
    const { deprecatedTopology, ...rest } = endpoint;
    return rest;
  });
  return { ...object, endpoints };
}

/** A name that may be left out, but not be empty. */
function named(at: string, name: string | undefined, problems: (name: string) => readonly string[]): FieldError[] {
  return name === undefined ? [] : invalidFor(at, name, problems(name));
}

function validateEndpoint(endpoint: Endpoint, addressType: string | undefined, at: string): FieldError[] {
  const { deprecatedTopology } = endpoint;
  const labels = Object.keys(deprecatedTopology ?? {}).length;
  return [
    ...(endpoint.addresses ?? []).flatMap((address, i) =>
      addressProblems(addressType, address).map((problem) =>
        fieldError.invalid(`${at}.addresses[${i}]`, address, problem),
      ),
    ),
    ...named(`${at}.nodeName`, endpoint.nodeName, dnsSubdomain),
    ...(labels > maxTopologyLabels
      ? [fieldError.tooMany(`${at}.deprecatedTopology`, labels, maxTopologyLabels)]
      : validateLabels(deprecatedTopology, `${at}.deprecatedTopology`)),
    ...named(`${at}.hostname`, endpoint.hostname, dnsLabel),
  ];
}

function addressProblems(type: string | undefined, address: string): readonly string[] {
  switch (type) {
    case "IPv4":
      return [...ipv4(address), ...ordinaryAddress(address)];
    case "IPv6":
      return [...ipv6(address), ...ordinaryAddress(address)];
    case "FQDN":
      return fullyQualifiedDomain(address);
    default:
      return [];
  }
}
