import type { AnyObject } from "@orch/api/object.js";
import { parseSelectors } from "@orch/api/selectors/selectors.js";
import { asVersion, selectableFields } from "@orch/api/writes.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { pages } from "@orch/store/pages.js";
import type { Entry } from "@orch/store/store.js";
import { removeEntry } from "./delete.js";
import { type DeleteOptions, deleteOptions } from "./delete-options.js";
import { storedObject } from "./stored.js";
import { keyPrefix, type Write } from "./write.js";

const pageSize = 500;
/** Deletions under way at once, so that they share the store's commits. */
const width = 16;

/** Deletes every matching object of a collection and answers the list of them (spec 1: Verbs to HTTP). */
export async function removeCollection(write: Write): Promise<WriteReply> {
  const { deps, kind, requested } = write;
  const options = deleteOptions(write);
  const matches = selector(write);
  const removed: AnyObject[] = [];
  let newest = 0;
  for await (const page of pages(deps.store, { prefix: keyPrefix(write), limit: pageSize })) {
    newest = page.revision;
    const found = page.entries.map((entry) => ({ entry, object: storedObject(kind, entry) }));
    const matching = found.filter(({ object }) => matches(object));
    for (let i = 0; i < matching.length; i += width) {
      const part = matching.slice(i, i + width);
      const gone = await Promise.all(part.map(({ entry }) => removeOne(write, entry, options)));
      removed.push(...part.filter((_, index) => gone[index] === true).map(({ object }) => object));
    }
  }
  const items = removed.map((object) => {
    const { kind: _kind, apiVersion: _version, ...item } = asVersion(requested, object);
    return item;
  });
  const list = {
    kind: requested.listKind,
    apiVersion: requested.apiVersion,
    metadata: { resourceVersion: String(newest) },
    items,
  };
  return { code: 200, body: Buffer.from(`${JSON.stringify(list)}\n`), warnings: [] };
}

/** False when somebody else deleted it first. */
async function removeOne(write: Write, entry: Entry, options: DeleteOptions): Promise<boolean> {
  let current: Entry | undefined = entry;
  while (current !== undefined) {
    const outcome = await removeEntry(write, current, options);
    if (outcome.done) return true;
    current = outcome.current;
  }
  return false;
}

function selector({ kind, requested, request }: Write): (object: AnyObject) => boolean {
  const { labelSelector = "", fieldSelector = "" } = request.options;
  const { labels, fields } = parseSelectors(requested, { labelSelector, fieldSelector });
  return (object) => {
    if (labels !== undefined && !labels.matches(object.metadata.labels)) return false;
    if (fields === undefined) return true;
    return fields.matches(selectableFields(kind, object));
  };
}
