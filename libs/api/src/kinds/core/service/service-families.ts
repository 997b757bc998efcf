import { parseAddress } from "@orch/schema/formats/ip.js";
import type { ServiceSpec } from "./service-spec.js";

/** Without further word a cluster has addresses of this family. */
const usual = ["IPv4"] as const;

/** Stays as it is: the cluster's families have changed, the service has not asked to follow. */
export function keepsPreference(spec: ServiceSpec, old: ServiceSpec | undefined): boolean {
  return (
    old !== undefined &&
    old.type === spec.type &&
    spec.ipFamilyPolicy === "PreferDualStack" &&
    (old.ipFamilyPolicy ?? "PreferDualStack") === "PreferDualStack" &&
    sameList(spec.clusterIPs, old.clusterIPs) &&
    sameList(spec.ipFamilies, old.ipFamilies)
  );
}

/**
 * Policy and families of a service's addresses where it leaves them out, and one family less where it gives one up.
 * `cluster` names the families that the cluster has, its default first.
 */
export function withFamilies(
  given: ServiceSpec,
  old: ServiceSpec | undefined,
  cluster: readonly string[] = usual,
): ServiceSpec {
  if (given.type === "ExternalName" || keepsPreference(given, old)) return given;
  // Endpoints that the server does not choose can be of any family.
  const free = given.clusterIP === "None" && Object.keys(given.selector ?? {}).length === 0;
  const policy = given.ipFamilyPolicy ?? old?.ipFamilyPolicy ?? (free ? "RequireDualStack" : "SingleStack");
  const single = policy === "SingleStack";
  const spec = single && old !== undefined ? withFirstOnly(given, old) : given;
  const known = inferred(spec, { most: single ? 1 : 2, cluster });
  const { ipFamilies: _given, ...rest } = spec;
  if (known === undefined) return { ...rest, ipFamilyPolicy: policy };
  const families = known.length > 0 ? known : cluster.slice(0, 1);
  const [first] = families;
  // One that was taken off the list is not put back, so that it can be refused.
  const reduced = given.ipFamilies !== undefined && given.ipFamilies.length < (old?.ipFamilies ?? []).length;
  const both = !single && !reduced && families.length === 1 && (free || cluster.length === 2);
  return {
    ...spec,
    ipFamilyPolicy: policy,
    ipFamilies: both && first !== undefined ? [first, first === "IPv4" ? "IPv6" : "IPv4"] : families,
  };
}

interface Inference {
  readonly most: number;
  readonly cluster: readonly string[];
}

/** The families given, and those of further addresses given; undefined where an address is of none of the cluster's. */
function inferred({ ipFamilies = [], clusterIPs = [] }: ServiceSpec, { most, cluster }: Inference) {
  const families = [...ipFamilies];
  for (const text of clusterIPs.slice(ipFamilies.length, most)) {
    const family = familyOf(text);
    if (family === undefined) break; // None, or refused later
    if (!cluster.includes(family)) return undefined;
    if (!families.includes(family)) families.push(family);
  }
  return families;
}

/** Undefined for what is no address. */
export function familyOf(text: string): "IPv4" | "IPv6" | undefined {
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  return address.length === 16 ? "IPv6" : "IPv4";
}

/** To ask for a single stack and change no list is to give up the second of each. */
function withFirstOnly(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  return { ...spec, ...firstOf("clusterIPs"), ...firstOf("ipFamilies") };

  function firstOf(field: "clusterIPs" | "ipFamilies"): Partial<ServiceSpec> {
    const list = spec[field];
    return list !== undefined && sameList(list, old[field]) ? { [field]: list.slice(0, 1) } : {};
  }
}

export function sameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
