import { type AnyObject, valueAt } from "@orch/api/object.js";

/** A namespace stays until the finalizers of its spec are gone as well. */
export function hasSpecFinalizers(object: AnyObject): boolean {
  const list = valueAt(object, "spec.finalizers");
  return Array.isArray(list) && list.length > 0;
}
