import type { AnyObject } from "@orch/api/object.js";
import { type WriteOptions, writeOptions } from "@orch/render/write-options.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { notFound } from "@orch/status/api-error.js";
import { readObject } from "./body.js";
import { changeObject } from "./change.js";
import { createObject } from "./create.js";
import { checkIfMatch, checkNames, checkUid } from "./preconditions.js";
import { objectReply } from "./reply.js";
import type { Attempt } from "./storing/attempts.js";
import { storeNew } from "./storing/store-draft.js";
import type { Stored } from "./storing/stored.js";
import { type Surface, surfaceOf } from "./surface.js";
import { tell, tellStored } from "./traced.js";
import { warned } from "./warned.js";
import { resourceOf, type Write } from "./write.js";

/** Replaces an object, or the part of it that a subresource shows (rules: Behavior rules, 5). */
export async function update(write: Write): Promise<WriteReply> {
  const { deps, request } = write;
  const surface = surfaceOf(write);
  const options = writeOptions(request.options, { metaGroup: deps.naming.metaGroup, kind: "UpdateOptions" });
  tell(write, "About to convert to expected version");
  const { object, warnings } = readObject(write, surface.kind, options.fieldValidation);
  tell(write, "Conversion done");
  return warned(write, warnings, async () => {
    checkNames(write, object);
    tell(write, "About to store object in database");
    const changing = changeObject(write, {
      name: request.name,
      surface,
      options,
      begin({ old }) {
        checkUid(write, object, old);
        return { object };
      },
      missing: () => createMissing(write, object, { surface, options }),
    });
    return objectReply(write, await tellStored(write, changing));
  });
}

function createMissing(
  write: Write,
  object: AnyObject,
  how: { readonly surface: Surface; readonly options: WriteOptions },
): Promise<Attempt<Stored>> {
  const { kind, request } = write;
  checkIfMatch(write, undefined);
  checkUid(write, object, undefined);
  if (!kind.strategy.createOnUpdate || request.subresource !== "") throw notFound(resourceOf(kind), request.name);
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return createObject(write, { object: { ...object, metadata } }, { ...how, store: storeNew });
}
