import type { AnyObject } from "@orch/api/object.js";
import { equalJson } from "@orch/schema/equal.js";
import { modified } from "@orch/status/api-error.js";
import type { Entry } from "@orch/store/store.js";
import { hasSpecFinalizers } from "./spec-finalizers.js";
import { storedBytes, storedObject } from "./stored.js";
import { keyOf, resourceOf, type Write } from "./write.js";

/** A change of a stored object, tried again on its newest state for as long as others change it meanwhile. */
export interface Change {
  readonly name: string;
  /** The new state, validated. @throws ApiError when this state may not be changed so */
  readonly next: (old: AnyObject) => AnyObject;
  readonly dryRun: boolean;
  /** The change is meant for one version of the object: another one is a conflict. */
  readonly conditional: boolean;
}

export interface Changed {
  readonly bytes: Buffer;
  readonly revision: number;
}

/** Undefined when there is no such object. */
export async function changeObject(write: Write, change: Change): Promise<Changed | undefined> {
  const { deps, kind } = write;
  let entry = await deps.store.get(keyOf(write, change.name));
  while (entry !== undefined) {
    const outcome = await attempt(write, entry, change);
    if (outcome.done) return outcome.changed;
    if (change.conditional) throw modified(resourceOf(kind), change.name);
    entry = outcome.current;
  }
  return undefined;
}

type Attempt =
  | { readonly done: true; readonly changed: Changed }
  | { readonly done: false; readonly current: Entry | undefined };

async function attempt(write: Write, entry: Entry, { next, dryRun }: Change): Promise<Attempt> {
  const { deps, kind, request } = write;
  const old = storedObject(kind, entry);
  return deps.allocations.around({
    kind,
    subresource: request.subresource,
    object: next(old),
    old,
    dryRun,
    store: (object) => storeState(write, entry, { object, dryRun }),
    stored: ({ done }) => done,
  });
}

/** A state that is stored already is not written again. */
async function storeState(
  { deps, kind }: Write,
  entry: Entry,
  { object, dryRun }: { readonly object: AnyObject; readonly dryRun: boolean },
): Promise<Attempt> {
  const bytes = storedBytes(kind, object);
  const done = (revision: number): Attempt => ({ done: true, changed: { bytes, revision } });
  const gone = isFinished(object);
  if (dryRun) return done(entry.revision);
  if (!gone && isSame(bytes, entry.value)) {
    return { done: true, changed: { bytes: entry.value, revision: entry.revision } };
  }
  const swap = await deps.store.swap({ key: entry.key, expected: entry.revision, value: gone ? undefined : bytes });
  if (!swap.done) return { done: false, current: swap.current };
  if (gone) await deps.allocations.removed(kind, object);
  return done(swap.revision);
}

/** Clients of other languages send the fields that they read in an order of their own: that is no change. */
function isSame(bytes: Buffer, stored: Buffer): boolean {
  if (bytes.length !== stored.length) return false;
  return bytes.equals(stored) || equalJson(JSON.parse(bytes.toString("utf8")), JSON.parse(stored.toString("utf8")));
}

/** The last finalizer of an object that is being deleted is gone (spec 1: Object deletion). */
function isFinished(object: AnyObject): boolean {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined) return false;
  return (
    (metadata.finalizers ?? []).length === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    !hasSpecFinalizers(object)
  );
}
