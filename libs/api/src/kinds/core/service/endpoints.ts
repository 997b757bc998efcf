import { ip, ordinaryAddress } from "@orch/schema/formats/ip.js";
import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../../behavior.js";
import type { ApiObject } from "../../../object.js";
import { invalidFor } from "../../shared/problems.js";
import { type Address, type Port, packed, type Subset } from "./endpoint-subsets.js";

interface Endpoints extends ApiObject {
  readonly subsets?: readonly Subset[];
}

export const endpoints = behavior<Endpoints>(() => ({
  prepareForCreate: canonical,
  prepareForUpdate: canonical,
  validate: ({ subsets = [] }) => validateSubsets(subsets),
}));

/** Packing looks at each address with each port; what nobody needs and would cost seconds stays as it came. */
const maxPairs = 1_000_000;

function pairsIn(subsets: readonly Subset[]): number {
  return subsets.reduce((sum, { addresses = [], notReadyAddresses = [], ports = [] }) => {
    return sum + (addresses.length + notReadyAddresses.length) * Math.max(1, ports.length);
  }, 0);
}

/** Subsets are packed when they are good: errors name the places that the writer knows. */
function canonical(object: Endpoints): Endpoints {
  const { subsets } = object;
  if (subsets === undefined || pairsIn(subsets) > maxPairs || validateSubsets(subsets).length > 0) return object;
  return { ...object, subsets: packed(subsets) };
}

function validateSubsets(subsets: readonly Subset[]): FieldError[] {
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, i) => {
    const at = `subsets[${i}]`;
    return [
      ...(addresses.length === 0 && notReadyAddresses.length === 0
        ? [fieldError.required(at, "must specify `addresses` or `notReadyAddresses`")]
        : []),
      ...addresses.flatMap((address, j) => validateAddress(address, `${at}.addresses[${j}]`)),
      ...notReadyAddresses.flatMap((address, j) => validateAddress(address, `${at}.notReadyAddresses[${j}]`)),
      ...validateNames(ports, `${at}.ports`),
    ];
  });
}

function validateAddress({ ip: text = "", nodeName }: Address, at: string): FieldError[] {
  return [
    ...invalidFor(`${at}.ip`, text, ip(text)),
    ...(nodeName === undefined ? [] : invalidFor(`${at}.nodeName`, nodeName, dnsSubdomain(nodeName))),
    ...invalidFor(`${at}.ip`, text, ordinaryAddress(text)),
  ];
}

/** One port alone needs no name; the rest of a port's rules are data. */
function validateNames(ports: readonly Port[], at: string): FieldError[] {
  if (ports.length < 2) return [];
  return ports.flatMap(({ name = "" }, i) => (name === "" ? [fieldError.required(`${at}[${i}].name`)] : []));
}
