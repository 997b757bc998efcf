import assert from "node:assert/strict";
import { test } from "node:test";
import { decideStay } from "./decide-eviction.js";

const a = { key: "a", value: "1", effect: "NoExecute" };
const b = { key: "b", value: "2", effect: "NoExecute" };
const exists = (key: string, tolerationSeconds?: number | bigint) => ({
  ...{ key, operator: "Exists" },
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

const rows: readonly (readonly [
  what: string,
  tolerations: readonly object[],
  taints: readonly object[],
  stays: number,
])[] = [
  ["no taint", [], [], Number.POSITIVE_INFINITY],
  ["a taint that it does not tolerate", [], [a], 0],
  ["one of two that it does not tolerate", [exists("a")], [a, b], 0],
  ["a taint that it tolerates", [exists("a")], [a], Number.POSITIVE_INFINITY],
  ["a taint that it tolerates for a while", [exists("a", 300)], [a], 300_000],
  ["two of which it tolerates each for a while", [exists("a", 300), exists("b", 10)], [a, b], 10_000],
  ["one for ever and one for a while", [exists("a"), exists("b", 10)], [a, b], 10_000],
  ["one that it tolerates for very long", [exists("a", 9_000_000_000_000_000_000n)], [a], 9e21],
  ["a negative while", [exists("a", -5)], [a], 0],
  [
    "tolerated by its value",
    [{ key: "a", operator: "Equal", value: "1", effect: "NoExecute" }],
    [a],
    Number.POSITIVE_INFINITY,
  ],
  ["of another value", [{ key: "a", value: "2" }], [a], 0],
  ["everything tolerated", [{ operator: "Exists" }], [a, b], Number.POSITIVE_INFINITY],
  ["tolerated for another effect", [{ key: "a", operator: "Exists", effect: "NoSchedule" }], [a], 0],
];
for (const [what, tolerations, taints, stays] of rows) {
  test(`a pod with ${what} stays ${Number.isFinite(stays) ? `${stays / 1000} s` : "for ever"}`, () => {
    const stay = decideStay({ metadata: { name: "p" }, spec: { tolerations } }, taints);
    assert.equal(stay.type === "forever" ? Number.POSITIVE_INFINITY : stay.ms, stays);
  });
}
