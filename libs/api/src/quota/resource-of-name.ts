import type { Naming } from "@orch/naming/naming.js";
import { devicesSuffix } from "./device-claims.js";
import type { CountedResource } from "./evaluators.js";

const services = ["services", "services.nodeports", "services.loadbalancers"];
const counted = ["configmaps", "resourcequotas", "replicationcontrollers", "secrets"];

/** Whose objects a resource of a quota is about: `count/deployments.apps`, `requests.storage`, `cpu`. */
export function resourceOfName(name: string, naming: Naming): CountedResource {
  const prefix = "count/";
  if (name.startsWith(prefix)) {
    const counts = name.slice(prefix.length);
    const dot = counts.indexOf(".");
    if (dot < 0) return { group: "", plural: counts };
    return { group: counts.slice(dot + 1), plural: counts.slice(0, dot) };
  }
  if (services.includes(name)) return { group: "", plural: "services" };
  if (counted.includes(name)) return { group: "", plural: name };
  if (name.endsWith(devicesSuffix(naming))) return { group: naming.group("resource"), plural: "resourceclaims" };
  const isClaims =
    name === "persistentvolumeclaims" ||
    name === "requests.storage" ||
    name.includes(`.storageclass.${naming.group("storage")}/`);
  return { group: "", plural: isClaims ? "persistentvolumeclaims" : "pods" };
}
