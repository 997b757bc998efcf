import { randomBytes } from "node:crypto";
import { serviceAccountGroups, serviceAccountUser } from "@orch/auth/service-account-name.js";
import type { TokenEntry } from "@orch/auth/token-file.js";
import type { Naming } from "@orch/naming/naming.js";
import { controllerUser } from "@orch/service-controller-manager/connection.js";
import { accountNames } from "@orch/service-controller-manager/controller.js";

/** Tokens of the controllers in this process: known to it and its gateways alone, and only while it runs. */
export interface ControllerTokens {
  /** Of what has no account of its own. */
  readonly own: string;
  /** By the name of the account. */
  readonly ofAccounts: ReadonlyMap<string, string>;
  readonly entries: readonly TokenEntry[];
}

/** Each controller acts as the service account that it has in a cluster of many processes, with that one's rights. */
export function createControllerTokens(naming: Naming): ControllerTokens {
  const namespace = naming.systemName("system");
  const groups = serviceAccountGroups(namespace);
  const own = newToken();
  const names = new Set(Object.values(accountNames).flatMap((name) => name ?? []));
  const ofAccounts = new Map([...names].map((name) => [name, newToken()]));
  return {
    own,
    ofAccounts,
    entries: [
      { token: own, user: controllerUser(naming), uid: "", groups: [] },
      ...[...ofAccounts].map(([name, token]) => ({
        token,
        user: serviceAccountUser({ namespace, name }),
        uid: "",
        groups,
      })),
    ],
  };
}

const newToken = (): string => randomBytes(32).toString("base64url");
