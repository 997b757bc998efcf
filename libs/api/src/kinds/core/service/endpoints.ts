import { ip, ordinaryAddress } from "@orch/schema/formats/ip.js";
import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../../behavior.js";
import type { ApiObject } from "../../../object.js";
import { invalidFor } from "../../shared/problems.js";
import type { Address, Port, Subset } from "./endpoint-subsets.js";

interface Endpoints extends ApiObject {
  readonly subsets?: readonly Subset[];
}

export const endpoints = behavior<Endpoints>(() => ({
  validate: ({ subsets = [] }) => validateSubsets(subsets),
}));

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
