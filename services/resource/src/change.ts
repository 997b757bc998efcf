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
  let state: StoredState | undefined = change.dryRun ? undefined : deps.recent(at);
  let certain = state === undefined;
  if (certain) state = await deps.store.get(at);
  while (state !== undefined) {
    const outcome = await attempt(write, state, { ...change, certain });
    if (outcome.type === "done") return outcome;
    state = outcome.type === "stale" ? outcome.current : await deps.store.get(at);
    certain = true;
  }
  return undefined;
}

type Attempt =
  | ({ readonly type: "done" } & Changed)
  | { readonly type: "stale"; readonly current: Entry | undefined }
  /** The state that was remembered may be an old one. */
  | { readonly type: "unsure" };

interface Try extends Change {
  /** The state is the store's. One that is only remembered does for a change that the store accepts, and no other. */
  readonly certain: boolean;
}

async function attempt(write: Write, state: StoredState, { next, dryRun, certain }: Try): Promise<Attempt> {
  const { deps, kind, request } = write;
  const old = storedObject(kind, state);
  try {
    checkIfMatch(write, String(state.revision));
    const object = next(old);
    if (object === old && certain) return { type: "done", bytes: state.value, revision: state.revision };
    return await deps.allocations.around({
      kind,
      subresource: request.subresource,
      object,
      old,
      dryRun,
      store: (whole) => storeState(write, state, { object: whole, dryRun, certain }),
      stored: ({ type }) => type === "done",
    });
  } catch (error) {
    if (!certain && error instanceof ApiError && error.code < 500) return { type: "unsure" };
    throw error;
  }
}

interface NewState {
  readonly object: AnyObject;
  readonly dryRun: boolean;
  readonly certain: boolean;
}

/** A state that is stored already is not written again. */
async function storeState(
  { deps, kind }: Write,
  { key, value, revision }: StoredState,
  { object, dryRun, certain }: NewState,
): Promise<Attempt> {
  const bytes = storedBytes(kind, object);
  const gone = isFinished(object);
  if (dryRun) return { type: "done", bytes, revision };
  if (!gone && isSame(bytes, value)) return certain ? { type: "done", bytes: value, revision } : { type: "unsure" };
  const swap = await deps.store.swap({ key, expected: revision, value: gone ? undefined : bytes });
  if (!swap.done) return { type: "stale", current: swap.current };
  if (gone) await deps.allocations.removed(kind, object);
  return { type: "done", bytes, revision: swap.revision };
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
