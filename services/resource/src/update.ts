import type { AnyObject } from "@orch/api/object.js";
import { prepareForUpdate, setDefaults, toHub, validateUpdate } from "@orch/api/writes.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { badRequest, conflict, invalid, modified, notFound } from "@orch/status/api-error.js";
import { fieldError } from "@orch/status/field-error.js";
import type { Entry } from "@orch/store/store.js";
import { type ObjectBody, readObject } from "./body.js";
import { createObject } from "./create.js";
import { writeOptions } from "./options.js";
import { refuseInvalid } from "./refuse.js";
import { hasSpecFinalizers } from "./spec-finalizers.js";
import { objectReply, storedBytes, storedObject } from "./stored.js";
import { type Attempt, contextOf, keyOf, resourceOf, type Write } from "./write.js";

/** Replaces an object (spec 1: Behavior rules, 5). */
export async function update(write: Write): Promise<WriteReply> {
  const { deps, requested, request } = write;
  const options = writeOptions(request.options, { metaGroup: deps.naming.metaGroup, kind: "UpdateOptions" });
  const body = readObject(write, requested, options.fieldValidation);
  checkNames(write, body.object);
  let entry = await deps.store.get(keyOf(write, request.name));
  for (;;) {
    if (entry === undefined) return missing(write, body, options);
    const outcome = await replace(write, { body, entry, dryRun: options.dryRun });
    if (outcome.done) return outcome.reply;
    entry = outcome.current;
  }
}

function checkNames({ kind, request }: Write, { metadata }: AnyObject): void {
  const name = metadata.name ?? "";
  if (name === "") {
    throw badRequest(`the name of the object (${request.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== request.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${request.name})`);
  }
  const namespace = metadata.namespace ?? request.namespace;
  if (!kind.namespaced || namespace === request.namespace) return;
  throw badRequest(
    `the namespace of the object (${namespace}) does not match the namespace on the URL (${request.namespace})`,
  );
}

function missing(write: Write, body: ObjectBody, options: { readonly dryRun: boolean }): Promise<WriteReply> {
  const { kind, request } = write;
  if (!kind.strategy.createOnUpdate) throw notFound(resourceOf(kind), request.name);
  const { resourceVersion: _version, uid: _uid, ...metadata } = body.object.metadata;
  return createObject(write, { ...body, object: { ...body.object, metadata } }, options);
}

interface Replacement {
  readonly body: ObjectBody;
  readonly entry: Entry;
  readonly dryRun: boolean;
}

async function replace(write: Write, { body, entry, dryRun }: Replacement): Promise<Attempt> {
  const { deps, kind, request } = write;
  const old = storedObject(kind, entry);
  checkPreconditions(write, body.object, old);
  const object = nextState(write, body.object, old);
  refuseInvalid(kind, object, validateUpdate(kind, object, old));
  const bytes = storedBytes(kind, object);
  const done = (revision: number): Attempt => ({
    done: true,
    reply: objectReply(write, bytes, { code: 200, revision, warnings: body.warnings }),
  });
  const gone = isFinished(object);
  if (dryRun || (!gone && bytes.equals(entry.value))) return done(entry.revision);
  const swap = await deps.store.swap({ key: entry.key, expected: entry.revision, value: gone ? undefined : bytes });
  if (swap.done) return done(swap.revision);
  if ((body.object.metadata.resourceVersion ?? "") !== "") throw modified(resourceOf(kind), request.name);
  return { done: false, current: swap.current };
}

function nextState(write: Write, given: AnyObject, old: AnyObject): AnyObject {
  const { kind, requested, request } = write;
  const metadata = kind.namespaced ? { ...given.metadata, namespace: request.namespace } : given.metadata;
  const defaulted = toHub(requested, setDefaults(requested, { ...given, metadata }));
  return prepareForUpdate(kind, defaulted, old, contextOf(write));
}

/** The last finalizer of an object that is being deleted is gone (spec 1: Object deletion). */
export function isFinished(object: AnyObject): boolean {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined) return false;
  return (
    (metadata.finalizers ?? []).length === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    !hasSpecFinalizers(object)
  );
}

function checkPreconditions({ kind, request }: Write, given: AnyObject, old: AnyObject): void {
  const version = given.metadata.resourceVersion ?? "";
  if (version === "" && !kind.strategy.unconditionalUpdate) {
    const error = fieldError.invalid("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalid({ group: kind.group, kind: kind.kind }, request.name, [error]);
  }
  if (version !== "" && version !== old.metadata.resourceVersion) throw modified(resourceOf(kind), request.name);
  const uid = given.metadata.uid ?? "";
  if (uid === "" || uid === old.metadata.uid) return;
  throw conflict(
    resourceOf(kind),
    request.name,
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
  );
}
