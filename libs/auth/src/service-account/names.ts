import type { Naming } from "@orch/naming/naming.js";
import { serviceAccountGroups, serviceAccountUser } from "../service-account-name.js";
import { authenticatedUser, credentialExtra, type UserInfo } from "../user.js";

/** An object by its name and uid, as tokens have it. */
export interface Reference {
  readonly name: string;
  readonly uid: string;
}

/** Whom a token speaks for, and what it is bound to. */
export interface AccountIdentity {
  readonly namespace: string;
  readonly account: Reference;
  readonly pod?: Reference | undefined;
  /** Without a uid where the pod's node was not to be found. */
  readonly node?: Reference | undefined;
  /** Of the token: its `jti`. */
  readonly credential?: string | undefined;
}

export function accountUser(naming: Naming, identity: AccountIdentity): UserInfo {
  const { namespace, account, pod, node, credential } = identity;
  const key = (name: string): string => `authentication.${naming.key(name)}`;
  const told: readonly (readonly [string, string | undefined])[] = [
    [key("pod-name"), pod?.name],
    [key("pod-uid"), pod?.uid],
    [key("node-name"), node?.name],
    [key("node-uid"), node?.uid],
  ];
  const extra = told.flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, [value]] as const],
  );
  return authenticatedUser(naming, {
    name: serviceAccountUser({ namespace, name: account.name }),
    uid: account.uid,
    groups: serviceAccountGroups(namespace),
    extra: { ...Object.fromEntries(extra), ...(credential === undefined ? {} : credentialExtra(naming, credential)) },
  });
}
