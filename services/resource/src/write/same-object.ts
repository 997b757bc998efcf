import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { equal } from "@orch/schema/equal.js";

/**
 * Whether two states of an object of a hub mean the same, but for who owns which field. A body need not name the
 * version that it changes, nor its kind.
 */
export function sameObject({ type }: Kind, a: AnyObject, b: AnyObject): boolean {
  return equal(type, bare(a), bare(b));
}

function bare(object: AnyObject): object {
  const { resourceVersion: _version, managedFields: _owners, ...metadata } = object.metadata;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return { ...rest, metadata };
}
