import type { AnyObject } from "@orch/api/object.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { ApiError, conflict, notFound, unsupportedMediaType } from "@orch/status/api-error.js";
import { type Change, changeObject } from "../change.js";
import { createObject } from "../create.js";
import { type PatchOptions, patchOptions } from "../options.js";
import { checkIfMatch, checkNames } from "../preconditions.js";
import { objectReply } from "../reply.js";
import type { Attempt } from "../storing/attempts.js";
import { storeNew } from "../storing/store-draft.js";
import type { Stored } from "../storing/stored.js";
import { type Surface, surfaceOf } from "../surface.js";
import { tell } from "../traced.js";
import { warned } from "../warned.js";
import { resourceOf, type Write } from "../write.js";
import { readConfiguration } from "./apply.js";
import { type Patching, readJson, readMerge, readStrategic } from "./patch-body.js";

/**
 * Changes an object as the body says (rules: Behavior rules, 6; Server-side apply). A patch is made on the newest
 * state for as long as others change that meanwhile; a resourceVersion in the patch itself makes it conditional.
 */
export async function patch(write: Write): Promise<WriteReply> {
  const { deps, request } = write;
  const mediaType = mediaTypeOf(write);
  const isApply = mediaType === "apply" || mediaType === "apply-cbor";
  const options = patchOptions(request.options, { metaGroup: deps.naming.metaGroup, apply: isApply });
  const patched = { write, surface: surfaceOf(write), options };
  return warned(write, [], async () => {
    const change = isApply ? applying(patched) : patching(patched, readers[mediaType]);
    tell(write, "About to apply patch");
    const stored = await changeObject(write, { ...patched, name: request.name, ...change });
    tell(write, "Object stored in database");
    return objectReply(write, stored);
  });
}

const mediaTypes: Readonly<Record<string, "json" | "merge" | "strategic" | "apply" | "apply-cbor">> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
  "application/apply-patch+cbor": "apply-cbor",
};

/** Custom resources have no merge keys: there is no strategic merge patch of them. @throws ApiError UnsupportedMediaType */
function mediaTypeOf({ deps, request, requested }: Write): (typeof mediaTypes)[string] {
  const [given = ""] = request.contentType.split(";");
  const name = given.trim().toLowerCase();
  const known = Object.hasOwn(mediaTypes, name) ? mediaTypes[name] : undefined;
  if (requested.definition !== undefined && (known === undefined || known === "strategic")) {
    const accepted = Object.keys(mediaTypes).filter((type) => mediaTypes[type] !== "strategic");
    throw unsupportedMediaType(deps.cbor ? accepted : accepted.filter((type) => mediaTypes[type] !== "apply-cbor"));
  }
  if (known === undefined || (known === "apply-cbor" && !deps.cbor)) {
    throw new ApiError("UnsupportedMediaType", "415: Unsupported Media Type", { details: {} });
  }
  return known;
}

const readers = { json: readJson, merge: readMerge, strategic: readStrategic } as const;

interface Patched {
  readonly write: Write;
  readonly surface: Surface;
  readonly options: PatchOptions;
}

type Verb = Pick<Change, "begin" | "missing">;

function patching({ write, surface, options }: Patched, read: (typeof readers)[keyof typeof readers]): Verb {
  // Not before there is something to patch: what is not found is told first.
  let patch: ReturnType<typeof read> | undefined;
  return {
    begin({ live }) {
      patch ??= read(write, surface, options.fieldValidation);
      return patch(live);
    },
    missing: () => Promise.reject(notFound(resourceOf(write.kind), write.request.name)),
  };
}

/** A server-side apply creates what is not there. */
function applying(patched: Patched): Verb {
  const { write, surface, options } = patched;
  const apply = readConfiguration(write, surface, options);
  return {
    begin: ({ live }) => ({ ...apply(live), tracked: true }),
    missing: () => createApplied(patched, apply),
  };
}

async function createApplied({ write, surface, options }: Patched, apply: Patching): Promise<Attempt<Stored>> {
  const { kind, request } = write;
  if (request.subresource !== "") throw notFound(resourceOf(kind), request.name);
  checkIfMatch(write, undefined);
  const { object, warnings } = apply(undefined);
  checkNames(write, object);
  checkNoUid(write, object);
  return createObject(write, { object, warnings, tracked: true }, { surface, options, store: storeNew });
}

/** A configuration that names a uid is meant for one object alone. @throws ApiError Conflict */
function checkNoUid({ kind, request }: Write, { metadata }: AnyObject): void {
  const { uid } = metadata;
  if (uid === undefined) return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(resourceOf(kind), request.name, why);
}
