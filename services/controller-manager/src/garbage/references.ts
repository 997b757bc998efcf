import { type ApiObject, isRecord } from "@orch/client/objects.js";
import { groupBy } from "@orch/schema/group-by.js";

/** What an object's metadata says of one of its owners. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** The owner is not removed before this object, where its deletion is a foreground one. */
  readonly blockOwnerDeletion: boolean;
}

/** Where an object is; `namespace` is empty where it has none. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly namespace: string;
}

export const orphanFinalizer = "orphan";
export const foregroundFinalizer = "foregroundDeletion";

const none: readonly OwnerReference[] = [];

export function ownersOf({ metadata }: ApiObject): readonly OwnerReference[] {
  const references = metadata["ownerReferences"];
  return Array.isArray(references) && references.length > 0 ? references.flatMap(ownerReference) : none;
}

/** Of more references those to one owner are found by an index, which is made when it is first asked for. */
const fewReferences = 16;
const indexes = new WeakMap<readonly OwnerReference[], ReadonlyMap<string, readonly OwnerReference[]>>();

/** Those of an object's references that name this uid. An object may name thousands of owners, each of which is looked for. */
export function referencesTo(uid: string, owners: readonly OwnerReference[]): readonly OwnerReference[] {
  if (owners.length <= fewReferences) return owners.filter((owner) => owner.uid === uid);
  let index = indexes.get(owners);
  if (index === undefined) {
    index = groupBy(owners, (owner) => owner.uid);
    indexes.set(owners, index);
  }
  return index.get(uid) ?? none;
}

function ownerReference(value: unknown): readonly OwnerReference[] {
  if (!isRecord(value)) return [];
  const { apiVersion, kind, name, uid, blockOwnerDeletion } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return [];
  if (typeof name !== "string" || typeof uid !== "string") return [];
  return [{ apiVersion, kind, name, uid, blockOwnerDeletion: blockOwnerDeletion === true }];
}

export function finalizersOf({ metadata }: ApiObject): readonly string[] {
  const finalizers = metadata["finalizers"];
  return Array.isArray(finalizers) ? finalizers.filter((f) => typeof f === "string") : [];
}

export function isBeingDeleted({ metadata }: ApiObject): boolean {
  return typeof metadata["deletionTimestamp"] === "string";
}

/** It is being deleted and stays until its dependents are gone. */
export function deletesDependentsFirst(object: ApiObject): boolean {
  return isBeingDeleted(object) && finalizersOf(object).includes(foregroundFinalizer);
}

/** It is being deleted and its dependents are to stay without it. */
export function orphansDependents(object: ApiObject): boolean {
  return isBeingDeleted(object) && finalizersOf(object).includes(orphanFinalizer);
}

export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.uid === b.uid && a.namespace === b.namespace && sameCoordinates(a, b);
}

/** A reference may name an object by its uid and yet be wrong about what it is. */
export function sameCoordinates(a: Omit<Identity, "namespace">, b: Omit<Identity, "namespace">): boolean {
  return a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;
}

/** The owner that a reference names, seen from a namespace. */
export function identityOfOwner({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Identity {
  return { apiVersion, kind, name, uid, namespace };
}

/** `[v1/ConfigMap, namespace: a, name: b, uid: c]`: as events and the log name an object. */
export function identityText({ apiVersion, kind, namespace, name, uid }: Identity): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}
