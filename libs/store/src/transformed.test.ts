import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { storeConformance } from "./conformance/conformance.js";
import { DamagedEntry } from "./damaged-entry.js";
import { snapshot } from "./pages.js";
import { noRevision } from "./revision.js";
import type { Store } from "./store.js";
import { drive, follow, line } from "./testing/drive.js";
import { openEmbeddedFixture } from "./testing/embedded-fixture.js";
import { openEtcdFixture } from "./testing/etcd-fixture.js";
import { type EtcdServer, etcdMissing, startEtcd } from "./testing/etcd-server.js";
import { identity, late, marking, transformedFixture, xor } from "./testing/transformers.js";
import { type Transformer, transformed } from "./transformed.js";

for (const [name, transformer] of Object.entries({ identity, xor, "a late xor": late(xor) })) {
  storeConformance({
    name: `the embedded store behind ${name}`,
    open: async () => transformedFixture(await openEmbeddedFixture(), transformer),
  });
  describe(`${name} before one etcd`, { skip: etcdMissing() ?? false }, () => {
    let server: EtcdServer | undefined;
    before(async () => {
      server = await startEtcd();
    });
    after(() => server?.stop());
    storeConformance({
      name: `the etcd store behind ${name}`,
      withoutTransactions: "all changes of a transaction of etcd have one revision",
      open: async () => transformedFixture(await openEtcdFixture({ endpoints: server?.endpoints ?? [] }), transformer),
    });
  });
}

test("a transformer's bytes are what is stored", async (t) => {
  const fixture = await openEmbeddedFixture();
  t.after(() => fixture.cleanup());
  const below = drive(fixture.store, fixture.prefix);
  await drive(transformed(fixture.store, xor), fixture.prefix).put("a", 0, "1");
  assert.deepEqual((await below.store.get(below.key("a")))?.value, xor.seal(Buffer.from("1"), below.key("a")));
});

test("what a transformer finds stale is told as that in every answer, until it is written anew", async (t) => {
  const fixture = await openEmbeddedFixture();
  t.after(() => fixture.cleanup());
  let mark = "old";
  const d = drive(
    transformed(
      fixture.store,
      marking(() => mark),
    ),
    fixture.prefix,
  );
  const first = await d.put("a", 0, "1");
  const entry = { key: d.key("a"), value: Buffer.from("1"), revision: first, created: first };
  assert.deepEqual(await d.store.get(d.key("a")), entry);
  mark = "new";
  const stale = { ...entry, stale: true };
  assert.deepEqual(await d.store.get(d.key("a")), stale);
  assert.deepEqual((await d.store.range({ prefix: d.prefix })).entries, [stale]);
  const refused = await d.store.swap({ key: d.key("a"), expected: noRevision, value: Buffer.from("2") });
  assert.deepEqual(refused, { done: false, current: stale });
  const second = await d.put("a", first, "1");
  assert.deepEqual(await d.store.get(d.key("a")), { ...entry, revision: second });
  const events = await follow(d.store, { prefix: d.prefix, from: first, count: 2 });
  assert.deepEqual(
    events.map((event) => (event.type === "put" ? [event.entry.stale, event.previous?.stale] : [])),
    [
      [true, undefined],
      [undefined, true],
    ],
  );
});

test("an entry that a transformer cannot open is a damaged one, in every answer, and can be deleted", async (t) => {
  const fixture = await openEmbeddedFixture();
  t.after(() => fixture.cleanup());
  const below = drive(fixture.store, fixture.prefix);
  const d = drive(transformed(fixture.store, xor), fixture.prefix);
  const first = await d.put("a", 0, "1");
  const lost = await below.put("b", 0, "no mark");
  const last = await d.put("c", 0, "3");
  const why = "it has no mark";
  const damage = { key: d.key("b"), revision: lost, why };
  const isDamaged = (error: unknown): boolean =>
    error instanceof DamagedEntry && error.key === damage.key && error.revision === lost && error.why === why;

  await assert.rejects(d.store.get(d.key("b")), isDamaged);
  await assert.rejects(d.list(), isDamaged);
  await assert.rejects(d.store.swap({ key: d.key("b"), expected: noRevision, value: Buffer.from("2") }), isDamaged);
  const told = await d.store.range({ prefix: d.prefix, damaged: "told" });
  assert.deepEqual([told.entries.map(({ key }) => key), told.damaged], [[d.key("a"), d.key("c")], [damage]]);
  const paged: unknown[] = [];
  for await (const page of snapshot(d.store, { prefix: d.prefix, pageBytes: 1 })) paged.push(...(page.damaged ?? []));
  assert.deepEqual(paged, [damage]);

  const removed = await d.remove("b", lost);
  const events = await follow(d.store, { prefix: d.prefix, from: first, count: 4 });
  assert.deepEqual(
    events.map((event) => line(event, d.prefix)),
    [`+a@${first}=1`, `!b@${lost}`, `+c@${last}=3`, `-b@${removed} (undefined)`],
  );
  assert.equal(await d.list(), "a=1 c=3");
});

test("damages of the store below and a transformer's own are told together, in key order", async (t) => {
  const fixture = await openEmbeddedFixture();
  t.after(() => fixture.cleanup());
  const below = drive(fixture.store, fixture.prefix);
  for (const name of ["a", "c"]) await below.put(name, 0, "no mark");
  const medium = { key: below.key("b"), revision: noRevision, why: "the medium" };
  const range: Store["range"] = async (query) => ({ ...(await fixture.store.range(query)), damaged: [medium] });
  const store = transformed({ ...fixture.store, range }, xor);
  const { damaged } = await store.range({ prefix: below.prefix, damaged: "told" });
  assert.deepEqual(
    damaged?.map(({ key }) => key),
    ["a", "b", "c"].map(below.key),
  );
});

test("opening a large range leaves room for what else there is to do", async (t) => {
  const fixture = await openEmbeddedFixture();
  t.after(() => fixture.cleanup());
  let opening = false;
  let turned = false;
  let turnedBeforeLast = false;
  const slow: Transformer = {
    seal: identity.seal,
    open(stored, key) {
      if (!opening) setImmediate(() => (turned = true));
      opening = true;
      turnedBeforeLast = turned;
      for (const until = performance.now() + 0.2; performance.now() < until; );
      return identity.open(stored, key);
    },
  };
  const d = drive(transformed(fixture.store, slow), fixture.prefix);
  await Promise.all(Array.from({ length: 200 }, (_, i) => d.put(`k${i}`, 0, "x")));
  await d.store.range({ prefix: d.prefix });
  assert.ok(turnedBeforeLast);
});
