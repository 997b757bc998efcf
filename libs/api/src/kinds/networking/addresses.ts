import { formatAddress, formatNetwork, parseAddress, parseNetwork } from "@orch/schema/formats/ip.js";
import { dnsSubdomain, pathSegment } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { invalidFor } from "../shared/problems.js";
import { requiredText } from "../shared/required-text.js";
import { allButStatus, statusOnly } from "../shared/status-only.js";
import type { IPAddress, ServiceCIDR } from "./types.js";

/** An address is its object's name, so that it is taken once; the owner does not change (data). */
export const ipAddress = behavior<IPAddress>(() => ({
  validate: ({ metadata: { name = "" }, spec: { parentRef } = {} }) => [
    ...invalidFor("metadata.name", name, addressProblems(name)),
    ...(parentRef === undefined ? [fieldError.required("spec.parentRef")] : validateParent(parentRef)),
  ],
}));

function addressProblems(name: string): readonly string[] {
  // That a name is missing is told by the rules of metadata.
  if (name === "") return [];
  const address = parseAddress(name);
  if (address === undefined) return [`ParseAddr(${JSON.stringify(name)}): unable to parse IP`];
  return formatAddress(address) === name ? [] : ["not a valid ip in canonical format"];
}

type Parent = NonNullable<NonNullable<IPAddress["spec"]>["parentRef"]>;

function validateParent({ group = "", resource, namespace = "", name }: Parent): FieldError[] {
  const at = "spec.parentRef";
  return [
    ...(group === "" ? [] : invalidFor(`${at}.group`, group, dnsSubdomain(group))),
    ...requiredText(`${at}.resource`, resource, pathSegment),
    ...requiredText(`${at}.name`, name, pathSegment),
    ...(namespace === "" ? [] : invalidFor(`${at}.namespace`, namespace, pathSegment(namespace))),
  ];
}

/** Ranges do not change (data). */
export const serviceCidr = behavior<ServiceCIDR>(() => ({
  validate: ({ spec }) => validateRanges(spec?.cidrs ?? []),
  parts: { status: { resets: allButStatus, prepare: statusOnly } },
}));

const oneOfEach = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";

function validateRanges(cidrs: readonly string[]): FieldError[] {
  const at = "spec.cidrs";
  if (cidrs.length === 0) return [fieldError.required(at, "at least one CIDR required")];
  if (cidrs.length > 2) return [fieldError.invalid(at, cidrs, "may only hold up to 2 values")];
  const [first, second] = cidrs.map((c) => parseNetwork(c)?.address.length);
  if (cidrs.length === 2 && (first === undefined || second === undefined || first === second)) {
    return [fieldError.invalid(at, cidrs, oneOfEach)];
  }
  return cidrs.flatMap((cidr, i) => invalidFor(`${at}[${i}]`, cidr, rangeProblems(cidr)));
}

function rangeProblems(cidr: string): readonly string[] {
  const network = parseNetwork(cidr);
  if (network === undefined) return [`netip.ParsePrefix(${JSON.stringify(cidr)}): not a network`];
  const canonical = formatNetwork(network);
  if (canonical === cidr) return [];
  const sameNetwork = `${formatAddress(network.address)}/${network.bits}` === canonical;
  return [
    ...(sameNetwork ? [] : ["wrong CIDR format, IP doesn't match network IP address"]),
    ...(sameNetwork ? ["CIDR not in RFC 5952 canonical format"] : []),
  ];
}
