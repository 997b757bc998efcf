import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ResourceAttributes } from "../authorizer.js";
import { user } from "../testing/attributes.js";
import { bindingRecord, roleRecord } from "./rbac-objects.js";
import { readReason } from "./read-reason.js";
import { asks, binding, type Entry, loadedRbac, role } from "./testing/policy.js";
import { type AccessQuestion, danglingBindings, type RbacObjects, whoMay, whyMay } from "./who-may.js";

function objectsOf(entries: readonly Entry[]): RbacObjects {
  const namespaceOf = ({ object }: Entry): string => object.metadata.namespace ?? "";
  const roles = entries.filter(({ resource }) => resource.endsWith("roles"));
  const bindings = entries.filter(({ resource }) => resource.endsWith("bindings"));
  return {
    roles: roles.map((entry) => roleRecord(entry.object, namespaceOf(entry))),
    bindings: bindings.map((entry) => bindingRecord(entry.object, namespaceOf(entry))),
  };
}

const pods = (more: Partial<ResourceAttributes> = {}): AccessQuestion => ({
  ...{ verb: "get", group: "", resource: "pods", subresource: "", name: "", namespace: "shop" },
  ...more,
});

const shop = [
  role("shop/sell", "get,list pods", "get pods a", "delete jobs"),
  role("view", "get *:*", "get /healthz"),
  binding("shop/selling", "Role sell", "User bob", "ServiceAccount till", "ServiceAccount far/away"),
  binding("shop/viewing", "ClusterRole view", "Group guests"),
  binding("everywhere", "ClusterRole view", "User root"),
  binding("other/selling", "Role sell", "User eve"),
  binding("shop/lost", "Role nowhere", "User bob"),
];

test("who may do something is told with binding, role and the rules that allow it", () => {
  const told = whoMay(objectsOf(shop), pods()).map(
    ({ subject, binding: by, role: of, rules }) =>
      `${subject.kind} ${subject.namespace}/${subject.name} by ${by.kind} ${by.namespace}/${by.name} of ${of.kind} ${of.namespace}/${of.name}, ${rules.length}`,
  );
  assert.deepEqual(told, [
    "User /bob by RoleBinding shop/selling of Role shop/sell, 1",
    "ServiceAccount shop/till by RoleBinding shop/selling of Role shop/sell, 1",
    "ServiceAccount far/away by RoleBinding shop/selling of Role shop/sell, 1",
    "Group /guests by RoleBinding shop/viewing of ClusterRole /view, 1",
    "User /root by ClusterRoleBinding /everywhere of ClusterRole /view, 1",
  ]);
});

test("names, scopes and paths count as for the authorizer", () => {
  const names = (question: AccessQuestion) => whoMay(objectsOf(shop), question).map(({ subject }) => subject.name);
  assert.deepEqual(whoMay(objectsOf(shop), pods({ name: "a" }))[0]?.rules.length, 2);
  assert.deepEqual(names(pods({ namespace: "" })), ["root"]);
  assert.deepEqual(names({ verb: "get", path: "/healthz" }), ["root"]);
  assert.deepEqual(names(pods({ verb: "drink" })), []);
});

test("bindings that lead nowhere are found", () => {
  const lost = danglingBindings(objectsOf(shop), "shop").map(({ name }) => name);
  assert.deepEqual(lost, ["lost"]);
});

const oneOf = (...words: string[]) => fc.constantFrom(...words);
const someOf = (...words: string[]) => fc.uniqueArray(oneOf(...words), { minLength: 1, maxLength: 3 });
const anyRule = fc.oneof(
  fc.record({
    verbs: someOf("get", "list", "*"),
    apiGroups: someOf("", "apps", "*"),
    resources: someOf("pods", "pods/log", "*/log", "*"),
  }),
  fc.record({
    verbs: someOf("get"),
    apiGroups: someOf(""),
    resources: someOf("pods"),
    resourceNames: someOf("x", "y"),
  }),
  fc.record({ verbs: someOf("get", "*"), nonResourceURLs: someOf("/a", "/a/*", "*") }),
);
const path = oneOf("r", "s", "a/r", "a/s", "b/r");
const anyEntry = fc.oneof(
  fc.tuple(path, fc.array(anyRule, { maxLength: 3 })).map(([name, rules]) => role(name, ...rules)),
  fc
    .tuple(path, oneOf("ClusterRole r", "Role r", "Role s", "Other r"), oneOf("User u", "Group g", "ServiceAccount sa"))
    .map(([name, to, whom]) => binding(name, to, whom)),
);
const users = [user("u"), user("v", "g"), user("system:serviceaccount:a:sa")];
const questions = users.flatMap((who) =>
  ["", "a", "b"].flatMap((namespace) =>
    ["/a", "/a/b", "pods", "pods/log", "apps:jobs"].flatMap((of) =>
      ["", "x"].map((name) => asks({ user: who, verb: "get", of, namespace, name })),
    ),
  ),
);

test("whoever is told to may is allowed by the authorizer, by one of the ways that are told, and nobody else is", () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 12 }), (made) => {
      const entries = [
        ...new Map(
          made.map((one) => [`${one.resource} ${one.object.metadata.namespace}/${one.object.metadata.name}`, one]),
        ).values(),
      ];
      const { decide } = loadedRbac(entries);
      const objects = objectsOf(entries);
      for (const question of questions) {
        const { outcome, reason } = decide(question);
        const ways = whyMay(objects, question.user, question);
        assert.equal(ways.length > 0, outcome === "allow", JSON.stringify(question));
        const named = readReason(reason);
        assert.equal(named !== undefined, outcome === "allow", reason);
        if (named === undefined) continue;
        const way = ways.find(
          ({ binding: by }) => by.name === named.binding.name && by.namespace === named.binding.namespace,
        );
        assert.equal(way?.role.name, named.role.name);
        assert.deepEqual(way?.subject, named.subject);
      }
    }),
    { numRuns: 200 },
  );
});
