import assert from "node:assert/strict";
import { test } from "node:test";
import { type Freed, usedAfter } from "./freed.js";

const maps = "count/configmaps";
const quota = (used: object, spec: object = {}) => ({ metadata: {}, spec, status: { used: { ...used } } });
const gone = (revision: number, usage: object = { configmaps: "1", [maps]: "1" }): Freed => ({
  ...{ name: maps, revision },
  usage: { ...usage },
});

test("what has gone since a quota was counted is free", () => {
  const counted = new Map([[maps, 10]]);
  const rows: readonly (readonly [what: string, freed: readonly Freed[], used: string | undefined])[] = [
    ["nothing has gone", [], undefined],
    ["two have gone since", [gone(11), gone(12)], "3"],
    ["what had gone before was not counted", [gone(9), gone(10), gone(11)], "4"],
    ["all had gone before", [gone(9)], undefined],
    ["more than there was: a count has to tell", [gone(11, { configmaps: "6" })], undefined],
  ];
  for (const [what, freed, used] of rows) {
    assert.equal(usedAfter(quota({ configmaps: "5" }), freed, counted)?.["configmaps"], used, what);
  }
  assert.equal(usedAfter(quota({ configmaps: "5" }), [gone(11)], new Map()), undefined, "it was never counted");
  const scoped = quota({ pods: "5" }, { scopes: ["Terminating"] });
  assert.equal(usedAfter(scoped, [gone(11, { pods: "1" })], counted), undefined, "scopes");
});
