import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreSetBack } from "../set-back.js";
import { createObserved } from "./observed.js";

/** Ids of clusters as they answer in turn. */
const rows: readonly [name: string, ids: readonly number[], replaced: boolean][] = [
  ["the same cluster all the time", [7, 7, 7], false],
  ["the first answer is no change", [7], false],
  ["a server that names none", [0, 7, 0, 7], false],
  ["another cluster", [7, 8], true],
  ["another one after answers that name none", [7, 0, 8], true],
];

for (const [name, ids, replaced] of rows) {
  test(`whose answers they are: ${name}`, () => {
    const observed = createObserved();
    const { cluster } = observed;
    observed.see(40);
    for (const clusterId of ids) observed.answered({ clusterId }, observed.cluster);
    assert.equal(cluster.replaced.aborted, replaced);
    assert.equal(cluster.replaced.reason instanceof StoreSetBack, replaced);
    assert.equal(observed.cluster !== cluster, replaced);
    assert.equal(observed.newest(), replaced ? 0 : 40);
  });
}

test("late answers of the cluster before, and answers without a header, change nothing", () => {
  const observed = createObserved();
  const asked = observed.cluster;
  observed.answered({ clusterId: 7 }, asked);
  observed.answered({ clusterId: 8 }, asked);
  const { cluster } = observed;
  observed.answered({ clusterId: 7 }, asked);
  observed.answered(undefined, cluster);
  assert.equal(observed.cluster, cluster);
  assert.equal(cluster.replaced.aborted, false);
  // It is asked now, and it is the one from before.
  observed.answered({ clusterId: 7 }, cluster);
  assert.equal(cluster.replaced.aborted, true);
});
