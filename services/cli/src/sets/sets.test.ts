import assert from "node:assert/strict";
import { test } from "node:test";
import { planText } from "./plan-text.js";
import { objectsIn } from "./read-objects.js";

test("documents and the items of lists are objects; what is none names its place", () => {
  const text = "a: 1\n---\n# nothing\n---\nkind: ConfigMapList\nitems:\n- {b: 2}\n- {c: 3}\n";
  assert.deepEqual(objectsIn(text, "f"), [{ a: 1 }, { b: 2 }, { c: 3 }]);
  assert.deepEqual(objectsIn('{"d": 4}', "f"), [{ d: 4 }]);
  assert.deepEqual(objectsIn("", "f"), []);
  assert.throws(() => objectsIn("a: 1\n---\n- x\n", "f"), /f, document 2: no object/);
  assert.throws(() => objectsIn("a: [\n", "f"), /f, document 1: yaml: line/);
  assert.throws(() => objectsIn("kind: List\nitems: [x]\n", "f"), /an item is no object/);
});

const member = (action: string, more: object = {}) => ({
  action,
  resource: "configmaps",
  namespace: "n",
  name: "a",
  ...more,
});

test("a plan is one line a member and one a field, and what stays is counted alone", () => {
  const changes = [
    { path: ".data.k", operation: "changed", before: '"v"', after: '"w"' },
    { path: ".data.l", operation: "added", after: "1" },
    { path: ".data.m", operation: "removed", before: "2" },
    { path: ".data.secret", operation: "changed" },
  ];
  const members = [
    member("Create", { group: "apps", resource: "deployments" }),
    member("Change", { changes }),
    member("Keep"),
    member("Delete", { namespace: undefined }),
  ];
  assert.deepEqual(planText({ status: { members } }), {
    lines: [
      "+ deployments.apps n/a",
      "~ configmaps n/a",
      '    .data.k: "v" → "w"',
      "    .data.l: 1",
      "    .data.m: 2 goes",
      "    .data.secret changed",
      "- configmaps a",
      "1 to create, 1 to change, 1 unchanged, 1 to delete",
    ],
    changes: 3,
  });
  assert.deepEqual(planText({}), { lines: ["the set has no members"], changes: 0 });
});
