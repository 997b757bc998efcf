import type { JsonObject } from "@orch/schema/descriptor.js";

/** What every object has, as decoded (spec 1: Common object metadata). Times are RFC 3339 texts. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly JsonObject[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** An object of any kind after decoding. */
export interface ApiObject {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata: ObjectMeta;
}

/** The object with a metadata of its own, which may be empty: what {@link ApiObject} promises. */
export function withMetadata(decoded: JsonObject): ApiObject & JsonObject {
  // Decoding has checked the tree against a type whose metadata is an ObjectMeta.
  const metadata = (decoded["metadata"] ?? {}) as ObjectMeta;
  return decoded["metadata"] === undefined ? { ...decoded, metadata } : (decoded as ApiObject & JsonObject);
}

/** The value at a dotted path: `spec.nodeName`. */
export function valueAt(object: object, path: string): unknown {
  let value: unknown = object;
  for (const step of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as JsonObject)[step];
  }
  return value;
}
