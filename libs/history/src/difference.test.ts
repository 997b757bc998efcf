import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { differenceOf } from "./difference.js";

const rows: readonly (readonly [what: string, before: unknown, after: unknown, paths: readonly string[]])[] = [
  ["a changed field", { spec: { replicas: 1 } }, { spec: { replicas: 2 } }, ["changed .spec.replicas"]],
  ["an added one", { data: {} }, { data: { a: "1" } }, ["added .data.a"]],
  ["a removed one", { data: { a: "1", b: "2" } }, { data: { b: "2" } }, ["removed .data.a"]],
  ["a name that is no word", { data: {} }, { data: { "a.b/c": "1" } }, ['added .data["a.b/c"]']],
  [
    "items by their names, wherever they stand",
    { c: [{ name: "a", image: "1" }, { name: "b" }] },
    { c: [{ name: "b" }, { name: "a", image: "2" }] },
    ['changed .c[name="a"].image'],
  ],
  ["items by their place where they have none", { l: [1, 2] }, { l: [1, 3, 4] }, ["changed .l[1]", "added .l[2]"]],
  ["labels one by one", { m: {} }, { m: { labels: { a: "1", b: "2" } } }, ["added .m.labels.a", "added .m.labels.b"]],
  ["another type", { a: {} }, { a: [] }, ["changed .a"]],
  ["what only the server counts", { metadata: { resourceVersion: "1" } }, { metadata: { resourceVersion: "2" } }, []],
  ["null is a value", { a: null }, { a: 1 }, ["changed .a"]],
];
for (const [what, before, after, paths] of rows) {
  test(`a difference tells ${what}`, () => {
    const { changes } = differenceOf(before, after, 100);
    assert.deepEqual(
      changes.map(({ operation, path }) => `${operation} ${path}`),
      paths,
    );
  });
}

test("what is the same has no difference, what is not has one", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      assert.equal(differenceOf(a, structuredClone(a), 100).changes.length, 0);
      const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
      if (!same) assert.ok(differenceOf(a, b, 100).changes.length > 0);
    }),
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

test("many differences are cut, deep ones end", () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}`, i]));
  const { changes, more } = differenceOf({}, many, 50);
  assert.deepEqual([changes.length, more], [50, true]);
  let [a, b]: unknown[] = [1, 2];
  for (let i = 0; i < 5000; i++) [a, b] = [{ a }, { a: b }];
  assert.equal(differenceOf(a, b, 10).changes.length, 1);
});
