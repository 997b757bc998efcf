import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, noRevision } from "@orch/store/revision.js";
import { xor } from "@orch/store/testing/transformers.js";
import { transformed } from "@orch/store/transformed.js";
import { openBed } from "../../testing/bed.js";

const unread = { ignoreStoreReadErrorWithClusterBreakingPotential: "true" };

/** A service on a store behind a transformer, and config maps `lost`, which that cannot open, and `kept`. */
async function startWithLost(t: TestContext) {
  const bed = await openBed(t, "kubernetes");
  const lost = key(`${bed.naming.storePrefix}configmaps/default/lost`);
  const value = Buffer.from(JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "lost" } }));
  assert.ok((await bed.store.swap({ key: lost, expected: noRevision, value })).done);
  const { write } = await bed.start({ store: transformed(bed.store, xor) });
  await write({}, { metadata: { name: "kept" } });
  return { write, stored: () => bed.store.get(lost) };
}

test("an object that a transformer cannot open is refused by its key, whatever is to become of it", async (t) => {
  const { write, stored } = await startWithLost(t);
  const before = await stored();
  const named = { reason: "InternalError", message: /configmaps\/default\/lost at revision \d+ \(it has no mark\)/ };
  const object = { metadata: { name: "lost" } };
  await assert.rejects(write({}, object), named);
  await assert.rejects(write({ verb: "update", name: "lost" }, object), named);
  await assert.rejects(write({ verb: "patch", name: "lost", contentType: "application/merge-patch+json" }, {}), named);
  await assert.rejects(write({ verb: "delete", name: "lost" }), named);
  assert.deepEqual(await stored(), before);
});

test("it can be deleted by the option that says so, and only it", async (t) => {
  const { write, stored } = await startWithLost(t);
  await assert.rejects(write({ verb: "delete", name: "kept", options: unread }), { reason: "Invalid" });
  assert.equal((await write({ verb: "delete", name: "lost", options: unread })).code, 200);
  assert.equal(await stored(), undefined);
  await assert.rejects(write({ verb: "delete", name: "lost", options: unread }), { reason: "NotFound" });
  assert.equal((await write({}, { metadata: { name: "lost" } })).code, 201);
});
