import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import fc from "fast-check";
import { maxDepth } from "./depth.js";
import { applyMergePatch, readMergePatch } from "./merge-patch.js";
import { freezeDeep, jsonTree, nested } from "./testing/trees.js";

const apply = (document: unknown, patch: unknown): unknown => applyMergePatch(freezeDeep(document), freezeDeep(patch));

test("the table of RFC 7386, appendix A", () => {
  const rows: [original: unknown, patch: unknown, result: unknown][] = [
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [original, patch, result] of rows) assert.deepEqual(apply(original, patch), result);
});

test("what the patch leaves alone is shared, and a patch that changes nothing gives the document", () => {
  const document = { a: { x: 1 }, b: { c: { d: "e" }, list: [1] } };
  const patched = apply(document, { b: { c: { d: "f" } } });
  assert.deepEqual(patched, { a: { x: 1 }, b: { c: { d: "f" }, list: [1] } });
  assert.ok(typeof patched === "object" && patched !== null && "a" in patched);
  assert.equal(patched.a, document.a);
  assert.equal(apply(document, { b: { c: { d: "e", none: null }, gone: null } }), document);
});

test("names that every object inherits are ordinary names", () => {
  const patch: unknown = JSON.parse('{"__proto__": {"a": 1}, "constructor": {"prototype": null, "b": 2}}');
  const patched = apply({ toString: 1 }, patch);
  assert.equal(JSON.stringify(patched), '{"toString":1,"__proto__":{"a":1},"constructor":{"b":2}}');
  assert.equal(
    JSON.stringify(apply(patched, JSON.parse('{"__proto__": null}'))),
    '{"toString":1,"constructor":{"b":2}}',
  );
});

test("a patch that is no object or too deep is 400", () => {
  const badRequest = (message: string) => (error: unknown) =>
    error instanceof ApiError && error.code === 400 && error.message === `error decoding patch: ${message}`;
  assert.throws(() => readMergePatch([1]), badRequest("expected object, got array"));
  assert.throws(() => readMergePatch(null), badRequest("expected object, got null"));
  assert.throws(() => readMergePatch("a"), badRequest("expected object, got string"));
  assert.doesNotThrow(() => apply({}, nested(maxDepth, "a")));
  assert.throws(() => apply({}, nested(10_000, "a")), badRequest(`exceeded max depth of ${maxDepth}`));
});

test("a patch applied twice does what it does once", () => {
  fc.assert(
    fc.property(jsonTree, jsonTree, (document, patch) => {
      const once = apply(document, patch);
      assert.deepEqual(apply(once, patch), once);
    }),
    { numRuns: 500 },
  );
});
