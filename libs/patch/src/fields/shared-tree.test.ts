import assert from "node:assert/strict";
import { test } from "node:test";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import fc from "fast-check";
import { freezeDeep, jsonObject } from "../testing/trees.js";
import { sameTree } from "./same-tree.js";
import { sharedObject } from "./shared-tree.js";

const object = jsonObject.filter(isObject);

test("what comes back says what was given, writes to nothing, and is the former tree where both say the same", () => {
  fc.assert(
    fc.property(object, object, (before, next) => {
      const text = JSON.stringify(next);
      const shared = sharedObject(freezeDeep(before), freezeDeep(next));
      assert.equal(shared === before, sameTree(before, next));
      if (shared !== before) assert.equal(JSON.stringify(shared), text);
      assertShared(before, shared);
    }),
    { numRuns: 2000 },
  );
});

/** Wherever two trees say the same at one place they are the same object there. */
function assertShared(before: unknown, shared: unknown): void {
  if (sameTree(before, shared)) assert.ok(before === shared || typeof before !== "object");
  else if (Array.isArray(before) && Array.isArray(shared)) {
    for (const [i, item] of shared.entries()) if (i < before.length) assertShared(before[i], item);
  } else if (isObject(before) && isObject(shared)) {
    for (const [name, value] of Object.entries(shared)) {
      if (Object.hasOwn(before, name)) assertShared(before[name], value);
    }
  }
}

test("a tree that says the same in another order is the former one", () => {
  const before = { a: { b: 1, c: [{ d: 2 }] }, e: "f" };
  assert.equal(sharedObject(before, { e: "f", a: { c: [{ d: 2 }], b: 1 } }), before);
});

test("a member that is absent on one side and undefined on the other is another one", () => {
  const next = { a: 1, c: undefined };
  assert.equal(sharedObject({ a: 1, b: 2 }, next), next);
});

test("a member named __proto__ stays one", () => {
  const [before, next]: JsonObject[] = ['{"a":1,"__proto__":{"x":{}}}', '{"a":2,"__proto__":{"x":{}}}'].map((text) =>
    JSON.parse(text),
  );
  const shared = sharedObject(before ?? {}, next ?? {});
  assert.equal(JSON.stringify(shared), '{"a":2,"__proto__":{"x":{}}}');
  assert.equal(Object.getPrototypeOf(shared), Object.prototype);
});

test("a list that grew at its end shares what stands before", () => {
  const before = { list: [{ a: 1 }, { b: 2 }] };
  const { list }: { readonly list?: readonly unknown[] } = sharedObject(before, {
    list: [{ a: 1 }, { b: 2 }, { c: 3 }],
  });
  assert.equal(list?.[0], before.list[0]);
  assert.equal(list?.[1], before.list[1]);
  assert.deepEqual(list?.[2], { c: 3 });
});
