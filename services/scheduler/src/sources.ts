import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";
import type { OtherKinds } from "@orch/scheduling/cluster/objects.js";
import type { Feed } from "@orch/scheduling/feed.js";
import type { RawNode, RawPod } from "@orch/scheduling/model/objects.js";
import { deviceCollections } from "./devices.js";

/** A collection that decisions depend on, and where its objects go. */
export interface Source {
  readonly collection: Collection;
  readonly sees: "objects" | "metadata";
  put(object: ApiObject): void;
  /** By `namespace/name`, or the name. */
  gone(key: string): void;
}

type Other = keyof OtherKinds;

const at = (group: string, resource: string): Collection => ({ group, version: "v1", resource });

const collectionsOf = (naming: Naming): Readonly<Record<Other, Collection>> => {
  const storage = naming.group("storage");
  return {
    PodDisruptionBudget: at("policy", "poddisruptionbudgets"),
    Service: at("", "services"),
    ReplicationController: at("", "replicationcontrollers"),
    ReplicaSet: at("apps", "replicasets"),
    StatefulSet: at("apps", "statefulsets"),
    PersistentVolume: at("", "persistentvolumes"),
    PersistentVolumeClaim: at("", "persistentvolumeclaims"),
    StorageClass: at(storage, "storageclasses"),
    CSINode: at(storage, "csinodes"),
    CSIDriver: at(storage, "csidrivers"),
    CSIStorageCapacity: at(storage, "csistoragecapacities"),
    ...deviceCollections(naming),
  };
};

/** An object as those see it who look at some of its fields: the server has validated them. */
export const trusted = <T extends object>(object: ApiObject): T => object as object as T;

export interface SourcesOptions {
  readonly naming: Naming;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** With the gate DynamicResourceAllocation: servers without it do not serve these kinds. */
  readonly devices: boolean;
}

/** Everything that decisions depend on, and how the feed is told of it. */
export function sourcesOf(feed: Feed, { naming, now, devices }: SourcesOptions): readonly Source[] {
  const collections = collectionsOf(naming);
  const each = <K extends Other>(kind: K): Source => ({
    collection: collections[kind],
    sees: "objects",
    put: (object) => feed.object(kind, keyOf(object), trusted<OtherKinds[K]>(object), now()),
    gone: (key) => feed.object(kind, key, undefined, now()),
  });
  const kinds: readonly Other[] = [
    ...(["PodDisruptionBudget", "Service", "ReplicationController", "ReplicaSet", "StatefulSet"] as const),
    ...(["PersistentVolume", "PersistentVolumeClaim", "StorageClass"] as const),
    ...(["CSINode", "CSIDriver", "CSIStorageCapacity"] as const),
    ...(devices ? (["ResourceClaim", "DeviceClass", "ResourceSlice"] as const) : []),
  ];
  return [
    {
      ...{ collection: at("", "nodes"), sees: "objects" },
      put: (object) => feed.node(trusted<RawNode>(object), now()),
      gone: (key) => feed.nodeGone(key, now()),
    },
    {
      ...{ collection: at("", "pods"), sees: "objects" },
      put: (object) => feed.pod(trusted<RawPod>(object), now()),
      gone: (key) => feed.podGone(key, now()),
    },
    {
      ...{ collection: at("", "namespaces"), sees: "metadata" },
      put: ({ metadata }) => feed.namespace(metadata.name ?? "", metadata.labels ?? {}, now()),
      gone: (key) => feed.namespace(key, undefined, now()),
    },
    ...kinds.map(each),
  ];
}
