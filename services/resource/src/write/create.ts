import type { AnyObject } from "@orch/api/object.js";
import { type WriteOptions, writeOptions } from "@orch/render/write-options.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import type { ObjectMeta } from "@orch/schema/object-meta.js";
import { badRequest, notWhileTerminating } from "@orch/status/api-error.js";
import { assumesNamespace } from "./assumed-namespace.js";
import { readObject } from "./body.js";
import { type Beginning, type Draft, draftOf } from "./draft.js";
import { generatedName } from "./generated-name.js";
import { checkMayCreate } from "./may-create.js";
import { objectReply } from "./reply.js";
import { throughStages } from "./stages.js";
import { storeOnlyNew } from "./storing/store-draft.js";
import { type Surface, surfaceOf } from "./surface.js";
import { tell, tellStored } from "./traced.js";
import { warned } from "./warned.js";
import { resourceOf, timestamp, type Write } from "./write.js";

/** Creates an object (rules: Verbs to HTTP, create). */
export async function create(write: Write): Promise<WriteReply> {
  const { deps, requested, request } = write;
  const options = writeOptions(request.options, { metaGroup: deps.naming.metaGroup, kind: "CreateOptions" });
  tell(write, "About to convert to expected version");
  const { object, warnings } = readObject(write, requested, options.fieldValidation);
  tell(write, "Conversion done");
  return warned(write, warnings, async () => {
    const creation = { surface: surfaceOf(write), options, store: storeOnlyNew };
    tell(write, "About to store object in database");
    return objectReply(write, await tellStored(write, createObject(write, { object }, creation)));
  });
}

interface Creation<T> {
  readonly surface: Surface;
  readonly options: WriteOptions;
  /** What is done about a name that is taken differs; `generated` is what the name was made from, if it was. */
  readonly store: (draft: Draft, generated: string | undefined) => Promise<T>;
}

/** Also for a PUT of a missing name, where the kind allows it, and for a server-side apply. */
export async function createObject<T>(
  write: Write,
  beginning: Beginning,
  { surface, options, store }: Creation<T>,
): Promise<T> {
  const { deps, kind, request } = write;
  const { object } = beginning;
  if (deps.catalog.isTerminating(kind)) throw notWhileTerminating(resourceOf(kind));
  if (request.verb !== "create") await checkMayCreate(write);
  const prefix = prefixOf(object);
  const metadata = newMetadata(write, object, prefix);
  if (kind.namespaced && !assumesNamespace(request)) {
    const what = { resource: resourceOf(kind), name: metadata.name ?? "", dryRun: options.dryRun };
    await deps.namespaces.admitCreate(request.namespace, what);
  }
  const from = { surface, options, old: undefined, live: undefined };
  const begun = draftOf(write, from, { ...beginning, object: { ...object, metadata } });
  return throughStages(begun, async (draft) => {
    if (!options.dryRun) refuseVersion(object.metadata.resourceVersion);
    return store(draft, prefix);
  });
}

/** The last of all judgements, and none of a dry run; "0" means no version. @throws ApiError BadRequest */
function refuseVersion(version: string | undefined): void {
  if (version === undefined || version === "" || version === "0") return;
  throw badRequest("resourceVersion should not be set on objects to be created");
}

/** What a name is to be generated from; undefined for an object that has one. */
function prefixOf({ metadata }: AnyObject): string | undefined {
  return metadata.name === undefined ? metadata.generateName : undefined;
}

/** The metadata of a new object: what clients may say, and what the server sets. */
function newMetadata(write: Write, object: AnyObject, prefix: string | undefined): ObjectMeta {
  const { deps, kind, request } = write;
  const {
    resourceVersion: _version,
    deletionTimestamp: _deletion,
    deletionGracePeriodSeconds: _grace,
    namespace: given,
    ...metadata
  } = object.metadata;
  // What has no namespace loses one that it came with, as in the reference.
  if (kind.namespaced && given !== undefined && given !== request.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  const nameless = kind.strategy.namesItself && metadata.name === undefined && prefix === undefined;
  return {
    ...metadata,
    ...(nameless ? { name: deps.newUid() } : {}),
    ...(prefix === undefined ? {} : { name: generatedName(prefix, deps.random) }),
    ...(kind.namespaced ? { namespace: request.namespace } : {}),
    uid: deps.newUid(),
    creationTimestamp: timestamp(deps.now()),
  };
}
