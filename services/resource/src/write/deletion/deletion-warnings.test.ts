import assert from "node:assert/strict";
import { test } from "node:test";
import { valueAt } from "@orch/api/object.js";
import { type Hooked, hooked } from "../../testing/webhooks.js";

async function mapsOf(t: Parameters<typeof hooked>[0], names: readonly string[]): Promise<Hooked> {
  const cluster = await hooked(t);
  for (const name of names) await cluster.make({}, { metadata: { name } });
  const rules = [{ operations: ["DELETE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
  await cluster.configure("Validating", "v", [{ rules }]);
  return cluster;
}

/** The review of an object of a collection names it nowhere else. */
const nameOf = (request: object): string => String(valueAt(request, "oldObject.metadata.name"));

test("who deletes a collection is told the warnings of each deletion, once each", async (t) => {
  const { write, react } = await mapsOf(t, ["a", "b", "c"]);
  react(({ request }) => ({
    allowed: true,
    warnings: ["all", nameOf(request) === "b" ? "b goes" : ""].filter(Boolean),
  }));
  const { code, warnings } = await write({ verb: "deletecollection", options: { dryRun: "All" } });
  assert.deepEqual([code, warnings], [200, ["all", "b goes"]]);
});

test("warnings go along with the refusal of a deletion", async (t) => {
  const { write, read, react } = await mapsOf(t, ["a", "b"]);
  react(({ request }) => {
    const name = nameOf(request);
    return { allowed: name !== "b", warnings: [name], status: { message: "stays" } };
  });
  for (const request of [{ verb: "delete", name: "b" }, { verb: "deletecollection" }] as const) {
    const reply = await write(request);
    assert.equal(reply.code, 400);
    assert.match(String(read(reply)["message"]), /denied the request: stays$/);
    assert.ok(reply.warnings.includes("b"), String(reply.warnings));
  }
});

test("who deletes jobs and does not say what becomes of their pods is warned, of a collection too", async (t) => {
  const { write } = await hooked(t);
  const jobs = { verb: "deletecollection", group: "batch", resource: "jobs" } as const;
  const { warnings } = await write(jobs);
  assert.match(warnings.join(), /^child pods are preserved by default when jobs are deleted/);
  assert.deepEqual((await write({ ...jobs, options: { propagationPolicy: "Orphan" } })).warnings, []);
});
