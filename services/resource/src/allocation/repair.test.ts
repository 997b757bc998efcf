import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, noRevision } from "@orch/store/revision.js";
import { type Bed, openBed } from "../testing/bed.js";
import { inside, narrow, node, repairOf, rounds } from "../testing/narrow.js";
import { claimed, inUse, type ServiceClient, serviceClient } from "../testing/services.js";

async function openNarrow(t: TestContext): Promise<{ readonly bed: Bed; readonly services: ServiceClient }> {
  const bed = await openBed(t, "kubernetes");
  return { bed, services: serviceClient(await bed.start({ allocation: narrow })) };
}

test("the repair claims what a service has, and frees what none has only after several rounds", async (t) => {
  const { bed, services } = await openNarrow(t);
  assert.ok((await services.create("s", node)).done);
  const { storePrefix } = bed.naming;
  const { entries } = await bed.store.range({ prefix: key(`${storePrefix}allocations/`) });
  for (const { key: at, revision } of entries) await bed.store.swap({ key: at, expected: revision, value: undefined });
  const told: string[] = [];
  const repair = repairOf(bed, told);
  await repair.round();
  assert.deepEqual(await claimed(bed.store, bed.naming), await inUse(bed.store, bed.naming));
  assert.deepEqual(told.splice(0).sort(), ["ip repair", "port repair"]);
  const at = key(`${storePrefix}allocations/services/ipv4/10.0.0.9`);
  const value = Buffer.from('{"namespace":"default","name":"gone","uid":"x"}');
  await bed.store.swap({ key: at, expected: noRevision, value });
  await rounds(repair, 3);
  assert.notEqual(await bed.store.get(at), undefined, "a write on its way");
  await repair.round();
  assert.equal(await bed.store.get(at), undefined);
  assert.deepEqual(told, ["ip leak"]);
});

test("the repair tells of a number that two services have", async (t) => {
  const { bed, services } = await openNarrow(t);
  for (const name of ["a", "b"]) assert.ok((await services.create(name, inside)).done);
  const prefix = `${bed.naming.storePrefix}services/specs/default/`;
  const [a, b] = await Promise.all(["a", "b"].map((name) => bed.store.get(key(prefix + name))));
  assert.ok(a !== undefined && b !== undefined);
  const [first, second] = [a, b].map(({ value }) => JSON.parse(value.toString()).spec.clusterIP as string);
  const value = Buffer.from(b.value.toString().replaceAll(`"${second}"`, `"${first}"`));
  await bed.store.swap({ key: b.key, expected: b.revision, value });
  const told: string[] = [];
  await rounds(repairOf(bed, told), 4);
  assert.deepEqual(told, ["ip duplicate", "ip duplicate", "ip duplicate", "ip duplicate", "ip leak"]);
  assert.deepEqual(await claimed(bed.store, bed.naming), [`${first} a`], "it stays whose it was");
});
