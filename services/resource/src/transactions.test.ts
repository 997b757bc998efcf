import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EndReply, StageReply, WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import { resourceBegin, resourceEnd, resourceOutcome, resourceStage } from "@orch/rpc/methods.js";
import { key } from "@orch/store/revision.js";
import { openBed, type Subject } from "./testing/bed.js";

interface Opened {
  stage(member: number, request: Partial<WriteRequest>, object?: object): Promise<StageReply>;
  end(staged: number): Promise<EndReply>;
  outcome(member: number): Promise<WriteReply>;
}

async function begin({ caller, request }: Subject, timeoutMs = 10_000): Promise<Opened> {
  const { transaction } = await caller.call(resourceBegin, { timeoutMs });
  assert.notEqual(transaction, "");
  return {
    stage: (member, asked, object) =>
      caller.call(resourceStage, { transaction, member, write: request(asked, object) }),
    end: (staged) => caller.call(resourceEnd, { transaction, staged }),
    outcome: (member) => caller.call(resourceOutcome, { transaction, member }),
  };
}

const map = (name: string, value = "v") => ({ metadata: { name }, data: { k: value } });
const merge = { verb: "patch", contentType: "application/merge-patch+json" } as const;

async function namesIn({ store }: { readonly store: Awaited<ReturnType<typeof openBed>>["store"] }, prefix: string) {
  const { entries } = await store.range({ prefix: key(prefix) });
  return entries.map((entry) => entry.key.slice(prefix.length));
}

describe("writes of a transaction", () => {
  const at = "/registry/configmaps/default/";
  const open = async (t: Parameters<typeof openBed>[0]) => {
    const bed = await openBed(t, "kubernetes");
    const subject = await bed.start();
    const prefix = `${bed.naming.storePrefix}${at.slice("/registry/".length)}`;
    return { bed, subject, names: () => namesIn(bed, prefix) };
  };

  test("wait where they would be stored, and are stored together", async (t) => {
    const { subject, names } = await open(t);
    await subject.write({}, map("old"));
    const transaction = await begin(subject);
    const first = await transaction.stage(0, {}, map("a"));
    assert.ok(first.staged && first.uid.startsWith("uid-"));
    const second = await transaction.stage(1, { ...merge, name: "old" }, { data: { k: "w" } });
    assert.deepEqual(second, { staged: true, uid: "" });
    assert.deepEqual(
      await transaction.stage(2, { verb: "delete", name: "none" }).catch((e: unknown) => String(e)),
      'ApiError: configmaps "none" not found',
    );
    assert.deepEqual(await names(), ["old"]);
    assert.deepEqual(await transaction.end(2), { done: true, refused: [] });
    const [made, changed] = [subject.read(await transaction.outcome(0)), subject.read(await transaction.outcome(1))];
    assert.equal(Number(changed.metadata.resourceVersion), Number(made.metadata.resourceVersion) + 1);
    assert.deepEqual([made.metadata.uid, changed["data"]], [first.uid, { k: "w" }]);
    assert.deepEqual(await names(), ["a", "old"]);
    // What was written together is remembered as what is written alone.
    const next = await subject.write({ ...merge, name: "a" }, { data: { k: "next" } });
    assert.deepEqual(subject.read(next)["data"], { k: "next" });
  });

  test("of which one is in the way are not written, and each is told", async (t) => {
    const { subject, names } = await open(t);
    const transaction = await begin(subject);
    await transaction.stage(0, {}, map("a"));
    await transaction.stage(1, {}, map("b"));
    await subject.write({}, map("b", "of another"));
    assert.deepEqual(await transaction.end(2), { done: false, refused: [1] });
    await assert.rejects(transaction.stage(2, {}, map("late")), { reason: "Conflict" });
    await assert.rejects(transaction.outcome(0), { reason: "Conflict" });
    await assert.rejects(transaction.outcome(1), { reason: "AlreadyExists" });
    assert.deepEqual(await names(), ["b"]);
    // Of what everybody has been told nothing is left.
    await assert.rejects(transaction.end(0), { reason: "ServiceUnavailable" });
  });

  test("are not written where not all are there that somebody waits for, or it is given up", async (t) => {
    const { subject, names } = await open(t);
    for (const staged of [0, 1, 3]) {
      const transaction = await begin(subject);
      await transaction.stage(0, {}, map("a"));
      await transaction.stage(1, {}, map("b"));
      assert.deepEqual(await transaction.end(staged), { done: false, refused: [] });
      await assert.rejects(transaction.outcome(0), { reason: "Conflict" });
    }
    assert.deepEqual(await names(), []);
  });

  test("that change nothing, or are refused, wait for nobody", async (t) => {
    const { subject } = await open(t);
    await subject.write({}, map("same"));
    const transaction = await begin(subject);
    const same = await transaction.stage(0, { ...merge, name: "same" }, { data: { k: "v" } });
    assert.ok(!same.staged && same.reply.code === 200);
    await assert.rejects(transaction.stage(1, {}, map("UPPER")), { reason: "Invalid" });
    // It may be tried again in its place.
    assert.equal((await transaction.stage(1, {}, map("lower"))).staged, true);
    // Of one object only one change is made.
    await assert.rejects(transaction.stage(2, { verb: "update", name: "same" }, map("lower")), { code: 400 });
    await assert.rejects(transaction.stage(3, {}, map("lower")), { reason: "Conflict" });
    assert.equal((await transaction.end(1)).done, true);
  });

  test("are given up when their time is over", async (t) => {
    const { subject, names } = await open(t);
    const transaction = await begin(subject, 50);
    await transaction.stage(0, {}, map("a"));
    await assert.rejects(transaction.outcome(0), { reason: "ServiceUnavailable" });
    await assert.rejects(transaction.end(1), { reason: "ServiceUnavailable" });
    assert.deepEqual(await names(), []);
  });

  test("give back the numbers of services that are not written, and keep those of others", async (t) => {
    const bed = await openBed(t, "kubernetes");
    const addresses = [{ address: [10, 0, 0, 0], bits: 30 }];
    const subject = await bed.start({ allocation: { addresses } });
    const service = (name: string) => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } });
    const services = { resource: "services" };
    const lost = await begin(subject);
    for (const [i, name] of ["a", "b"].entries()) assert.ok((await lost.stage(i, services, service(name))).staged);
    await assert.rejects(lost.stage(2, services, service("c")), { reason: "InternalError" });
    await lost.end(0);
    for (const member of [0, 1]) await assert.rejects(lost.outcome(member), { reason: "Conflict" });
    const kept = await begin(subject);
    for (const [i, name] of ["c", "d"].entries()) assert.ok((await kept.stage(i, services, service(name))).staged);
    assert.equal((await kept.end(2)).done, true);
    for (const member of [0, 1]) assert.equal((await kept.outcome(member)).code, 201);
    await assert.rejects(subject.write(services, service("e")), { reason: "InternalError" });
  });

  test("are not begun where the store has none, and not without number", async (t) => {
    const bed = await openBed(t, "kubernetes");
    const without = await bed.start({ store: { ...bed.store, transactions: undefined } });
    assert.deepEqual(await without.caller.call(resourceBegin, { timeoutMs: 10_000 }), { transaction: "" });
    const subject = await bed.start();
    const all = Array.from({ length: 40 }, () => begin(subject));
    const refused = (await Promise.allSettled(all)).filter(({ status }) => status === "rejected");
    assert.equal(refused.length, 8);
  });
});
