import type { AnyObject } from "@orch/api/object.js";
import { hasHistory } from "@orch/history/rules.js";
import { type ObjectState, type ObjectStates, readStates } from "@orch/history/states.js";
import { historyKey } from "@orch/naming/naming.js";
import { writeOptions } from "@orch/render/write-options.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { isObject } from "@orch/schema/descriptor.js";
import { badRequest, methodNotAllowed, notFound, unknownPath } from "@orch/status/api-error.js";
import { revision } from "@orch/store/revision.js";
import { changeObject } from "../write/change.js";
import { readStored } from "../write/conversions.js";
import { createObject } from "../write/create.js";
import { objectReply } from "../write/reply.js";
import { storeOnlyNew } from "../write/storing/store-draft.js";
import { surfaceOf } from "../write/surface.js";
import { warned } from "../write/warned.js";
import { keyOf, resourceOf, type Write } from "../write/write.js";
import { lost } from "./at.js";
import { bodyObject } from "./body.js";
import { parsed } from "./documents.js";
import { livingOwners } from "./owners.js";
import { stateOf } from "./read.js";

/** What of an object's past is written again. */
export function isRestore(subresource: string): boolean {
  return subresource === "rollback" || subresource === "undelete";
}

/** @throws ApiError */
export function restore(write: Write): Promise<WriteReply> {
  const { deps, kind, request } = write;
  if (deps.history === undefined || !hasHistory(deps.history, { group: kind.group, resource: kind.plural })) {
    throw unknownPath();
  }
  if (request.verb !== "create") throw methodNotAllowed();
  return request.subresource === "rollback" ? rollBack(write) : undelete(write);
}

/**
 * Makes an object what it was at a revision: an update like any other, admitted and validated. Labels and annotations are those
 * of then; finalizers, owners and everything that the server says of it stay. Whoever rolls it back owns the fields that change.
 * @throws ApiError NotFound, Expired
 */
async function rollBack(write: Write): Promise<WriteReply> {
  const { deps, request } = write;
  const { revision: wanted, resourceVersion } = bodyOf(write);
  if (wanted === undefined) throw badRequest("revision: Required value: the revision whose state is wanted");
  const updating: Write = { ...write, request: { ...request, subresource: "", verb: "update" } };
  const states = await readStates(deps.store, keyOf(write, request.name));
  const then = await readState(updating, stateOf(write, states, wanted));
  const options = writeOptions(request.options, { metaGroup: deps.naming.metaGroup, kind: "UpdateOptions" });
  const surface = surfaceOf(updating);
  const shown = surface.show(then);
  return warned(updating, [], async () => {
    const stored = await changeObject(updating, {
      ...{ name: request.name, surface, options },
      begin: ({ live }) => ({ object: asThen(shown, live, resourceVersion) }),
      missing: () => Promise.reject(notFound(resourceOf(write.kind), request.name)),
    });
    return objectReply(updating, stored);
  });
}

function asThen(then: AnyObject, live: AnyObject, resourceVersion: string | undefined): AnyObject {
  const { labels: _labels, annotations: _annotations, resourceVersion: stored, ...metadata } = live.metadata;
  const { labels, annotations } = then.metadata;
  const version = resourceVersion ?? stored;
  return {
    ...then,
    metadata: {
      ...metadata,
      ...(version === undefined ? {} : { resourceVersion: version }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
  };
}

/**
 * Creates a deleted object anew, as it was last: with another uid, an annotation that tells the old one, and those of its owners
 * that are still there. Its managedFields come back with it: whoever applied it goes on applying it.
 * @throws ApiError NotFound, AlreadyExists, Expired
 */
async function undelete(write: Write): Promise<WriteReply> {
  const { deps, kind, request } = write;
  const { revision: wanted } = bodyOf(write);
  const creating: Write = { ...write, request: { ...request, subresource: "", verb: "create" } };
  const states = await readStates(deps.store, keyOf(write, request.name));
  const last = lastBefore(states, wanted === undefined ? undefined : Number(wanted));
  if (last === undefined) throw notFound(resourceOf(kind), request.name);
  const surface = surfaceOf(creating);
  const shown = surface.show(await readState(creating, last));
  const options = writeOptions(request.options, { metaGroup: deps.naming.metaGroup, kind: "CreateOptions" });
  const { owners, warnings } = await livingOwners(creating, shown);
  return warned(creating, warnings, async () => {
    const beginning = { object: asNew(shown, owners), tracked: true };
    return objectReply(creating, await createObject(creating, beginning, { surface, options, store: storeOnlyNew }));
  });
}

/**
 * The state before a deletion, the last one where none is named: of an object that was marked and waited for its finalizers the one
 * before the mark, so that it has them again.
 */
function lastBefore(states: ObjectStates, deletion: number | undefined): ObjectState | undefined {
  let last: ObjectState | undefined;
  let isBehind = false;
  for (const state of states) {
    const { change, revision: at, value } = state;
    if (!isBehind) {
      isBehind = change === "deleted" && (deletion === undefined || at === deletion);
      continue;
    }
    if (change === "deleted" || value === undefined) break;
    last ??= state;
    if (!isMarked(value)) return state;
  }
  return last;
}

function isMarked(value: Buffer): boolean {
  const object = parsed(value);
  const metadata = isObject(object) ? object["metadata"] : undefined;
  return isObject(metadata) && metadata["deletionTimestamp"] !== undefined;
}

/** The annotation of an object that was brought back: the uid that it had. */
export const undeletedFrom = historyKey("undeleted-uid");

function asNew(then: AnyObject, owners: AnyObject["metadata"]["ownerReferences"]): AnyObject {
  const { uid, resourceVersion: _version, ownerReferences: _owners, annotations, ...metadata } = then.metadata;
  return {
    ...then,
    metadata: {
      ...metadata,
      ...(owners === undefined ? {} : { ownerReferences: owners }),
      annotations: { ...annotations, [undeletedFrom]: uid ?? "" },
    },
  };
}

async function readState(write: Write, { value, revision: at, change }: ObjectState): Promise<AnyObject> {
  if (change === "deleted") throw notFound(resourceOf(write.kind), `${write.request.name} at revision ${at}`);
  if (value === undefined) throw lost(at);
  return readStored(write, { key: keyOf(write, write.request.name), value, revision: revision(at) });
}

interface RestoreBody {
  readonly revision: string | undefined;
  /** For a change that is meant for one state of the object. */
  readonly resourceVersion: string | undefined;
}

const bodyFields: ReadonlySet<string> = new Set(["kind", "apiVersion", "revision", "resourceVersion"]);

/** `{"revision": 12}`, or nothing. @throws ApiError BadRequest */
function bodyOf({ request: { body } }: Write): RestoreBody {
  const tree = bodyObject(body);
  const unknown = Object.keys(tree).find((name) => !bodyFields.has(name));
  if (unknown !== undefined) throw badRequest(`unknown field ${JSON.stringify(unknown.slice(0, 100))}`);
  const { revision: wanted, resourceVersion } = tree;
  return {
    revision: revisionText(wanted, "revision"),
    resourceVersion: revisionText(resourceVersion, "resourceVersion"),
  };
}

function revisionText(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`${field}: Invalid value: must be a revision`);
  return text;
}
