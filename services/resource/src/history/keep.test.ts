import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { noteKeyOf } from "@orch/history/note-keys.js";
import { type Author, encodeRecord } from "@orch/history/record.js";
import type { HistoryPolicy, HistoryRule } from "@orch/history/rules.js";
import { createNaming } from "@orch/naming/naming.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import { openMemoryStore } from "@orch/store/memory/memory-store.js";
import { key, revision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { type Transformer, transformed } from "@orch/store/transformed.js";
import { createKeeper } from "./keep.js";
import { createHistoryMetrics } from "./metrics.js";

const naming = createNaming("orch");
const catalog = { now: loadCatalog(naming) };
const prefix = naming.storePrefix;
const hour = 3600_000;
const now = 1_800_000_000_000;

/** Writes states of an object, each so many hours ago. */
async function write(store: Store, path: string, hoursAgo: readonly number[], text = "state"): Promise<void> {
  const at = key(prefix + path);
  for (const [i, ago] of hoursAgo.entries()) {
    const before = await store.get(at);
    const author: Author = {
      ...{ time: now - ago * hour, verb: "update", subresource: "", user: "ann" },
      ...{ manager: "", userAgent: "", auditId: "" },
    };
    const after = Buffer.from(`${text} ${i}`);
    const value = encodeRecord(author, { before, after });
    const note = { space: "states" as const, key: noteKeyOf(at, before?.revision ?? 0, "uid"), value };
    const swap = await store.swap({ key: at, expected: before?.revision ?? revision(0), value: after, note });
    assert.ok(swap.done);
  }
}

const rule = (more: Partial<HistoryRule>): HistoryRule => ({
  ...{ groups: [], resources: [], namespaces: [], limits: { maxAgeMs: 24 * hour, maxStates: 3 } },
  ...more,
});

async function kept(store: Store, policy: Partial<HistoryPolicy>, owns = (_group: string) => true) {
  const whole = { maxBytes: 1 << 30, rules: [rule({})], ...policy };
  const log = (what: string): void => assert.fail(what);
  const keeper = createKeeper({ store, storePrefix: prefix, catalog, policy: whole, owns, now: () => now, log });
  const round = await keeper.round();
  const notes = await store.notes.range({ space: "states", prefix: key(prefix) });
  return { ...round, notes: notes.map((note) => note.key.slice(prefix.length).split("\0")[0]) };
}

test("a round leaves of each object as many states as rules say, and none that are too old", async () => {
  const store = await openMemoryStore({ prefix });
  await write(store, "configmaps/ns/many", [5, 4, 3, 2, 1]);
  await write(store, "configmaps/ns/old", [50, 30, 1]);
  await write(store, "secrets/ns/none", [2, 1]);
  const rules = [rule({ resources: ["secrets"], limits: undefined }), rule({})];
  const { notes, records, removed } = await kept(store, { rules });
  assert.deepEqual(notes, [...Array(3).fill("configmaps/ns/many"), "configmaps/ns/old"]);
  assert.deepEqual([records, removed], [4, 6]);
  await store.close();
});

test("over the bytes of all, the oldest go, whosever they are", async () => {
  const store = await openMemoryStore({ prefix });
  for (const [i, name] of ["a", "b", "c", "d"].entries()) await write(store, `configmaps/ns/${name}`, [10 - i]);
  const before = await kept(store, {});
  const { notes, bytes } = await kept(store, { maxBytes: Math.ceil(before.bytes / 2) });
  assert.deepEqual(notes, ["configmaps/ns/c", "configmaps/ns/d"]);
  assert.ok(bytes <= before.bytes / 2);
  await store.close();
});

test("nothing goes of a group that another process has, nor at once of a kind that is not known", async () => {
  const store = await openMemoryStore({ prefix });
  await write(store, "configmaps/ns/a", [90]);
  await write(store, "example.com/widgets/ns/w", [3, 2, 1]);
  assert.equal((await kept(store, {}, (group) => group !== "")).notes.length, 4);
  assert.deepEqual((await kept(store, {})).notes, Array(3).fill("example.com/widgets/ns/w"));
  await store.close();
});

test("what cannot be read goes when it is older than anything that is kept, and is counted before", async () => {
  const below = await openMemoryStore({ prefix });
  const lost: Transformer = {
    seal: (value) => value,
    open: (value, at) => (at.includes("/lost") ? { type: "damaged", why: "no key" } : { type: "value", value }),
  };
  const store = transformed(below, lost);
  await write(below, "configmaps/ns/lost", [3, 3]);
  await write(below, "secrets/ns/lost", [3, 3]);
  await write(below, "configmaps/ns/b", [2]);
  let time = now;
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const keeper = createKeeper({
    ...{ store, storePrefix: prefix, catalog, owns: () => true, now: () => time },
    policy: { maxBytes: 1 << 30, rules: [rule({})] },
    log: (what) => assert.fail(what),
    metrics: createHistoryMetrics(metrics),
  });
  const counted = async () => {
    const { records, unreadable, removed } = await keeper.round();
    const left = (await below.notes.range({ space: "states", prefix: key(prefix) })).length;
    return { records, unreadable, removed, left };
  };
  assert.deepEqual(await counted(), { records: 1, unreadable: 4, removed: 0, left: 5 });
  time += 23 * hour;
  // That of b was made after those of the lost one: when it is too old, they are. Of secrets nothing tells that.
  assert.deepEqual(await counted(), { records: 0, unreadable: 4, removed: 1, left: 4 });
  assert.deepEqual(await counted(), { records: 0, unreadable: 2, removed: 2, left: 2 });
  const page = await metrics.text();
  const value = (name: string): number =>
    Number(
      page
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.split(" ")[1],
    );
  assert.equal(value("orch_object_history_unreadable_records"), 2);
  assert.equal(value("orch_object_history_records"), 0);
  assert.equal(value("orch_object_history_bytes"), 0);
  assert.equal(value("orch_object_history_removed_records_total"), 3);
  assert.equal(value('orch_object_history_rounds_total{result="success"}'), 3);
  assert.equal(value('orch_object_history_rounds_total{result="failure"}'), 0);
  await store.close();
});

/** An object with so many changes, told to a keeper; what its history looks like when it was cut. */
async function busy(texts: readonly (string | undefined)[], maxStates: number): Promise<readonly number[]> {
  const store = await openMemoryStore({ prefix });
  const at = key(`${prefix}configmaps/ns/busy`);
  const removing: Promise<void>[] = [];
  const notes: Store["notes"] = {
    ...store.notes,
    async remove(space, keys) {
      const removed = store.notes.remove(space, keys);
      removing.push(removed);
      await removed;
    },
  };
  const policy = { maxBytes: 1 << 30, rules: [rule({ limits: { maxAgeMs: 24 * hour, maxStates } })] };
  const log = (what: string): void => assert.fail(what);
  const deps = { storePrefix: prefix, catalog, policy, owns: () => true, now: () => now, log };
  const keeper = createKeeper({ ...deps, store: { ...store, notes } });
  for (const text of texts) {
    const before = await store.get(at);
    const after = text === undefined ? undefined : Buffer.from(text);
    const names = { verb: "update", subresource: "", user: "ann", manager: "", userAgent: "", auditId: "" };
    const value = encodeRecord({ ...names, time: now }, { before, after });
    const space = after === undefined ? "deleted" : "states";
    const note = { space, key: noteKeyOf(at, before?.revision ?? 0, `uid-${text}`), value } as const;
    const swap = await store.swap({ key: at, expected: before?.revision ?? revision(0), value: after, note });
    assert.ok(swap.done);
    keeper.noted(note);
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(removing);
  const left = await Promise.all(
    (["states", "deleted"] as const).map((space) => store.notes.range({ space, prefix: at })),
  );
  await store.close();
  return left
    .flat()
    .map((note) => note.revision)
    .sort((a, b) => a - b);
}

const upTo = (from: number, to: number): readonly number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test("of a busy object the oldest changes go when fifty more were made, and no others", async () => {
  const texts = upTo(1, 120).map((i) => `state ${i}`);
  assert.deepEqual(await busy(texts, 10), upTo(91, 120));
  assert.deepEqual(await busy(texts, 1000), upTo(1, 120));
});

test("an object that came and went is cut by its changes, not by the order of their keys", async () => {
  const life = (of: string): readonly (string | undefined)[] => [...upTo(1, 23).map((i) => `${of} ${i}`), undefined];
  assert.deepEqual(await busy([..."abcd"].flatMap(life), 10), upTo(41, 96));
});

test("an object whose records are large has fewer of them", async () => {
  const store = await openMemoryStore({ prefix });
  const random = (): string => Array.from({ length: 60_000 }, () => Math.random().toString(36).slice(2, 12)).join("");
  for (let i = 0; i < 26; i++) await write(store, "configmaps/ns/large", [1], random());
  const { notes, bytes } = await kept(store, { rules: [rule({ limits: { maxAgeMs: 24 * hour, maxStates: 100 } })] });
  assert.ok(notes.length < 26 && notes.length > 10, `${notes.length}`);
  assert.ok(bytes <= 8 << 20, `${bytes}`);
  await store.close();
});
