import type { AnyObject } from "@orch/api/object.js";
import { parseSelectors } from "@orch/api/selectors/selectors.js";
import { selectableFields } from "@orch/api/writes.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { pages } from "@orch/store/pages.js";
import type { Entry } from "@orch/store/store.js";
import { removeEntry } from "./delete.js";
import { type DeleteOptions, deleteOptions } from "./delete-options.js";
import { rendererOf, storedObject } from "./stored.js";
import { keyPrefix, type Write } from "./write.js";

const pageSize = 500;
/** Deletions under way at once, so that they share the store's commits. */
const width = 16;

/** Deletes every matching object of a collection and answers the list of them (spec 1: Verbs to HTTP). */
export async function removeCollection(write: Write): Promise<WriteReply> {
  const { deps, kind } = write;
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
  return { code: 200, body: listBody(write, removed, newest), warnings: [] };
}

function listBody(write: Write, objects: readonly AnyObject[], revision: number): Buffer {
  const renderer = rendererOf(write);
  const pieces = objects.map((object) => renderer.piece(object).at(write.deps.now()));
  const { head, before, tail } = renderer.list({ resourceVersion: String(revision) }, pieces);
  return Buffer.concat([head, ...pieces.flatMap((piece, i) => [before(i, piece), piece]), tail]);
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
