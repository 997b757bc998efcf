import { answersDeletedObject } from "@orch/api/deleted-objects.js";
import type { AnyObject } from "@orch/api/object.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { modified, notFound } from "@orch/status/api-error.js";
import type { Entry } from "@orch/store/store.js";
import { historyNote } from "../../history/note.js";
import { noAdvice } from "../advice.js";
import { note } from "../audit-notes.js";
import { encode, readStored } from "../conversions.js";
import { checkIfMatch } from "../preconditions.js";
import { objectReply, successReply } from "../reply.js";
import { type Attempt, done, untilDone } from "../storing/attempts.js";
import type { StoredState } from "../storing/recent-states.js";
import { goingBytes } from "../storing/store-draft.js";
import { readTraced, tell } from "../traced.js";
import { warned } from "../warned.js";
import { checkSizeHere, keyOf, resourceOf, timestamp, type Write } from "../write.js";
import { checkDeletePreconditions, type DeleteOptions, deleteOptions } from "./delete-options.js";
import { removeUnread } from "./delete-unread.js";
import { deletionOf } from "./deletion.js";

/** Deletes an object in one phase, or begins the first of two (rules: Object deletion). */
export async function remove(write: Write): Promise<WriteReply> {
  const options = deleteOptions(write);
  return options.unread ? removeUnread(write) : warned(write, [], () => removeRead(write, options));
}

async function removeRead(write: Write, options: DeleteOptions): Promise<WriteReply> {
  const { deps, kind, requested, request } = write;
  tell(write, "About to delete object from database");
  const first = await readTraced(write, request.name, () => deps.store.get(keyOf(write, request.name)));
  const reply = await untilDone(first, async (state) => {
    if (state === undefined) throw notFound(resourceOf(kind), request.name);
    checkIfMatch(write, String(state.revision));
    return removeState(write, state, options);
  });
  tell(write, "Object deleted from database");
  return { ...reply, warnings: [...deletionOf(kind).warnings(requested.version, options), ...reply.warnings] };
}

/** One try against one state; the answer warns of what admission does. */
export async function removeState(
  write: Write,
  state: StoredState,
  options: DeleteOptions,
): Promise<Attempt<WriteReply>> {
  const { deps, kind } = write;
  checkSizeHere(deps, state);
  const old = await readStored(write, state);
  const { warnings = [], auditAnnotations = [] } = (await deps.admission.validateDelete(write, old)) ?? noAdvice;
  note(write, auditAnnotations);
  checkDeletePreconditions(write, options, old);
  const marked = markedForDeletion(write, old, options);
  if (marked === undefined) {
    if (!options.dryRun) {
      const note = historyNote(write, { key: state.key, before: state, after: undefined, of: old.metadata });
      const swap = await deps.store.swap({ key: state.key, expected: state.revision, value: undefined, note });
      if (!swap.done) return again(write, options, swap.current);
      await deps.allocations.removed(kind, old);
    }
    return done({ ...(await removedReply(write, old, state)), warnings });
  }
  const { bytes } = await encode(write, marked);
  const answer = async (revision: number): Promise<Attempt<WriteReply>> =>
    done({ ...(await objectReply(write, { is: "changed", bytes, revision, warnings: [] })), warnings });
  if (options.dryRun || bytes.equals(state.value)) return answer(state.revision);
  const swap = await deps.store.swap({
    ...{ key: state.key, expected: state.revision, value: bytes },
    essential: bytes.length <= goingBytes,
    note: historyNote(write, { key: state.key, before: state, after: bytes }),
  });
  return swap.done ? answer(swap.revision) : again(write, options, swap.current);
}

function again(
  { kind, request }: Write,
  options: DeleteOptions,
  current: Entry | undefined,
): { readonly done: false; readonly current: Entry | undefined } {
  if (options.preconditions.resourceVersion !== undefined) throw modified(resourceOf(kind), request.name);
  return { done: false, current };
}

/** The object with its deletion begun; undefined when it can go at once. */
function markedForDeletion(write: Write, old: AnyObject, options: DeleteOptions): AnyObject | undefined {
  const { deps, kind } = write;
  const deletion = deletionOf(kind);
  const first = old.metadata.deletionTimestamp === undefined ? deletion.finalizers(deps.naming) : [];
  const given = finalizersFor(write, old, options);
  const finalizers = [...given, ...first.filter((one) => !given.includes(one))];
  const grace = deletion.gracePeriod(old, options);
  const pending = finalizers.length > 0 || grace > 0 || deletion.waits(old);
  if (!pending) return undefined;
  const { finalizers: _before, generation, ...rest } = old.metadata;
  const before = old.metadata.deletionGracePeriodSeconds;
  const shorter = before === undefined || grace < before;
  const begun = old.metadata.deletionTimestamp;
  const stays = begun !== undefined && (!shorter || grace === 0);
  const metadata = {
    ...rest,
    ...(finalizers.length === 0 ? {} : { finalizers }),
    // That it is to go is a wish of its own: controllers that follow generations have to see it.
    ...(generation === undefined ? {} : { generation: begun === undefined ? next(generation) : generation }),
    deletionTimestamp: stays ? begun : timestamp(Math.min(deps.now() + Number(grace) * 1000, lastMoment)),
    deletionGracePeriodSeconds: shorter ? grace : before,
  };
  return deletion.begun({ ...old, metadata }, timestamp(deps.now()));
}

/** Of an object whose kind counts its generations; the others have none, or 0. */
function next(generation: number): number {
  return generation > 0 ? generation + 1 : generation;
}

/** The end of the year 9999: later ones have no RFC 3339 time. */
const lastMoment = 253_402_300_799_000;

const orphan = "orphan";
const foreground = "foregroundDeletion";

/** The object's finalizers, with the one that stands for what becomes of its dependents. */
function finalizersFor({ requested }: Write, old: AnyObject, { propagation }: DeleteOptions): readonly string[] {
  const present = old.metadata.finalizers ?? [];
  const own = present.filter((f) => f !== orphan && f !== foreground);
  const { gcDefault } = requested.strategy;
  if (gcDefault === "unsupported") return own;
  switch (propagation ?? presentPolicy(present)) {
    case "Orphan":
      return [...own, orphan];
    case "Foreground":
      return [...own, foreground];
    case "Background":
      return own;
    case undefined:
      return gcDefault === "orphan" ? [...own, orphan] : own;
  }
}

/** A policy that was chosen before holds until another one is. */
function presentPolicy(finalizers: readonly string[]): DeleteOptions["propagation"] {
  const chosen = finalizers.find((f) => f === orphan || f === foreground);
  if (chosen === undefined) return undefined;
  return chosen === orphan ? "Orphan" : "Foreground";
}

function removedReply(
  write: Write,
  old: AnyObject,
  { value, revision }: StoredState,
): WriteReply | Promise<WriteReply> {
  const { kind } = write;
  if (answersDeletedObject(kind)) return objectReply(write, { is: "changed", bytes: value, revision, warnings: [] });
  const { name, uid } = old.metadata;
  const group = kind.group === "" ? {} : { group: kind.group };
  return successReply(write, 200, [], { name, ...group, kind: kind.plural, uid });
}
