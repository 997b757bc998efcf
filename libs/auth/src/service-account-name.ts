const prefix = "system:serviceaccount:";
const allAccounts = "system:serviceaccounts";
const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** `system:serviceaccount:<namespace>:<name>` as user names have it. */
export function serviceAccountUser({ namespace, name }: ServiceAccountName): string {
  return `${prefix}${namespace}:${name}`;
}

/** The account that a user name is of; undefined for another user. */
export function serviceAccountOf(user: string): ServiceAccountName | undefined {
  if (!user.startsWith(prefix)) return undefined;
  const parts = user.slice(prefix.length).split(":");
  const [namespace = "", name = ""] = parts;
  const isOne = parts.length === 2 && label.test(namespace) && name.split(".").every((part) => label.test(part));
  return isOne ? { namespace, name } : undefined;
}

/** The groups of a namespace's accounts. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return [allAccounts, `${allAccounts}:${namespace}`];
}
