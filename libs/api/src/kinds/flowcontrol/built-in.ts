import type { Naming } from "@orch/naming/naming.js";
import { everything, mandatoryLevels, mandatorySchemas } from "./mandatory.js";
import type { FlowSchemaSpec, LevelSpec, NonResourceRule, PolicyRules, ResourceRule, Subject } from "./types.js";

/** What flow control works by where nobody says otherwise (release 1.32): objects that the server makes and keeps. */
export interface BuiltInFlow {
  readonly schemas: readonly BuiltIn<FlowSchemaSpec>[];
  readonly levels: readonly BuiltIn<LevelSpec>[];
}

export interface BuiltIn<Spec> {
  readonly name: string;
  /** Its spec stays as it is; that of another is its users' once they say so. */
  readonly mandatory: boolean;
  readonly spec: Spec;
}

/** Says of an object whether the server keeps its spec (`true`) or its users do (`false`). */
export function autoUpdateKey(naming: Naming): string {
  return `apf.${naming.key("autoupdate-spec")}`;
}

export function builtInFlow(naming: Naming): BuiltInFlow {
  return {
    schemas: [...builtIns(mandatorySchemas(naming), true), ...builtIns(suggestedSchemas(naming), false)],
    levels: [...builtIns(mandatoryLevels, true), ...builtIns(suggestedLevels, false)],
  };
}

function builtIns<Spec>(specs: ReadonlyMap<string, Spec>, mandatory: boolean): readonly BuiltIn<Spec>[] {
  return [...specs].map(([name, spec]) => ({ name, mandatory, spec }));
}

interface Share {
  readonly shares: number;
  readonly lendable: number;
  readonly queues: number;
  readonly hand: number;
}

const queueLengthLimit = 50;

const shares: Readonly<Record<string, Share>> = {
  system: { shares: 30, lendable: 33, queues: 64, hand: 6 },
  "node-high": { shares: 40, lendable: 25, queues: 64, hand: 6 },
  "leader-election": { shares: 10, lendable: 0, queues: 16, hand: 4 },
  "workload-high": { shares: 40, lendable: 50, queues: 128, hand: 6 },
  "workload-low": { shares: 100, lendable: 90, queues: 128, hand: 6 },
  "global-default": { shares: 20, lendable: 50, queues: 128, hand: 6 },
};

const suggestedLevels: ReadonlyMap<string, LevelSpec> = new Map(
  Object.entries(shares).map(([name, share]) => [name, levelSpec(share)]),
);

function levelSpec({ shares: nominalConcurrencyShares, lendable: lendablePercent, queues, hand }: Share): LevelSpec {
  const limitResponse = { type: "Queue", queuing: { queues, handSize: hand, queueLengthLimit } };
  return { type: "Limited", limited: { nominalConcurrencyShares, lendablePercent, limitResponse } };
}

interface Row {
  readonly name: string;
  readonly level: string;
  readonly precedence: number;
  readonly by: "ByUser" | "ByNamespace" | undefined;
  readonly subjects: readonly Subject[];
  /** All that there is where absent. */
  readonly resources?: readonly ResourceRule[];
  readonly paths?: readonly NonResourceRule[];
}

function suggestedSchemas(naming: Naming): ReadonlyMap<string, FlowSchemaSpec> {
  return new Map(rows(naming).map((row) => [row.name, schemaSpec(row)]));
}

function schemaSpec({ level, precedence, by, subjects, resources, paths }: Row): FlowSchemaSpec {
  const rule: PolicyRules =
    resources === undefined && paths === undefined
      ? { subjects, ...everything }
      : {
          subjects,
          ...(resources === undefined ? {} : { resourceRules: resources }),
          ...(paths === undefined ? {} : { nonResourceRules: paths }),
        };
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
    rules: [rule],
  };
}

const group = (name: string): Subject => ({ kind: "Group", group: { name } });
const user = (name: string): Subject => ({ kind: "User", user: { name } });

function rows(naming: Naming): readonly Row[] {
  const nodes = [group("system:nodes")];
  const everyone = [group(naming.unauthenticatedGroup), group(naming.authenticatedGroup)];
  const manager = naming.systemName("controller-manager");
  const scheduler = naming.systemName("scheduler");
  const [managerUser, schedulerUser] = [user(`system:${manager}`), user(`system:${scheduler}`)];
  const namespace = naming.systemName("system");
  const account = (name: string): Subject => ({ kind: "ServiceAccount", serviceAccount: { namespace, name } });
  const leases = accessTo(naming.group("coordination"), ["leases"]);
  const controllers = ["endpoint-controller", "endpointslicemirroring-controller"].map(account);
  const byUser = { by: "ByUser" } as const;
  const byNamespace = { level: "workload-high", by: "ByNamespace" } as const;
  return [
    { name: "system-nodes", level: "system", precedence: 500, ...byUser, subjects: nodes },
    {
      name: "system-node-high",
      level: "node-high",
      precedence: 400,
      ...byUser,
      subjects: nodes,
      resources: [
        { ...all(""), resources: ["nodes", "nodes/status"], clusterScope: true },
        { ...all(naming.group("coordination")), resources: ["leases"] },
      ],
    },
    {
      name: "probes",
      level: "exempt",
      precedence: 2,
      by: undefined,
      subjects: everyone,
      paths: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
    },
    {
      name: "system-leader-election",
      level: "leader-election",
      precedence: 100,
      ...byUser,
      subjects: [managerUser, schedulerUser, account("*")],
      resources: [leases],
    },
    {
      name: "endpoint-controller",
      level: "workload-high",
      precedence: 150,
      ...byUser,
      subjects: [managerUser, ...controllers],
      resources: [accessTo("", ["endpoints"])],
    },
    {
      name: "workload-leader-election",
      level: "leader-election",
      precedence: 200,
      ...byUser,
      subjects: [account("*")],
      resources: [accessTo("", ["endpoints", "configmaps"]), leases],
    },
    { name: manager, ...byNamespace, precedence: 800, subjects: [managerUser] },
    { name: scheduler, ...byNamespace, precedence: 800, subjects: [schedulerUser] },
    { name: `${namespace}-service-accounts`, ...byNamespace, precedence: 900, subjects: [account("*")] },
    {
      name: "service-accounts",
      level: "workload-low",
      precedence: 9000,
      ...byUser,
      subjects: [group("system:serviceaccounts")],
    },
    { name: "global-default", level: "global-default", precedence: 9900, ...byUser, subjects: everyone },
  ];
}

function all(apiGroup: string) {
  return { verbs: ["*"], apiGroups: [apiGroup], namespaces: ["*"] };
}

/** What taking part in an election asks for, in every namespace. */
function accessTo(apiGroup: string, resources: readonly string[]): ResourceRule {
  return { verbs: ["get", "create", "update"], apiGroups: [apiGroup], resources, namespaces: ["*"] };
}
