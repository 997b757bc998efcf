import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPolicyPatch } from "./policy-patch.js";

const document = { spec: { a: 1 } };

test("operations of a policy are carried out in order", () => {
  const operations = [
    { op: "test", path: "/spec/a", value: 1 },
    { op: "add", path: "/spec/b", value: 2 },
    { op: "move", from: "/spec/a", path: "/spec/c" },
  ];
  assert.deepEqual(applyPolicyPatch(document, operations), { ok: true, document: { spec: { b: 2, c: 1 } } });
  assert.deepEqual(document, { spec: { a: 1 } });
});

test("a test that fails leaves the document as it was", () => {
  const operations = [
    { op: "add", path: "/spec/b", value: 2 },
    { op: "test", path: "/spec/a", value: 9 },
  ];
  assert.deepEqual(applyPolicyPatch(document, operations), { ok: true, document });
});

test("an operation that is none, or does not apply, is told", () => {
  const unknown = applyPolicyPatch(document, [{ op: "frob", path: "/a" }]);
  assert.deepEqual(unknown, { ok: false, error: "JSON Patch: Unexpected kind: frob" });
  const missing = applyPolicyPatch(document, [{ op: "remove", path: "/spec/no" }]);
  assert.ok(!missing.ok && missing.error.includes("Unable to remove nonexistent key: no"));
  const odd = applyPolicyPatch(document, [{ op: "add", path: "/no/where", value: 1 }]);
  assert.ok(!odd.ok && odd.error.startsWith("JSON Patch: "));
});
