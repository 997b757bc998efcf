import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { keptOf } from "@orch/api/writes.js";
import { objectOf } from "@orch/codec/json.js";
import { sameTree } from "@orch/patch/fields/same-tree.js";
import type { ObjectMeta } from "@orch/schema/object-meta.js";
import { ApiError, alreadyExists } from "@orch/status/api-error.js";
import type { Span } from "@orch/status/span.js";
import { noRevision } from "@orch/store/revision.js";
import type { Entry } from "@orch/store/store.js";
import { historyNote } from "../../history/note.js";
import { encode } from "../conversions.js";
import { isFinished } from "../deletion/deletion.js";
import type { Draft } from "../draft.js";
import { generatedName } from "../generated-name.js";
import { storeSpan, within } from "../traced.js";
import { keyOf, resourceOf } from "../write.js";
import { type Attempt, done } from "./attempts.js";
import type { StoredState } from "./recent-states.js";
import { type Encoded, type Stored, treeOf } from "./stored.js";

/** What a try to store a state came to. */
type Outcome =
  | { readonly type: "stored"; readonly bytes: Buffer; readonly revision: number | undefined }
  /** It is stored already, and not written again. */
  | { readonly type: "same"; readonly bytes: Buffer; readonly revision: number }
  | { readonly type: "stale"; readonly current: Entry | undefined };

/** The new state of a stored object, with all that it is given. */
export async function storeChange(draft: Draft, state: StoredState): Promise<Attempt<Stored>> {
  return attemptOf(
    draft,
    "changed",
    await allocated(draft, draft.object, (object) => changeStored(draft, state, object)),
  );
}

/** Random names collide now and then: the server tries others before it says so (release 1.32). */
const generatedTries = 8;

/**
 * A new object, with all that it is given. A name that was generated and is taken is exchanged for another one: nobody is
 * asked about the object again.
 */
export async function storeNew(draft: Draft, generated: string | undefined): Promise<Attempt<Stored>> {
  const { write } = draft;
  let { object } = draft;
  for (let left = generated === undefined ? 1 : generatedTries; ; left--) {
    const outcome = await allocated(draft, object, (whole) => createStored(draft, whole));
    if (outcome.type !== "stale" || left === 1) return attemptOf(draft, "created", outcome);
    const name = generatedName(generated ?? "", write.deps.random);
    object = { ...object, metadata: { ...object.metadata, name } };
  }
}

/** The same for a write that only creates. @throws ApiError AlreadyExists */
export async function storeOnlyNew(draft: Draft, generated: string | undefined): Promise<Stored> {
  const attempt = await storeNew(draft, generated);
  if (attempt.done) return attempt.value;
  throw taken(draft, attempt.current);
}

/** Who waits for a name to be free again reads that it will be. */
function taken({ write, object }: Draft, current: Entry | undefined): ApiError {
  const error = alreadyExists(resourceOf(write.kind), object.metadata.name ?? "");
  if (current === undefined || !isGoing(current.value)) return error;
  const { details } = error;
  return new ApiError(
    error.reason,
    `object is being deleted: ${error.message}`,
    details === undefined ? {} : { details },
  );
}

function isGoing(stored: Buffer): boolean {
  try {
    const { metadata }: { readonly metadata?: ObjectMeta } = objectOf(stored);
    return metadata?.deletionTimestamp !== undefined;
  } catch {
    // What cannot be read is there all the same.
    return false;
  }
}

function attemptOf({ warnings }: Draft, as: "created" | "changed", outcome: Outcome): Attempt<Stored> {
  if (outcome.type === "stale") return { done: false, current: outcome.current };
  const is = outcome.type === "same" ? "unchanged" : as;
  return done({ is, bytes: outcome.bytes, revision: outcome.revision, warnings });
}

/** Stores an object with all its numbers; those that are not needed after all are given back. */
async function allocated(
  { write, options, old }: Draft,
  object: AnyObject,
  store: (object: AnyObject) => Promise<Outcome>,
): Promise<Outcome> {
  const { kind, request, deps } = write;
  const { subresource } = request;
  const taking = deps.allocations.take({ kind, subresource, object, old, dryRun: options.dryRun });
  if (taking === undefined) return store(object);
  const taken = await taking;
  try {
    const outcome = await store(taken.object);
    await taken.settle(outcome.type === "stored" ? "stored" : "not stored");
    return outcome;
  } catch (error) {
    await taken.settle(isUnknown(error) ? "unknown" : "not stored");
    throw error;
  }
}

/** A transaction that may have taken effect. */
function isUnknown(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "Timeout";
}

function createStored(draft: Draft, object: AnyObject): Promise<Outcome> {
  const { write, options } = draft;
  const storing = options.dryRun ? undefined : storeSpan(write, "Create etcd3", object.metadata.name ?? "");
  if (storing === undefined) return createdIn(draft, object);
  return within(storing, () => createdIn({ ...draft, write: { ...write, storing } }, object));
}

async function createdIn({ write, options }: Draft, object: AnyObject): Promise<Outcome> {
  const { deps, storing } = write;
  storing?.event("About to Encode");
  const made = encode(write, options.dryRun ? object : keptOf(write.kind, object));
  const { bytes } = made instanceof Promise ? await made : made;
  encoded(storing, bytes);
  const key = keyOf(write, object.metadata.name ?? "");
  if (options.dryRun) {
    const current = await deps.store.get(key);
    return current === undefined ? { type: "stored", bytes, revision: undefined } : { type: "stale", current };
  }
  const note = historyNote(write, { key, before: undefined, after: bytes, of: object.metadata });
  const swap = await deps.store.swap({ key, expected: noRevision, value: bytes, note });
  storing?.event("Txn call succeeded");
  if (swap.done) storing?.event("decode succeeded", { len: bytes.length });
  return swap.done ? { type: "stored", bytes, revision: swap.revision } : { type: "stale", current: swap.current };
}

async function changeStored({ write, options }: Draft, state: StoredState, object: AnyObject): Promise<Outcome> {
  const { deps, kind, storing } = write;
  const { key, value, revision, stale } = state;
  storing?.event("About to Encode");
  const made = encode(write, options.dryRun ? object : keptOf(kind, object));
  const { bytes, tree } = made instanceof Promise ? await made : made;
  encoded(storing, bytes);
  const gone = isFinished(kind, object);
  if (options.dryRun) return { type: "stored", bytes, revision };
  if (!gone && stale !== true && isSame({ bytes, tree }, state)) return { type: "same", bytes: value, revision };
  const essential = isEssential(kind, object, { bytes, before: value });
  storing?.event("Transaction prepared");
  const after = gone ? undefined : bytes;
  const note = historyNote(write, { key, before: { value, revision }, after, of: object.metadata });
  const swap = await deps.store.swap({ key, expected: revision, value: after, essential, note });
  storing?.event("Txn call completed");
  if (swap.done) {
    storing?.event("Transaction committed");
    storing?.event("decode succeeded", { len: bytes.length });
  }
  if (!swap.done) return { type: "stale", current: swap.current };
  if (gone) await deps.allocations.removed(kind, object);
  else deps.noteTree({ key, revision: swap.revision, bytes: bytes.length, tree, written: object });
  return { type: "stored", bytes, revision: swap.revision };
}

/** The store below seals what it is given in the turn in which it is asked, where values are sealed. */
function encoded(storing: Span | undefined, bytes: Buffer): void {
  storing?.event("Encode succeeded", { len: bytes.length });
  storing?.event("TransformToStorage succeeded");
}

/** A lease says a few words; one with a story in it waits like everything else. */
const leaseBytes = 4096;
/** An object up to this size goes its way out also when the store has no room left; a larger one when it goes at once. */
export const goingBytes = 128 << 10;

/**
 * What goes on when the store has no room left: who is alive or leads, and the way of an object out, which gets shorter
 * with each step: no user keeps others from the reserve by changing what is to be deleted.
 */
function isEssential(
  { kind, group }: Kind,
  { metadata }: AnyObject,
  { bytes, before }: { readonly bytes: Buffer; readonly before: Buffer },
): boolean {
  if (metadata.deletionTimestamp !== undefined) return bytes.length < before.length && bytes.length <= goingBytes;
  return kind === "Lease" && group.startsWith("coordination.") && bytes.length <= leaseBytes;
}

/**
 * Clients of other languages send the fields that they read in an order of their own: that is no change. A new state has the
 * old one's very trees where they say the same, so this ends at the first difference.
 */
function isSame({ bytes, tree }: Encoded, stored: StoredState): boolean {
  if (bytes.length !== stored.value.length) return false;
  return bytes.equals(stored.value) || sameTree(tree, treeOf(stored));
}
