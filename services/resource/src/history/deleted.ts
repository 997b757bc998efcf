import { notesOf } from "@orch/history/note-keys.js";
import { changeOf, type NotedChange, newestFirst } from "@orch/history/states.js";
import { isObject } from "@orch/schema/descriptor.js";
import { isReadable } from "@orch/store/notes.js";
import { key } from "@orch/store/revision.js";
import { keyOf, keyPrefix, type Write } from "../write/write.js";
import { apiVersion, authorOf, parsed } from "./documents.js";
import { pageLimit, readContinue, writeContinue } from "./paging.js";

/** The name that stands for all in a path: no object can have it where names are DNS labels. */
const anything = "-";

/**
 * The deletions in a scope, or of a name, in the order of names and with the newest of a name first. Nothing of the objects but
 * who they were is told: to read one, ask for its state before.
 */
export async function listDeleted(write: Write): Promise<object> {
  const { deps, request } = write;
  const { limit, from } = pageOf(write);
  const prefix = isOne(request.name) ? notesOf(keyOf(write, request.name)) : keyPrefix(write);
  const notes = await deps.store.notes.range({
    ...{ space: "deleted", prefix, limit: limit + 1 },
    ...(from === "" ? {} : { from: key(from) }),
  });
  const page = notes.slice(0, limit);
  const next = notes[limit];
  const deletions = page.flatMap((note) => (isReadable(note) ? changeOf("deleted", note) : []));
  return {
    ...{ kind: "DeletedObjectList", apiVersion },
    metadata: next === undefined ? {} : { continue: writeContinue(next.key.slice(deps.naming.storePrefix.length)) },
    items: inOrder(deletions).map(itemOf),
  };
}

const isOne = (name: string): boolean => name !== "" && name !== anything;

function pageOf(write: Write): { readonly limit: number; readonly from: string } {
  const { options } = write.request;
  const after = readContinue(options["continue"] ?? "");
  return {
    limit: pageLimit(options["limit"]),
    from: after === "" ? "" : write.deps.naming.storePrefix + after,
  };
}

/** Names stay in their order; of one name the newest comes first. */
function inOrder(deletions: readonly NotedChange[]): readonly NotedChange[] {
  const names = new Map<string, NotedChange[]>();
  for (const deletion of deletions) {
    const name = deletion.key.slice(0, deletion.key.lastIndexOf("\0"));
    const known = names.get(name);
    if (known === undefined) names.set(name, [deletion]);
    else known.push(deletion);
  }
  return [...names.values()].flatMap(newestFirst);
}

function itemOf({ revision, from, author, before }: NotedChange): object {
  const state = before.type === "whole" ? parsed(before.state) : undefined;
  const metadata = isObject(state) && isObject(state["metadata"]) ? state["metadata"] : {};
  const { name, namespace, uid, creationTimestamp } = metadata;
  return {
    metadata: { name, namespace, uid, creationTimestamp },
    revision: String(revision),
    lastRevision: String(from),
    ...authorOf(author),
    restorable: state !== undefined,
  };
}
