import { difference, type FieldSet, intersection, isEmpty, union } from "../fields/field-set.js";
import { commonWith, indexed, without } from "../fields/indexed-set.js";
import { mustFit } from "./check.js";
import { type Comparison, compare, isSame, withoutIgnored } from "./compare.js";
import { type FieldWrite, inVersion, knownSchema, schemaIn, type VersionedObject } from "./field-write.js";
import { followTopology } from "./follow-schema.js";
import { type Managers, type Owner, withoutEmpty, withSet } from "./managers.js";
import type { Schema } from "./schema.js";

/** Fields of one owner whose values would change under it. */
export interface Conflict {
  readonly id: string;
  readonly owner: Owner;
  readonly fields: FieldSet;
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
    current.set(id, withSet(owner, followed(schema, owner.set)));
    others ||= owner.apiVersion !== live.apiVersion;
  }
  if (others) mustFit(knownSchema(versions, live.apiVersion), live.object, { duplicates: false });
  return current;
}

/** Sets that are as a type has them, by that: those of an object that is changed again are the same. */
const sound = new WeakMap<FieldSet, Schema>();

function followed(schema: Schema, set: FieldSet): FieldSet {
  if (sound.get(set) === schema) return set;
  const after = followTopology(schema, set);
  if (after === set) sound.set(set, schema);
  return after;
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
      comparison = withoutIgnored(whole, write.ignored(apiVersion));
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
  const conflicts: Conflict[] = [];
  const takings = takingsOf(comparisonIn, managers.size > few);
  for (const [id, owner] of managers) {
    if (id === own) {
      left.set(id, owner);
      continue;
    }
    const { lost, kept } = takings(owner.apiVersion);
    const fields = lost(owner.set);
    if (!isEmpty(fields)) conflicts.push({ id, owner, fields });
    left.set(id, withSet(owner, kept(owner.set)));
  }
  if (!force && conflicts.length > 0) throw new ConflictsError(conflicts);
  return withoutEmpty(left);
}

/** Owners that are cheaper to hold one by one against what changed than to make an index of that. */
const few = 16;

/** What a change takes of an owner's fields, and what it leaves. */
interface Taking {
  lost(set: FieldSet): FieldSet;
  kept(set: FieldSet): FieldSet;
}

/** The taking in each version, worked out once, whatever the number of owners. */
function takingsOf(comparisonIn: (apiVersion: string) => Comparison, many: boolean): (apiVersion: string) => Taking {
  const known = new Map<string, Taking>();
  return (apiVersion) => {
    let taking = known.get(apiVersion);
    if (taking === undefined) {
      taking = takingOf(comparisonIn(apiVersion), many);
      known.set(apiVersion, taking);
    }
    return taking;
  };
}

function takingOf({ added, modified, removed }: Comparison, many: boolean): Taking {
  const changed = union(modified, added);
  if (!many) {
    return {
      lost: (set) => intersection(set, changed),
      kept: (set) => difference(difference(set, changed), removed),
    };
  }
  const [changes, removals] = [indexed(changed), indexed(removed)];
  return { lost: (set) => commonWith(set, changes), kept: (set) => without(without(set, changes), removals) };
}
