import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import { type Asked, compileRole } from "./compiled-role.js";
import { createGrantFinder, type Grants } from "./grants.js";
import { rule } from "./testing/policy.js";

/** As many roles as rules. How often they are looked through is counted. */
function granted(...rules: readonly (string | PolicyRule)[]): { readonly grants: Grants; searches(): number } {
  let searches = 0;
  const all = rules.map((one, i) => ({
    role: compileRole([typeof one === "string" ? rule(one) : one]),
    decision: { outcome: "allow" as const, reason: `${i}` },
  }));
  const grants = {
    get all() {
      searches++;
      return all;
    },
    rules: all.length,
    problems: [],
  };
  return { grants, searches: () => searches };
}

const asked = (verb: string, resource: string, name = ""): Asked => ({
  kind: "resource",
  verb,
  group: "",
  resource,
  ofEverything: resource,
  name,
});
const things = Array.from({ length: 20 }, (_, i) => `get things-${i}`);

test("many rules are looked through once for one question, whatever the name", () => {
  const { grants, searches } = granted(...things, "get secrets a,b", "get secrets b,c");
  const { find, forget } = createGrantFinder();
  const reasonFor = (name: string) => find(grants, asked("get", "secrets", name))?.decision.reason;
  assert.deepEqual(["a", "b", "c", "d", ""].map(reasonFor), ["20", "20", "21", undefined, undefined]);
  assert.equal(searches(), 1);
  find(grants, asked("list", "secrets"));
  assert.equal(searches(), 2);
  forget(grants);
  reasonFor("a");
  assert.equal(searches(), 3);
});

test("no two questions have the same answer by their spelling", () => {
  const { grants } = granted(...things, { verbs: ["get"], apiGroups: [""], resources: ["*/log"] });
  const { find } = createGrantFinder();
  const log: Asked = {
    kind: "resource",
    verb: "get",
    group: "",
    resource: "pods/log",
    ofEverything: "*/log",
    name: "",
  };
  assert.ok(find(grants, log) !== undefined);
  // One resource of that name, no subresource; words that run into each other; a path of the same letters.
  assert.equal(find(grants, { ...log, ofEverything: "pods/log" }), undefined);
  assert.equal(find(grants, { ...log, verb: "ge", group: "t" }), undefined);
  assert.equal(find(grants, { ...log, verb: "getp", resource: "ods/log" }), undefined);
  assert.equal(find(grants, { kind: "path", verb: "get", path: "pods/log" }), undefined);
  assert.ok(find(grants, log) !== undefined);
});

test("what is remembered is bounded, in answers and in names", () => {
  const names = Array.from({ length: 60 }, (_, i) => `n${i}`);
  const wide = granted(...things, { verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: names });
  const { find } = createGrantFinder({ capacity: 50 });
  for (let round = 1; round <= 3; round++) {
    assert.ok(find(wide.grants, asked("get", "secrets", "n59")) !== undefined);
    assert.equal(wide.searches(), round, "more names than there is room for");
  }
  const { grants, searches } = granted(...things);
  for (let i = 0; i < 50; i++) find(grants, asked("get", `x${i}`));
  assert.equal(searches(), 50);
  for (let i = 0; i < 50; i++) find(grants, asked("get", `x${i}`));
  assert.equal(searches(), 50, "all fit");
  find(grants, asked("get", "x50"));
  find(grants, asked("get", "x0"));
  assert.equal(searches(), 52, "full: forgotten");
  const long = "x".repeat(1000);
  find(grants, asked("get", long));
  find(grants, asked("get", long));
  assert.equal(searches(), 54, "long words are not remembered");
});
