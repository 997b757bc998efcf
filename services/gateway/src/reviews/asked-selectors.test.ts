import assert from "node:assert/strict";
import { test } from "node:test";
import type { AskedSelector } from "@orch/api/kinds/authorization/types.js";
import { type ToldSelector, toldFieldSelector, toldLabelSelector } from "./asked-selectors.js";

const one = (key: string, operator: string, ...values: string[]) => ({ key, operator, values });
const all = (text: string): ToldSelector => ({ text, left: "nothing" });
const some = (text: string): ToldSelector => ({ text, left: "some" });
const nothing: ToldSelector = { text: "", left: "all" };

const fields: readonly (readonly [AskedSelector, ToldSelector])[] = [
  [{ rawSelector: "spec.nodeName==n,metadata.name!=x" }, all("spec.nodeName=n,metadata.name!=x")],
  [{ rawSelector: "," }, all("")],
  [{ rawSelector: "a in (b)" }, nothing],
  [{ rawSelector: "a=b\\" }, nothing],
  [{ requirements: [one("a", "In", "b,=\\"), one("c", "NotIn", "")] }, all("a=b\\,\\=\\\\,c!=")],
  [{ requirements: [one("a", "In", "b"), one("a", "In", "b", "c")] }, some("a=b")],
  [{ requirements: [one("a", "Exists"), one("b", "In", "c"), one("d", "Newer", "e")] }, some("b=c")],
  [{ requirements: [one("a", "DoesNotExist")] }, nothing],
];
const labels: readonly (readonly [AskedSelector, ToldSelector])[] = [
  [{ rawSelector: "b,a in (y,x),!c" }, all("a in (x,y),b,!c")],
  [{ rawSelector: "a=" }, all("a=")],
  [{ rawSelector: "a in" }, nothing],
  [
    {
      requirements: [
        one("a", "In", "y", "x", "y"),
        one("b", "NotIn", "z"),
        one("c", "Exists"),
        one("d", "DoesNotExist"),
      ],
    },
    all("a in (x,y),b notin (z),c,!d"),
  ],
  [{ requirements: [one("a", "Newer"), one("b", "Exists")] }, some("b")],
  [{ requirements: [one("a", "toString")] }, nothing],
];

for (const [what, tell, rows] of [
  ["field", toldFieldSelector, fields],
  ["label", toldLabelSelector, labels],
] as const) {
  for (const [asked, told] of rows) {
    test(`a ${what} selector ${JSON.stringify(asked)}`, () => assert.deepEqual(tell(asked), told));
  }
}
