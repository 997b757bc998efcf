import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { user } from "../testing/attributes.js";
import { createRbacIndex } from "./rbac-index.js";
import { bindingRecord, roleRecord } from "./rbac-objects.js";
import { asks, binding, type Entry, role } from "./testing/policy.js";

const things = Array.from({ length: 20 }, (_, i) => `get things-${i}`);
const entries: readonly Entry[] = [
  role("r", ...things),
  role("a/r", ...things),
  role("b/r", "get pods"),
  binding("x", "ClusterRole r", "User u", "Group g", "User u"),
  binding("a/x", "Role r", "User u", "ServiceAccount s"),
  binding("a/y", "ClusterRole r", "Group g"),
  binding("b/x", "Role missing", "User u", "Robot u"),
  binding("b/y", "Thing r", "User u"),
  binding("b/z", "Role nobody"),
];

/** An index of all of them that was asked about a lot. */
function filled() {
  const index = createRbacIndex(createNaming("orch"));
  const put = ({ resource, object }: Entry): void => {
    const { namespace = "" } = object.metadata;
    if (resource.endsWith("bindings")) index.putBinding(bindingRecord(object, namespace));
    else index.putRole(roleRecord(object, namespace));
  };
  const remove = ({ resource, object: { metadata } }: Entry): void => {
    const { namespace = "", name = "" } = metadata;
    if (resource.endsWith("bindings")) index.removeBinding({ namespace, name });
    else index.removeRole({ namespace, name });
  };
  const ask = (): void => {
    for (const namespace of ["", "a", "b"]) {
      index.decide(asks({ user: user("u", "g"), verb: "get", of: "pods", namespace }));
    }
  };
  entries.forEach(put);
  ask();
  return { index, put, remove, ask };
}

test("what is removed leaves nothing behind, in whatever order", () => {
  for (const order of [entries, [...entries].reverse()]) {
    const { index, remove } = filled();
    assert.ok(index.size > entries.length);
    order.forEach(remove);
    order.forEach(remove);
    assert.equal(index.size, 0);
  }
});

test("what is put again and again is kept once", () => {
  const { index, put, ask } = filled();
  const { size } = index;
  for (let i = 0; i < 3; i++) {
    entries.forEach(put);
    ask();
  }
  assert.equal(index.size, size);
  put(role("r", "get pods"));
  put(binding("x", "ClusterRole r", "User v"));
  entries.forEach(put);
  ask();
  assert.equal(index.size, size);
});

test("outside the namespaces of its bindings a user may do what it may do everywhere", () => {
  const { index, put, remove } = filled();
  const may = (who: ReturnType<typeof user>, namespace: string): boolean =>
    index.decide(asks({ user: who, verb: "get", of: "pods", namespace })).outcome === "allow";
  assert.deepEqual([...index.namespacesOf(user("u"))], ["a", "b"]);
  assert.deepEqual([...index.namespacesOf(user("v", "g"))], ["a"]);
  assert.deepEqual([...index.namespacesOf(user("nobody"))], []);
  const reader = binding("c/x", "ClusterRole pods", "Group g");
  put(role("pods", "get pods"));
  put(reader);
  assert.deepEqual(
    [...index.namespacesOf(user("v", "g"))].filter((name) => may(user("v", "g"), name)),
    ["c"],
  );
  for (const name of ["a", "b", "zz", ""]) assert.equal(may(user("v", "g"), name), false);
  remove(reader);
  assert.deepEqual([...index.namespacesOf(user("v", "g"))], ["a"]);
});

test("whose rights change is told", () => {
  const told = new Set<string>();
  const index = createRbacIndex(createNaming("orch"), ({ of, name }) => told.add(`${of} ${name}`));
  const change = (run: () => void): readonly string[] => {
    told.clear();
    run();
    return [...told].sort();
  };
  const bound = binding("a/x", "ClusterRole r", "User u", "Group g").object;
  const rules = (rule: string): void => index.putRole(roleRecord(role("r", rule).object, ""));
  assert.deepEqual(
    change(() => rules("get pods")),
    [],
  );
  const both = ["groups g", "users u"];
  assert.deepEqual(
    change(() => index.putBinding(bindingRecord(bound, "a"))),
    both,
  );
  assert.deepEqual(
    change(() => index.putBinding(bindingRecord(bound, "a"))),
    [],
  );
  assert.deepEqual(
    change(() => rules("get pods")),
    [],
    "the same rules",
  );
  assert.deepEqual(
    change(() => rules("list pods")),
    both,
  );
  assert.deepEqual(
    change(() => index.removeBinding({ namespace: "a", name: "x" })),
    both,
  );
});
