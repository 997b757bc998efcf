import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import { compactOnce } from "./elected-compactor.js";
import { compactionTarget, type Moment, trimmed } from "./history.js";
import { noRevision, revision } from "./revision.js";
import type { WatchItem } from "./store.js";
import { drive, revisionOf } from "./testing/drive.js";
import { openEtcdFixture } from "./testing/etcd-fixture.js";
import { type EtcdServer, etcdMissing, startEtcd } from "./testing/etcd-server.js";

const journal: readonly Moment[] = [
  { time: 0, revision: 5 },
  { time: 60, revision: 9 },
  { time: 120, revision: 14 },
];
const rows: readonly [now: number, target: number, kept: readonly number[]][] = [
  [120, 0, [0, 60, 120]],
  [299, 0, [0, 60, 120]],
  [300, 5, [0, 60, 120]],
  [360, 9, [60, 120]],
  [400, 9, [60, 120]],
  [1000, 14, [120]],
];
for (const [now, target, kept] of rows) {
  test(`with 300 of history, at ${now} compaction goes to ${target}`, () => {
    assert.equal(compactionTarget(journal, now, 300), target);
    const times = trimmed(journal, now, 300).map(({ time }) => time);
    assert.deepEqual(times, kept);
  });
}

describe("compactors of one etcd", { skip: etcdMissing() ?? false }, () => {
  let server: EtcdServer;
  before(async () => {
    server = await startEtcd();
  });
  after(() => server.stop());

  test("do not fight: one compacts, history below stays for its time, their key is never shown", async () => {
    const fixture = await openEtcdFixture({ endpoints: server.endpoints });
    const { store, prefix } = fixture;
    const d = drive(store, prefix);
    const r1 = await d.put("a", 0, "1");
    const items: WatchItem[] = [];
    const stop = new AbortController();
    const watching = (async () => {
      for await (const item of store.watch({ prefix: d.prefix, from: r1, signal: stop.signal })) items.push(item);
    })();
    const until = async (condition: () => boolean): Promise<void> => {
      while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await until(() => items.length > 0);
    const journals: (readonly Moment[])[] = [[], [], []];
    const round = async (now: number): Promise<void> => {
      const rounds = journals.map((journal) => compactOnce({ store, prefix, historyMs: 300, now, journal }));
      for (const [i, next] of (await Promise.all(rounds)).entries()) journals[i] = next;
    };
    await round(0);
    const r2 = await d.put("a", r1, "2");
    await round(100);
    const r3 = await d.put("a", r2, "3");
    await round(299);
    assert.equal(await d.list(r1), "a=1");
    await round(300);
    assert.equal(await d.list(r1), "a=1"); // compacted to r1: the state at it stays
    await round(400);
    await assert.rejects(d.list(r1), (error) => error instanceof ApiError && error.reason === "Expired");
    assert.deepEqual([await d.list(r2), await d.list(r3), await d.list()], ["a=2", "a=3", "a=3"]);
    assert.equal((await store.range({ prefix: d.prefix })).count, 1);

    const last = await d.put("b", 0, "last");
    const isLast = (item: WatchItem): boolean =>
      item.type === "events" && item.events.some((e) => revisionOf(e) === last);
    await until(() => items.some(isLast));
    stop.abort();
    await watching;
    const keys = items.flatMap((item) =>
      item.type === "events" ? item.events.map((e) => (e.type === "put" ? e.entry.key : e.key)) : [],
    );
    assert.deepEqual(keys, [d.key("a"), d.key("a"), d.key("a"), d.key("b")]);
    // The compaction key's own changes reach watchers as progress: no revision passes them unseen.
    assert.equal(items.filter((item) => item.type === "progress").length, 2);
    await assert.rejects(store.compact(revision(last + 1000)), RangeError);
    assert.notEqual(last, noRevision);
    await fixture.cleanup();
  });
});
