import { ip, parseAddress } from "@orch/schema/formats/ip.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../../shared/problems.js";
import { repeatsIn } from "../../shared/repeats.js";
import { oneOf } from "../pod/errors.js";
import type { ServiceSpec } from "./service-spec.js";

const clusterIPsAt = "spec.clusterIPs";
const familiesAt = "spec.ipFamilies";
const policyAt = "spec.ipFamilyPolicy";
const frozen = "may not change once set";

export function isHeadless({ clusterIPs = [] }: ServiceSpec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === "None";
}

/** A service's own addresses and their families: one of each family at most, the first in two fields. */
export function validateAddresses(spec: ServiceSpec): FieldError[] {
  const { clusterIP = "", clusterIPs = [], ipFamilies = [] } = spec;
  const errors: FieldError[] = [];
  const wrong = (detail: string) => errors.push(fieldError.invalid(clusterIPsAt, clusterIPs, detail));
  if (clusterIP !== "" && clusterIPs.length === 0) errors.push(fieldError.required(clusterIPsAt));
  else if (clusterIP === "" && clusterIPs.length > 0) wrong("must be empty when `clusterIP` is not specified");
  else if (clusterIPs[0] !== undefined && clusterIPs[0] !== clusterIP) wrong("first value must match `clusterIP`");
  const repeats = repeatsIn(ipFamilies);
  for (const [i, family] of ipFamilies.entries()) {
    errors.push(...oneOf(`${familiesAt}[${i}]`, family, ["IPv4", "IPv6"]));
    if (repeats.has(i)) errors.push(fieldError.duplicate(`${familiesAt}[${i}]`, family));
  }
  errors.push(...oneOf(policyAt, spec.ipFamilyPolicy, ["PreferDualStack", "RequireDualStack", "SingleStack"]));
  const misplaced = clusterIPs[0] === "None" && clusterIPs.length > 1;
  if (misplaced) wrong("'None' must be the first and only value");
  const malformed = clusterIPs.flatMap((text, i) =>
    i === 0 && text === "None" ? [] : invalidFor(`${clusterIPsAt}[${i}]`, text, ip(text)),
  );
  for (const error of malformed) errors.push(error);
  if (clusterIPs.length > 2) wrong("may only hold up to 2 values");
  if (misplaced || malformed.length > 0) return errors;
  const lengths = clusterIPs.map((text) => parseAddress(text)?.length);
  if (clusterIPs.length > 1 && (clusterIPs.length > 2 || new Set(lengths).size < 2)) {
    wrong("may specify no more than one IP for each IP family");
  }
  return [...errors, ...(isHeadless(spec) ? [] : familyMismatches(clusterIPs, ipFamilies))];
}

function familyMismatches(clusterIPs: readonly string[], families: readonly string[]): FieldError[] {
  return clusterIPs.flatMap((text, i) => {
    const family = families[i];
    const actual = parseAddress(text)?.length === 16 ? "IPv6" : "IPv4";
    if (family === undefined || family === actual || (family !== "IPv4" && family !== "IPv6")) return [];
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${i}]\``;
    return [fieldError.invalid(`${clusterIPsAt}[${i}]`, text, detail)];
  });
}

/** More than one address or family is asked for by policy. */
export function validateFamilyPolicy({ clusterIPs = [], ipFamilies = [], ipFamilyPolicy: policy, type }: ServiceSpec) {
  if (type === "ExternalName" || policy !== "SingleStack") return [];
  const wrong = (what: string) =>
    fieldError.invalid(
      policyAt,
      policy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [
    ...(clusterIPs.length > 1 ? [wrong("cluster IPs")] : []),
    ...(ipFamilies.length > 1 ? [wrong("IP families")] : []),
  ];
}

/** A second address or family may come and go; the first stays. A change to or from ExternalName starts anew. */
export function validateAddressUpdate(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (spec.type === "ExternalName" || old.type === "ExternalName") return [];
  const headless = isHeadless(spec);
  const wasHeadless = isHeadless(old);
  return [
    ...(headless && wasHeadless
      ? []
      : validateListUpdate(spec, old, { field: "clusterIPs", at: clusterIPsAt, one: "clusterIP" })),
    ...(headless || wasHeadless
      ? []
      : validateListUpdate(spec, old, { field: "ipFamilies", at: familiesAt, one: "ipFamily" })),
  ];
}

interface ListName {
  readonly field: "clusterIPs" | "ipFamilies";
  readonly at: string;
  /** One of them, as errors call it. */
  readonly one: string;
}

function validateListUpdate(spec: ServiceSpec, old: ServiceSpec, { field, at, one }: ListName): FieldError[] {
  const list = spec[field] ?? [];
  const before = old[field] ?? [];
  const changed = (i: number) => fieldError.invalid(`${at}[${i}]`, list, frozen);
  if (list.length === before.length) {
    return before.flatMap((item, i) => (item === list[i] ? [] : [changed(field === "clusterIPs" ? i : 0)]));
  }
  if (list.length === 0) return [fieldError.invalid(`${at}[0]`, list, `primary ${one} can not be unset`)];
  const released = list.length === 1 && spec.ipFamilyPolicy !== "SingleStack" && before.length > 1;
  const detail = `must be 'SingleStack' to release the secondary ${field === "clusterIPs" ? "cluster IP" : "IP family"}`;
  return [
    ...(before.length > 0 && before[0] !== list[0] ? [changed(0)] : []),
    ...(released ? [fieldError.invalid(policyAt, spec.ipFamilyPolicy ?? null, detail)] : []),
  ];
}
