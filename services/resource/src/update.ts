import type { AnyObject } from "@orch/api/object.js";
import {
  prepareForPart,
  prepareForUpdate,
  setDefaults,
  toHub,
  validatePart,
  validateUpdate,
} from "@orch/api/writes.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { badRequest, conflict, invalid, modified, notFound } from "@orch/status/api-error.js";
import { fieldError } from "@orch/status/field-error.js";
import { type ObjectBody, readObject } from "./body.js";
import { type Changed, changeObject } from "./change.js";
import { createObject } from "./create.js";
import { writeOptions } from "./options.js";
import { refuseInvalid } from "./refuse.js";
import { objectReply } from "./stored.js";
import { contextOf, resourceOf, type Write } from "./write.js";

/** Replaces an object (spec 1: Behavior rules, 5). */
export async function update(write: Write): Promise<WriteReply> {
  const { kind, requested } = write;
  const { body, options, version } = readUpdate(write);
  const changed = await changeObject(write, {
    name: write.request.name,
    dryRun: options.dryRun,
    conditional: version !== "",
    next: (old) => {
      checkPreconditions(write, body.object, old);
      const object = prepareForUpdate(kind, hubState(write, body.object), old, contextOf(write));
      refuseInvalid(kind, object, validateUpdate(requested, object, old));
      return object;
    },
  });
  return changed === undefined ? missing(write, body, options) : changedReply(write, changed, body);
}

/** Replaces the part of an object that a subresource shows: its status, for one (spec 1: Sub-resource). */
export async function updatePart(write: Write): Promise<WriteReply> {
  const { kind, requested, request } = write;
  const { body, options, version } = readUpdate(write);
  const changed = await changeObject(write, {
    name: request.name,
    dryRun: options.dryRun,
    conditional: version !== "",
    next: (old) => {
      checkPreconditions(write, body.object, old);
      const part = { name: request.subresource, object: hubState(write, body.object), old };
      const object = prepareForPart(kind, part, contextOf(write));
      refuseInvalid(kind, object, validatePart(requested, { ...part, object }));
      return object;
    },
  });
  if (changed === undefined) throw notFound(resourceOf(kind), request.name);
  return changedReply(write, changed, body);
}

function readUpdate(write: Write) {
  const { deps, requested, request } = write;
  const options = writeOptions(request.options, { metaGroup: deps.naming.metaGroup, kind: "UpdateOptions" });
  const body = readObject(write, requested, options.fieldValidation);
  checkNames(write, body.object);
  return { body, options, version: body.object.metadata.resourceVersion ?? "" };
}

function changedReply(write: Write, { bytes, revision }: Changed, { warnings }: ObjectBody): WriteReply {
  return objectReply(write, bytes, { code: 200, revision, warnings });
}

/** @throws ApiError BadRequest when the body is another object than the path */
export function checkNames({ kind, request }: Write, { metadata }: AnyObject): void {
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

/** The request's object, defaulted, as it would be stored. */
function hubState({ kind, requested, request }: Write, given: AnyObject): AnyObject {
  const metadata = kind.namespaced ? { ...given.metadata, namespace: request.namespace } : given.metadata;
  return toHub(requested, setDefaults(requested, { ...given, metadata }));
}

/** What a body says of the object that it is to change. @throws ApiError Invalid, Conflict */
export function checkPreconditions({ kind, request }: Write, given: AnyObject, old: AnyObject): void {
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
