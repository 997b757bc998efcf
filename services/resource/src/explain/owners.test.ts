import assert from "node:assert/strict";
import { test } from "node:test";
import { changedOwners } from "./owners.js";

/** `one: a b` owns `.data.a` and `.data.b` by an apply, `two/status: a` by one of a subresource. */
function entries(...texts: readonly string[]): readonly object[] {
  return texts.map((text) => {
    const [who = "", fields = ""] = text.split(": ");
    const [manager, subresource] = who.split("/");
    const owned = Object.fromEntries(fields.split(" ").map((name) => [`f:${name}`, {}]));
    return {
      ...{ manager, operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1" },
      ...{ fieldsV1: { "f:data": owned }, ...(subresource === undefined ? {} : { subresource }) },
    };
  });
}

/** Owners before and after, and what is told of which fields. */
const rows: readonly (readonly [readonly string[], readonly string[], readonly string[]])[] = [
  [[], ["one: a"], [".data.a new"]],
  [["one: a"], ["one: a"], []],
  [["one: a"], ["two: a"], [".data.a taken"]],
  [["one: a"], ["one: a", "two: a"], [".data.a shared"]],
  [["one: a", "two: a"], ["two: a"], [".data.a released"]],
  [["one: a b"], ["one: b"], [".data.a gone"]],
  [["one: a"], ["one/status: a"], [".data.a taken"]],
  [["one: a", "two: a"], ["three: a"], [".data.a taken"]],
];

test("who owns what after a write is told where it has changed", () => {
  for (const [before, after, told] of rows) {
    const { fields, more } = changedOwners(entries(...before), entries(...after), 100);
    assert.deepEqual(
      fields.map(({ path, outcome }) => `${path} ${outcome}`),
      told,
      `${before} → ${after}`,
    );
    assert.equal(more, false);
  }
});

test("entries that cannot be read own nothing, and many fields are not all told", () => {
  assert.deepEqual(changedOwners([{ operation: "Other" }], [], 10), { fields: [], more: false });
  const { fields, more } = changedOwners(
    undefined,
    entries(`one: ${Array.from({ length: 50 }, (_, i) => `f${i}`).join(" ")}`),
    10,
  );
  assert.deepEqual([fields.length, more], [10, true]);
});

test("names as long as an object are cut, and many fields below them are told in no more time", () => {
  const fields = Array.from({ length: 20_000 }, (_, i) => `f:${i}`);
  const owned = { [`f:${"n".repeat(1 << 20)}`]: Object.fromEntries(fields.map((name) => [name, {}])) };
  const entry = { manager: "m", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: owned };
  const told = changedOwners([], [entry], 100);
  assert.deepEqual([told.fields.length, told.more], [100, true]);
  assert.ok(told.fields.every(({ path }) => path.length < 600));
});
