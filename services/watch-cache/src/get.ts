import type { GetRequest, ObjectReply } from "@orch/rpc/messages.js";
import { notFound } from "@orch/status/api-error.js";
import { key } from "@orch/store/revision.js";
import type { ListDeps } from "./list/list.js";
import { type CachedObject, readObject } from "./object.js";
import { getFreshness } from "./read-options.js";
import { type Asked, objectKey } from "./readable.js";
import { largeBytes } from "./rendition.js";

/** One object (rules: Resource version semantics, get). Answers at once, without a promise, where it can. */
export function get(
  deps: ListDeps,
  { readable, rendition }: Asked,
  request: GetRequest,
): ObjectReply | Promise<ObjectReply> {
  const at = objectKey(readable.kind, request);
  const fromCache = (): CachedObject | undefined => {
    const { collection, unreadable } = deps.mirror.shelf(readable.kind.storage.prefix);
    unreadable.refuse({ type: "key", key: at });
    return collection.get(at);
  };
  const reply = (object: CachedObject | undefined): ObjectReply | Promise<ObjectReply> => {
    if (object !== undefined) {
      const prepared = object.size < largeBytes ? undefined : rendition.prepare([object]);
      if (prepared !== undefined) return prepared.then(() => ({ body: rendition.document(object) }));
      return { body: rendition.document(object) };
    }
    throw notFound({ group: readable.kind.hub.group, resource: readable.kind.plural }, request.name);
  };
  const freshness = getFreshness(request.resourceVersion);
  if (freshness.type === "any" && deps.mirror.loaded) return reply(fromCache());
  return deps.freshness.source(freshness).then(async (source) => {
    if (source === "cache") return reply(fromCache());
    const entry = await deps.store.get(key(readable.keyPrefix + at));
    return reply(entry === undefined ? undefined : readObject(at, entry, readable.taken));
  });
}
