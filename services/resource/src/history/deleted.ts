import { notesOf, objectOf } from "@orch/history/note-keys.js";
import { changeOf, type NotedChange, newestFirst } from "@orch/history/states.js";
import { badRequest } from "@orch/status/api-error.js";
import { isReadable } from "@orch/store/notes.js";
import { key } from "@orch/store/revision.js";
import { keyOf, keyPrefix, type Write } from "../write/write.js";
import { apiVersion, authorOf } from "./documents.js";
import { pageLimit, readContinue, writeContinue } from "./paging.js";

/** The name that stands for all in a path: no object can have it where names are DNS labels. */
export const anything = "-";

/**
 * The deletions in a scope, or of a name, in the order of names and with the newest of a name first. Nothing of the objects but
 * who they were is told: to read one, ask for its state before.
 */
export async function listDeleted(write: Write): Promise<object> {
  const { deps, request } = write;
  const { options } = request;
  const prefix = isOne(request.name) ? notesOf(keyOf(write, request.name)) : keyPrefix(write);
  const root = deps.naming.storePrefix;
  const after = readContinue(options["continue"] ?? "");
  if (after !== "" && !`${root}${after}`.startsWith(prefix)) throw badRequest("continue key is not valid");
  const query = { space: "deleted" as const, prefix };
  const from = after === "" ? {} : { from: key(`${root}${after}\0`) };
  const page = await deps.store.notes.range({
    ...{ ...query, ...from, limit: pageLimit(options["limit"]) },
    maxBytes: pageBytes,
  });
  const last = page.at(-1)?.key;
  const more = last === undefined ? [] : await deps.store.notes.range({ ...query, from: key(`${last}\0`), limit: 1 });
  const deletions = page.flatMap((note) => (isReadable(note) ? changeOf("deleted", note) : []));
  return {
    ...{ kind: "DeletedObjectList", apiVersion },
    metadata: last === undefined || more.length === 0 ? {} : { continue: writeContinue(last.slice(root.length)) },
    items: inOrder(deletions).map((deletion) => itemOf(deletion, write.kind.namespaced)),
  };
}

/** Of records that are read for a page: each has a whole object in it. */
const pageBytes = 8 << 20;

const isOne = (name: string): boolean => name !== "" && name !== anything;

/** Names stay in their order; of one name the newest comes first. */
function inOrder(deletions: readonly NotedChange[]): readonly NotedChange[] {
  const names = new Map<string, NotedChange[]>();
  for (const deletion of deletions) {
    const name = objectOf(deletion.key);
    const known = names.get(name);
    if (known === undefined) names.set(name, [deletion]);
    else known.push(deletion);
  }
  return [...names.values()].flatMap(newestFirst);
}

function itemOf({ key: of, revision, from, author, before, deleted }: NotedChange, namespaced: boolean): object {
  const parts = objectOf(of).split("/");
  return {
    metadata: {
      name: parts.at(-1),
      ...(namespaced ? { namespace: parts.at(-2) } : {}),
      ...(deleted === undefined ? {} : deleted),
    },
    revision: String(revision),
    lastRevision: String(from),
    ...authorOf(author),
    restorable: before.type === "whole",
  };
}
