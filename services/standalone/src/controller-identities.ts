import { randomBytes } from "node:crypto";
import { serviceAccountGroups, serviceAccountUser } from "@orch/auth/service-account-name.js";
import type { TokenEntry } from "@orch/auth/token-file.js";
import { authenticatedUser, type UserInfo } from "@orch/auth/user.js";
import type { Naming } from "@orch/naming/naming.js";
import { controllerUser } from "@orch/service-controller-manager/connection.js";
import { accountNames } from "@orch/service-controller-manager/controller.js";

/** Something for each identity of the controllers in this process. */
export interface OfControllers<T> {
  /** Of what has no account of its own. */
  readonly own: T;
  /** By the name of the account. */
  readonly ofAccounts: ReadonlyMap<string, T>;
}

/** By which simulated nodes, the scheduler and the proxy are known among the identities. */
export const simulatorAccount = "node-simulator";
export const schedulerAccount = "scheduler";
export const proxyAccount = "proxy";

/** Each controller acts as the service account that it has in a cluster of many processes, with that one's rights. */
export function controllerUsers(naming: Naming): OfControllers<UserInfo> {
  const namespace = naming.systemName("system");
  const groups = serviceAccountGroups(namespace);
  const names = new Set(Object.values(accountNames).flatMap((name) => name ?? []));
  const account = (name: string): UserInfo =>
    authenticatedUser(naming, { name: serviceAccountUser({ namespace, name }), groups });
  // It writes for every node, which no node's own right allows.
  const simulator = authenticatedUser(naming, {
    name: `system:${naming.systemName(simulatorAccount)}`,
    groups: [naming.mastersGroup],
  });
  const component = (name: string): UserInfo =>
    authenticatedUser(naming, { name: `system:${naming.systemName(name)}` });
  return {
    own: authenticatedUser(naming, { name: controllerUser(naming) }),
    ofAccounts: new Map([...names].map((name) => [name, account(name)]))
      .set(simulatorAccount, simulator)
      .set(schedulerAccount, component("scheduler"))
      .set(proxyAccount, component("proxy")),
  };
}

/** What each identity is given. */
export function perController<T, U>({ own, ofAccounts }: OfControllers<T>, give: (of: T) => U): OfControllers<U> {
  return { own: give(own), ofAccounts: new Map([...ofAccounts].map(([name, of]) => [name, give(of)])) };
}

/** Tokens of controllers that reach their gateways over the network: known to this process and its gateways, while it runs. */
export function createControllerTokens(users: OfControllers<UserInfo>): OfControllers<TokenEntry> {
  return perController(users, ({ name, uid, groups }) => ({ token: newToken(), user: name, uid, groups }));
}

const newToken = (): string => randomBytes(32).toString("base64url");
