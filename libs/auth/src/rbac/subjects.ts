import { serviceAccountUser } from "../service-account-name.js";
import type { UserInfo } from "../user.js";
import type { SubjectRecord } from "./rbac-objects.js";

/** What bindings are found by. */
export interface SubjectId {
  readonly of: "users" | "groups";
  readonly name: string;
}

/** Service accounts are users of a name of their own; without a namespace they are nobody. */
export function subjectId({ kind, name, namespace }: SubjectRecord, bindingNamespace: string): SubjectId | undefined {
  if (name === "") return undefined;
  switch (kind) {
    case "User":
      return { of: "users", name };
    case "Group":
      return { of: "groups", name };
    case "ServiceAccount": {
      const of = namespace === "" ? bindingNamespace : namespace;
      return of === "" ? undefined : { of: "users", name: serviceAccountUser({ namespace: of, name }) };
    }
    default:
      return undefined;
  }
}

/** Whether somebody's rights are, or may be, the user's. */
export function concerns({ of, name }: SubjectId, user: UserInfo): boolean {
  return of === "users" ? user.name === name : user.groups.includes(name);
}
