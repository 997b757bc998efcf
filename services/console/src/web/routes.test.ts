import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { listRoute, objectRoute, parseRoute } from "./routes.js";

const text = fc.string({ minLength: 1, unit: "grapheme" }).filter((given) => given !== "-");
const kind = fc.record(
  { group: fc.oneof(fc.constant(""), text), version: text, plural: text },
  { noNullPrototype: true },
);

test("whatever a thing is called, its address leads back to it", () => {
  fc.assert(
    fc.property(kind, fc.oneof(fc.constant(""), text), text, (ref, namespace, name) => {
      assert.deepEqual(parseRoute(objectRoute(ref, { namespace, name, tab: "yaml" })), {
        ...{ page: "object", kind: ref, namespace, name, tab: "yaml" },
      });
      assert.deepEqual(parseRoute(listRoute(ref, { namespace, labels: name })), {
        ...{ page: "list", kind: ref, namespace, labels: name, search: "" },
      });
    }),
  );
});

test("pages, and what is none", () => {
  assert.deepEqual(parseRoute(""), { page: "kinds" });
  assert.deepEqual(parseRoute("#/deleted"), { page: "deleted" });
  for (const hash of ["#/nothing", "#/r/a", "#/r/a/b/c/d", "#/deleted/x", "#javascript:alert(1)"])
    assert.deepEqual(parseRoute(hash), { page: "unknown" }, hash);
  assert.equal(parseRoute("#/r/-/v1/pods/%E0%A4%A/x").page, "object");
});
