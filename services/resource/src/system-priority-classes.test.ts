import assert from "node:assert/strict";
import { test } from "node:test";
import { admitted, clusterWide } from "./testing/admitted.js";

const classes = clusterWide("priorityclasses", "scheduling.k8s.io");

test("the system's priority classes are there from the start, and their names are taken", async (t) => {
  const { read, write, says } = await admitted(t);
  const label = { verb: "patch", contentType: "application/merge-patch+json" } as const;
  for (const [name, value] of [
    ["system-node-critical", 2_000_001_000],
    ["system-cluster-critical", 2_000_000_000],
  ] as const) {
    const stored = read(await write({ ...classes, ...label, name }, { metadata: { labels: { a: "b" } } }));
    assert.equal(stored["value"], value);
    assert.equal(stored["globalDefault"], undefined);
    assert.match(await says(classes, { metadata: { name }, value }), /^409 .* already exists$/);
  }
  const refusal = await says(classes, { metadata: { name: "system-mine" }, value: 1 });
  assert.match(refusal, /priority class names with 'system-' prefix are reserved for system use only/);
});
