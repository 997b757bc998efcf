import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf } from "../runs.js";
import { configMaps, patchOf, things } from "./things.js";

interface Made {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: { readonly pick?: string } };
  readonly data: Readonly<Record<string, string>>;
}

const made = (kind: typeof things, index: number): Made => JSON.parse(kind.body(nameOf(index)));

test("one object in ten carries the label", () => {
  const picked = Array.from({ length: 100 }, (_, i) => i).filter((i) => made(things, i).metadata.labels.pick === "me");
  assert.deepEqual(picked, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
});

test("a thing and a ConfigMap have the same data, and differ in their type alone", () => {
  const [thing, configMap] = [made(things, 7), made(configMaps, 7)];
  assert.deepEqual({ ...thing, apiVersion: "", kind: "" }, { ...configMap, apiVersion: "", kind: "" });
  assert.notEqual(thing.kind, configMap.kind);
});

test("each patch changes the value, and keeps its length", () => {
  const [first, second] = [patchOf(1), patchOf(2)];
  assert.notEqual(first, second);
  assert.equal(first.length, second.length);
  assert.equal(JSON.parse(first).data["key-0"].length, made(things, 1).data["key-0"]?.length);
});
