import type { Kind } from "@orch/api/catalog.js";
import type { GetRequest, ObjectReply } from "@orch/rpc/messages.js";
import { notFound } from "@orch/status/api-error.js";
import type { Span } from "@orch/status/span.js";
import { key } from "@orch/store/revision.js";
import type { ListDeps } from "./list/list.js";
import { type CachedObject, readObject } from "./object.js";
import { getFreshness } from "./read-options.js";
import { type Asked, objectKey } from "./readable.js";
import { largeBytes } from "./renditions/made.js";

export interface GetCall {
  readonly request: GetRequest;
  readonly span: Span | undefined;
}

/** {@link read}, told where the request is traced. */
export function get(deps: ListDeps, asked: Asked, call: GetCall): ObjectReply | Promise<ObjectReply> {
  const { request, span } = call;
  return span === undefined ? read(deps, asked, call) : getTraced(span, { deps, asked, request });
}

async function getTraced(
  span: Span,
  { deps, asked, request }: { readonly deps: ListDeps; readonly asked: Asked; readonly request: GetRequest },
): Promise<ObjectReply> {
  const { kind } = asked.readable;
  const child = span.child("cacher.Get", {
    "audit-id": span.auditId,
    key: `/${kind.storage.prefix}/${objectKey(kind, request)}`,
    "resource-version": request.resourceVersion,
  });
  // The newest state is that of a revision which the store is asked for.
  if (request.resourceVersion === "") child.event("About to Get from underlying storage");
  try {
    return await read(deps, asked, { request, span: child });
  } finally {
    child.end();
  }
}

/** One object (rules: Resource version semantics, get). Answers at once, without a promise, where it can. */
function read(
  deps: ListDeps,
  { readable, rendition }: Asked,
  { request, span }: GetCall,
): ObjectReply | Promise<ObjectReply> {
  const at = objectKey(readable.kind, request);
  const fromCache = (): CachedObject | undefined => {
    const { collection, unreadable } = deps.mirror.shelf(readable.kind.storage.prefix);
    unreadable.refuse({ type: "key", key: at });
    return collection.get(at);
  };
  const reply = (object: CachedObject | undefined): ObjectReply | Promise<ObjectReply> => {
    if (object !== undefined) {
      const isSmall = object.size < largeBytes && !rendition.asks;
      const prepared = isSmall ? undefined : rendition.prepare([object], span);
      if (prepared !== undefined) return prepared.then((ready) => ({ body: ready.document(object) }));
      return { body: rendition.document(object) };
    }
    throw notFound(resourceOf(readable.kind, request.subresource), request.name);
  };
  const freshness = getFreshness(request.resourceVersion);
  if (freshness.type === "any" && deps.mirror.loaded) return reply(fromCache());
  const waited = deps.told?.waits(readable.kind);
  return deps.freshness.source(freshness).then(async (source) => {
    waited?.();
    if (source === "cache") return reply(fromCache());
    const entry = await deps.store.get(key(readable.keyPrefix + at));
    return reply(entry === undefined ? undefined : readObject(at, entry, readable.taken));
  });
}

/** A scale that is not there is told of by its own name; of the oldest kind that has one it is a resource of the scale's group. */
function resourceOf(kind: Kind, subresource: string): { readonly group: string; readonly resource: string } {
  const { group } = kind.hub;
  if (subresource !== "scale" || kind.definition !== undefined) return { group, resource: kind.plural };
  return { group: group === "" ? "autoscaling" : group, resource: `${kind.plural}/scale` };
}
