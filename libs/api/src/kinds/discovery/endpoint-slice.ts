import { equalJson } from "@orch/schema/equal.js";
import { ipv4, ipv6, ordinaryAddress } from "@orch/schema/formats/ip.js";
import { fullyQualifiedDomain } from "@orch/schema/formats/names.js";
import { validateLabels } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";

interface Endpoint {
  readonly addresses?: readonly string[];
  readonly deprecatedTopology?: Readonly<Record<string, string>>;
}

interface EndpointSlice extends ApiObject {
  readonly addressType?: string;
  readonly endpoints?: readonly Endpoint[];
}

const maxTopologyLabels = 16;

/** Limits, names, ports and the frozen address type are data; see spec 1: EndpointSlice. */
export const endpointSlice = behavior<EndpointSlice>(() => ({
  prepareForCreate: (object) => withTopologyOf(object, []),
  prepareForUpdate: (object, old) => withTopologyOf(object, old.endpoints ?? []),
  validate: (object) =>
    (object.endpoints ?? []).flatMap((endpoint, i) =>
      validateEndpoint(endpoint, object.addressType, `endpoints[${i}]`),
    ),
}));

/** `deprecatedTopology` cannot be written: it stays only at an endpoint that has it stored and did not change. */
function withTopologyOf(object: EndpointSlice, stored: readonly Endpoint[]): EndpointSlice {
  if (!(object.endpoints ?? []).some((e) => e.deprecatedTopology !== undefined)) return object;
  const endpoints = (object.endpoints ?? []).map((endpoint) => {
    if (endpoint.deprecatedTopology === undefined || stored.some((e) => equalJson(e, endpoint))) return endpoint;
    const { deprecatedTopology, ...rest } = endpoint;
    return rest;
  });
  return { ...object, endpoints };
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
    ...(labels > maxTopologyLabels
      ? [fieldError.tooMany(`${at}.deprecatedTopology`, labels, maxTopologyLabels)]
      : validateLabels(deprecatedTopology, `${at}.deprecatedTopology`)),
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
