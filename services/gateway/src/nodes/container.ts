import type { AnyObject } from "@orch/api/object.js";
import { badRequest } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import { listAt } from "./objects.js";

/** In the order in which the reference names them. */
const sorts = ["spec.initContainers", "spec.containers", "spec.ephemeralContainers"] as const;

/** The container of a pod that is meant: the one that is asked for, else its only one. @throws ApiError BadRequest */
export function containerOf(pod: AnyObject, asked: string): string {
  const { name = "" } = pod.metadata;
  const all = sorts.flatMap((path) => listAt(pod, path)).map((one) => String(one["name"] ?? ""));
  if (asked !== "") {
    if (all.includes(asked)) return asked;
    throw badRequest(`container ${cut(asked)} is not valid for pod ${name}`);
  }
  const [first, ...others] = listAt(pod, "spec.containers");
  if (first === undefined) throw badRequest(`a container name must be specified for pod ${name}`);
  if (others.length === 0) return String(first["name"] ?? "");
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(" ")}]`);
}
