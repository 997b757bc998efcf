import type { AnyObject } from "@orch/api/object.js";
import { canHaveNotes, noteKeyOf } from "@orch/history/note-keys.js";
import { type Author, type DeletedIdentity, encodeRecord } from "@orch/history/record.js";
import { limitsOf } from "@orch/history/rules.js";
import type { NewNote } from "@orch/store/notes.js";
import type { Key } from "@orch/store/revision.js";
import { managerOf } from "../write/fields/field-management.js";
import type { StoredState } from "../write/storing/recent-states.js";
import type { Write } from "../write/write.js";

/** A change of a stored object that is about to be made. */
export interface PendingChange {
  readonly key: Key;
  /** Undefined for a creation. */
  readonly before: Pick<StoredState, "value" | "revision"> | undefined;
  /** Undefined for a deletion. */
  readonly after: Buffer | undefined;
  /** Who it is; of a change that neither creates nor deletes it is not asked for. */
  readonly of?: Pick<AnyObject["metadata"], "uid" | "creationTimestamp"> | undefined;
}

/** What is kept of a change for the object's history; undefined where none is kept of it. */
export function historyNote(write: Write, change: PendingChange): NewNote | undefined {
  const { history } = write.deps;
  if (history === undefined) return undefined;
  const { kind, request } = write;
  const ruled = { group: kind.group, resource: kind.plural, namespace: kind.namespaced ? request.namespace : "" };
  if (limitsOf(history, ruled) === undefined) return undefined;
  const { key, before, after, of } = change;
  if (!canHaveNotes(key)) return undefined;
  return {
    space: after === undefined ? "deleted" : "states",
    key: noteKeyOf(key, before?.revision ?? 0, of?.uid ?? ""),
    value: encodeRecord(authorOf(write), { before, after, deleted: after === undefined ? identityOf(of) : undefined }),
  };
}

function identityOf(of: PendingChange["of"]): DeletedIdentity {
  return { uid: of?.uid ?? "", creationTimestamp: of?.creationTimestamp ?? "" };
}

function authorOf(write: Write): Author {
  const { verb, subresource, user, userAgent, auditId = "", options } = write.request;
  return {
    ...{ time: write.deps.now(), verb, subresource, user: user.name, userAgent, auditId },
    manager: managerOf(write, options["fieldManager"] ?? ""),
  };
}
