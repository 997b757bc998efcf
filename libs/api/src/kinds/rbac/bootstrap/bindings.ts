import type { Naming } from "@orch/naming/naming.js";
import type { Subject } from "../types.js";
import { part } from "./component-roles.js";

/** Who is who in a binding. */
export interface Subjects {
  groups(...names: readonly string[]): readonly Subject[];
  users(...names: readonly string[]): readonly Subject[];
  /** Service accounts of the system's namespace. */
  accounts(...names: readonly string[]): readonly Subject[];
}

export function subjectsOf(naming: Naming): Subjects {
  const apiGroup = naming.group("rbac.authorization");
  const namespace = naming.systemName("system");
  return {
    groups: (...names) => names.map((name) => ({ kind: "Group", apiGroup, name })),
    users: (...names) => names.map((name) => ({ kind: "User", apiGroup, name })),
    accounts: (...names) => names.map((name) => ({ kind: "ServiceAccount", name, namespace })),
  };
}

/** Who is given which role of the cluster: each binding has its role's name. */
export function clusterSubjects(naming: Naming): Readonly<Record<string, readonly Subject[]>> {
  const { groups, users, accounts } = subjectsOf(naming);
  const scheduler = part(naming, "scheduler");
  const manager = part(naming, "controller-manager");
  return {
    "cluster-admin": groups(naming.mastersGroup),
    "system:basic-user": groups(naming.authenticatedGroup),
    "system:discovery": groups(naming.authenticatedGroup),
    [manager]: users(manager),
    [part(naming, "dns")]: accounts(naming.systemName("dns")),
    [scheduler]: users(scheduler),
    "system:monitoring": groups("system:monitoring"),
    // Nodes have an authorizer of their own; who has none may add them here.
    "system:node": [],
    "system:node-proxier": users(part(naming, "proxy")),
    "system:public-info-viewer": groups(naming.authenticatedGroup, naming.unauthenticatedGroup),
    "system:service-account-issuer-discovery": groups("system:serviceaccounts"),
    "system:volume-scheduler": users(scheduler),
  };
}
