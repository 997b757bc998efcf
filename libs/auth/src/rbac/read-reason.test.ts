import assert from "node:assert/strict";
import { test } from "node:test";
import { readReason } from "./read-reason.js";

test("a reason of RBAC is taken apart, names with quotes too", () => {
  const told = 'RBAC: allowed by RoleBinding "b/ns" of Role "r" to ServiceAccount "a/other"';
  assert.deepEqual(readReason(told), {
    binding: { kind: "RoleBinding", name: "b", namespace: "ns" },
    role: { kind: "Role", name: "r" },
    subject: { kind: "ServiceAccount", name: "a", namespace: "other" },
  });
  const odd = 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "a \\"b\\" of x/y"';
  assert.deepEqual(readReason(odd)?.subject, { kind: "User", name: 'a "b" of x/y', namespace: "" });
});

test("other reasons are none of RBAC, however long or odd", () => {
  const text = 'RBAC: allowed by RoleBinding "';
  const reasons = ["", "allowed by a webhook", text, `${text}${"\\".repeat(100_000)}`, `${text}${'"'.repeat(4000)}`];
  for (const reason of reasons) assert.equal(readReason(reason), undefined);
});
