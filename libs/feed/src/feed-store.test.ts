import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedItem } from "@orch/rpc/feed/messages.js";
import { feedWatch } from "@orch/rpc/feed/methods.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import { ApiError } from "@orch/status/api-error.js";
import { storeConformance } from "@orch/store/conformance/conformance.js";
import type { Fixture } from "@orch/store/conformance/conformance-fixture.js";
import { createFollowing, type Follower } from "@orch/store/follow.js";
import { pages } from "@orch/store/pages.js";
import { key, revision } from "@orch/store/revision.js";
import { StoreSetBack } from "@orch/store/set-back.js";
import type { Entry, Store } from "@orch/store/store.js";
import { drive, follow, line } from "@orch/store/testing/drive.js";
import { openMemoryFixture } from "@orch/store/testing/memory-fixture.js";
import fc from "fast-check";
import { createFeedStore } from "./feed-store.js";
import { serveFeed } from "./serve-feed.js";
import { createChoices } from "./shown.js";
import { createTap, type Tap } from "./tap.js";

const clock = { now: () => Date.now(), monotonic: () => performance.now(), after: later };
function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

interface Bed {
  readonly below: Store;
  readonly feed: Store;
  readonly tap: Tap;
  readonly prefix: string;
  /** Watches that the store below was asked for, and those that it has now. */
  readonly watches: () => number;
  readonly open: () => number;
  cleanup(): Promise<void>;
}

/** A store, who follows it, and its feed. */
async function bed({ follows = true, maxBytes = 1 << 24, shows = [] as readonly string[] } = {}): Promise<Bed> {
  const fixture = await openMemoryFixture();
  let watches = 0;
  let open = 0;
  const below: Store = {
    ...fixture.store,
    async *watch(query) {
      watches++;
      open++;
      try {
        yield* fixture.store.watch(query);
      } finally {
        open--;
      }
    },
  };
  const tap = createTap({ maxBytes, idleMs: 60_000, now: clock.monotonic });
  tap.expect();
  const over = new AbortController();
  const loaded = new Promise<void>((resolve) => {
    if (!follows) resolve();
    const follower = tap.over({ load: () => ({ add: () => {}, done: () => resolve() }), changed: () => {} });
    const options = { store: below, prefix: key(fixture.prefix), follower, subject: "it", log: () => {} };
    if (follows) void createFollowing(options).run(over.signal);
  });
  await loaded;
  const { services, caller } = createInProcess({});
  serveFeed(services, {
    ...{ store: below, storePrefix: fixture.prefix, elsewhere: [], tap },
    newest: () => below.revision(),
  });
  return {
    ...{ below, tap, prefix: fixture.prefix },
    feed: createFeedStore({ caller, clock, shows: shows.map((part) => key(`${fixture.prefix}${part}`)) }),
    watches: () => watches,
    open: () => open,
    async cleanup() {
      over.abort();
      await fixture.cleanup();
    },
  };
}

/** Written to below and read by its feed, which has no notes; history that the tap keeps beyond a compaction is not asked for. */
async function openFeed(follows: boolean): Promise<Fixture> {
  const { below, feed, prefix, cleanup } = await bed({ follows });
  let compacted = 0;
  const store: Store = {
    ...feed,
    swap: (change) => below.swap(change),
    notes: below.notes,
    watch: (query) => (query.from <= compacted ? below.watch(query) : feed.watch(query)),
    async compact(at) {
      await below.compact(at);
      compacted = Math.max(compacted, at);
    },
    async close() {
      await feed.close();
      await below.close();
    },
  };
  return { store, prefix, cleanup };
}

storeConformance({ name: "a feed from the store", withoutTransactions: "it is read", open: () => openFeed(false) });
storeConformance({
  name: "a feed from who follows the store",
  withoutTransactions: "it is read",
  open: () => openFeed(true),
});

test("many follow a feed, and the store has one watch", async (t) => {
  const { below, feed, prefix, watches, cleanup } = await bed();
  t.after(cleanup);
  const d = drive(below, prefix);
  const from = revision((await feed.revision()) + 1);
  const following = Array.from({ length: 5 }, () => follow(feed, { prefix, from, count: 2 }));
  await d.put("a", 0, "1");
  await d.put("b", 0, "1");
  for (const events of await Promise.all(following)) {
    assert.deepEqual(
      events.map((event) => line(event, prefix)),
      [`+a@${from}=1`, `+b@${from + 1}=1`],
    );
  }
  assert.equal(watches(), 1);
});

test("who comes later than the tap remembers is told by the store", async (t) => {
  const { below, feed, prefix, watches, cleanup } = await bed({ maxBytes: 500 });
  t.after(cleanup);
  const d = drive(below, prefix);
  const from = await d.put("a", 0, "1");
  for (let i = 0; i < 10; i++) await d.put(`k${i}`, 0, "x".repeat(100));
  const events = await follow(feed, { prefix, from, count: 11 });
  assert.equal(events.length, 11);
  assert.equal(watches(), 2);
});

test("who has caught up with the tap follows it, and the store's own watch for him ends", async (t) => {
  const { below, feed, tap, prefix, open, cleanup } = await bed({ maxBytes: 500 });
  t.after(cleanup);
  const d = drive(below, prefix);
  const from = await d.put("a", 0, "1");
  for (let i = 0; i < 10; i++) await d.put(`k${i}`, 0, "x".repeat(100));
  let seen = 0;
  const watching = follow(feed, {
    ...{ prefix, from, count: 12 },
    each: async (item) => {
      seen += item.type === "events" ? item.events.length : 0;
      if (seen !== 11) return;
      seen++;
      while (tap.followers === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      assert.equal(open(), 1);
      await d.put("last", 0, "1");
    },
  });
  assert.equal((await watching).length, 12);
});

test("whoever goes on learns that the store is another now", async (t) => {
  const { below, prefix, cleanup } = await bed();
  t.after(cleanup);
  const d = drive(below, prefix);
  const at = await d.put("a", 0, "1");
  const { services, caller } = createInProcess({});
  let asked = 0;
  services.stream(feedWatch, ({ last, from }, sender) => {
    asked++;
    if (asked === 1) {
      const entry = { key: d.key("a"), value: Buffer.from("another"), revision: at, created: at };
      sender.send({ type: "events", events: [{ type: "put", entry, previous: undefined }] });
      sender.end(new ApiError("ServiceUnavailable", "away"));
      return;
    }
    assert.deepEqual([last?.key, last?.revision, from], [d.key("a"), at, at + 1]);
    sender.send({ type: "setBack", why: "it is another" });
    sender.end();
  });
  const watching = follow(createFeedStore({ caller, clock }), { prefix, from: at, count: 2 });
  await assert.rejects(watching, (error) => error instanceof StoreSetBack);
  assert.equal(asked, 2);
});

for (const [name, change, same] of [
  ["as it was", undefined, true],
  ["changed", "2", false],
] as const) {
  test(`a store that stands ${name} is ${same ? "gone on with" : "set back"}`, async (t) => {
    const { below, feed, prefix, cleanup } = await bed();
    t.after(cleanup);
    const d = drive(below, prefix);
    const at = await d.put("a", 0, "1");
    const { isAsLeft, leftBy } = await import("./left.js");
    const entry = { key: d.key("a"), value: Buffer.from(change ?? "1"), revision: at, created: at };
    const left = leftBy({ type: "put", entry, previous: undefined });
    assert.ok(left);
    assert.equal(await isAsLeft(feed, at, left), same);
    assert.equal(await isAsLeft(feed, revision(at + 5), left), false);
  });
}

test("a feed writes nothing", async (t) => {
  const { feed, prefix, cleanup } = await bed();
  t.after(cleanup);
  const swap = feed.swap({ key: key(`${prefix}a`), expected: revision(0), value: Buffer.from("1") });
  await assert.rejects(swap, (error) => error instanceof ApiError && error.reason === "ServiceUnavailable");
});

/** What a follower has loaded and was told, by key; the newest revision that it knows of. */
interface Copy {
  readonly state: ReadonlyMap<string, string>;
  readonly reached: () => number;
}

function copyOf(store: Store, prefix: string, signal: AbortSignal): Copy {
  const state = new Map<string, string>();
  let reached = 0;
  const put = ({ key: at, value }: Entry): unknown => state.set(at.slice(prefix.length), value.toString());
  const follower: Follower = {
    load() {
      state.clear();
      return {
        add: (page) => page.entries.forEach(put),
        done: (at) => {
          reached = at;
        },
      };
    },
    changed(events) {
      for (const event of events) {
        if (event.type === "put") put(event.entry);
        else if (event.type === "delete") state.delete(event.key.slice(prefix.length));
        reached = event.type === "put" ? event.entry.revision : event.revision;
      }
    },
    reached: (at) => {
      reached = Math.max(reached, at);
    },
  };
  void createFollowing({ store, prefix: key(prefix), follower, subject: "a copy", log: () => {} }).run(signal);
  return { state, reached: () => reached };
}

test("who is told of some keys has these, no others, and knows how far all are", async () => {
  const parts = ["a/", "b/c/", "z/"];
  const names = ["a/1", "a/2", "a", "b/1", "b/c/1", "b/cc/1", "b/c/2", "m/1", "z/1", "zz/1"];
  const change = fc.record({ name: fc.constantFrom(...names), value: fc.option(fc.string(), { nil: undefined }) });
  const changes = fc.array(change, { maxLength: 30 });
  const ways = fc.record({ follows: fc.boolean(), maxBytes: fc.constantFrom(500, 1 << 24) });
  await fc.assert(
    fc.asyncProperty(changes, changes, ways, async (before, after, way) => {
      const { below, feed, prefix, cleanup } = await bed({ ...way, shows: parts });
      const over = new AbortController();
      try {
        const held = new Map<string, { readonly value: string; readonly at: number }>();
        const d = drive(below, prefix);
        const make = async ({ name, value }: { readonly name: string; readonly value: string | undefined }) => {
          const at = held.get(name)?.at ?? 0;
          if (value !== undefined) held.set(name, { value, at: await d.put(name, at, value) });
          else if (held.delete(name)) await d.remove(name, at);
        };
        for (const each of before) await make(each);
        const copy = copyOf(feed, prefix, over.signal);
        for (const each of after) await make(each);
        const newest = await below.revision();
        while (copy.reached() < newest) await new Promise((resolve) => setTimeout(resolve, 1));
        const shown = [...held].filter(([name]) => parts.some((part) => name.startsWith(part)));
        assert.deepEqual(new Map(copy.state), new Map(shown.map(([name, { value }]) => [name, value])));
      } finally {
        over.abort();
        await feed.close();
        await cleanup();
      }
    }),
    { numRuns: 60 },
  );
});

test("some prefixes are read page by page as one is", async (t) => {
  const { below, feed, prefix, cleanup } = await bed({ shows: ["a/", "c/", "e/"] });
  t.after(cleanup);
  const d = drive(below, prefix);
  for (const name of ["a/1", "a/2", "b/1", "c/1", "d/1", "e/1", "e/2", "e/3"]) await d.put(name, 0, name);
  const read: string[] = [];
  for await (const page of pages(feed, { prefix: key(prefix), limit: 2, consistent: true })) {
    assert.ok(page.entries.length <= 2);
    for (const { value } of page.entries) read.push(value.toString());
  }
  assert.deepEqual(read, ["a/1", "a/2", "c/1", "e/1", "e/2", "e/3"]);
});

test("what is made for those who chose alike is made once", () => {
  const shownBy = createChoices();
  const entry = { key: "a/1", value: Buffer.from("1"), revision: 1, created: 1 };
  const other = { ...entry, key: "b/1", revision: 2 };
  const item: FeedItem = {
    type: "events",
    events: [entry, other].map((each) => ({ type: "put", entry: each, previous: undefined })),
  };
  const first = shownBy(["a/"])(item);
  assert.deepEqual(
    first.map((each) => each.type),
    ["events", "progress"],
  );
  assert.equal(shownBy(["a/"])(item), first);
  assert.deepEqual(shownBy(["c/"])(item), [{ type: "progress", revision: 2 }]);
  assert.equal(shownBy([])(item)[0], item);
});
