import type { Naming } from "@orch/naming/naming.js";
import { compareQuantities } from "@orch/schema/formats/quantity.js";
import type { ClaimSpec } from "../kinds/core/claim-spec.js";
import type { Resources } from "../kinds/core/resources.js";
import type { Service } from "../kinds/core/service/service-spec.js";
import type { AnyObject } from "../object.js";
import { deviceClaimEvaluator } from "./device-claims.js";
import { podEvaluator } from "./pods.js";
import type { QuotaEvaluator } from "./types.js";

/** A resource as quotas name it. */
export interface CountedResource {
  readonly group: string;
  readonly plural: string;
}

/** Nobody limits how much is told of what happens. */
export function isCounted({ group, plural }: CountedResource, naming: Naming): boolean {
  return plural !== "events" || (group !== "" && group !== naming.group("events"));
}

/** `count/deployments.apps`, of the core group `count/pods`. */
export function countName({ group, plural }: CountedResource): string {
  return `count/${group === "" ? plural : `${plural}.${group}`}`;
}

/** Whether more than their number counts: what the objects say matters. */
export function isMeasured(resource: CountedResource, naming: Naming): boolean {
  const { group, plural } = resource;
  if (group !== "") return isDeviceClaim(resource, naming);
  return ["pods", "services", "persistentvolumeclaims"].includes(plural);
}

function isDeviceClaim({ group, plural }: CountedResource, naming: Naming): boolean {
  return plural === "resourceclaims" && group === naming.group("resource");
}

/** How objects of a resource are counted: in a way of their own, or by their number alone. */
export function evaluatorOf(resource: CountedResource, naming: Naming): QuotaEvaluator {
  if (isDeviceClaim(resource, naming)) return deviceClaimEvaluator(naming);
  if (resource.group !== "") return byNumber([countName(resource)]);
  switch (resource.plural) {
    case "pods":
      return podEvaluator(naming);
    case "services":
      return services;
    case "persistentvolumeclaims":
      return claimEvaluator(naming);
    default:
      return byNumber([countName(resource), ...(aliases.has(resource.plural) ? [resource.plural] : [])]);
  }
}

/** Counted under their own name, too: quotas of these are older than `count/`. */
const aliases: ReadonlySet<string> = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

const ofNoScope: Pick<QuotaEvaluator, "isIn" | "missing"> = { isIn: () => false, missing: () => undefined };

function byNumber(names: readonly string[]): QuotaEvaluator {
  const usage: Resources = Object.fromEntries(names.map((name) => [name, "1"]));
  return {
    ...ofNoScope,
    countsUpdates: false,
    matching: (given) => given.filter((name) => names.includes(name)),
    usage: () => usage,
  };
}

const serviceNames = ["count/services", "services", "services.nodeports", "services.loadbalancers"];

const services: QuotaEvaluator = {
  ...ofNoScope,
  // The type of a service may change.
  countsUpdates: true,
  matching: (given) => given.filter((name) => serviceNames.includes(name)),
  usage(object) {
    const { spec }: Service = object;
    const ports = spec?.ports ?? [];
    const balances = spec?.type === "LoadBalancer";
    const own = ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
    const allocated = balances && spec?.allocateLoadBalancerNodePorts === false ? own : ports.length;
    const nodePorts = balances || spec?.type === "NodePort" ? allocated : 0;
    return {
      ...{ "count/services": "1", services: "1" },
      "services.nodeports": String(nodePorts),
      "services.loadbalancers": balances ? "1" : "0",
    };
  },
};

const claimNames = ["count/persistentvolumeclaims", "persistentvolumeclaims", "requests.storage"];

/** Claims are counted and measured, of each storage class and of all together. */
function claimEvaluator(naming: Naming): QuotaEvaluator {
  const classDomain = `.storageclass.${naming.group("storage")}/`;
  const suffixes = ["requests.storage", "persistentvolumeclaims"].map((name) => classDomain + name);
  const annotation = `volume.beta.${naming.key("storage-class")}`;
  return {
    ...ofNoScope,
    // A claim may grow.
    countsUpdates: true,
    matching: (given) =>
      given.filter((name) => claimNames.includes(name) || suffixes.some((suffix) => name.endsWith(suffix))),
    usage(object) {
      const { spec }: AnyObject & { readonly spec?: ClaimSpec } = object;
      const storageClass = object.metadata.annotations?.[annotation] ?? spec?.storageClassName ?? "";
      const storage = sizeOf(object);
      const used: Resources = {
        ...{ "count/persistentvolumeclaims": "1", persistentvolumeclaims: "1" },
        ...(storage === undefined ? {} : { "requests.storage": storage }),
      };
      if (storageClass === "") return used;
      return {
        ...used,
        [`${storageClass}${classDomain}persistentvolumeclaims`]: "1",
        ...(storage === undefined ? {} : { [`${storageClass}${classDomain}requests.storage`]: storage }),
      };
    },
  };
}

interface Claim extends AnyObject {
  readonly spec?: ClaimSpec;
  readonly status?: { readonly allocatedResources?: Resources };
}

/** What a claim asks for, or was given already where that is more. */
function sizeOf({ spec, status }: Claim): string | undefined {
  const asked = spec?.resources?.requests?.["storage"];
  const given = status?.allocatedResources?.["storage"];
  if (asked === undefined || given === undefined) return asked;
  return compareQuantities(given, asked) > 0 ? given : asked;
}
