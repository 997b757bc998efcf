import { validateScale, withScale } from "@orch/api/scale.js";
import { prepareForUpdate, validateUpdate } from "@orch/api/writes.js";
import { scaleKindOf } from "@orch/render/renderers.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { notFound } from "@orch/status/api-error.js";
import { readObject } from "./body.js";
import { changeObject } from "./change.js";
import { writeOptions } from "./options.js";
import { refuseInvalid } from "./refuse.js";
import { objectReply } from "./stored.js";
import { checkNames, checkPreconditions } from "./update.js";
import { contextOf, resourceOf, type Write } from "./write.js";

/** Sets the size of an object through its Scale (spec 1: Sub-resource). */
export async function updateScale(write: Write): Promise<WriteReply> {
  const { deps, kind, requested, request } = write;
  const scaleKind = scaleKindOf(deps.catalog, requested);
  const options = writeOptions(request.options, { metaGroup: deps.naming.metaGroup, kind: "UpdateOptions" });
  const { object: given, warnings } = readObject(write, scaleKind, options.fieldValidation);
  checkNames(write, given);
  const scale = { ...given, metadata: { ...given.metadata, namespace: request.namespace } };
  const changed = await changeObject(write, {
    name: request.name,
    dryRun: options.dryRun,
    conditional: (scale.metadata.resourceVersion ?? "") !== "",
    next: (old) => {
      refuseInvalid(scaleKind, scale, validateScale(kind, scale));
      checkPreconditions(write, scale, old);
      const object = prepareForUpdate(kind, withScale(old, scale), old, contextOf(write));
      refuseInvalid(kind, object, validateUpdate(requested, object, old));
      return object;
    },
  });
  if (changed === undefined) throw notFound(resourceOf(kind), request.name);
  const { bytes, revision } = changed;
  return objectReply(write, bytes, { code: 200, revision, warnings });
}
