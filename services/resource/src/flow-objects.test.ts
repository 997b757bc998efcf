import assert from "node:assert/strict";
import { test } from "node:test";
import { autoUpdateKey, builtInFlow } from "@orch/api/kinds/flowcontrol/built-in.js";
import type { AnyObject } from "@orch/api/object.js";
import { createNaming } from "@orch/naming/naming.js";
import { rightObject } from "./flow-objects.js";

const naming = createNaming("kubernetes");
const annotation = autoUpdateKey(naming);
const { levels, schemas } = builtInFlow(naming);
const other = { type: "Limited", limited: { nominalConcurrencyShares: 1 } };

function found(name: string) {
  const object = [...levels, ...schemas].find((o) => o.name === name);
  assert.ok(object !== undefined);
  return object;
}

function stored(spec: object, said: string | undefined, generation: number): AnyObject {
  const annotations = said === undefined ? {} : { [annotation]: said };
  return { metadata: { name: "x", generation, annotations }, spec };
}

type Outcome = "left" | "righted" | "marked as the users'";

const rows: readonly (readonly [
  name: string,
  spec: "right" | "wrong",
  said: string | undefined,
  generation: number,
  Outcome,
])[] = [
  ["system", "right", "true", 1, "left"],
  ["system", "wrong", "true", 5, "righted"],
  ["system", "wrong", "false", 5, "left"],
  ["system", "wrong", "false", 1, "left"],
  ["system", "wrong", undefined, 1, "righted"],
  ["system", "right", undefined, 1, "righted"],
  ["system", "wrong", undefined, 2, "marked as the users'"],
  ["catch-all", "right", "true", 3, "left"],
  ["catch-all", "wrong", "false", 3, "righted"],
  ["catch-all", "right", "false", 3, "righted"],
];

for (const [name, spec, said, generation, outcome] of rows) {
  test(`${name} with a ${spec} spec, ${said ?? "nothing"} said, of generation ${generation} is ${outcome}`, () => {
    const made = found(name);
    const before = stored(spec === "right" ? made.spec : other, said, generation);
    const right = rightObject(made, before, naming);
    if (outcome === "left") {
      assert.equal(right, undefined);
      return;
    }
    const mine = outcome === "righted";
    assert.deepEqual(right, {
      metadata: { ...before.metadata, annotations: { [annotation]: String(mine) } },
      spec: mine ? made.spec : other,
    });
  });
}

test("what is missing is made, and says that the server keeps it", () => {
  assert.deepEqual(rightObject(found("probes"), undefined, naming), {
    metadata: { name: "probes", annotations: { "apf.kubernetes.io/autoupdate-spec": "true" } },
    spec: found("probes").spec,
  });
});

test("what the exempt level lends is its users'", () => {
  const exempt = { nominalConcurrencyShares: 7, lendablePercent: 50 };
  assert.equal(rightObject(found("exempt"), stored({ type: "Exempt", exempt }, "true", 2), naming), undefined);
});
