import assert from "node:assert/strict";
import { test } from "node:test";
import { createExplaining } from "./explaining.js";

const object = (value: string) => ({ metadata: { name: value } });

test("stages stand in their order, each with who was asked in it", () => {
  const explaining = createExplaining();
  explaining.enter("read");
  explaining.enter("place");
  explaining.asked({ by: { type: "plugin", name: "p" }, outcome: "allowed" });
  explaining.made(object("a"), object("b"), object("c"));
  explaining.enter("default");
  const told = explaining.stages.map(({ name, steps }) => [name, steps.length]);
  assert.deepEqual(explaining.latest, object("c"));
  assert.deepEqual(told, [
    ["read", 0],
    ["place", 1],
    ["default", 0],
  ]);
});

test("a write that begins anew forgets what came of the state before", () => {
  const explaining = createExplaining();
  for (const stage of ["read", "place", "store"] as const) explaining.enter(stage);
  explaining.enter("change");
  explaining.began(object("live"), object("wanted"));
  const [read, change, ...more] = explaining.stages;
  assert.deepEqual([read?.name, change?.name, more.length], ["read", "change", 0]);
  assert.deepEqual([change?.before, change?.after], [object("live"), object("wanted")]);
  assert.deepEqual(explaining.live, object("live"));
});

test("thousands of policies are not all told", () => {
  const explaining = createExplaining();
  explaining.enter("admit");
  for (let i = 0; i < 5000; i++) explaining.asked({ by: { type: "policy", name: `${i}` }, outcome: "allowed" });
  const [stage] = explaining.stages;
  assert.deepEqual([stage?.steps.length, stage?.moreSteps], [500, true]);
});
