import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { ApiError } from "@orch/status/api-error.js";
import fc from "fast-check";
import { maxDepth } from "../depth.js";
import { podOf, podType } from "../testing/pod.js";
import { freezeDeep, nested } from "../testing/trees.js";
import { applyStrategicMergePatch, readStrategicMergePatch } from "./strategic-merge-patch.js";

// What the reference makes of hundreds of patches of real kinds: services/resource/src/strategic-vectors.test.ts.

const apply = (document: JsonObject, patch: JsonObject): JsonObject =>
  applyStrategicMergePatch(podType, freezeDeep(document), freezeDeep(patch));

const refuses = (code: number, message: string | RegExp) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error));
  assert.equal(error.code, code, error.message);
  if (typeof message === "string") assert.equal(error.message, message);
  else assert.match(error.message, message);
  return true;
};

const named = (...names: string[]): JsonObject[] => names.map((name) => ({ name }));

test("items of a merged list keep the server's order, those of the patch have their own", () => {
  const rows: [server: string[], patch: string[], result: string[]][] = [
    [
      ["a", "b", "c", "d"],
      ["d", "n", "b"],
      ["a", "c", "d", "n", "b"],
    ],
    [["a", "b"], ["n"], ["n", "a", "b"]],
    [
      ["a", "b"],
      ["b", "n"],
      ["a", "b", "n"],
    ],
    [
      ["a", "b", "c"],
      ["c", "a"],
      ["b", "c", "a"],
    ],
    [
      ["a", "b"],
      ["b", "b"],
      ["a", "b"],
    ],
    [[], ["b", "a"], ["b", "a"]],
    [["a", "b"], [], ["a", "b"]],
  ];
  for (const [server, patch, result] of rows) {
    const containers = apply({ spec: { containers: named(...server) } }, { spec: { containers: named(...patch) } });
    assert.deepEqual(containers, { spec: { containers: named(...result) } });
    const finalizers = apply({ metadata: { finalizers: server } }, { metadata: { finalizers: patch } });
    assert.deepEqual(finalizers, { metadata: { finalizers: result } });
  }
});

test("an added item takes the room of a deleted one in the order that $setElementOrder keeps", () => {
  const patch = {
    "$setElementOrder/containers": named("n"),
    containers: [...named("n"), { name: "a", $patch: "delete" }],
  };
  const merged = apply({ spec: { containers: named("a", "b", "c") } }, { spec: patch });
  assert.deepEqual(merged, { spec: { containers: named("b", "c", "n") } });
});

test("deletions from a list come before what is added to it", () => {
  const patch = { finalizers: ["y", "z"], "$deleteFromPrimitiveList/finalizers": ["x", "y"] };
  const expected = { metadata: { finalizers: ["y", "z"] } };
  assert.deepEqual(apply({ metadata: { finalizers: ["x", "y"] } }, { metadata: patch }), expected);
  const other = Object.fromEntries(Object.entries(patch).reverse());
  assert.deepEqual(apply({ metadata: { finalizers: ["x", "y"] } }, { metadata: other }), expected);
});

test("fields are merged as their type says", () => {
  const rows: [document: JsonObject, patch: JsonObject, result: JsonObject][] = [
    // Replaced as a whole, nulls and all.
    [{ whole: { a: "1" } }, { whole: { b: null } }, { whole: { b: null } }],
    // A struct that is always there takes directives even where the document has none.
    [
      { containers: named("c") },
      { containers: [{ name: "c", resources: { $patch: "replace", limits: { cpu: "1" } } }] },
      { containers: [{ name: "c", resources: { limits: { cpu: "1" } } }] },
    ],
    // One behind a pointer is not: what carries a directive is left out.
    [{}, { strategy: { $patch: "replace", limits: {} } }, {}],
    [{}, { many: { a: { limits: null } } }, { many: { a: {} } }],
    [{ many: { a: {} } }, { many: { a: null, b: {} } }, { many: { b: {} } }],
    [{ any: { a: 1 } }, { any: { b: 2, a: null } }, { any: { b: 2 } }],
    [{ any: [1] }, { any: "x" }, { any: "x" }],
    [{ pointer: [1] }, { pointer: [null] }, { pointer: [null] }],
    [{ strategy: { limits: {}, old: 1 } }, { strategy: { $retainKeys: ["limits"] } }, { strategy: { limits: {} } }],
  ];
  for (const [document, patch, result] of rows) {
    assert.deepEqual(apply({ spec: document }, { spec: patch }), { spec: result }, JSON.stringify(patch));
  }
});

test("what can not be merged is refused with the reference's code", () => {
  const rows: [document: JsonObject, patch: JsonObject, code: number, message: string | RegExp][] = [
    [{ many: { a: {} } }, { many: { a: {} } }, 400, /data type is not struct, instead is: map$/],
    [{ any: { a: {} } }, { any: { a: {} } }, 400, /^unable to find api field in struct JSON for the json field "a"$/],
    [{ any: [1] }, { any: [2] }, 400, "expected slice or array type, but got: struct"],
    [{ matrix: [["a"]] }, { matrix: [["b"]] }, 400, "unexpected slice of slice"],
    [{ containers: named("a") }, { containers: [["b"]] }, 400, /^list element types are not identical: /],
    [{ containers: [] }, { containers: ["a"] }, 400, /^expected a map\[string\]interface \{\}, but received a string$/],
    [{ containers: [] }, { containers: [null] }, 400, /^list element types are not identical: /],
    [{ containers: [] }, { containers: [["a"]] }, 422, /^the server rejected our request/],
    [{ containers: [] }, { containers: [{}] }, 400, "map: map[] does not contain declared merge key: name"],
    [{}, { "$setElementOrder/whole": [] }, 400, "expected slice or array type, but got: struct"],
    [{ strategy: {} }, { strategy: { $retainKeys: {} } }, 400, "invalid patch format of retainKeys"],
    [{ strategy: {} }, { strategy: { $patch: {} } }, 400, /^unknown patch type: %!s\(map.*\) in map: map\[\$patch:map/],
    [{}, { $deleteFromPrimitiveList: [] }, 400, "invalid patch format of primitive list"],
    [{}, { "$setElementOrders/containers": [] }, 400, "invalid patch format of setElementOrder list"],
  ];
  for (const [document, patch, code, message] of rows) {
    assert.throws(() => apply({ spec: document }, { spec: patch }), refuses(code, message), JSON.stringify(patch));
  }
});

test("a patch that is no object, or is too deep, is 400", () => {
  const expected = (got: string): string => `error decoding patch: expected object, got ${got}`;
  assert.throws(() => readStrategicMergePatch([1]), refuses(400, expected("array")));
  assert.throws(() => readStrategicMergePatch("a"), refuses(400, expected("string")));
  assert.deepEqual(readStrategicMergePatch(null), {});
  const tooDeep = refuses(400, `error decoding patch: exceeded max depth of ${maxDepth}`);
  assert.doesNotThrow(() => apply({}, nested(maxDepth, "spec")));
  assert.throws(() => apply({}, nested(10_000, "spec")), tooDeep);
  const parts = (depth: number): JsonObject => (depth === 0 ? { name: "p" } : { name: "p", parts: [parts(depth - 1)] });
  const document = apply({}, { spec: { containers: [parts(200)] } });
  assert.deepEqual(apply(document, { spec: { containers: [parts(200)] } }), document);
});

test("names that every object inherits are ordinary names", () => {
  const patch = JSON.parse('{"metadata": {"labels": {"__proto__": "a", "constructor": null, "toString": "b"}}}');
  const merged = apply({ metadata: { labels: { a: "b" } } }, patch);
  assert.equal(JSON.stringify(merged), '{"metadata":{"labels":{"a":"b","__proto__":"a","toString":"b"}}}');
  assert.throws(
    () => apply({ spec: { many: {} } }, JSON.parse('{"spec": {"$setElementOrder/__proto__": []}}')),
    refuses(400, /^unable to find api field/),
  );
});

test("an error does not show more of a patch than a person reads", () => {
  const patch = { spec: { containers: [{ image: "x".repeat(1_000_000) }] } };
  assert.throws(
    () => apply(podOf(1), patch),
    (error) => error instanceof ApiError && error.message.length < 11_000,
  );
});

test("what is not changed is shared, and a patch that changes nothing gives the document", () => {
  const pod = podOf(3);
  const merged = apply(pod, { spec: { containers: [{ name: "c1", image: "new" }] } });
  assert.deepEqual(Object.keys(merged), Object.keys(pod));
  assert.equal(merged["metadata"], pod["metadata"]);
  const same = { metadata: { labels: { app: "a", gone: null }, finalizers: ["y"] }, spec: { containers: named("c2") } };
  assert.equal(apply(pod, same), pod);
});

test("long lists are merged and ordered", () => {
  const items = (from: number): JsonObject[] =>
    Array.from({ length: 30_000 }, (_, i) => ({ name: `n${from + i}`, image: "x" }));
  const order = items(10_000).map(({ name }) => ({ name }));
  const patch = { "$setElementOrder/containers": order, containers: items(10_000) };
  const merged = apply({ spec: { containers: items(0) } }, { spec: patch });
  assert.equal(JSON.stringify(merged).match(/"name"/g)?.length, 40_000);
});

const name = fc.constantFrom("a", "b", "c", "d");
const word = fc.constantFrom("1", "2", "x");
const unique = <T extends { name: string }>(item: fc.Arbitrary<T>) =>
  fc.uniqueArray(item, { maxLength: 4, selector: ({ name }) => name });
const container = fc.record(
  {
    name,
    image: word,
    args: fc.array(word, { maxLength: 2 }),
    env: unique(fc.record({ name, value: word })),
    resources: fc.record({ limits: fc.dictionary(name, word, { noNullPrototype: true }) }),
  },
  { requiredKeys: ["name"] },
);
const pod = (member: (value: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>) =>
  fc.record({
    metadata: fc.record(
      {
        labels: fc.dictionary(name, member(word), { noNullPrototype: true }),
        finalizers: fc.uniqueArray(name, { maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
    spec: fc.record({ containers: unique(container), whole: member(fc.constant({ k: "v" })) }, { requiredKeys: [] }),
  });

test("a patch without directives does the same twice as once", () => {
  const withNulls = (value: fc.Arbitrary<unknown>) => fc.option(value, { freq: 3 });
  fc.assert(
    fc.property(
      pod((value) => value),
      pod(withNulls),
      (document, patch) => {
        const once = apply(document, patch);
        assert.deepEqual(apply(once, patch), once);
      },
    ),
    { numRuns: 500 },
  );
});

test("no item is lost and none is made", () => {
  const names = (tree: JsonObject): Set<string> => new Set(JSON.stringify(tree).match(/"name":"."/g));
  const unchanged = (value: fc.Arbitrary<unknown>) => value;
  fc.assert(
    fc.property(pod(unchanged), pod(unchanged), (document, patch) => {
      assert.deepEqual(names(apply(document, patch)), new Set([...names(document), ...names(patch)]));
    }),
  );
});
