import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { builtInFlow } from "./built-in.js";
import type { FlowSchemaSpec, LevelSpec, PolicyRules, ResourceRule, Subject } from "./types.js";

/** The objects of release 1.32, as its source has them, written as rows. */

const levelRows: Readonly<Record<string, string>> = {
  exempt: "mandatory Exempt, shares 0, lends 0 %",
  "catch-all": "mandatory Limited, shares 5, lends 0 %, rejects",
  system: "Limited, shares 30, lends 33 %, 64 queues of 50, hand 6",
  "node-high": "Limited, shares 40, lends 25 %, 64 queues of 50, hand 6",
  "leader-election": "Limited, shares 10, lends 0 %, 16 queues of 50, hand 4",
  "workload-high": "Limited, shares 40, lends 50 %, 128 queues of 50, hand 6",
  "workload-low": "Limited, shares 100, lends 90 %, 128 queues of 50, hand 6",
  "global-default": "Limited, shares 20, lends 50 %, 128 queues of 50, hand 6",
};

const all = "* */* in namespaces * and cluster; * of *";
const everyone = "group:system:unauthenticated group:system:authenticated";
const accounts = "account:kube-system/*";
const manager = "user:system:kube-controller-manager";
const scheduler = "user:system:kube-scheduler";
const leases = "get,create,update coordination.k8s.io/leases in namespaces *";

/** Precedence, level, what tells flows apart; whom; what. */
const schemaRows: Readonly<Record<string, readonly [string, string, string]>> = {
  exempt: ["mandatory 1 exempt -", "group:system:masters", all],
  probes: ["2 exempt -", everyone, "get of /healthz,/readyz,/livez"],
  "system-leader-election": ["100 leader-election ByUser", `${manager} ${scheduler} ${accounts}`, leases],
  "endpoint-controller": [
    "150 workload-high ByUser",
    `${manager} account:kube-system/endpoint-controller account:kube-system/endpointslicemirroring-controller`,
    "get,create,update /endpoints in namespaces *",
  ],
  "workload-leader-election": [
    "200 leader-election ByUser",
    accounts,
    `get,create,update /endpoints,configmaps in namespaces *; ${leases}`,
  ],
  "system-node-high": [
    "400 node-high ByUser",
    "group:system:nodes",
    "* /nodes,nodes/status in namespaces * and cluster; * coordination.k8s.io/leases in namespaces *",
  ],
  "system-nodes": ["500 system ByUser", "group:system:nodes", all],
  "kube-controller-manager": ["800 workload-high ByNamespace", manager, all],
  "kube-scheduler": ["800 workload-high ByNamespace", scheduler, all],
  "kube-system-service-accounts": ["900 workload-high ByNamespace", accounts, all],
  "service-accounts": ["9000 workload-low ByUser", "group:system:serviceaccounts", all],
  "global-default": ["9900 global-default ByUser", everyone, all],
  "catch-all": ["mandatory 10000 catch-all ByUser", everyone, all],
};

const { levels, schemas } = builtInFlow(createNaming("kubernetes"));
const prefix = ({ mandatory }: { readonly mandatory: boolean }) => (mandatory ? "mandatory " : "");

function levelText({ type, exempt, limited, ...rest }: LevelSpec): string {
  assert.deepEqual(rest, {});
  assert.ok(exempt === undefined || limited === undefined);
  const { nominalConcurrencyShares, lendablePercent, limitResponse, ...more } = { ...exempt, ...limited };
  // No bound of what is borrowed.
  assert.deepEqual(more, {});
  const { queues, handSize, queueLengthLimit } = limitResponse?.queuing ?? {};
  const response = {
    none: "",
    Reject: ", rejects",
    Queue: `, ${queues} queues of ${queueLengthLimit}, hand ${handSize}`,
  }[limitResponse?.type ?? "none"];
  assert.equal(limitResponse?.queuing === undefined, limitResponse?.type !== "Queue");
  return `${type}, shares ${nominalConcurrencyShares}, lends ${lendablePercent} %${response}`;
}

function schemaText(spec: FlowSchemaSpec): readonly [string, string, string] {
  const { matchingPrecedence, priorityLevelConfiguration: level, distinguisherMethod, rules = [], ...rest } = spec;
  assert.deepEqual(rest, {});
  assert.equal(rules.length, 1);
  const [rule] = rules;
  const { subjects = [] }: PolicyRules = rule ?? {};
  return [
    `${matchingPrecedence} ${level?.name} ${distinguisherMethod?.type ?? "-"}`,
    subjects.map(subjectText).join(" "),
    ruleText(rule ?? {}),
  ];
}

function subjectText({ kind, user, group, serviceAccount }: Subject): string {
  switch (kind) {
    case "User":
      return `user:${user?.name}`;
    case "Group":
      return `group:${group?.name}`;
    default:
      assert.equal(kind, "ServiceAccount");
      return `account:${serviceAccount?.namespace}/${serviceAccount?.name}`;
  }
}

function ruleText({ resourceRules = [], nonResourceRules = [] }: PolicyRules): string {
  const resource = ({ verbs, apiGroups, resources, namespaces, clusterScope = false }: ResourceRule) =>
    `${verbs} ${apiGroups}/${resources} in namespaces ${namespaces}${clusterScope ? " and cluster" : ""}`;
  const paths = nonResourceRules.map(({ verbs, nonResourceURLs }) => `${verbs} of ${nonResourceURLs}`);
  return [...resourceRules.map(resource), ...paths].join("; ");
}

test("the levels are those of the reference", () => {
  const texts = levels.map((level) => [level.name, prefix(level) + levelText(level.spec)]);
  assert.equal(texts.length, 8);
  assert.deepEqual(Object.fromEntries(texts), levelRows);
});

test("the schemas are those of the reference", () => {
  const texts = schemas.map((schema) => {
    const [place, whom, what] = schemaText(schema.spec);
    return [schema.name, [prefix(schema) + place, whom, what]];
  });
  assert.equal(texts.length, 13);
  assert.deepEqual(Object.fromEntries(texts), schemaRows);
});

test("names, accounts and groups are those of the dialect", () => {
  const own = builtInFlow(createNaming("orch"));
  assert.ok(!JSON.stringify(own).includes("kube"));
  assert.equal(own.schemas.length, schemas.length);
});

test("every schema names a level that is there", () => {
  const names = new Set(levels.map(({ name }) => name));
  for (const { spec } of schemas) assert.ok(names.has(spec.priorityLevelConfiguration?.name ?? ""));
});
