import type { JsonObject } from "@orch/schema/descriptor.js";
import { sameTree } from "../fields/same-tree.js";
import { entriesOf, withEntries } from "./track-update.js";

/**
 * The object with the times of its managedFields as they were, where nothing else changed: an apply that changes
 * nothing but a time is no write. `object` itself otherwise. Both are in one version.
 */
export function keepTimes(live: JsonObject, object: JsonObject): JsonObject {
  const before = entriesOf(live);
  const after = entriesOf(object);
  if (before.length === 0 || before.length !== after.length) return object;
  const timeless = (entry: JsonObject | undefined): JsonObject => ({ ...entry, time: undefined });
  if (!after.every((entry, i) => sameTree(timeless(entry), timeless(before[i])))) return object;
  if (!sameTree(withEntries(live, undefined), withEntries(object, undefined))) return object;
  return withEntries(object, before);
}
