import type { AnyObject } from "@orch/api/object.js";
import { prepareForCreate, setDefaults, toHub, validateCreate } from "@orch/api/writes.js";
import { type WriteOptions, writeOptions } from "@orch/render/write-options.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import type { ObjectMeta } from "@orch/schema/object-meta.js";
import { alreadyExists, badRequest } from "@orch/status/api-error.js";
import { noRevision } from "@orch/store/revision.js";
import { readObject } from "./body.js";
import { trackUpdate } from "./field-management.js";
import { checkMayCreate } from "./may-create.js";
import { refuseInvalid } from "./refuse.js";
import { objectReply, storedBytes } from "./stored.js";
import { surfaceOf } from "./surface.js";
import { warned } from "./warned.js";
import { contextOf, keyOf, resourceOf, timestamp, type Write } from "./write.js";

/** Creates an object (spec 1: Verbs to HTTP, create). */
export async function create(write: Write): Promise<WriteReply> {
  const { deps, requested, request } = write;
  const options = writeOptions(request.options, { metaGroup: deps.naming.metaGroup, kind: "CreateOptions" });
  const body = readObject(write, requested, options.fieldValidation);
  return warned(
    write,
    () => body.warnings,
    () => createObject(write, body.object, creation(write, options)),
  );
}

/** How an object is created. */
export interface Creation {
  readonly dryRun: boolean;
  /** The defaulted object with its managedFields. */
  readonly tracked: (object: AnyObject) => AnyObject;
}

/** Its fields belong to whoever creates it. */
export function creation(write: Write, options: WriteOptions): Creation {
  const surface = surfaceOf(write);
  const tracked = (object: AnyObject) => trackUpdate(write, surface, { live: undefined, object, options });
  return { dryRun: options.dryRun, tracked };
}

/** Also for a PUT of a missing name, where the kind allows it, and for a server-side apply. */
export async function createObject(write: Write, object: AnyObject, how: Creation): Promise<WriteReply> {
  const { deps, kind, request } = write;
  if (request.verb !== "create") await checkMayCreate(write);
  const named = newMetadata(write, object);
  if (kind.namespaced) {
    await deps.namespaces.admitCreate(request.namespace, { resource: resourceOf(kind), name: named.name ?? "" });
  }
  const prefix = named.name === undefined ? named.generateName : undefined;
  for (let tries = prefix === undefined ? 1 : generatedTries; ; tries--) {
    const metadata = prefix === undefined ? named : { ...named, name: generatedName(prefix, deps.random) };
    const reply = await store(write, { ...object, metadata }, how);
    if (reply !== undefined) return reply;
    if (tries === 1) throw alreadyExists(resourceOf(kind), metadata.name ?? "");
  }
}

/** Random names collide now and then: the server tries others before it says so (release 1.32). */
const generatedTries = 8;

/** Stores a new object; undefined when its name is taken. */
async function store(write: Write, object: AnyObject, { dryRun, tracked }: Creation): Promise<WriteReply | undefined> {
  const { deps, kind, requested, request } = write;
  // What the server itself adds belongs to nobody.
  const admitted = await deps.admission.mutateCreate(write, tracked(setDefaults(requested, object)));
  const prepared = prepareForCreate(kind, toHub(requested, admitted), contextOf(write));
  refuseInvalid(kind, prepared, validateCreate(requested, prepared));
  await deps.admission.validate({ write, object: prepared, old: undefined });
  return deps.allocations.around({
    kind,
    subresource: request.subresource,
    object: prepared,
    old: undefined,
    dryRun,
    store: (whole) => storePrepared(write, whole, dryRun),
    stored: (reply) => reply !== undefined,
  });
}

async function storePrepared(write: Write, object: AnyObject, dryRun: boolean): Promise<WriteReply | undefined> {
  const { deps, kind } = write;
  const bytes = storedBytes(kind, object);
  const at = keyOf(write, object.metadata.name ?? "");
  if (dryRun) {
    const taken = await deps.store.get(at);
    return taken === undefined ? objectReply(write, bytes, { code: 201, revision: undefined }) : undefined;
  }
  const swap = await deps.store.swap({ key: at, expected: noRevision, value: bytes });
  return swap.done ? objectReply(write, bytes, { code: 201, revision: swap.revision }) : undefined;
}

/** The metadata of a new object: what clients may say, and what the server sets. */
function newMetadata(write: Write, object: AnyObject): ObjectMeta {
  const { deps, kind, request } = write;
  const {
    resourceVersion,
    deletionTimestamp: _deletion,
    deletionGracePeriodSeconds: _grace,
    generation: _generation,
    namespace: given,
    ...metadata
  } = object.metadata;
  if (resourceVersion !== undefined && resourceVersion !== "")
    throw badRequest("resourceVersion should not be set on objects to be created");
  if (given !== undefined && given !== request.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  const nameless = kind.strategy.namesItself && metadata.name === undefined && metadata.generateName === undefined;
  return {
    ...metadata,
    ...(nameless ? { name: deps.newUid() } : {}),
    ...(kind.namespaced ? { namespace: request.namespace } : {}),
    uid: deps.newUid(),
    creationTimestamp: timestamp(deps.now()),
  };
}

const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const maxPrefix = 58;
const suffixLength = 5;

export function generatedName(prefix: string, random: () => number): string {
  let name = prefix.slice(0, maxPrefix);
  for (let i = 0; i < suffixLength; i++) name += alphabet[Math.floor(random() * alphabet.length)];
  return name;
}
