import type { AnyObject } from "@orch/api/object.js";
import type { ObjectBody } from "@orch/render/body.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { ApiError, conflict, notFound } from "@orch/status/api-error.js";
import { readConfiguration } from "./apply.js";
import { changeObject } from "./change.js";
import { changedOrCreated } from "./change-or-create.js";
import { createObject } from "./create.js";
import { trackUpdate, unlessOnlyTimes } from "./field-management.js";
import { type PatchOptions, patchOptions } from "./options.js";
import { readJson, readMerge, readStrategic } from "./patch-body.js";
import { checkIfMatch, checkNames } from "./preconditions.js";
import { objectReply } from "./stored.js";
import { completed, type Surface, surfaceOf } from "./surface.js";
import { warned } from "./warned.js";
import { resourceOf, type Write } from "./write.js";

/**
 * Changes an object as the body says (spec 1: Behavior rules, 6; Server-side apply). A patch is made on the newest
 * state for as long as others change that meanwhile; a resourceVersion in the patch itself makes it conditional.
 */
export async function patch(write: Write): Promise<WriteReply> {
  const { deps, request } = write;
  const mediaType = mediaTypeOf(write);
  const apply = mediaType === "apply" || mediaType === "apply-cbor";
  const options = patchOptions(request.options, { metaGroup: deps.naming.metaGroup, apply });
  const surface = surfaceOf(write);
  let warnings: readonly string[] = [];
  const noted = (patched: ObjectBody): AnyObject => {
    warnings = patched.warnings;
    return patched.object;
  };
  const made = (): Promise<WriteReply> => {
    if (apply) {
      const patching = readConfiguration(write, surface, options);
      return applied(write, surface, { options, patching: (live) => noted(patching(live)) });
    }
    const read = { json: readJson, merge: readMerge, strategic: readStrategic }[mediaType];
    // Not before there is something to patch: what is not found is told first.
    let patching: ReturnType<typeof read> | undefined;
    return patchedLive(write, surface, {
      options,
      patching: (live) => {
        patching ??= read(write, surface, options.fieldValidation);
        return noted(patching(live));
      },
    });
  };
  return warned(write, () => warnings, made);
}

interface Change {
  readonly options: PatchOptions;
  readonly patching: (live: AnyObject) => AnyObject;
}

async function patchedLive(write: Write, surface: Surface, { options, patching }: Change): Promise<WriteReply> {
  const reply = await changed(write, options, (old) => {
    const live = surface.show(old);
    const object = patching(live);
    checkNames(write, object);
    const wanted = completed(write, surface, object);
    const tracked = trackUpdate(write, surface, { live, object: wanted, options });
    return unlessOnlyTimes(old, surface.next(tracked, old));
  });
  if (reply === undefined) throw notFound(resourceOf(write.kind), write.request.name);
  return reply;
}

const mediaTypes: Readonly<Record<string, "json" | "merge" | "strategic" | "apply" | "apply-cbor">> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
  "application/apply-patch+cbor": "apply-cbor",
};

/** @throws ApiError UnsupportedMediaType */
function mediaTypeOf({ deps, request }: Write): (typeof mediaTypes)[string] {
  const [given = ""] = request.contentType.split(";");
  const name = given.trim().toLowerCase();
  const known = Object.hasOwn(mediaTypes, name) ? mediaTypes[name] : undefined;
  if (known === undefined || (known === "apply-cbor" && !deps.cbor)) {
    throw new ApiError("UnsupportedMediaType", "415: Unsupported Media Type", { details: {} });
  }
  return known;
}

interface Application {
  readonly options: PatchOptions;
  readonly patching: (live: AnyObject | undefined) => AnyObject;
}

/** A server-side apply creates what is not there. */
function applied(write: Write, surface: Surface, { options, patching }: Application): Promise<WriteReply> {
  const { kind, request } = write;
  const change = () =>
    changed(write, options, (old) => {
      const live = surface.show(old);
      const object = patching(live);
      // Nothing was said that is not so already.
      if (object === live) return old;
      checkNames(write, object);
      const next = surface.next(completed(write, surface, object), old);
      // Defaults may have undone what the merge changed.
      return unlessOnlyTimes(old, next);
    });
  return changedOrCreated(change, async () => {
    if (request.subresource !== "") throw notFound(resourceOf(kind), request.name);
    checkIfMatch(write, undefined);
    return createdBy(write, patching(undefined), options);
  });
}

function createdBy(write: Write, object: AnyObject, options: PatchOptions): Promise<WriteReply> {
  checkNames(write, object);
  const { uid } = object.metadata;
  if (uid !== undefined) {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(resourceOf(write.kind), write.request.name, why);
  }
  return createObject(write, object, { dryRun: options.dryRun, tracked: (created) => created });
}

/** Undefined when there is no such object. */
async function changed(
  write: Write,
  { dryRun }: PatchOptions,
  next: (old: AnyObject) => AnyObject,
): Promise<WriteReply | undefined> {
  const change = await changeObject(write, { name: write.request.name, dryRun, next });
  if (change === undefined) return undefined;
  return objectReply(write, change.bytes, { code: 200, revision: change.revision });
}
