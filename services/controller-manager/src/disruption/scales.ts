import { type ApiObject, isRecord, pathOf } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";
import type { Informer } from "../rim/informers.js";
import { controllerOf, type OwnerReference } from "../rim/objects.js";
import type { ControllerTools } from "../tools.js";
import type { Scale } from "./decide-budget.js";

const followed = ["replicasets", "deployments", "statefulsets", "replicationcontrollers"] as const;

/** Finds how many pods the controllers of pods want. */
export interface Scales {
  /** The collections that are looked into: to be followed. */
  readonly informers: readonly Informer[];
  of(owner: OwnerReference, namespace: string, signal: AbortSignal): Promise<Scale>;
}

export function createScales({ client, discovery, informers }: ControllerTools): Scales {
  const [replicaSets, deployments, statefulSets, controllers] = followed.map((resource) => informers.of(resource));
  const known = new Map([
    ["apps ReplicaSet", replicaSets],
    ["apps StatefulSet", statefulSets],
    [" ReplicationController", controllers],
    ["apps Deployment", deployments],
  ]);
  const find = (group: string, { kind = "", name = "", uid = "" }: OwnerReference, namespace: string) => {
    const object = known.get(`${group} ${kind}`)?.store.get(`${namespace}/${name}`);
    return object?.metadata.uid === uid ? object : undefined;
  };
  const live = async (owner: OwnerReference, namespace: string, signal: AbortSignal): Promise<Scale> => {
    const { apiVersion = "", kind = "", name = "", uid = "" } = owner;
    const { all } = await discovery.read(signal);
    const resource = all.find(
      (each) => each.kind === kind && versionOf(each) === apiVersion && !each.resource.includes("/"),
    );
    if (resource === undefined) return `the kind ${kind} of ${apiVersion} is not served`;
    try {
      const path = pathOf({ ...resource, namespace }, name, "scale");
      const { body } = await client.raw({ method: "GET", path, signal });
      const scale: unknown = readJson(body.toString("utf8"));
      if (!isRecord(scale)) return `${resource.resource} "${name}" has no scale`;
      return { uid, replicas: replicasOf(scale["spec"]) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "NotFound") throw error;
      const of = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
      return `${of} does not implement the scale subresource: ${messageOf(error)}`;
    }
  };
  return {
    informers: [...known.values()].filter((informer) => informer !== undefined),
    async of(owner, namespace, signal) {
      const group = groupOf(owner);
      const object = find(group, owner, namespace);
      if (object === undefined) {
        return known.has(`${group} ${owner.kind}`)
          ? `found no controllers for ${owner.kind} "${owner.name}"`
          : await live(owner, namespace, signal);
      }
      // Pods of several replica sets of a deployment are counted once.
      const above = controllerOf(object);
      const deployment = above?.kind === "Deployment" ? find(groupOf(above), above, namespace) : undefined;
      return scaleOf(deployment ?? object);
    },
  };
}

const versionOf = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group === "" ? version : `${group}/${version}`;

function groupOf({ apiVersion = "" }: OwnerReference): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

const scaleOf = ({ metadata, spec }: ApiObject & { readonly spec?: unknown }): Scale => ({
  uid: metadata.uid ?? "",
  replicas: replicasOf(spec),
});

function replicasOf(spec: unknown): number {
  if (!isRecord(spec)) return 0;
  const { replicas } = spec;
  return typeof replicas === "number" ? replicas : 0;
}
