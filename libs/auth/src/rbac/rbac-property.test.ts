import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { user } from "../testing/attributes.js";
import { naivelyAllowed } from "./testing/naive.js";
import { asks, binding, type Entry, loadedRbac, role } from "./testing/policy.js";

const namespaces = ["", "a", "b"];
const oneOf = (...words: string[]) => fc.constantFrom(...words);
const someOf = (...words: string[]) => fc.uniqueArray(oneOf(...words), { minLength: 1, maxLength: 3 });

const anyRule = fc.oneof(
  fc.record({
    verbs: someOf("get", "list", "*"),
    apiGroups: someOf("", "apps", "*"),
    resources: someOf("pods", "pods/log", "*/log", "*", "jobs"),
  }),
  fc.record({
    verbs: someOf("get", "list"),
    apiGroups: someOf("", "apps"),
    resources: someOf("pods", "jobs"),
    resourceNames: someOf("x", "y"),
  }),
  fc.record({ verbs: someOf("get", "*"), nonResourceURLs: someOf("/a", "/a/*", "/b*", "*") }),
);
const path = fc
  .tuple(fc.constantFrom(...namespaces), oneOf("r", "s"))
  .map(([namespace, name]) => (namespace === "" ? name : `${namespace}/${name}`));
const anyRole = fc
  .tuple(path, fc.array(anyRule, { maxLength: 12 }))
  .map(([name, rules]): Entry => role(name, ...rules));
const subjects = someOf("User u", "User v", "Group g", "Group h", "ServiceAccount sa", "ServiceAccount a/sa");
const anyBinding = fc
  .tuple(path, oneOf("ClusterRole r", "ClusterRole s", "Role r", "Role s", "Other r"), subjects)
  .map(([name, to, whom]): Entry => binding(name, to, ...whom));
const anyStep = fc.oneof(
  fc.record({ do: fc.constant("put" as const), entry: fc.oneof(anyRole, anyBinding) }),
  fc.record({ do: oneOf("remove", "lose"), entry: fc.oneof(anyRole, anyBinding) }),
);

const users = [
  user("u"),
  user("v", "g"),
  user("w", "g", "h", "g"),
  user("system:serviceaccount:a:sa", "h"),
  user("system:serviceaccount:b:sa"),
];
const questions = users.flatMap((who) => [
  ...["/a", "/a/b", "/b", "/c"].map((of) => asks({ user: who, verb: "get", of })),
  ...namespaces.flatMap((namespace) =>
    ["pods", "pods/log", "jobs/log", "apps:jobs"].flatMap((of) =>
      ["get", "list"].flatMap((verb) => ["", "x"].map((name) => asks({ user: who, verb, of, namespace, name }))),
    ),
  ),
]);

test("whatever is put, changed and deleted, the index answers as looking through all objects does", () => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 1, maxLength: 25 }), (steps) => {
      const { decide, source } = loadedRbac();
      const entries = new Map<string, Entry>();
      for (const { do: what, entry } of steps) {
        const { resource, object } = entry;
        const key = `${resource} ${object.metadata.namespace} ${object.metadata.name}`;
        if (what === "put") {
          entries.set(key, entry);
          source.put(resource, object);
        } else {
          entries.delete(key);
          if (what === "remove") source.remove(resource, object);
          else source.lose(resource, object);
          if (what === "lose") source.tell(resource);
        }
        // Asked between changes too: what is remembered must not outlive them.
        decide(questions[entries.size % questions.length] ?? asks({ user: user("u"), verb: "get", of: "pods" }));
      }
      const all = [...entries.values()];
      for (const question of [...questions, ...questions]) {
        const allowed = decide(question).outcome === "allow";
        assert.equal(allowed, naivelyAllowed(all, question), JSON.stringify(question));
      }
    }),
    { numRuns: 300 },
  );
});
