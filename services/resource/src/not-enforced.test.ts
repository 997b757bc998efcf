import assert from "node:assert/strict";
import { test } from "node:test";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { openBed } from "./testing/bed.js";

const kinds: readonly (readonly [Partial<WriteRequest>, string, object])[] = [
  [
    { group: "networking.orch", version: "v1beta1", resource: "servicecidrs", namespace: "" },
    "ServiceCIDR is stored and not enforced yet: addresses of services come from the flags of the server alone without gate MultiCIDRServiceAllocator",
    { spec: { cidrs: ["10.1.0.0/16"] } },
  ],
];

for (const [place, warning, data] of kinds) {
  test(`each way to write a ${place.resource} warns that it is not enforced`, async (t) => {
    const { write, read } = await (await openBed(t, "orch")).start();
    const object = { metadata: { name: "a" }, ...data };
    const { name } = object.metadata;
    const made = await write(place, object);
    const { apiVersion, kind } = read(made);
    const patch = (type: string) =>
      ({ ...place, verb: "patch", name, contentType: `application/${type}`, options: { fieldManager: "m" } }) as const;
    const labels = (value: string) => ({ metadata: { name, labels: { value } } });
    const replies = [
      made,
      await write({ ...place, verb: "update", name }, read(made)),
      await write(patch("merge-patch+json"), labels("a")),
      await write(patch("apply-patch+yaml"), { apiVersion, kind, metadata: { name, labels: { other: "a" } } }),
      await write({ ...patch("merge-patch+json"), options: { dryRun: "All" } }, labels("b")),
    ];
    for (const { warnings } of replies) assert.deepEqual(warnings, [warning]);
    assert.deepEqual((await write({ ...place, verb: "delete", name })).warnings, []);
  });
}

test("a warning of a body stands before the one that it is not enforced", async (t) => {
  const { write } = await (await openBed(t, "orch")).start();
  const [place, warning, data] = kinds[0] ?? assert.fail("no kind");
  const { warnings } = await write(place, { metadata: { name: "a" }, ...data, surplus: 1 });
  assert.deepEqual(warnings, ['unknown field "surplus"', warning]);
});

test("what has its effect warns of nothing", async (t) => {
  const { write } = await (await openBed(t, "orch")).start();
  const rules = { metadata: { name: "a" }, rules: [] };
  assert.deepEqual((await write({}, { metadata: { name: "a" } })).warnings, []);
  assert.deepEqual((await write({ group: "rbac.authorization.orch", resource: "roles" }, rules)).warnings, []);
});
