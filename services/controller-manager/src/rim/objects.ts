import type { ApiObject, Collection, ObjectMeta } from "@orch/client/objects.js";

/** The parts of objects that controllers decide by, as the wire has them. */
export interface Meta extends ObjectMeta {
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

export interface OwnerReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface Seen extends ApiObject {
  readonly metadata: Meta;
}

/** A kind and where its objects are. */
export interface Kind {
  /** `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly collection: Collection;
}

/** The owner that manages an object; there is one at most. */
export function controllerOf({ metadata }: ApiObject): OwnerReference | undefined {
  const { ownerReferences = [] }: Meta = metadata;
  return ownerReferences.find((reference) => reference.controller === true);
}

/** How what an owner makes refers to it. */
export function referenceTo(
  { apiVersion, kind }: Pick<Kind, "apiVersion" | "kind">,
  { metadata }: ApiObject,
): OwnerReference {
  const { name = "", uid = "" } = metadata;
  return { apiVersion, kind, name, uid, blockOwnerDeletion: true, controller: true };
}

export function isGoing({ metadata }: ApiObject): boolean {
  return metadata["deletionTimestamp"] !== undefined;
}

/** Milliseconds since 1970; 0 for what is absent or no time. */
export function timeOf(text: unknown): number {
  const ms = typeof text === "string" ? Date.parse(text) : 0;
  return Number.isNaN(ms) ? 0 : ms;
}

/** Of seconds in an object, which are a bigint where a number does not hold them exactly. */
export function millisecondsOf(seconds: number | bigint): number {
  return Number(seconds) * 1000;
}

/** Oldest first, ties by name. */
export function byAge(a: ApiObject, b: ApiObject): number {
  const [first, second]: readonly [Meta, Meta] = [a.metadata, b.metadata];
  const ages = timeOf(first.creationTimestamp) - timeOf(second.creationTimestamp);
  return ages !== 0 ? ages : compareText(first.name ?? "", second.name ?? "");
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
