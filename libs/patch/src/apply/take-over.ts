import { difference, type FieldSet, intersection, isEmpty, paths, union } from "../fields/field-set.js";
import type { PathElement } from "../fields/path-element.js";
import { mustFit } from "./check.js";
import { type Comparison, compare, isSame, without } from "./compare.js";
import { type FieldWrite, inVersion, knownSchema, schemaIn, type VersionedObject } from "./field-write.js";
import { followTopology } from "./follow-schema.js";
import { type Managers, type Owner, withoutEmpty, withSet } from "./managers.js";

/** A field whose value would change under another owner. */
export interface Conflict {
  readonly id: string;
  readonly owner: Owner;
  readonly path: readonly PathElement[];
}

/** Fields that other managers own and that are not to be taken from them. */
export class ConflictsError extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super("fields are owned by other managers");
    this.conflicts = conflicts;
  }
}

/** The change of an object, of one version on both sides. */
export interface ObjectChange {
  readonly live: VersionedObject;
  readonly next: VersionedObject;
}

/**
 * Owners of versions that are still known, with sets as today's types have them. Throws TypedError for a live object
 * that can not be compared in another version, since it has an item twice.
 */
export function currentManagers({ versions }: FieldWrite, live: VersionedObject, managers: Managers): Managers {
  const current = new Map<string, Owner>();
  let others = false;
  for (const [id, owner] of managers) {
    const schema = schemaIn(versions, owner.apiVersion);
    if (schema === undefined) continue;
    current.set(id, withSet(owner, followTopology(schema, owner.set)));
    others ||= owner.apiVersion !== live.apiVersion;
  }
  if (others) mustFit(knownSchema(versions, live.apiVersion), live.object, { duplicates: false });
  return current;
}

/** The difference that a change makes in any version, worked out when asked for; without the fields to ignore. */
export function comparisons(write: FieldWrite, { live, next }: ObjectChange): (apiVersion: string) => Comparison {
  const { versions } = write;
  const own = compare(knownSchema(versions, live.apiVersion), live.object, next.object);
  const unchanged = isSame(own);
  const known = new Map<string, Comparison>();
  const inOther = (apiVersion: string): Comparison => {
    const [from, to] = [live, next].map((object) => inVersion(versions, object, apiVersion).object);
    return from === undefined || to === undefined ? own : compare(knownSchema(versions, apiVersion), from, to);
  };
  return (apiVersion) => {
    // What is the same in one version is the same in all.
    if (unchanged) return own;
    let comparison = known.get(apiVersion);
    if (comparison === undefined) {
      const whole = apiVersion === live.apiVersion ? own : inOther(apiVersion);
      comparison = without(whole, write.ignored(apiVersion));
      known.set(apiVersion, comparison);
    }
    return comparison;
  };
}

/**
 * The owners after a change: everyone but `own` loses what changed. Throws {@link ConflictsError} where others own what
 * was added or modified, unless by `force` or because an update always may.
 */
export function takeOver(
  managers: Managers,
  comparisonIn: (apiVersion: string) => Comparison,
  { own, force }: { readonly own: string | undefined; readonly force: boolean },
): Managers {
  const left = new Map<string, Owner>();
  const lost: { readonly id: string; readonly owner: Owner; readonly fields: FieldSet }[] = [];
  for (const [id, owner] of managers) {
    if (id === own) {
      left.set(id, owner);
      continue;
    }
    const { added, modified, removed } = comparisonIn(owner.apiVersion);
    const changed = union(modified, added);
    const fields = intersection(owner.set, changed);
    if (!isEmpty(fields)) lost.push({ id, owner, fields });
    left.set(id, withSet(owner, difference(difference(owner.set, changed), removed)));
  }
  if (!force && lost.length > 0) {
    throw new ConflictsError(
      lost.flatMap(({ id, owner, fields }) => [...paths(fields)].map((path) => ({ id, owner, path }))),
    );
  }
  return withoutEmpty(left);
}
