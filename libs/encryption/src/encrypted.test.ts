import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { storeConformance } from "@orch/store/conformance/conformance.js";
import { DamagedEntry } from "@orch/store/damaged-entry.js";
import { createFollowing, type Follower } from "@orch/store/follow.js";
import { key, noRevision, revision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { drive } from "@orch/store/testing/drive.js";
import { openEmbeddedFixture } from "@orch/store/testing/embedded-fixture.js";
import { encrypted } from "./encrypted.js";
import type { KeyProvider } from "./key-set.js";
import type { KeyRing } from "./ring/key-ring.js";
import { ringWith, testClock } from "./testing/ring.js";
import { xorKeys, xorPlugin, xorWriteKey } from "./testing/xor-plugin.js";

const secrets = { group: "", resource: "secrets" };
const resourceAt = () => secrets;

const local = (type: "aescbc" | "aesgcm" | "secretbox", ...names: readonly string[]): KeyProvider => ({
  type,
  keys: names.map((name) => ({ name, secret: Buffer.alloc(32, name) })),
});

const use = (ring: KeyRing, ...providers: readonly KeyProvider[]): KeyRing => {
  ring.use({ rules: [{ resources: ["secrets"], providers }] });
  return ring;
};

const providers: Readonly<Record<string, KeyProvider>> = {
  aesgcm: local("aesgcm", "a"),
  aescbc: local("aescbc", "a"),
  secretbox: local("secretbox", "a"),
  identity: { type: "identity" },
  "kms v2": xorKeys("k"),
  "kms v1": { type: "kms-v1", name: "k", cacheSize: -1 },
};

for (const [name, provider] of Object.entries(providers)) {
  storeConformance({
    name: `the embedded store behind ${name}`,
    async open() {
      const { store, reopen, ...rest } = await openEmbeddedFixture();
      const wrapped = (below: Store): Store =>
        encrypted(below, { ring: use(ringWith(xorPlugin()), provider), resourceAt });
      return {
        ...rest,
        store: wrapped(store),
        ...(reopen === undefined ? {} : { reopen: async () => wrapped(await reopen()) }),
      };
    },
  });
}

async function open(t: TestContext, ring: KeyRing) {
  const fixture = await openEmbeddedFixture();
  t.after(() => fixture.cleanup());
  return {
    below: drive(fixture.store, fixture.prefix),
    above: drive(encrypted(fixture.store, { ring, resourceAt, patienceMs: 20 }), fixture.prefix),
  };
}

test("nothing of a value stands in the store, and other keys make it stale until it is written anew", async (t) => {
  const ring = use(ringWith(), local("aesgcm", "one"));
  const { below, above } = await open(t, ring);
  const first = await above.put("a", 0, "a story that nobody may read");
  const stored = await below.store.get(below.key("a"));
  assert.match(stored?.value.toString("latin1") ?? "", /^k8s:enc:aesgcm:v1:one:/);
  assert.ok(!stored?.value.includes("story"));
  use(ring, local("aesgcm", "two", "one"));
  assert.equal((await above.store.get(above.key("a")))?.stale, true);
  await above.put("a", first, "a story that nobody may read");
  assert.equal((await above.store.get(above.key("a")))?.stale, undefined);
});

test("without keys what is not sealed is read, and once there are some a watch begins anew", async (t) => {
  const { below, above } = await open(t, use(ringWith(), local("aesgcm", "a")));
  await above.put("sealed", 0, "1");
  await below.put("plain", 0, "2");
  const ring = ringWith();
  const blind = encrypted(below.store, { ring, resourceAt, patienceMs: 20 });
  assert.equal((await blind.get(above.key("plain")))?.value.toString(), "2");
  await assert.rejects(blind.get(above.key("sealed")), /the keys of the store are not there yet/);
  const { entries, damaged = [], revision: at } = await blind.range({ prefix: key(above.prefix), damaged: "told" });
  assert.deepEqual([entries.length, damaged.map(({ sealed }) => sealed)], [1, [true]]);
  const signal = new AbortController().signal;
  const watch = blind.watch({ prefix: key(above.prefix), from: revision(at + 1), signal })[Symbol.asyncIterator]();
  const ended = assert.rejects(watch.next(), { reason: "Expired" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  use(ring, local("aesgcm", "a"), { type: "identity" });
  await ended;
  assert.equal((await blind.get(above.key("sealed")))?.value.toString(), "1");
});

test("until the first keys are there calls wait, and say so when they have waited long", async (t) => {
  const ring = ringWith();
  const { above } = await open(t, ring);
  await assert.rejects(above.put("a", 0, "1"), /the keys of the store are not there yet/);
  const waiting = above.put("a", 0, "1");
  use(ring, local("aesgcm", "a"));
  await waiting;
});

test("a value under another's key is not taken for its own", async (t) => {
  const { below, above } = await open(t, use(ringWith(), local("aesgcm", "a")));
  await above.put("a", 0, "1");
  const stored = await below.store.get(below.key("a"));
  await below.store.swap({ key: below.key("b"), expected: noRevision, value: stored?.value ?? Buffer.alloc(0) });
  await assert.rejects(above.store.get(above.key("b")), (error: unknown) => {
    assert.ok(error instanceof DamagedEntry);
    assert.equal(error.message, "Internal error occurred: cipher: message authentication failed");
    assert.deepEqual(error.details, { causes: [{ message: "cipher: message authentication failed" }] });
    return true;
  });
  const key = JSON.stringify(above.key("b"));
  await assert.rejects(above.list(), {
    message: `Internal error occurred: unable to transform key ${key}: cipher: message authentication failed`,
  });
});

/** Follows a prefix and keeps what can be read. */
function followed(store: Store, prefix: string, t: TestContext) {
  const values = new Map<string, string>();
  let loads = 0;
  const follower: Follower = {
    load: () => {
      loads++;
      const fresh = new Map<string, string>();
      return {
        add: ({ entries }) => {
          for (const { key, value } of entries) fresh.set(key, value.toString());
        },
        done: () => {
          values.clear();
          for (const [key, value] of fresh) values.set(key, value);
        },
      };
    },
    changed(events) {
      for (const event of events) {
        if (event.type === "put") values.set(event.entry.key, event.entry.value.toString());
        else if (event.key !== undefined) values.delete(event.key);
      }
    },
  };
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { key } = drive(store, prefix);
  const following = createFollowing({ store, prefix: key(""), follower, subject: "all", log: () => {} });
  void following.run(stop.signal);
  return { values, loads: () => loads };
}

const until = async (what: () => boolean): Promise<void> => {
  for (let i = 0; i < 500 && !what(); i++) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(what());
};

test("who follows a prefix reads anew what a key was missing for, and is left alone otherwise", async (t) => {
  const clock = testClock();
  const ring = use(ringWith(xorPlugin(), clock), xorKeys("k"));
  const { below, above } = await open(t, ring);
  await above.put("a", 0, "1");
  // Another process, which writes with a seed of its own and whose plugin is away.
  const plugin = xorPlugin();
  plugin.away = true;
  const otherRing = use(ringWith(plugin, clock), xorKeys("k", xorWriteKey("key-1", Buffer.alloc(32, 9))));
  const other = encrypted(below.store, { ring: otherRing, resourceAt });
  const all = followed(other, above.prefix, t);
  await until(() => all.loads() === 1);
  await above.put("b", 0, "2");
  await drive(other, above.prefix).put("c", 0, "3");
  await until(() => all.values.has(above.key("c")));
  assert.deepEqual([...all.values.keys()], [above.key("c")]);
  plugin.away = false;
  clock.pass(3_000);
  await until(() => all.loads() === 2 && all.values.size === 3);
  use(otherRing, xorKeys("k", xorWriteKey("key-2", Buffer.alloc(32, 8))));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(all.loads(), 2);
});
