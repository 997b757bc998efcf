import assert from "node:assert/strict";
import { test } from "node:test";
import { linePaths } from "./line-paths.js";
import { ownersIn } from "./ownership.js";
import { parseObject, printObject } from "./print.js";

const object = {
  metadata: {
    name: "web",
    managedFields: [
      {
        ...{ manager: "ann", operation: "Apply", time: "2026-01-01T00:00:00Z" },
        fieldsV1: {
          "f:spec": {
            "f:replicas": {},
            "f:containers": { 'k:{"name":"a"}': { ".": {}, "f:image": {}, "f:name": {} } },
            "f:args": {},
          },
        },
      },
      {
        ...{ manager: "bob", operation: "Update" },
        fieldsV1: {
          "f:metadata": { "f:finalizers": { ".": {}, 'v:"x/y"': {} } },
          "f:spec": { "f:containers": { 'k:{"name":"b"}': { ".": {}, "f:image": {} } }, "f:replicas": {} },
        },
      },
    ],
    finalizers: ["x/y", "z"],
  },
  spec: {
    replicas: 2,
    containers: [
      { image: "one", name: "a" },
      { name: "b", image: "two" },
    ],
    args: ["run", "fast"],
  },
};

test("each line is told who owns the field that begins there", () => {
  const text = printObject(object);
  const ownersOf = ownersIn(object);
  const paths = linePaths(text);
  const told = text
    .split("\n")
    .map((line, index) => {
      const owners = ownersOf(paths.get(index + 1) ?? []).map(({ manager }) => manager);
      return owners.length === 0 ? "" : `${line.trim()} ← ${owners.join(" ")}`;
    })
    .filter((line) => line !== "");
  assert.deepEqual(told, [
    "finalizers: ← bob",
    "- x/y ← bob",
    "replicas: 2 ← ann bob",
    "- image: one ← ann",
    "name: a ← ann",
    "image: two ← bob",
    "args: ← ann",
    "- run ← ann",
    "- fast ← ann",
  ]);
  assert.doesNotMatch(text, /managedFields/);
});

test("sets that are no sets do no harm", () => {
  const strange = {
    metadata: { managedFields: [{ manager: "x", fieldsV1: { "k:{": { "f:a": 1 }, "f:spec": null } }, null, 3] },
  };
  assert.deepEqual(ownersIn(strange)([{ key: "spec" }, { index: 0, item: 1 }]), []);
});

test("a text is an object, or says where it is none", () => {
  assert.deepEqual(parseObject("a: 1\nb: [x]"), { ok: true, object: { a: 1, b: ["x"] } });
  for (const [text, line] of [
    ["a: 1\na: 2", 2],
    ["a: [", 1],
    ["- a", 1],
    ["a: 1\n b: 2", 2],
  ] as const) {
    const parsed = parseObject(text);
    assert.ok(!parsed.ok && parsed.problem !== "", text);
    assert.ok(Math.abs(parsed.line - line) <= 1, `${text}: ${parsed.line}`);
  }
});
