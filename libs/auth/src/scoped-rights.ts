import type { SubjectId } from "./rbac/subjects.js";
import type { UserInfo } from "./user.js";

/** Where somebody may have rights that are not rights in the whole cluster. */
export interface ScopedRights {
  /**
   * Outside these namespaces the user has no rights but those that it has in every namespace; undefined where nobody can tell
   * without asking for each namespace.
   */
  namespacesOf(user: UserInfo): ReadonlySet<string> | undefined;
  /**
   * Tells of the users and groups whose rights change, once or more often for a change, while the change is under way: who asks
   * in the turn after it is answered by the new rights. Gives how to stop.
   */
  onChange(listener: RightsListener): () => void;
  /** Whether the user's rights have changed after a revision of the store, or may have, where changes are told of. */
  changedSince(user: UserInfo, revision: number): boolean;
  /**
   * Up to where the rights follow what they are made of: the newest revision that they have of each of its collections
   * (`rightsCollections`).
   */
  revisions(): readonly number[];
  /** Grows with each such change. */
  readonly version: number;
}

export type RightsListener = (who: SubjectId) => void;
