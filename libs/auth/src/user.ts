import type { Naming } from "@orch/naming/naming.js";

/** Who sends a request, once that is known. */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

const noExtra: UserInfo["extra"] = {};

/** A user whose identity was proven: belongs to the group of all such. */
export function authenticatedUser(naming: Naming, user: { readonly name: string } & Partial<UserInfo>): UserInfo {
  const groups = user.groups ?? [];
  return {
    name: user.name,
    uid: user.uid ?? "",
    groups: groups.includes(naming.authenticatedGroup) ? groups : [...groups, naming.authenticatedGroup],
    extra: user.extra ?? noExtra,
  };
}

/** By the `jti` of his token: what an audit event tells one token of a user from another by. */
export function credentialExtra(naming: Naming, jti: string): UserInfo["extra"] {
  return { [`authentication.${naming.key("credential-id")}`]: [`JTI=${jti}`] };
}

export function anonymousUser(naming: Naming): UserInfo {
  return { name: naming.anonymousUser, uid: "", groups: [naming.unauthenticatedGroup], extra: noExtra };
}
