import { DecodeError } from "@orch/schema/decode.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { ApiError } from "@orch/status/api-error.js";
import type { FieldFilter } from "../fields/field-filter.js";
import {
  difference,
  emptySet,
  type FieldSet,
  fieldSet,
  intersection,
  isEmpty,
  sorted,
  union,
} from "../fields/field-set.js";
import { sameTree } from "../fields/same-tree.js";
import { capUpdaters } from "./cap-updaters.js";
import { mayMisfit, mustFit } from "./check.js";
import { type Comparison, compare, withoutIgnored } from "./compare.js";
import { converted, emptyObject, type FieldWrite, knownSchema, type VersionedObject } from "./field-write.js";
import { TypedError } from "./list-items.js";
import {
  at,
  entryOf,
  type ManagerKey,
  type Managers,
  managerId,
  readManagers,
  withSet,
  writeManagers,
} from "./managers.js";
import type { Schema } from "./schema.js";
import { hasShape, type Shape, shapeOf } from "./shape.js";
import { comparisons, currentManagers, takeOver } from "./take-over.js";

/** Fields that nobody owns. */
export const neverOwned: FieldSet = fieldSet(
  ["apiVersion"],
  ["kind"],
  ["metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["metadata", name]),
);

/** The entries that an object carries; none where it has no such list. */
export function entriesOf(object: JsonObject | undefined): readonly JsonObject[] {
  const metadata = object?.["metadata"];
  const entries = isObject(metadata) ? metadata["managedFields"] : undefined;
  if (!Array.isArray(entries)) return [];
  return entries.every(isObject) ? entries : entries.map((entry) => (isObject(entry) ? entry : {}));
}

/** The object without its managedFields; with others where they are given. */
export function withEntries(object: JsonObject, entries: readonly JsonObject[] | undefined): JsonObject {
  const metadata = object["metadata"];
  if (!isObject(metadata)) return entries === undefined ? object : { ...object, metadata: { managedFields: entries } };
  if (metadata["managedFields"] === entries) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: entries === undefined ? rest : { ...rest, managedFields: entries } };
}

/**
 * `metadata.managedFields` after a write that is no apply; `live` is undefined on create, both are whole trees (see
 * `complete`). Undefined when the object has none: it is not tracked, or its fields can not be told. Never throws for
 * what is stored or was sent; nothing that did not change is written anew. Serves rules: Server-side apply, 1-3, 12.
 */
export function trackUpdate(
  live: JsonObject | undefined,
  object: JsonObject,
  write: FieldWrite,
): readonly JsonObject[] | undefined {
  try {
    return tracked(live, object, write);
  } catch (thrown) {
    if (thrown instanceof TypedError || thrown instanceof ApiError || thrown instanceof DecodeError) return undefined;
    throw thrown;
  }
}

function tracked(
  live: JsonObject | undefined,
  object: JsonObject,
  write: FieldWrite,
): readonly JsonObject[] | undefined {
  const before = entriesOf(live);
  const { managers, reset } = startingManagers(before, live, object, write);
  // What is not tracked stays so until it is applied to.
  if (live !== undefined && managers.size === 0 && !reset) return undefined;
  if (live === undefined && managers.size === 0) return created(object, write);
  const after = updated(live ?? emptyObject(write), object, managers, write);
  return writeManagers(capUpdaters(after), before);
}

/** What {@link updated} comes to where there was no object and nobody owns a field of it yet. */
function created(object: JsonObject, write: FieldWrite): readonly JsonObject[] | undefined {
  const taken = takenByCreate(asRequested(object, write).object, write);
  if (isEmpty(taken)) return undefined;
  return [entryOf({ ...keyOf(write), operation: "Update", time: write.now, set: taken, entry: undefined })];
}

/** What the creator of an object comes to own. */
interface Created {
  readonly ignored: FieldFilter;
  readonly shape: Shape;
  readonly taken: FieldSet;
}

/** Of each type the last ones of different shapes: the next object often has one of them, as pods of a set have. */
const lastCreated = new WeakMap<Schema, readonly Created[]>();
const mostShapes = 8;

function takenByCreate(next: JsonObject, write: FieldWrite): FieldSet {
  const schema = knownSchema(write.versions, write.apiVersion);
  const ignored = write.ignored(write.apiVersion);
  const known = lastCreated.get(schema) ?? [];
  for (const one of known) if (one.ignored === ignored && hasShape(next, one.shape)) return one.taken;
  const isUnsure = mayMisfit(schema);
  if (isUnsure) mustFit(schema, next, { duplicates: true });
  const taken = takenBy(withoutIgnored(compare(schema, emptyObject(write), next), ignored));
  const shape = isUnsure ? undefined : shapeOf(next);
  if (shape !== undefined) lastCreated.set(schema, [{ ignored, shape, taken }, ...known.slice(0, mostShapes - 1)]);
  return taken;
}

/** The fields that a writer comes to own by a change. What nobody owns goes first: it need not be put in order. */
function takenBy({ added, modified }: Comparison): FieldSet {
  return union(sorted(difference(modified, neverOwned)), sorted(difference(added, neverOwned)));
}

/**
 * The owners to start from: those that the client sent, else the stored ones, so that clients which do not know of
 * them do not delete them. One empty entry resets them; an endpoint for a part of the object takes none.
 */
function startingManagers(
  before: readonly JsonObject[],
  live: JsonObject | undefined,
  object: JsonObject,
  { subresource }: FieldWrite,
): { readonly managers: Managers; readonly reset: boolean } {
  const sent = subresource === "" ? entriesOf(object) : [];
  if (sent.length === 1 && isResetEntry(sent[0])) return { managers: new Map(), reset: live !== undefined };
  const stored = (): Managers => {
    const read = readManagers(before);
    return "managers" in read ? read.managers : new Map();
  };
  if (sent.length === 0 || sameTree(sent, before)) return { managers: stored(), reset: false };
  const read = readManagers(sent);
  return { managers: "managers" in read && read.managers.size > 0 ? read.managers : stored(), reset: false };
}

function isResetEntry(entry: JsonObject | undefined): boolean {
  return entry !== undefined && Object.values(entry).every((v) => v === "" || v === null || v === undefined);
}

/** The owners after an update from one state to another: the writer owns what it changed. */
export function updated(live: JsonObject, object: JsonObject, managers: Managers, write: FieldWrite): Managers {
  const change = { live: asRequested(live, write), next: asRequested(object, write) };
  const schema = knownSchema(write.versions, write.apiVersion);
  if (mayMisfit(schema)) {
    for (const { object } of [change.next, change.live]) mustFit(schema, object, { duplicates: true });
  }
  const current = currentManagers(write, change.live, managers);
  const comparisonIn = comparisons(write, change);
  const comparison = comparisonIn(write.apiVersion);
  const taken = takenBy(comparison);
  if (isEmpty(taken)) return takeOver(current, comparisonIn, { own: undefined, force: true });
  const key: ManagerKey = { ...keyOf(write), operation: "Update" };
  const id = managerId(key);
  const left = takeOver(current, comparisonIn, { own: id, force: true });
  const own = current.get(id) ?? { ...key, time: undefined, set: emptySet, entry: undefined };
  return new Map(left).set(id, at(withSet(own, ownAfter(own.set, taken, comparison)), write.now));
}

/**
 * The fields of the writer itself: less what is gone or nobody's, and what it took, in this order, so that the set of one who
 * changes what it owns stays the very tree that it was.
 */
function ownAfter(set: FieldSet, taken: FieldSet, { added, modified, removed }: Comparison): FieldSet {
  const nobodys = intersection(union(modified, added), neverOwned);
  return union(difference(difference(set, nobodys), removed), taken);
}

/** Who writes, but for the operation. */
export function keyOf({ manager, apiVersion, subresource }: FieldWrite): Omit<ManagerKey, "operation"> {
  return { manager: manager === "" ? "unknown" : manager, apiVersion, subresource };
}

/** The object in the version of the request, without managedFields. */
export function asRequested(object: JsonObject, { versions, apiVersion }: FieldWrite): VersionedObject {
  const own = object["apiVersion"];
  const from = { apiVersion: typeof own === "string" ? own : apiVersion, object: withEntries(object, undefined) };
  return converted(versions, from, apiVersion);
}
