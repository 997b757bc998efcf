import { rightsCollections } from "@orch/api/kinds/rbac/rights-collections.js";
import type { UserInfo } from "../user.js";
import { concerns, type SubjectId } from "./subjects.js";

/** Whose rights changed at which revisions of the store, the last changes of a process. */
export interface RightsJournal {
  /** The next changes are of a collection, at this revision. */
  at(resource: string, revision: number): void;
  /** A whole collection was read at a revision: what changed before is not known. */
  begin(resource: string, revision: number): void;
  add(who: SubjectId): void;
  /** Whether a user's rights have changed after a revision, or may have. */
  changedSince(user: UserInfo, revision: number): boolean;
  /** The revision of the newest change of each collection that is in the rights; in the order of {@link rightsCollections}. */
  revisions(): readonly number[];
}

/** Changes that are remembered. */
const most = 10_000;

interface Entry {
  readonly revision: number;
  readonly who: SubjectId;
}

export function createRightsJournal(): RightsJournal {
  let entries: Entry[] = [];
  let floor = 0;
  let now = 0;
  const newest = new Map<string, number>();
  const at = (resource: string, revision: number): void => {
    now = revision;
    newest.set(resource, revision);
  };
  return {
    at,
    begin(resource, revision) {
      floor = Math.max(floor, revision);
      at(resource, revision);
    },
    revisions: () => rightsCollections.map((resource) => newest.get(resource) ?? 0),
    add(who) {
      entries.push({ revision: now, who });
      if (entries.length < 2 * most) return;
      floor = Math.max(floor, entries[most - 1]?.revision ?? 0);
      entries = entries.slice(most);
    },
    changedSince(user, revision) {
      if (revision < floor) return true;
      for (let i = entries.length - 1; i >= 0; i--) {
        const entry = entries[i];
        if (entry !== undefined && entry.revision > revision && concerns(entry.who, user)) return true;
      }
      return false;
    },
  };
}
