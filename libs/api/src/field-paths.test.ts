import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatPath, parseFieldPaths } from "./field-paths.js";

const bounds = { parameter: "sort", maxPaths: 3, maxLength: 200 };

test("paths are names between dots, or in brackets and quotes", () => {
  const read = (text: string) => parseFieldPaths(text, bounds).map(({ path, descending }) => [descending, ...path]);
  assert.deepEqual(read("metadata.name"), [[false, "metadata", "name"]]);
  assert.deepEqual(read("-spec.priority,a"), [
    [true, "spec", "priority"],
    [false, "a"],
  ]);
  assert.deepEqual(read("metadata.labels['example.com/a,b'].x,b"), [
    [false, "metadata", "labels", "example.com/a,b", "x"],
    [false, "b"],
  ]);
  assert.deepEqual(read("data['__proto__']"), [[false, "data", "__proto__"]]);
});

test("what is no path is refused, and so is more than anybody needs", () => {
  for (const text of [
    "",
    ",",
    "a,",
    ",a",
    "a..b",
    ".a",
    "a.",
    "a b",
    "a['x",
    "a['']",
    "--a",
    "a['x']b",
    "a[0]",
    "-",
    "é",
  ]) {
    assert.throws(() => parseFieldPaths(text, bounds), /^ApiError: invalid sort: /, text);
  }
  assert.throws(() => parseFieldPaths("a,b,c,d", bounds), /at most 3 paths/);
  assert.throws(() => parseFieldPaths("a".repeat(201), bounds), /at most 200 characters/);
  assert.throws(() => parseFieldPaths(Array(17).fill("a").join("."), bounds), /at most 16 names/);
});

test("a path that is written is read again", () => {
  const name = fc.oneof(
    fc.constantFrom("a", "b-c", "$x", "__proto__"),
    fc.string({ minLength: 1 }).filter((s) => !/['\\]/.test(s)),
  );
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (path) => {
      assert.deepEqual(parseFieldPaths(formatPath(path), { ...bounds, maxLength: 10_000 }), [
        { path, descending: false },
      ]);
    }),
  );
});
