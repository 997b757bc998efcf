import type { Attributes } from "@orch/auth/authorizer.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Call } from "./call.js";

/** What a request asks for, as authorizers see it. */
export function attributesOf({ route, verb }: Pick<Call, "route" | "verb">, user: UserInfo): Attributes {
  if (route.type !== "resource") return { kind: "path", user, verb, path: route.path };
  const { group, version, resource, subresource, namespace, name } = route;
  return { kind: "resource", user, verb, group, version, resource, subresource, namespace, name };
}
