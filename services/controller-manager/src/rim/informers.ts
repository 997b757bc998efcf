import type { Mirror } from "@orch/client/mirror.js";
import type { Index } from "@orch/client/object-store.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { withoutManagers } from "@orch/client/without-managers.js";
import type { Naming } from "@orch/naming/naming.js";
import { controllerOf } from "./objects.js";
import { createPodKeeper, type Pod } from "./pods.js";

/** The collections that several controllers look at. */
export const sharedResources = [
  "pods",
  "nodes",
  "services",
  "endpoints",
  "persistentvolumeclaims",
  "persistentvolumes",
  "storageclasses",
  "csidrivers",
  "volumeattachments",
  "resourceclaims",
  "resourceclaimtemplates",
  "replicationcontrollers",
  "replicasets",
  "deployments",
  "statefulsets",
  "daemonsets",
  "controllerrevisions",
  "jobs",
  "cronjobs",
  "endpointslices",
  "poddisruptionbudgets",
  "horizontalpodautoscalers",
] as const;
export type SharedResource = (typeof sharedResources)[number];

export interface InformerHandlers {
  added?(object: ApiObject): void;
  /** `before` as it was kept. */
  modified?(object: ApiObject, before: ApiObject): void;
  deleted?(object: ApiObject): void;
}

/** One view of a collection, for every controller of the process. Objects are shared: not to be written to. */
export interface Informer {
  readonly collection: Collection;
  /** By `namespace/name` (`name` without a namespace). */
  readonly store: ReadonlyMap<string, ApiObject>;
  /** What the owner of this uid manages. */
  managedBy(uid: string): Iterable<ApiObject>;
  /** What nobody manages. */
  orphansIn(namespace: string): Iterable<ApiObject>;
  inNamespace(namespace: string): Iterable<ApiObject>;
  /** Pods alone: those that are bound to a node. */
  onNode(node: string): Iterable<ApiObject>;
  /** Pods alone: those that name a claim, by its `namespace/name`. */
  usingClaim(key: string): Iterable<ApiObject>;
  /** Pods alone: those that name a claim of devices, or for which one was made. */
  usingDevices(key: string): Iterable<ApiObject>;
  /** Resolves when the first list is in the store and its handlers have been called. */
  readonly synced: Promise<void>;
  /**
   * Follows the collection until the signal aborts, with everybody else who does; what is there is told as added. Never
   * rejects.
   */
  follow(
    handlers: InformerHandlers,
    how: { readonly signal: AbortSignal; readonly onError: (error: unknown) => void },
  ): Promise<void>;
}

/** Views that are made when somebody asks for them, one of each collection. */
export interface Informers {
  of(resource: SharedResource): Informer;
}

interface Shared {
  readonly collection: Collection;
  readonly keep: (object: ApiObject) => ApiObject;
}

export function createInformers({ mirror, naming }: { readonly mirror: Mirror; readonly naming: Naming }): Informers {
  const table = sharedCollections(naming);
  const informers = new Map<SharedResource, Informer>();
  return {
    of(resource) {
      const informer = informers.get(resource) ?? createInformer(table[resource], mirror);
      informers.set(resource, informer);
      return informer;
    },
  };
}

function sharedCollections(naming: Naming): Readonly<Record<SharedResource, Shared>> {
  const shared = (resource: SharedResource, group = "", version = "v1"): Shared => ({
    collection: { group, version, resource },
    keep: withoutManagers,
  });
  return {
    pods: { ...shared("pods"), keep: createPodKeeper() },
    nodes: { ...shared("nodes"), keep: keptNode },
    services: shared("services"),
    endpoints: shared("endpoints"),
    persistentvolumeclaims: shared("persistentvolumeclaims"),
    persistentvolumes: shared("persistentvolumes"),
    storageclasses: shared("storageclasses", naming.group("storage")),
    csidrivers: shared("csidrivers", naming.group("storage")),
    volumeattachments: shared("volumeattachments", naming.group("storage")),
    resourceclaims: shared("resourceclaims", naming.group("resource"), "v1beta1"),
    resourceclaimtemplates: shared("resourceclaimtemplates", naming.group("resource"), "v1beta1"),
    replicationcontrollers: shared("replicationcontrollers"),
    replicasets: shared("replicasets", "apps"),
    deployments: shared("deployments", "apps"),
    statefulsets: shared("statefulsets", "apps"),
    daemonsets: shared("daemonsets", "apps"),
    controllerrevisions: shared("controllerrevisions", "apps"),
    jobs: shared("jobs", "batch"),
    cronjobs: shared("cronjobs", "batch"),
    endpointslices: shared("endpointslices", naming.group("discovery")),
    poddisruptionbudgets: shared("poddisruptionbudgets", "policy"),
    horizontalpodautoscalers: shared("horizontalpodautoscalers", "autoscaling", "v2"),
  };
}

/** A node's list of images is most of it, and no controller's business. */
function keptNode(object: ApiObject): ApiObject {
  const { status, ...rest } = withoutManagers(object);
  if (typeof status !== "object" || status === null) return rest;
  return { ...rest, status: Object.fromEntries(Object.entries(status).filter(([field]) => field !== "images")) };
}

const managerIndex: Index<ApiObject> = (object) => [controllerOf(object)?.uid ?? `/${object.metadata.namespace ?? ""}`];
const namespaceIndex: Index<ApiObject> = ({ metadata }) => [metadata.namespace ?? ""];
const nodeIndex: Index<ApiObject> = (object) => {
  const { spec }: Pod = object;
  return spec?.nodeName === undefined || spec.nodeName === "" ? [] : [spec.nodeName];
};

/** `namespace/name` of the claims that a pod names; those of its own volumes have the names of both. */
export const claimKeysOf: Index<ApiObject> = (object) => {
  const { metadata, spec }: Pod = object;
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = ephemeral === undefined ? persistentVolumeClaim?.claimName : `${metadata.name}-${name}`;
    return claim === undefined ? [] : [`${metadata.namespace}/${claim}`];
  });
};

const devicesIndex: Index<ApiObject> = (object) => {
  const { metadata, spec, status }: Pod = object;
  return [...(spec?.resourceClaims ?? []), ...(status?.resourceClaimStatuses ?? [])].flatMap((entry) =>
    entry.resourceClaimName === undefined ? [] : [`${metadata.namespace}/${entry.resourceClaimName}`],
  );
};

interface Reader {
  readonly handlers: InformerHandlers;
  readonly onError: (error: unknown) => void;
}

function tellOne({ handlers, onError }: Reader, call: (handlers: InformerHandlers) => void): void {
  try {
    call(handlers);
  } catch (error) {
    onError(error);
  }
}

function createInformer({ collection, keep }: Shared, mirror: Mirror): Informer {
  const readers = new Set<Reader>();
  const tell = (call: (handlers: InformerHandlers) => void): void => {
    for (const reader of readers) tellOne(reader, call);
  };
  const view = mirror.view({
    // Who follows late is told what was kept, so everybody makes do with that.
    ...{ collection, keep, sees: "objects", listTells: "kept" },
    indexes: [
      managerIndex,
      namespaceIndex,
      ...(collection.resource === "pods" ? [nodeIndex, claimKeysOf, devicesIndex] : []),
    ],
    handlers: {
      added: (object) => tell((handlers) => handlers.added?.(object)),
      modified: (object, before) => tell((handlers) => handlers.modified?.(object, before)),
      deleted: (object) => tell((handlers) => handlers.deleted?.(object)),
    },
    onError(error) {
      for (const reader of readers) reader.onError(error);
    },
  });
  let abort = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  return {
    collection,
    store: view.store,
    managedBy: (uid) => view.byIndex(managerIndex, uid),
    orphansIn: (namespace) => view.byIndex(managerIndex, `/${namespace}`),
    inNamespace: (namespace) => view.byIndex(namespaceIndex, namespace),
    onNode: (node) => view.byIndex(nodeIndex, node),
    usingClaim: (key) => view.byIndex(claimKeysOf, key),
    usingDevices: (key) => view.byIndex(devicesIndex, key),
    synced: view.synced,
    async follow(handlers, { signal, onError }) {
      if (signal.aborted) return;
      const reader = { handlers, onError };
      for (const object of view.store.values()) tellOne(reader, ({ added }) => added?.(object));
      readers.add(reader);
      if (readers.size === 1) {
        abort = new AbortController();
        ended = view.run(abort.signal);
      }
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      readers.delete(reader);
      if (readers.size > 0) return;
      abort.abort(signal.reason);
      await ended;
    },
  };
}
