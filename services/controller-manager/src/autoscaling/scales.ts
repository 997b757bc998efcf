import type { Client } from "@orch/client/client.js";
import type { ApiResources } from "@orch/client/discovery.js";
import { type ApiObject, type Collection, isApiObject, isRecord, pathOf } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { readJson } from "@orch/status/read-json.js";
import type { TargetReference } from "./types.js";

/** A scale as its target's subresource shows it. */
export interface SeenScale {
  readonly object: ApiObject;
  readonly collection: Collection;
  readonly specReplicas: number;
  readonly statusReplicas: number;
  /** Label selector as text; empty where there is none. */
  readonly selector: string;
}

/** @throws ApiError, NotFound where no such kind is served */
export async function readScale(
  client: Pick<Client, "raw">,
  {
    target,
    namespace,
    served,
  }: { readonly target: TargetReference; readonly namespace: string; readonly served: ApiResources },
  signal: AbortSignal,
): Promise<SeenScale> {
  const collection = { ...resourceOf(target, served), namespace };
  const { body } = await client.raw({ method: "GET", path: pathOf(collection, target.name, "scale"), signal });
  const object = readJson(body.toString("utf8"));
  if (!isApiObject(object)) throw new ApiError("InternalError", "the scale is no object");
  const { spec, status } = object;
  const number = (from: unknown): number => {
    const replicas = isRecord(from) ? from["replicas"] : undefined;
    return typeof replicas === "number" ? replicas : 0;
  };
  const selector = isRecord(status) ? status["selector"] : undefined;
  return {
    ...{ object, collection, specReplicas: number(spec), statusReplicas: number(status) },
    selector: typeof selector === "string" ? selector : "",
  };
}

/** @throws ApiError */
export async function writeScale(
  client: Pick<Client, "update">,
  { object, collection }: SeenScale,
  replicas: number,
  signal: AbortSignal,
): Promise<void> {
  const spec = isRecord(object["spec"]) ? object["spec"] : {};
  await client.update(collection, { ...object, spec: { ...spec, replicas } }, { subresource: "scale", signal });
}

function resourceOf({ apiVersion = "", kind }: TargetReference, { all }: ApiResources): Collection {
  const [wanted = "", group = ""] = apiVersion.split("/").toReversed();
  const found = all.filter((each) => each.kind === kind && each.group === group && !each.resource.includes("/"));
  const first = found.find(({ version }) => version === wanted) ?? found[0];
  if (first !== undefined) return { group, version: first.version, resource: first.resource };
  throw new ApiError("NotFound", `no matches for kind "${kind}" in group "${group}"`);
}
