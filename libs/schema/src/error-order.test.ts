import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldError } from "@orch/status/field-error.js";
import { field, type MessageType, message, type Type } from "./descriptor.js";
import { inOrder } from "./error-order.js";

const text: Type = { kind: "string" };
const list = (item: Type): Type => ({ kind: "list", item, listType: "atomic", keys: [], wrapped: false });
const container = message({
  name: "Container",
  order: ["name", "", "image"],
  fields: () => ["image", "name"].map((name) => field({ name, type: text })),
});
const spec = message({
  name: "Spec",
  order: ["containers", "host"],
  fields: () => [
    field({ name: "host", type: text }),
    field({ name: "containers", type: list(container) }),
    field({ name: "other", type: text }),
  ],
});
const object: MessageType = message({
  name: "Object",
  object: true,
  fields: () => [field({ name: "spec", type: spec })],
});

const rows: readonly (readonly [what: string, given: readonly string[], wanted: readonly string[]])[] = [
  ["fields as the type says", ["spec.host", "spec.containers"], ["spec.containers", "spec.host"]],
  [
    "items by their place, the list itself before them",
    ["spec.containers[10].name", "spec.containers[2].name", "spec.containers"],
    ["spec.containers", "spec.containers[2].name", "spec.containers[10].name"],
  ],
  [
    "fields of items, and the item itself",
    ["spec.containers[0].image", "spec.containers[0]", "spec.containers[0].name"],
    ["spec.containers[0].name", "spec.containers[0]", "spec.containers[0].image"],
  ],
  [
    "what no order names behind it",
    ["spec.other", "spec.nothing", "spec.host"],
    ["spec.host", "spec.other", "spec.nothing"],
  ],
  [
    "those of types without an order where they stood",
    ["b", "spec.host", "a", "spec.containers"],
    ["b", "spec.containers", "a", "spec.host"],
  ],
];
for (const [what, given, wanted] of rows) {
  test(`errors stand in order: ${what}`, () => {
    const errors = given.map((at) => fieldError.required(at));
    assert.deepEqual(
      inOrder(object, errors).map((e) => e.field),
      wanted,
    );
  });
}
