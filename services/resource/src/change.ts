import type { AnyObject } from "@orch/api/object.js";
import { equalJson } from "@orch/schema/equal.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Entry } from "@orch/store/store.js";
import { checkIfMatch } from "./preconditions.js";
import type { StoredState } from "./recent-states.js";
import { hasSpecFinalizers } from "./spec-finalizers.js";
import { storedBytes, storedObject } from "./stored.js";
import { keyOf, type Write } from "./write.js";

/** A change of a stored object, tried again on its newest state for as long as others change it meanwhile. */
export interface Change {
  readonly name: string;
  /** The new state, validated. @throws ApiError when this state may not be changed so */
  readonly next: (old: AnyObject) => AnyObject;
  readonly dryRun: boolean;
}

export interface Changed {
  readonly bytes: Buffer;
  readonly revision: number;
}

/** Undefined when there is no such object. */
export async function changeObject(write: Write, change: Change): Promise<Changed | undefined> {
  const { deps } = write;
  const at = keyOf(write, change.name);
  const guess = change.dryRun ? undefined : deps.recent(at);
  if (guess === undefined) return changeFrom(write, await deps.store.get(at), change);
  const outcome = await tryOn(write, guess, change).catch(unlessRefused);
  if (outcome?.type === "changed") return outcome;
  const newest = outcome?.type === "stale" ? outcome.current : await deps.store.get(at);
  // A remembered state that is still the store's: what it came to holds.
  if (outcome?.type === "same" && newest?.revision === guess.revision) return outcome;
  return changeFrom(write, newest, change);
}

/** A remembered state does for a change that the store accepts; what it is refused for may be over. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof ApiError && error.code < 500) return undefined;
  throw error;
}

async function changeFrom(write: Write, newest: StoredState | undefined, change: Change): Promise<Changed | undefined> {
  let state = newest;
  while (state !== undefined) {
    const outcome = await tryOn(write, state, change);
    if (outcome.type !== "stale") return outcome;
    state = outcome.current;
  }
  return undefined;
}

type Outcome =
  | ({ readonly type: "changed" } & Changed)
  /** It is stored already, and not written again. */
  | ({ readonly type: "same" } & Changed)
  | { readonly type: "stale"; readonly current: Entry | undefined };

async function tryOn(write: Write, state: StoredState, { next, dryRun }: Change): Promise<Outcome> {
  const { deps, kind, request } = write;
  checkIfMatch(write, String(state.revision));
  const old = storedObject(kind, state);
  const object = next(old);
  if (object === old) return { type: "same", bytes: state.value, revision: state.revision };
  await deps.admission.validate({ write, object, old });
  return deps.allocations.around({
    kind,
    subresource: request.subresource,
    object,
    old,
    dryRun,
    store: (whole) => storeState(write, state, { object: whole, dryRun }),
    stored: ({ type }) => type === "changed",
  });
}

interface NewState {
  readonly object: AnyObject;
  readonly dryRun: boolean;
}

async function storeState(
  { deps, kind }: Write,
  { key, value, revision }: StoredState,
  { object, dryRun }: NewState,
): Promise<Outcome> {
  const bytes = storedBytes(kind, object);
  const gone = isFinished(object);
  if (dryRun) return { type: "changed", bytes, revision };
  if (!gone && isSame(bytes, value)) return { type: "same", bytes: value, revision };
  const swap = await deps.store.swap({ key, expected: revision, value: gone ? undefined : bytes });
  if (!swap.done) return { type: "stale", current: swap.current };
  if (gone) await deps.allocations.removed(kind, object);
  return { type: "changed", bytes, revision: swap.revision };
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
