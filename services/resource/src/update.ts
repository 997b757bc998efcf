import type { AnyObject } from "@orch/api/object.js";
import { type WriteOptions, writeOptions } from "@orch/render/write-options.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { notFound } from "@orch/status/api-error.js";
import { readObject } from "./body.js";
import { changeObject } from "./change.js";
import { changedOrCreated } from "./change-or-create.js";
import { createObject, creation } from "./create.js";
import { trackUpdate, unlessOnlyTimes } from "./field-management.js";
import { checkIfMatch, checkNames, checkUid } from "./preconditions.js";
import { objectReply } from "./stored.js";
import { completed, type Surface, surfaceOf } from "./surface.js";
import { warned } from "./warned.js";
import { resourceOf, type Write } from "./write.js";

/** Replaces an object, or the part of it that a subresource shows (spec 1: Behavior rules, 5). */
export async function update(write: Write): Promise<WriteReply> {
  const { deps, request } = write;
  const surface = surfaceOf(write);
  const options = writeOptions(request.options, { metaGroup: deps.naming.metaGroup, kind: "UpdateOptions" });
  const body = readObject(write, surface.kind, options.fieldValidation);
  return warned(
    write,
    () => body.warnings,
    () => updated(write, surface, { object: body.object, options }),
  );
}

interface Given {
  readonly object: AnyObject;
  readonly options: WriteOptions;
}

async function updated(write: Write, surface: Surface, { object, options }: Given): Promise<WriteReply> {
  const { request } = write;
  checkNames(write, object);
  const wanted = completed(write, surface, object);
  const change = async (): Promise<WriteReply | undefined> => {
    const changed = await changeObject(write, {
      name: request.name,
      dryRun: options.dryRun,
      next: (old) => {
        checkUid(write, wanted, old);
        const live = surface.show(old);
        const tracked = trackUpdate(write, surface, { live, object: wanted, options });
        // What is not to be written here came back to what it was.
        return unlessOnlyTimes(old, surface.next(tracked, old));
      },
    });
    if (changed === undefined) return undefined;
    return objectReply(write, changed.bytes, { code: 200, revision: changed.revision });
  };
  return changedOrCreated(change, () => missing(write, object, options));
}

async function missing(write: Write, object: AnyObject, options: WriteOptions): Promise<WriteReply> {
  const { kind, request } = write;
  checkIfMatch(write, undefined);
  if (!kind.strategy.createOnUpdate || request.subresource !== "") throw notFound(resourceOf(kind), request.name);
  const { resourceVersion: _version, uid: _uid, ...metadata } = object.metadata;
  return createObject(write, { ...object, metadata }, creation(write, options));
}
