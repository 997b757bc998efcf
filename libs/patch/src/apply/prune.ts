import { difference, type FieldSet, intersection, isEmpty, isSubset, union, unionOf } from "../fields/field-set.js";
import { type FieldWrite, inVersion, knownSchema, schemaIn, type VersionedObject } from "./field-write.js";
import { fieldsOf } from "./fields-of.js";
import { withNamedFields } from "./follow-schema.js";
import type { Managers, Owner } from "./managers.js";
import { removeFields } from "./remove.js";

/**
 * The merged object without what the manager applied `last` time, does not apply now, and nobody else owns (rules:
 * Server-side apply, 5). `managers` has the manager's new set already.
 */
export function prune(
  write: FieldWrite,
  merged: VersionedObject,
  managers: Managers,
  { last, now }: { readonly last: Owner | undefined; readonly now: Owner },
): VersionedObject {
  const { versions } = write;
  if (last === undefined || isEmpty(last.set)) return merged;
  // Nothing was given up.
  if (last.apiVersion === now.apiVersion && isSubset(last.set, now.set)) return merged;
  const schema = schemaIn(versions, last.apiVersion);
  if (schema === undefined) return merged;
  const whole = inVersion(versions, merged, last.apiVersion);
  const given = withNamedFields(schema, last.set);
  const without = { ...whole, object: removeFields(schema, whole.object, given) };
  const owned = addBackOwned(write, whole, without, managers);
  // Only what was owned may go: unowned parts of what the others removed come back.
  const kept = inVersion(versions, owned, last.apiVersion);
  const gone = difference(
    withNamedFields(schema, fieldsOf(schema, whole.object)),
    withNamedFields(schema, fieldsOf(schema, kept.object)),
  );
  const rest = removeFields(schema, whole.object, intersection(gone, given));
  return inVersion(versions, { ...whole, object: rest }, now.apiVersion);
}

/** What was removed comes back where any owner has it, version by version, that of the objects first. */
function addBackOwned(
  { versions }: FieldWrite,
  merged: VersionedObject,
  pruned: VersionedObject,
  managers: Managers,
): VersionedObject {
  const byVersion = new Map<string, FieldSet[]>([[pruned.apiVersion, []]]);
  for (const { apiVersion, set } of managers.values()) {
    const sets = byVersion.get(apiVersion);
    if (sets === undefined) byVersion.set(apiVersion, [set]);
    else sets.push(set);
  }
  let result = pruned;
  for (const [apiVersion, sets] of byVersion) {
    const owned = unionOf(sets);
    if (schemaIn(versions, apiVersion) === undefined || isEmpty(owned)) continue;
    const schema = knownSchema(versions, apiVersion);
    const whole = inVersion(versions, merged, apiVersion);
    const part = inVersion(versions, result, apiVersion);
    const kept = union(withNamedFields(schema, fieldsOf(schema, part.object)), withNamedFields(schema, owned));
    const gone = difference(withNamedFields(schema, fieldsOf(schema, whole.object)), kept);
    result = { apiVersion, object: removeFields(schema, whole.object, gone) };
  }
  return result;
}
