import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { storeConformance } from "./conformance/conformance.js";
import type { Fixture } from "./conformance/conformance-fixture.js";
import { noRevision } from "./revision.js";
import { drive, follow } from "./testing/drive.js";
import { openEmbeddedFixture } from "./testing/embedded-fixture.js";
import { openEtcdFixture } from "./testing/etcd-fixture.js";
import { type EtcdServer, etcdMissing, startEtcd } from "./testing/etcd-server.js";
import { type StoreMetrics, timed } from "./timed.js";

const ignored: StoreMetrics = { now: () => 0, ended: () => {}, brought: () => {} };

function timedFixture(fixture: Fixture): Fixture {
  const { reopen } = fixture;
  return {
    ...fixture,
    store: timed(fixture.store, ignored),
    ...(reopen === undefined ? {} : { reopen: async () => timed(await reopen(), ignored) }),
  };
}

storeConformance({
  name: "the embedded store that is timed",
  open: async () => timedFixture(await openEmbeddedFixture()),
});
describe("timed, on one etcd", { skip: etcdMissing() ?? false }, () => {
  let server: EtcdServer | undefined;
  before(async () => {
    server = await startEtcd();
  });
  after(() => server?.stop());
  storeConformance({
    name: "the etcd store that is timed",
    withoutTransactions: "all changes of a transaction of etcd have one revision",
    open: async () => timedFixture(await openEtcdFixture({ endpoints: server?.endpoints ?? [] })),
  });
});

test("each call is told by what it was, when it began, and whether it failed; events by their number", async (t) => {
  const fixture = await openEmbeddedFixture();
  t.after(() => fixture.cleanup());
  const told: string[] = [];
  let time = 0;
  let brought = 0;
  const store = timed(fixture.store, {
    now: () => ++time,
    ended: ({ operation, key, started }, failed) =>
      void told.push(`${operation} ${key}@${started}${failed ? " failed" : ""}`),
    brought: (events) => {
      brought += events;
    },
  });
  const d = drive(store, fixture.prefix);
  const first = await d.put("a", 0, "1");
  const second = await d.put("a", first, "2");
  assert.equal((await store.swap({ key: d.key("a"), expected: noRevision, value: Buffer.alloc(0) })).done, false);
  await store.get(d.key("a"));
  await store.range({ prefix: d.key("x/") });
  const third = await d.remove("a", second);
  await store.revision();
  await follow(store, { prefix: d.prefix, from: first, count: 3 });
  await store.compact(third);
  await assert.rejects(d.list(first), { reason: "Expired" });
  await store.transactions?.commit([
    { key: d.key("a"), expected: noRevision, value: Buffer.alloc(0) },
    { key: d.key("b"), expected: noRevision, value: undefined },
  ]);
  const a = d.key("a");
  assert.deepEqual(told, [
    `create ${a}@1`,
    `update ${a}@2`,
    `create ${a}@3`,
    `get ${a}@4`,
    `list ${d.key("x/")}@5`,
    `delete ${a}@6`,
    "revision @7",
    "compact @8",
    `list ${d.prefix}@9 failed`,
    `create ${a}@10`,
    `delete ${d.key("b")}@11`,
  ]);
  assert.equal(brought, 3);
});
