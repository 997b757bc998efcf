import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyRules, ResourceRule, Subject } from "@orch/api/kinds/flowcontrol/types.js";
import { createNaming } from "@orch/naming/naming.js";
import { parsePath } from "../path.js";
import { createClassifier } from "./classifier.js";
import { builtInConfig } from "./config.js";

const naming = createNaming("kubernetes");
const system = "kube-system";

function userOf(name: string, ...groups: string[]) {
  return { name, uid: "", groups: [...groups, naming.authenticatedGroup], extra: {} };
}

const users = {
  admin: userOf("admin", naming.mastersGroup),
  ann: userOf("ann"),
  nobody: { name: naming.anonymousUser, uid: "", groups: [naming.unauthenticatedGroup], extra: {} },
  node: userOf("system:node:n1", "system:nodes"),
  manager: userOf("system:kube-controller-manager"),
  scheduler: userOf("system:kube-scheduler"),
  dns: userOf(`system:serviceaccount:${system}:dns`, "system:serviceaccounts"),
  endpoints: userOf(`system:serviceaccount:${system}:endpoint-controller`, "system:serviceaccounts"),
  app: userOf("system:serviceaccount:shop:app", "system:serviceaccounts"),
} as const;

type Row = readonly [user: keyof typeof users, verb: string, path: string, schema: string];

const lease = "/apis/coordination.k8s.io/v1/namespaces/a/leases/l";
const rows: readonly Row[] = [
  ["admin", "list", "/api/v1/pods", "exempt"],
  ["admin", "get", "/healthz", "exempt"],
  ["ann", "get", "/healthz", "probes"],
  ["nobody", "get", "/livez", "probes"],
  ["nobody", "post", "/livez", "global-default"],
  ["nobody", "get", "/livez/ping", "global-default"],
  ["ann", "get", "/version", "global-default"],
  ["ann", "get", "/apis/apps/v1", "global-default"],
  ["ann", "list", "/api/v1/namespaces/a/pods", "global-default"],
  ["node", "update", "/api/v1/nodes/n1/status", "system-node-high"],
  ["node", "get", "/api/v1/nodes/n1", "system-node-high"],
  ["node", "get", "/api/v1/nodes/n1/proxy", "system-nodes"],
  ["node", "update", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1", "system-node-high"],
  ["node", "list", "/api/v1/pods", "system-nodes"],
  ["node", "get", "/metrics", "system-nodes"],
  ["manager", "update", lease, "system-leader-election"],
  ["manager", "list", "/apis/coordination.k8s.io/v1/leases", "kube-controller-manager"],
  ["manager", "update", "/api/v1/namespaces/a/endpoints/e", "endpoint-controller"],
  ["scheduler", "create", "/api/v1/namespaces/a/pods/p/binding", "kube-scheduler"],
  ["scheduler", "get", lease, "system-leader-election"],
  ["dns", "get", lease, "system-leader-election"],
  ["dns", "update", "/api/v1/namespaces/a/configmaps/c", "workload-leader-election"],
  ["dns", "list", "/api/v1/services", "kube-system-service-accounts"],
  ["endpoints", "create", "/api/v1/namespaces/a/endpoints", "endpoint-controller"],
  ["app", "get", lease, "service-accounts"],
  ["app", "list", "/api/v1/pods", "service-accounts"],
];

const builtIns = builtInConfig(naming).schemas.map(({ name, spec }) => ({ name, spec, flow: name }));

for (const [user, verb, path, schema] of rows) {
  test(`the built-in schema of ${user}'s ${verb} of ${path} is ${schema}`, () => {
    const classify = createClassifier(builtIns, "none");
    const route = parsePath(path);
    assert.equal(classify(users[user], verb, route), schema);
    // What is remembered of a user answers the same.
    assert.equal(classify(users[user], verb, route), schema);
  });
}

const ann: Subject = { kind: "User", user: { name: "ann" } };
const about = (rule: ResourceRule): PolicyRules => ({ subjects: [ann], resourceRules: [rule] });
const everything: ResourceRule = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] };

function takes(rule: PolicyRules, verb: string, path: string): boolean {
  const spec = { matchingPrecedence: 5, rules: [rule] };
  return createClassifier([{ name: "s", spec, flow: true }], false)(users.ann, verb, parsePath(path));
}

const ruleRows: readonly (readonly [what: string, rule: PolicyRules, verb: string, path: string, taken: boolean])[] = [
  ["every namespace is not the cluster", about(everything), "list", "/api/v1/nodes", false],
  ["the cluster is asked for", about({ ...everything, clusterScope: true }), "list", "/api/v1/nodes", true],
  ["a list over all namespaces is the cluster's", about(everything), "list", "/api/v1/pods", false],
  ["a namespace lies in itself", about({ ...everything, namespaces: ["a"] }), "get", "/api/v1/namespaces/a", true],
  ["another namespace", about({ ...everything, namespaces: ["b"] }), "get", "/api/v1/namespaces/a", false],
  [
    "a subresource is another resource",
    about({ ...everything, resources: ["pods"] }),
    "get",
    "/api/v1/namespaces/a/pods/p/status",
    false,
  ],
  [
    "a subresource by name",
    about({ ...everything, resources: ["pods/status"] }),
    "get",
    "/api/v1/namespaces/a/pods/p/status",
    true,
  ],
  ["another verb", about({ ...everything, verbs: ["list"] }), "get", "/api/v1/namespaces/a/pods/p", false],
  ["another group", about({ ...everything, apiGroups: ["apps"] }), "get", "/api/v1/namespaces/a/pods/p", false],
  ["a resource rule takes no path", about({ ...everything, clusterScope: true }), "get", "/version", false],
  [
    "a path below",
    { subjects: [ann], nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/a/*"] }] },
    "get",
    "/a/b/c",
    true,
  ],
  [
    "a path beside",
    { subjects: [ann], nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/a/*"] }] },
    "get",
    "/ab",
    false,
  ],
  [
    "everybody by a star",
    { ...about(everything), subjects: [{ kind: "Group", group: { name: "*" } }] },
    "get",
    "/api/v1/namespaces/a/pods/p",
    true,
  ],
  [
    "somebody else",
    { ...about(everything), subjects: [{ kind: "User", user: { name: "bob" } }] },
    "get",
    "/api/v1/namespaces/a/pods/p",
    false,
  ],
];

for (const [what, rule, verb, path, taken] of ruleRows) {
  test(`a rule: ${what}`, () => assert.equal(takes(rule, verb, path), taken));
}

test("the lowest precedence wins, among equals the first name, and a schema without rules takes nothing", () => {
  const rules = [about({ ...everything, clusterScope: true })];
  const entry = (name: string, matchingPrecedence: number, rule: readonly PolicyRules[] = rules) => ({
    name,
    spec: { matchingPrecedence, rules: rule },
    flow: name,
  });
  const entries = [entry("z", 7), entry("b", 5), entry("a", 5), entry("empty", 1, [])];
  assert.equal(createClassifier(entries, "none")(users.ann, "list", parsePath("/api/v1/nodes")), "a");
});
