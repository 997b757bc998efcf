import { answersDeletedObject } from "@orch/api/deleted-objects.js";
import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { forbidden, modified, notFound } from "@orch/status/api-error.js";
import type { Entry } from "@orch/store/store.js";
import { checkDeletePreconditions, type DeleteOptions, deleteOptions } from "./delete-options.js";
import { checkIfMatch } from "./preconditions.js";
import { hasSpecFinalizers } from "./spec-finalizers.js";
import { objectReply, storedBytes, storedObject, successReply } from "./stored.js";
import { type Attempt, keyOf, resourceOf, timestamp, type Write } from "./write.js";

/** Deletes an object in one phase, or begins the first of two (spec 1: Object deletion). */
export async function remove(write: Write): Promise<WriteReply> {
  const { deps, kind, request } = write;
  const options = deleteOptions(write);
  refuseSystemNamespace(write);
  let entry = await deps.store.get(keyOf(write, request.name));
  for (;;) {
    if (entry === undefined) throw notFound(resourceOf(kind), request.name);
    checkIfMatch(write, String(entry.revision));
    const outcome = await removeEntry(write, entry, options);
    if (outcome.done) return { ...outcome.reply, warnings: warningsFor(write, options) };
    entry = outcome.current;
  }
}

/** One try against one state; not done when the state changed meanwhile. */
export async function removeEntry(write: Write, entry: Entry, options: DeleteOptions): Promise<Attempt> {
  const { deps, kind } = write;
  const old = storedObject(kind, entry);
  await deps.admission.validateDelete(write, old);
  checkDeletePreconditions(write, options, old);
  const marked = markedForDeletion(write, old, options);
  if (marked === undefined) {
    if (!options.dryRun) {
      const swap = await deps.store.swap({ key: entry.key, expected: entry.revision, value: undefined });
      if (!swap.done) return again(write, options, swap.current);
      await deps.allocations.removed(kind, old);
    }
    return { done: true, reply: removedReply(write, old, entry) };
  }
  const bytes = storedBytes(kind, marked);
  if (options.dryRun || bytes.equals(entry.value))
    return { done: true, reply: objectReply(write, bytes, { code: 200, revision: entry.revision }) };
  const swap = await deps.store.swap({ key: entry.key, expected: entry.revision, value: bytes });
  if (!swap.done) return again(write, options, swap.current);
  return { done: true, reply: objectReply(write, bytes, { code: 200, revision: swap.revision }) };
}

function again({ kind, request }: Write, options: DeleteOptions, current: Entry | undefined): Attempt {
  if (options.preconditions.resourceVersion !== undefined) throw modified(resourceOf(kind), request.name);
  return { done: false, current };
}

/** The object with its deletion begun; undefined when it can go at once. */
function markedForDeletion(write: Write, old: AnyObject, options: DeleteOptions): AnyObject | undefined {
  const { deps, kind } = write;
  const finalizers = finalizersFor(write, old, options);
  const grace = gracePeriod(write, old, options);
  const pending = finalizers.length > 0 || grace > 0 || hasSpecFinalizers(old);
  if (!pending) return undefined;
  const { finalizers: _before, ...rest } = old.metadata;
  const before = old.metadata.deletionGracePeriodSeconds;
  const shorter = before === undefined || grace < before;
  const begun = old.metadata.deletionTimestamp;
  const stays = begun !== undefined && (!shorter || grace === 0);
  const metadata = {
    ...rest,
    ...(finalizers.length === 0 ? {} : { finalizers }),
    deletionTimestamp: stays ? begun : timestamp(deps.now() + grace * 1000),
    deletionGracePeriodSeconds: shorter ? grace : before,
  };
  return kind.kind === "Namespace" && kind.group === ""
    ? ({ ...old, metadata, status: { ...asObject(valueAt(old, "status")), phase: "Terminating" } } as AnyObject)
    : { ...old, metadata };
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

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

/** Whoever does not say what becomes of a job's pods is told what does. */
function warningsFor({ requested }: Write, { propagation }: DeleteOptions): readonly string[] {
  const { group, version, kind } = requested;
  if (propagation !== undefined || group !== "batch" || version !== "v1" || kind !== "Job") return [];
  return [
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  ];
}

/** Seconds that a pod which runs somewhere is given; everything else goes at once. */
function gracePeriod({ kind }: Write, old: AnyObject, options: DeleteOptions): number {
  if (kind.kind !== "Pod" || kind.group !== "") return 0;
  const phase = valueAt(old, "status.phase");
  if (valueAt(old, "spec.nodeName") === undefined || phase === "Succeeded" || phase === "Failed") return 0;
  const own = valueAt(old, "spec.terminationGracePeriodSeconds");
  const wanted = options.gracePeriodSeconds ?? (typeof own === "number" ? own : 30);
  return wanted < 0 ? 1 : wanted;
}

function refuseSystemNamespace({ deps, kind, request }: Write): void {
  if (kind.kind !== "Namespace" || kind.group !== "") return;
  const kept = deps.naming.systemNamespaces.filter((name) => !name.endsWith("node-lease"));
  if (kept.includes(request.name)) throw forbidden(resourceOf(kind), request.name, "this namespace may not be deleted");
}

function removedReply(write: Write, old: AnyObject, entry: Entry): WriteReply {
  const { kind } = write;
  if (answersDeletedObject(kind)) return objectReply(write, entry.value, { code: 200, revision: entry.revision });
  const { name, uid } = old.metadata;
  const group = kind.group === "" ? {} : { group: kind.group };
  return successReply(write, 200, [], { name, ...group, kind: kind.plural, uid });
}
