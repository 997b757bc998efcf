import type { ResourceAttributes } from "../authorizer.js";
import type { UserInfo } from "../user.js";

export const user = (name: string, ...groups: string[]): UserInfo => ({ name, uid: "", groups, extra: {} });

/** A user who wants to get pods of a namespace, where nothing else is said. */
export function resourceAttributes(
  fields: Partial<ResourceAttributes> & Pick<ResourceAttributes, "user">,
): ResourceAttributes {
  return {
    kind: "resource",
    verb: "get",
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "",
    namespace: "n",
    name: "",
    ...fields,
  };
}
