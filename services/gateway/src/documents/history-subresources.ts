import type { Subresource } from "@orch/api/data-file.js";
import { historyGroup } from "@orch/naming/naming.js";

const usual = { options: undefined, text: false, upgrade: false, path: false } as const;
const apiVersion = `${historyGroup}/v1alpha1`;

/** What a resource has whose objects have a history. A path below `history` names a revision; a patch is of all records. */
export const historySubresources: readonly Subresource[] = [
  { ...usual, name: "deleted", kind: "DeletedObjectList", apiVersion, verbs: ["get"] },
  { ...usual, name: "history", kind: "ObjectHistory", apiVersion, verbs: ["get", "patch"], path: true },
  { ...usual, name: "rollback", kind: "ObjectRollback", apiVersion, verbs: ["create"] },
  { ...usual, name: "undelete", kind: "ObjectUndelete", apiVersion, verbs: ["create"] },
];
