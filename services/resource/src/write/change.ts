import type { AnyObject } from "@orch/api/object.js";
import { decodeObject } from "@orch/api/writes.js";
import type { WriteOptions } from "@orch/render/write-options.js";
import { ApiError } from "@orch/status/api-error.js";
import { readStored, untilConverted } from "./conversions.js";
import { type Beginning, draftOf } from "./draft.js";
import { unlessOnlyTimes } from "./fields/field-management.js";
import { checkIfMatch } from "./preconditions.js";
import { throughStages } from "./stages.js";
import { type Attempt, done, untilDone } from "./storing/attempts.js";
import type { StoredState } from "./storing/recent-states.js";
import { storeChange } from "./storing/store-draft.js";
import { type Stored, treeOf } from "./storing/stored.js";
import type { Surface } from "./surface.js";
import { storeSpan, within } from "./traced.js";
import { checkSizeHere, keyOf, type Write } from "./write.js";

/** A change of a stored object, made anew of its newest state for as long as others change it meanwhile. */
export interface Change {
  readonly name: string;
  readonly surface: Surface;
  readonly options: WriteOptions;
  /** What the verb makes of a state; the very object that clients read where it says nothing new. @throws ApiError */
  readonly begin: (state: LiveState) => Beginning;
  /** Where there is no such object. @throws ApiError NotFound, unless it is created then */
  readonly missing: () => Promise<Attempt<Stored>>;
}

/** A stored object as its hub has it, and as clients read it. */
export interface LiveState {
  readonly old: AnyObject;
  readonly live: AnyObject;
}

export function changeObject(write: Write, change: Change): Promise<Stored> {
  const storing = storeSpan(write, "GuaranteedUpdate etcd3", change.name);
  if (storing === undefined) return changed(write, change);
  return within(storing, () => changed({ ...write, storing }, change));
}

async function changed(write: Write, change: Change): Promise<Stored> {
  const { deps } = write;
  const at = keyOf(write, change.name);
  const attempt = (state: StoredState | undefined): Promise<Attempt<Stored>> =>
    state === undefined ? change.missing() : tryOn(write, state, change);
  const guess = change.options.dryRun ? undefined : deps.recent(at);
  if (guess === undefined) return untilDone(await deps.store.get(at), attempt);
  const tried = await attempt(guess).catch(asRefusal);
  if (!("refusal" in tried) && tried.done && tried.value.is !== "unchanged") return tried.value;
  const newest = !("refusal" in tried) && !tried.done ? tried.current : await deps.store.get(at);
  // A remembered state that is still the store's: what it came to holds, unless it has become stale since.
  if (newest?.revision === guess.revision && newest.stale !== true) {
    if ("refusal" in tried) throw tried.refusal;
    if (tried.done) return tried.value;
  }
  return untilDone(newest, attempt);
}

/** A remembered state does for a change that the store accepts; what it is refused for may be over. */
function asRefusal(error: unknown): { readonly refusal: ApiError } {
  if (error instanceof ApiError && error.code < 500) return { refusal: error };
  throw error;
}

async function tryOn(write: Write, found: StoredState, change: Change): Promise<Attempt<Stored>> {
  const { deps } = write;
  const { surface, options, begin } = change;
  checkSizeHere(deps, found);
  checkIfMatch(write, String(found.revision));
  const state = withTree(write, found);
  const read = readStored(write, state);
  const old = read instanceof Promise ? await read : read;
  const live = (surface.begin ?? surface.show)(old);
  write.storing?.event("initial value restored");
  write.explaining?.enter("change");
  const begun = untilConverted(write, () => begin({ old, live }));
  const beginning = begun instanceof Promise ? await begun : begun;
  write.explaining?.began(live, beginning.object);
  const isStale = state.stale === true;
  // What changes nothing is nobody's business but that of plugins, and of a state that must be written anew.
  if (beginning.object === live && !isStale && !deps.admission.concernsUpdate(write))
    return unchanged(state, beginning.warnings);
  // The zeros that clients see are nothing that somebody wants to be stored.
  const isLive = beginning.object === live;
  const wanted = isLive ? { ...beginning, object: decodeObject(surface.kind, live).object } : beginning;
  const draft = draftOf(write, { surface, options, old, live }, wanted);
  return throughStages(draft, async (draft) => {
    const object = unlessOnlyTimes(old, draft.object);
    if (object === old && !isStale) return unchanged(state, draft.warnings);
    return storeChange(object === old ? { ...draft, object } : draft, state);
  });
}

/** The state with its tree, for the next change of it, too: that may say nothing new, and leave it as it is. */
function withTree({ deps }: Write, state: StoredState): StoredState {
  if (state.tree !== undefined) return state;
  const { key, revision, value } = state;
  const tree = treeOf(state);
  deps.noteTree({ key, revision, bytes: value.length, tree });
  return { ...state, tree };
}

function unchanged({ value, revision }: StoredState, warnings: readonly string[] = []): Attempt<Stored> {
  return done({ is: "unchanged", bytes: value, revision, warnings });
}
