import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLinear } from "@orch/status/testing/growth.js";
import { type ObjectMeta, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.js";

const rules = { namespaced: true, nameFormat: "dnsSubdomain", standardFinalizers: ["orch"] } as const;
const good: ObjectMeta = { name: "a", namespace: "n" };
const texts = (errors: readonly { field: string; message: string }[]) => errors.map((e) => `${e.field}: ${e.message}`);

const rows: readonly (readonly [string, ObjectMeta, readonly RegExp[]])[] = [
  ["a good object", { ...good, labels: { "a.b/c": "d" }, finalizers: ["orch", "orphan", "x.y/z"] }, []],
  ["no name", { namespace: "n" }, [/^metadata.name: Required value: name or generateName is required$/]],
  [
    "a name of wrong form",
    { ...good, name: "A_b" },
    [/^metadata.name: Invalid value: "A_b": a lowercase RFC 1123 sub/],
  ],
  ["a bad prefix", { ...good, generateName: "Bad_" }, [/^metadata.generateName: Invalid value: "Bad_": a lowercase/]],
  ["a prefix that ends in a dash", { ...good, generateName: "good-" }, []],
  ["no namespace", { name: "a" }, [/^metadata.namespace: Required value$/]],
  ["a bad label key", { ...good, labels: { "a b": "c" } }, [/^metadata.labels: Invalid value: "a b": name part must/]],
  ["a bad label value", { ...good, labels: { a: "c d" } }, [/^metadata.labels: Invalid value: "c d": a valid label/]],
  ["an upper-case annotation", { ...good, annotations: { "Example.com/A": "" } }, []],
  [
    "big annotations",
    { ...good, annotations: { a: "x".repeat(262_144) } },
    [/^metadata.annotations: Too long: may not be more than 262144 bytes$/],
  ],
  [
    "an owner without uid",
    { ...good, ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p" }] },
    [/^metadata.ownerReferences.uid: Invalid value: "": uid must not be empty$/],
  ],
  [
    "two controllers",
    {
      ...good,
      ownerReferences: ["p", "q"].map((name) => ({ apiVersion: "a/v1", kind: "K", name, uid: name, controller: true })),
    },
    [/Only one reference can have Controller set to true. Found "true" in references for K\/p and K\/q$/],
  ],
  [
    "an event as owner",
    { ...good, ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "e", uid: "u" }] },
    [/^metadata.ownerReferences: .*: \/v1, Kind=Event is disallowed from being an owner$/],
  ],
  [
    "an unknown finalizer",
    { ...good, finalizers: ["nodomain"] },
    [
      /^metadata.finalizers\[0\]: Invalid value: "nodomain": name is neither a standard finalizer name nor is it fully qualified$/,
    ],
  ],
  [
    "both deletion finalizers",
    { ...good, finalizers: ["orphan", "foregroundDeletion"] },
    [/finalizer orphan and foregroundDeletion cannot be both set$/],
  ],
  [
    "a field manager that cannot be printed",
    { ...good, managedFields: [{ manager: "a\u0000", operation: "Update" }] },
    [/^metadata.managedFields\[0\].manager: .*: invalid character U\+0000 \(at position 1\)$/],
  ],
];

for (const [what, meta, expected] of rows) {
  test(`metadata with ${what} gets ${expected.length} errors`, () => {
    const errors = texts(validateObjectMeta(meta, rules));
    assert.equal(errors.length, expected.length, errors.join("\n"));
    for (const [i, pattern] of expected.entries()) assert.match(errors[i] ?? "", pattern);
  });
}

test("a cluster-scoped object has no namespace", () => {
  assert.deepEqual(texts(validateObjectMeta(good, { ...rules, namespaced: false })), [
    "metadata.namespace: Forbidden: not allowed on this type",
  ]);
});

test("identity does not change", () => {
  const old = { ...good, uid: "u", creationTimestamp: "2024-01-01T00:00:00Z" };
  assert.deepEqual(texts(validateObjectMetaUpdate(old, old, rules)), []);
  assert.deepEqual(texts(validateObjectMetaUpdate({ ...old, uid: "b", generation: -1 }, old, rules)), [
    "metadata.generation: Invalid value: -1: must not be decremented",
    'metadata.uid: Invalid value: "b": field is immutable',
  ]);
});

test("an object on its way out gets no new finalizers", () => {
  const old = { ...good, deletionTimestamp: "2024-01-01T00:00:00Z", finalizers: ["x.y/a"] };
  assert.deepEqual(texts(validateObjectMetaUpdate({ ...old, finalizers: ["x.y/a", "x.y/b"] }, old, rules)), [
    'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.y/b"}',
  ]);
  assert.deepEqual(validateObjectMetaUpdate({ ...old, finalizers: [] }, old, rules), []);
});

test("thousands of controllers are one error, and its text is cut", () => {
  const ownerReferences = Array.from({ length: 8000 }, (_, i) => ({
    apiVersion: "v1",
    kind: "Pod",
    name: `pod-${i}`,
    uid: `u${i}`,
    controller: true,
  }));
  const errors = validateObjectMeta({ ...good, ownerReferences }, rules);
  assert.equal(errors.length, 1);
  assert.ok((errors[0]?.message.length ?? 0) < 12_000);
});

test("of a manager's name that is too long only the begin is looked at", () => {
  const managedFields = [{ manager: "\u0001".repeat(400_000), operation: "Apply" }];
  assert.equal(validateObjectMeta({ ...good, managedFields }, rules).length, 129);
});

test("finalizers of an object that is being deleted are compared in one go", () => {
  assertLinear(8000, (n) => {
    const finalizers = Array.from({ length: n }, (_, i) => `x.io/a${i}`);
    const meta = { ...good, finalizers, deletionTimestamp: "2026-01-01T00:00:00Z" };
    return () => validateObjectMetaUpdate(meta, { ...meta, finalizers: [...finalizers] }, rules);
  });
});
