import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pick, wanted } from "./pick.js";

const paths = wanted(["metadata.labels", "spec.nodeName", "status.phase", "type"]);

function parsed(found: ReadonlyMap<string, string>): Record<string, unknown> {
  return Object.fromEntries([...found].map(([path, text]) => [path, JSON.parse(text)]));
}

test("picks nested values and leaves out absent ones", () => {
  const object = {
    kind: "Pod",
    metadata: { name: "a", annotations: { labels: "not these", 'a"b\\': "}{" }, labels: { "x/y": 'v"\\', é: "ü" } },
    data: { spec: { nodeName: "nor this" } },
    spec: { containers: [{ nodeName: "neither" }], nodeName: "n1", last: [] },
    status: {},
  };
  assert.deepEqual(parsed(pick(Buffer.from(JSON.stringify(object)), 0, paths)), {
    "metadata.labels": { "x/y": 'v"\\', é: "ü" },
    "spec.nodeName": "n1",
  });
});

test("bytes that are not JSON throw", () => {
  for (const text of ["", "{", '{"a', '{"a":', '{"metadata":{"labels":{"a":1}', "[]"]) {
    assert.throws(() => pick(Buffer.from(text), 0, paths), SyntaxError, text);
  }
});

test("what is picked is what a parse of the whole object finds, whatever the object", () => {
  const name = fc.constantFrom("metadata", "labels", "spec", "nodeName", "status", "phase", "type", "x", 'q"', "\\");
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.dictionary(name, tie("any"), { noNullPrototype: true }),
      fc.array(tie("any"), { maxLength: 3 }),
    ),
  })).any;
  fc.assert(
    fc.property(fc.dictionary(name, value, { noNullPrototype: true }), fc.constantFrom(0, 1), (object, indent) => {
      const found = parsed(pick(Buffer.from(JSON.stringify(object, null, indent)), 0, paths));
      const whole: unknown = JSON.parse(JSON.stringify(object));
      for (const path of ["metadata.labels", "spec.nodeName", "status.phase", "type"]) {
        let at: unknown = whole;
        for (const step of path.split(".")) {
          const isObject = typeof at === "object" && at !== null && !Array.isArray(at);
          at = isObject && Object.hasOwn(at as object, step) ? Reflect.get(at as object, step) : undefined;
        }
        assert.deepEqual(found[path], at, path);
      }
    }),
  );
});
