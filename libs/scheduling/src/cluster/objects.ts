import type { LabelSelector } from "@orch/api/kinds/shared/label-selector.js";
import type { RawAmounts, RawMeta, RawNodeSelector } from "../model/objects.js";

import type { DeviceClass, ResourceClaim, ResourceSlice } from "./device-objects.js";

/** Objects besides pods, nodes and namespaces that plugins look at: the fields that they read. */
export interface OtherKinds {
  readonly PodDisruptionBudget: {
    readonly metadata?: RawMeta;
    readonly spec?: { readonly selector?: LabelSelector };
    readonly status?: {
      readonly disruptionsAllowed?: number;
      readonly disruptedPods?: Readonly<Record<string, string>>;
    };
  };
  readonly Service: {
    readonly metadata?: RawMeta;
    readonly spec?: { readonly selector?: Readonly<Record<string, string>> };
  };
  readonly ReplicationController: {
    readonly metadata?: RawMeta;
    readonly spec?: { readonly selector?: Readonly<Record<string, string>> };
  };
  readonly ReplicaSet: { readonly metadata?: RawMeta; readonly spec?: { readonly selector?: LabelSelector } };
  readonly StatefulSet: { readonly metadata?: RawMeta; readonly spec?: { readonly selector?: LabelSelector } };
  readonly PersistentVolume: {
    readonly metadata?: RawMeta;
    readonly spec?: {
      readonly capacity?: RawAmounts;
      readonly accessModes?: readonly string[];
      readonly volumeMode?: string;
      readonly storageClassName?: string;
      readonly claimRef?: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
      readonly nodeAffinity?: { readonly required?: RawNodeSelector };
      readonly csi?: { readonly driver?: string; readonly volumeHandle?: string };
    };
    readonly status?: { readonly phase?: string };
  };
  readonly PersistentVolumeClaim: {
    readonly metadata?: RawMeta;
    readonly spec?: {
      readonly volumeName?: string;
      readonly storageClassName?: string;
      readonly accessModes?: readonly string[];
      readonly volumeMode?: string;
      readonly selector?: LabelSelector;
      readonly resources?: { readonly requests?: RawAmounts };
    };
    readonly status?: { readonly phase?: string };
  };
  readonly StorageClass: {
    readonly metadata?: RawMeta;
    readonly provisioner?: string;
    readonly volumeBindingMode?: string;
    readonly allowedTopologies?: readonly {
      readonly matchLabelExpressions?: readonly { readonly key?: string; readonly values?: readonly string[] }[];
    }[];
  };
  readonly CSINode: {
    readonly metadata?: RawMeta;
    readonly spec?: {
      readonly drivers?: readonly {
        readonly name?: string;
        readonly nodeID?: string;
        readonly allocatable?: { readonly count?: number };
      }[];
    };
  };
  readonly CSIDriver: { readonly metadata?: RawMeta; readonly spec?: { readonly storageCapacity?: boolean } };
  readonly CSIStorageCapacity: {
    readonly metadata?: RawMeta;
    readonly storageClassName?: string;
    readonly nodeTopology?: LabelSelector;
    readonly capacity?: string | number;
    readonly maximumVolumeSize?: string | number;
  };
  readonly ResourceClaim: ResourceClaim;
  readonly DeviceClass: DeviceClass;
  readonly ResourceSlice: ResourceSlice;
}

/** Objects of one kind. Keys are `namespace/name`, of kinds without namespaces the name. */
export interface Table<T> {
  get(key: string): T | undefined;
  all(): Iterable<T>;
  in(namespace: string): Iterable<T>;
  set(key: string, object: T): void;
  delete(key: string): void;
  readonly size: number;
}

export type OtherObjects = { readonly [K in keyof OtherKinds]: Table<OtherKinds[K]> };

export function createTable<T extends { readonly metadata?: RawMeta }>(): Table<T> {
  const objects = new Map<string, T>();
  const namespaces = new Map<string, Map<string, T>>();
  const namespaceOf = (object: T): string => object.metadata?.namespace ?? "";
  const remove = (key: string): void => {
    const held = objects.get(key);
    if (held === undefined) return;
    objects.delete(key);
    const namespace = namespaces.get(namespaceOf(held));
    namespace?.delete(key);
    if (namespace?.size === 0) namespaces.delete(namespaceOf(held));
  };
  return {
    get: (key) => objects.get(key),
    all: () => objects.values(),
    in: (namespace) => namespaces.get(namespace)?.values() ?? [],
    get size() {
      return objects.size;
    },
    set(key, object) {
      remove(key);
      objects.set(key, object);
      const namespace = namespaces.get(namespaceOf(object)) ?? new Map<string, T>();
      namespaces.set(namespaceOf(object), namespace);
      namespace.set(key, object);
    },
    delete: remove,
  };
}

export const createOtherObjects = (): OtherObjects => ({
  PodDisruptionBudget: createTable(),
  Service: createTable(),
  ReplicationController: createTable(),
  ReplicaSet: createTable(),
  StatefulSet: createTable(),
  PersistentVolume: createTable(),
  PersistentVolumeClaim: createTable(),
  StorageClass: createTable(),
  CSINode: createTable(),
  CSIDriver: createTable(),
  CSIStorageCapacity: createTable(),
  ResourceClaim: createTable(),
  DeviceClass: createTable(),
  ResourceSlice: createTable(),
});
