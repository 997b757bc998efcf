import type { Naming } from "@orch/naming/naming.js";
import { badRequest } from "@orch/status/api-error.js";
import type { Span } from "@orch/status/span.js";
import type { HeaderMap } from "./authenticator.js";
import type { Authorizer, ResourceAttributes } from "./authorizer.js";
import { extraKey } from "./extra-key.js";
import { forbiddenError } from "./forbidden.js";
import { serviceAccountGroups, serviceAccountOf } from "./service-account-name.js";
import type { UserInfo } from "./user.js";

/** Whom a request asks to be taken for. */
interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface ImpersonationDeps {
  readonly naming: Naming;
  readonly authorizer: Authorizer;
  readonly span?: Span | undefined;
}

const prefix = "impersonate-";
const userHeader = "impersonate-user";
const extraPrefix = "impersonate-extra-";

/** Whether there is anything to look into; asked for every request. An empty name of a user asks for nothing. */
export function wantsImpersonation(headers: Readonly<Record<string, unknown>>): boolean {
  for (const name in headers) {
    if (name.startsWith(prefix) && (name !== userHeader || headers[name] !== "")) return true;
  }
  return false;
}

/**
 * The user that a request is to be taken for. Each part of that identity is asked for by itself: the user or service
 * account, each group, the uid, each value of the extra fields (verb `impersonate`).
 * @throws ApiError Forbidden where one of them is not allowed; BadRequest for headers that name no user
 */
export async function impersonate(
  sender: UserInfo,
  headers: HeaderMap,
  { naming, authorizer, span }: ImpersonationDeps,
): Promise<UserInfo> {
  const wanted = wantedUser(headers);
  for (const attributes of questions(sender, wanted, naming)) {
    const { outcome, reason } = await authorizer.authorize(attributes, span);
    if (outcome !== "allow") throw forbiddenError(attributes, reason);
  }
  return { ...wanted, groups: groupsOf(wanted, naming) };
}

function wantedUser(headers: HeaderMap): Wanted {
  const name = headers[userHeader]?.[0] ?? "";
  const uid = headers["impersonate-uid"]?.[0] ?? "";
  const groups = headers["impersonate-group"] ?? [];
  if (name === "") throw badRequest("the headers ask for a group, a uid or extra fields of a user, and for no user");
  return { name, uid, groups, extra: extraOf(headers) };
}

/** A key may be spelled in several ways: the values of all count. By way of a map, for it may be `__proto__`, too. */
function extraOf(headers: HeaderMap): Wanted["extra"] {
  const extra = new Map<string, readonly string[]>();
  for (const [header, values = []] of Object.entries(headers)) {
    if (!header.startsWith(extraPrefix)) continue;
    const key = extraKey(header.slice(extraPrefix.length));
    extra.set(key, [...(extra.get(key) ?? []), ...values]);
  }
  return Object.fromEntries(extra);
}

function* questions(user: UserInfo, wanted: Wanted, naming: Naming): Generator<ResourceAttributes> {
  const ask = (about: Partial<ResourceAttributes> & { readonly resource: string }): ResourceAttributes => ({
    kind: "resource",
    user,
    verb: "impersonate",
    group: "",
    version: "",
    subresource: "",
    namespace: "",
    name: "",
    ...about,
  });
  const account = serviceAccountOf(wanted.name);
  yield account === undefined
    ? ask({ resource: "users", name: wanted.name })
    : ask({ resource: "serviceaccounts", namespace: account.namespace, name: account.name });
  for (const name of wanted.groups) yield ask({ resource: "groups", name });
  const group = naming.group("authentication");
  for (const [subresource, values] of Object.entries(wanted.extra)) {
    for (const name of values) yield ask({ group, version: "v1", resource: "userextras", subresource, name });
  }
  if (wanted.uid !== "") yield ask({ group, version: "v1", resource: "uids", name: wanted.uid });
}

/** With the groups that everyone of its sort is in. */
function groupsOf({ name, groups }: Wanted, naming: Naming): readonly string[] {
  if (name === naming.anonymousUser) {
    return groups.includes(naming.unauthenticatedGroup) ? groups : [...groups, naming.unauthenticatedGroup];
  }
  const account = serviceAccountOf(name);
  const own = account !== undefined && groups.length === 0 ? serviceAccountGroups(account.namespace) : groups;
  const settled = own.includes(naming.authenticatedGroup) || own.includes(naming.unauthenticatedGroup);
  return settled ? own : [...own, naming.authenticatedGroup];
}
