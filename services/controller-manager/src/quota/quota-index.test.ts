import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { assertLinear } from "@orch/status/testing/growth.js";
import { createQuotaIndex } from "./quota-index.js";

const naming = createNaming("kubernetes");
const quota = (namespace: string, name: string, ...names: string[]) => ({
  metadata: { namespace, name },
  spec: { hard: Object.fromEntries(names.map((each) => [each, "1"])) },
});
const pods = { group: "", plural: "pods" };
const widgets = { group: "example.com", plural: "widgets" };

test("quotas are found by what they are about, in their namespace, as long as they say so", () => {
  const index = createQuotaIndex(naming);
  index.put(quota("a", "p", "cpu", "requests.example.com/gpu"));
  index.put(quota("a", "w", "count/widgets.example.com", "count/events"));
  index.put(quota("b", "p", "pods"));
  assert.deepEqual(index.concerned("a", pods), ["a/p"]);
  assert.deepEqual(index.concerned("a", widgets), ["a/w"]);
  assert.deepEqual(index.concerned("c", pods), []);
  assert.deepEqual(
    ["count/pods", "count/widgets.example.com", "count/events"].map((name) => index.isWanted(name)),
    [true, true, false],
  );
  index.put(quota("a", "p", "count/widgets.example.com"));
  assert.deepEqual([index.concerned("a", pods), index.concerned("a", widgets)], [[], ["a/w", "a/p"]]);
  assert.equal(index.isWanted("count/pods"), true, "of the other namespace");
  index.drop(quota("b", "p"));
  assert.equal(index.isWanted("count/pods"), false);
});

test("an object of one namespace costs nothing by the quotas of others", () => {
  assertLinear(4000, (count) => {
    const index = createQuotaIndex(naming);
    for (let i = 0; i < count; i++) index.put(quota(`n${i}`, "q", "pods"));
    return () => {
      for (let i = 0; i < count; i++) index.concerned(`n${i}`, pods);
    };
  });
});
