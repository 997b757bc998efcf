import type { AnyObject } from "@orch/api/object.js";
import { equalJson } from "@orch/schema/equal.js";
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
  // A state that is only remembered does for a change that the store accepts, and for no other answer.
  let state: StoredState | undefined = change.dryRun ? undefined : deps.recent(at);
  let certain = state === undefined;
  if (certain) state = await deps.store.get(at);
  while (state !== undefined) {
    const changed = certain ? prepare(write, state, change) : attempted(() => prepare(write, state, change));
    if (changed === undefined || (!certain && changed.same)) {
      state = await deps.store.get(at);
      certain = true;
      continue;
    }
    const { bytes, same, gone } = changed;
    if (same) return { bytes: state.value, revision: state.revision };
    if (change.dryRun) return { bytes, revision: state.revision };
    const swap = await deps.store.swap({ key: at, expected: state.revision, value: gone ? undefined : bytes });
    if (swap.done) return { bytes, revision: swap.revision };
    state = swap.current;
    certain = true;
  }
  return undefined;
}

interface Prepared {
  readonly bytes: Buffer;
  /** It is stored already and not written again. */
  readonly same: boolean;
  /** Its deletion ends with this change. */
  readonly gone: boolean;
}

function prepare(write: Write, state: StoredState, { next }: Change): Prepared {
  const { kind } = write;
  checkIfMatch(write, String(state.revision));
  const old = storedObject(kind, state);
  const object = next(old);
  if (object === old) return { bytes: state.value, same: true, gone: false };
  const bytes = storedBytes(kind, object);
  const gone = isFinished(object);
  return { bytes, same: !gone && isSame(bytes, state.value), gone };
}

function attempted<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
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
