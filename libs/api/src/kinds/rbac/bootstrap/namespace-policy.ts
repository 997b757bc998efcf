import type { Naming } from "@orch/naming/naming.js";
import type { Subject } from "../types.js";
import { subjectsOf } from "./bindings.js";
import { part } from "./component-roles.js";
import { allow, named, type RulesByRole, read, tellEvents } from "./rules.js";

/** What is given in one of the system's namespaces alone. */
export interface NamespacePolicy {
  readonly namespace: string;
  readonly roles: RulesByRole;
  readonly bindings: readonly NamespaceBinding[];
}

export interface NamespaceBinding {
  /** The role's where absent. */
  readonly name?: string;
  readonly role: string;
  readonly subjects: readonly Subject[];
}

const authenticationReader = "extension-apiserver-authentication-reader";
const bootstrapSigner = "bootstrap-signer";
const ofController = (name: string): string => `system:controller:${name}`;

export function namespacePolicies(naming: Naming): readonly NamespacePolicy[] {
  return [systemPolicy(naming), publicPolicy(naming)];
}

function systemPolicy(naming: Naming): NamespacePolicy {
  const { users, accounts } = subjectsOf(naming);
  const manager = naming.systemName("controller-manager");
  const scheduler = naming.systemName("scheduler");
  const [managerUser, schedulerUser] = [part(naming, "controller-manager"), part(naming, "scheduler")];
  const ownAccount = (name: string): NamespaceBinding => ({ role: ofController(name), subjects: accounts(name) });
  return {
    namespace: naming.systemName("system"),
    roles: {
      [authenticationReader]: [named("extension-apiserver-authentication", allow(read, "configmaps"))],
      [ofController(bootstrapSigner)]: [allow(read, "secrets")],
      [ofController("cloud-provider")]: [allow("create get list watch", "configmaps")],
      [ofController("token-cleaner")]: [allow("delete get list watch", "secrets"), tellEvents(naming)],
      [leading(manager)]: leadingRules(naming, manager),
      [leading(scheduler)]: leadingRules(naming, scheduler),
    },
    bindings: [
      {
        name: `system::${authenticationReader}`,
        role: authenticationReader,
        subjects: users(managerUser, schedulerUser),
      },
      {
        role: leading(manager),
        subjects: [...users(managerUser), ...accounts(manager, "leader-election-controller")],
      },
      { role: leading(scheduler), subjects: [...users(schedulerUser), ...accounts(scheduler)] },
      ...[bootstrapSigner, "cloud-provider", "token-cleaner"].map(ownAccount),
    ],
  };
}

/** Where whoever is to join the cluster finds how. */
function publicPolicy(naming: Naming): NamespacePolicy {
  const role = ofController(bootstrapSigner);
  return {
    namespace: naming.systemName("public"),
    roles: {
      [role]: [allow(read, "configmaps"), named("cluster-info", allow("update", "configmaps")), tellEvents(naming)],
    },
    bindings: [{ role, subjects: subjectsOf(naming).accounts(bootstrapSigner) }],
  };
}

function leading(what: string): string {
  return `system::leader-locking-${what}`;
}

/** To take part in the election of one of several processes, by a config map or a lease. */
function leadingRules(naming: Naming, what: string): RulesByRole[string] {
  const coordination = naming.group("coordination");
  const takingPart = "create get list update watch";
  return [
    allow("watch", "configmaps"),
    named(what, allow("get update", "configmaps")),
    allow(takingPart, "leases", coordination),
    allow(takingPart, "leasecandidates", coordination),
  ];
}
