import assert from "node:assert/strict";
import { test } from "node:test";
import { autoUpdateKey, builtInFlow } from "@orch/api/kinds/flowcontrol/built-in.js";
import type { AnyObject } from "@orch/api/object.js";
import { createNaming } from "@orch/naming/naming.js";
import { key } from "@orch/store/revision.js";
import { isUnknown, rightObject } from "./flow-objects.js";
import { openBed } from "./testing/bed.js";

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
  ["system", "wrong", "TRUE", 5, "righted"],
  ["system", "right", "1", 5, "left"],
  ["system", "wrong", "f", 1, "left"],
  ["system", "wrong", "yes", 1, "righted"],
  ["system", "wrong", "yes", 2, "marked as the users'"],
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

const unknownRows: readonly (readonly [name: string, metadata: Partial<AnyObject["metadata"]>, boolean])[] = [
  ["old", { annotations: { [annotation]: "true" } }, true],
  ["old", { annotations: { [annotation]: "T" } }, true],
  ["old", { annotations: { [annotation]: "false" } }, false],
  ["old", { annotations: { [annotation]: "yes" } }, false],
  ["old", {}, false],
  ["old", { annotations: { [annotation]: "true" }, deletionTimestamp: "2025-01-01T00:00:00Z" }, false],
  ["system", { annotations: { [annotation]: "true" } }, false],
];

for (const [name, metadata, unknown] of unknownRows) {
  test(`${name} with ${JSON.stringify(metadata)} is ${unknown ? "deleted" : "left"}`, () => {
    assert.equal(isUnknown({ metadata: { name, ...metadata } }, new Set(["system"]), naming), unknown);
  });
}

test("what the server keeps and does not know goes, what is its users' stays, and who wrote the rest is told", async (t) => {
  const bed = await openBed(t, "kubernetes");
  const { write } = await bed.start();
  const at = {
    group: bed.naming.group("flowcontrol.apiserver"),
    version: "v1",
    resource: "flowschemas",
    namespace: "",
  };
  const spec = { priorityLevelConfiguration: { name: "system" } };
  for (const [name, said] of [
    ["old", "true"],
    ["own", "false"],
  ] as const) {
    await write(at, { metadata: { name, annotations: { [annotation]: said } }, spec });
  }
  const folder = `${bed.naming.storePrefix}flowschemas/`;
  for (let tries = 0; ; tries++) {
    const { entries } = await bed.store.range({ prefix: key(folder) });
    const names = entries.map((entry) => entry.key.slice(folder.length));
    if (!names.includes("old") && names.includes("probes")) break;
    assert.ok(tries < 200, `still there: ${names.join(" ")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok((await bed.store.get(key(`${folder}own`))) !== undefined);
  const probes = JSON.parse((await bed.store.get(key(`${folder}probes`)))?.value.toString() ?? "");
  assert.equal(probes.metadata.managedFields[0].manager, "api-priority-and-fairness-config-producer-v1");
});
