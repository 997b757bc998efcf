import { isDnsLabel } from "./dns-label.js";

const prefix = "system:serviceaccount:";
const allAccounts = "system:serviceaccounts";

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
  const isOne = parts.length === 2 && isDnsLabel(namespace) && name.split(".").every(isDnsLabel);
  return isOne ? { namespace, name } : undefined;
}

/** The groups of a namespace's accounts. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return [allAccounts, `${allAccounts}:${namespace}`];
}
