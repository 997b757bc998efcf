import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import type { ObjectMeta } from "@orch/schema/object-meta.js";

/** An object of any kind after decoding. */
export interface ApiObject {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata: ObjectMeta;
}

/** Any object after decoding, its other fields unknown. */
export type AnyObject = ApiObject & JsonObject;

/** The object with a metadata, which may be empty: what {@link ApiObject} promises. */
export function withMetadata(decoded: JsonObject): AnyObject {
  const metadata: unknown = decoded["metadata"] ?? {};
  // Decoding has checked the tree against a type whose metadata is an ObjectMeta.
  return (decoded["metadata"] === undefined ? { ...decoded, metadata } : decoded) as AnyObject;
}

/** The value at a dotted path: `spec.nodeName`. */
export function valueAt(object: object, path: string): unknown {
  let value: unknown = object;
  for (const step of path.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}
