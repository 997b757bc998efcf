import assert from "node:assert/strict";
import { test } from "node:test";
import { eventWithoutManagers } from "./without-managers.js";

const fields = [{ manager: "a", operation: "Update", fieldsV1: { "f:x]}": { 'k:{"a":"]"}': {} } } }];

/** An event of an object with this metadata. */
const lineOf = (metadata: object): Buffer =>
  Buffer.from(`${JSON.stringify({ type: "ADDED", object: { kind: "PartialObjectMetadata", metadata } })}\n`);

const shown = (metadata: object): unknown =>
  JSON.parse(eventWithoutManagers(lineOf(metadata)).toString()).object.metadata;

test("managed fields are left out of an event, wherever they stand, and nothing else is", () => {
  assert.deepEqual(shown({ name: "é", managedFields: fields }), { name: "é" });
  assert.deepEqual(shown({ name: "a", managedFields: fields, uid: "b" }), { name: "a", uid: "b" });
  assert.deepEqual(shown({ name: "a", managedFields: [] }), { name: "a" });
});

test("what looks like them in a text stays", () => {
  const annotations = { managedFields: "a", a: ',"managedFields":[', 'b,"managedFields":[': "]" };
  assert.deepEqual(shown({ name: "a", annotations }), { name: "a", annotations });
  assert.deepEqual(shown({ name: "a", annotations, managedFields: fields }), { name: "a", annotations });
});

test("an event without them, or one that is cut, is as it was", () => {
  for (const line of [
    lineOf({ name: "a" }),
    lineOf({ managedFields: fields }),
    lineOf({ a: 1, managedFields: fields }).subarray(0, -20),
  ])
    assert.equal(eventWithoutManagers(line), line);
});
