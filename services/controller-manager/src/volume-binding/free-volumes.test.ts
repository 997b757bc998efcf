import assert from "node:assert/strict";
import { test } from "node:test";
import { createFreeVolumes } from "./free-volumes.js";
import type { Volume } from "./types.js";

const volume = (storage: string, ...accessModes: readonly string[]): Volume => ({
  metadata: {},
  spec: { capacity: { storage }, accessModes },
});

test("volumes are offered with the fewest access modes first, then the smallest that is large enough", () => {
  const free = createFreeVolumes();
  free.place("c", volume("1Gi", "RWO", "ROX"), "fast");
  free.place("b", volume("2Gi", "RWO"), "fast");
  free.place("a2", volume("1024Mi", "RWO"), "fast");
  free.place("a1", volume("1Gi", "RWO"), "fast");
  free.place("slow", volume("1Gi", "RWO"), "slow");
  const offered = (size: string, storageClass = "fast") => [...free.largeEnough(storageClass, size)].join(" ");
  assert.equal(offered("1Gi"), "a1 a2 b c");
  assert.equal(offered("1025Mi"), "b");
  assert.equal(offered("3Gi"), "");
  assert.equal(offered("1Gi", "slow"), "slow");
  assert.equal(offered("1Gi", "none"), "");
  free.place("a1", undefined, "fast");
  free.place("b", volume("500Mi", "RWO"), "fast");
  free.place("slow", volume("9Gi", "RWO"), "fast");
  assert.equal(offered("0"), "b a2 slow c");
  assert.equal(offered("0", "slow"), "");
});

test("what is placed and taken in any order is what a list that is sorted anew offers", () => {
  const free = createFreeVolumes();
  const sizes = new Map<string, number>();
  // A row of numbers that repeats nothing soon, the same in every run.
  let state = 7;
  const next = (below: number): number => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state % below;
  };
  for (let step = 0; step < 2000; step++) {
    const [name, size] = [`v${next(50)}`, next(20)];
    const gone = next(3) === 0;
    free.place(name, gone ? undefined : volume(`${size}`, "RWO"), "c");
    if (gone) sizes.delete(name);
    else sizes.set(name, size);
    const wanted = next(20);
    const expected = [...sizes].filter(([, each]) => each >= wanted);
    expected.sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x - y));
    assert.deepEqual(
      [...free.largeEnough("c", String(wanted))],
      expected.map(([each]) => each),
    );
  }
});
