import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import fc from "fast-check";
import type { Fixture } from "./conformance/conformance-fixture.js";
import { noRevision, type Revision } from "./revision.js";
import type { Store } from "./store.js";
import { drive, line, revisionOf } from "./testing/drive.js";
import { openEmbeddedFixture } from "./testing/embedded-fixture.js";
import { openEtcdFixture } from "./testing/etcd-fixture.js";
import { type EtcdServer, etcdMissing, startEtcd } from "./testing/etcd-server.js";
import { emptyModel, listed, type Model, shown, standing, swapped } from "./testing/model.js";

type Op =
  | {
      readonly type: "swap";
      readonly key: string;
      readonly guess: "right" | "absent" | "older";
      readonly remove: boolean;
    }
  | { readonly type: "list" | "watch" | "compact"; readonly part: number }
  | { readonly type: "reopen" };

const part = fc.double({ min: 0, max: 1, noNaN: true });
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant("swap" as const),
      key: fc.constantFrom("a", "a/1", "b", "c"),
      guess: fc.oneof(
        { weight: 5, arbitrary: fc.constant("right" as const) },
        fc.constantFrom("absent" as const, "older" as const),
      ),
      remove: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("list" as const), part }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("watch" as const), part }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("compact" as const), part }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("reopen" as const) }) },
);

/** One real store beside the model: its revision of each step of the model. */
interface Side {
  readonly fixture: Fixture;
  store: Store;
  readonly revisions: Revision[];
  watchers: Watcher[];
}

interface Watcher {
  readonly from: number;
  readonly stop: AbortController;
  readonly lines: string[];
  readonly ended: Promise<"ended" | "expired">;
}

function startWatcher(side: Side, from: number): Watcher {
  const stop = new AbortController();
  const lines: string[] = [];
  const { fixture, store, revisions } = side;
  const { prefix } = drive(store, fixture.prefix);
  const step = (revision: Revision): number => revisions.indexOf(revision) + 1;
  const run = async (): Promise<"ended" | "expired"> => {
    const query = { prefix, from: revisions[from - 1] ?? noRevision, signal: stop.signal };
    try {
      for await (const item of store.watch(query)) {
        if (item.type !== "events") continue;
        for (const event of item.events) {
          // The swap's answer, which tells the step, may come after its event.
          while (!revisions.includes(revisionOf(event)) && !stop.signal.aborted) await new Promise(setImmediate);
          lines.push(line(event, fixture.prefix, step));
        }
      }
      return "ended";
    } catch (error) {
      if (error instanceof ApiError && error.reason === "Expired") return "expired";
      throw error;
    }
  };
  return { from, stop, lines, ended: run() };
}

/** What a watcher brought is a gapless run of the model's steps; all of them when it had the time. */
function checkWatcher(model: Model, watcher: Watcher, ending: "ended" | "expired", complete: boolean): void {
  const expected = model.steps.map((_, i) => shown(model, i + 1)).slice(watcher.from - 1);
  if (ending === "expired") assert.ok(watcher.from <= model.compacted, "a watch expired without a compaction");
  else if (complete) assert.equal(watcher.lines.length, expected.length);
  assert.deepEqual(watcher.lines, expected.slice(0, watcher.lines.length));
}

async function stopWatchers(model: Model, side: Side, complete: boolean): Promise<void> {
  for (const watcher of side.watchers) {
    const all = model.steps.length - watcher.from + 1;
    let expired = false;
    void watcher.ended.then((ending) => {
      expired = ending === "expired";
    });
    const patience = performance.now() + 20_000;
    while (complete && !expired && watcher.lines.length < all && performance.now() < patience)
      await new Promise((r) => setTimeout(r, 2));
    watcher.stop.abort();
    checkWatcher(model, watcher, await watcher.ended, complete);
  }
  side.watchers = [];
}

async function swapBoth(model: Model, sides: readonly Side[], change: Op & { type: "swap" }): Promise<Model> {
  const stands = standing(model, change.key);
  const older = model.steps.findLastIndex((step, i) => step.key === change.key && i + 1 !== stands) + 1;
  const expected = { right: stands, absent: 0, older }[change.guess];
  const value = change.remove ? undefined : `v${model.steps.length}`;
  const next = swapped(model, { key: change.key, expected, value });
  for (const side of sides) {
    const swap = await side.store.swap({
      key: drive(side.store, side.fixture.prefix).key(change.key),
      expected: side.revisions[expected - 1] ?? noRevision,
      value: value === undefined ? undefined : Buffer.from(value),
    });
    assert.equal(swap.done, next.done);
    if (swap.done && next.model !== model) side.revisions.push(swap.revision);
    if (!swap.done) assert.equal(swap.current?.revision, stands === 0 ? undefined : side.revisions[stands - 1]);
  }
  return next.model;
}

async function list(side: Side, step: number): Promise<string> {
  return drive(side.store, side.fixture.prefix)
    .list(side.revisions[step - 1] ?? noRevision)
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.reason === "Expired") return "expired";
      throw error;
    });
}

async function apply(model: Model, sides: readonly Side[], next: Op): Promise<Model> {
  if (next.type === "swap") return swapBoth(model, sides, next);
  if (next.type === "reopen") {
    for (const side of sides) {
      await stopWatchers(model, side, false);
      side.store = (await side.fixture.reopen?.()) ?? side.store;
    }
    return model;
  }
  if (model.steps.length === 0) return model;
  const step = 1 + Math.floor(next.part * (model.steps.length - 1));
  for (const side of sides) {
    if (next.type === "list") assert.equal(await list(side, step), listed(model, step));
    if (next.type === "watch") side.watchers.push(startWatcher(side, step));
    if (next.type === "compact") await side.store.compact(side.revisions[step - 1] ?? noRevision);
  }
  return next.type === "compact" ? { ...model, compacted: Math.max(model.compacted, step) } : model;
}

async function runHistory(ops: readonly Op[], open: readonly (() => Promise<Fixture>)[]): Promise<void> {
  const fixtures = await Promise.all(open.map((one) => one()));
  const sides: Side[] = fixtures.map((fixture) => ({ fixture, store: fixture.store, revisions: [], watchers: [] }));
  try {
    let model = emptyModel;
    for (const next of ops) model = await apply(model, sides, next);
    for (const side of sides) {
      await stopWatchers(model, side, true);
      for (let step = 1; step <= model.steps.length; step++) assert.equal(await list(side, step), listed(model, step));
    }
  } finally {
    for (const side of sides) for (const watcher of side.watchers) watcher.stop.abort();
    await Promise.all(fixtures.map((fixture) => fixture.cleanup()));
  }
}

const history = fc.array(op, { minLength: 1, maxLength: 60, size: "max" });
const missing = etcdMissing();
let server: EtcdServer | undefined;
before(async () => {
  if (missing === undefined) server = await startEtcd();
});
after(() => server?.stop());

test("random histories with watchers, restarts and compactions give the model's answers on the embedded store", async () => {
  await fc.assert(
    fc.asyncProperty(history, (ops) => runHistory(ops, [openEmbeddedFixture])),
    { numRuns: 60 },
  );
});

test("random histories give the same answers on both stores", { skip: missing ?? false }, async () => {
  const openEtcd = (): Promise<Fixture> => openEtcdFixture({ endpoints: server?.endpoints ?? [] });
  await fc.assert(
    fc.asyncProperty(history, (ops) => runHistory(ops, [openEmbeddedFixture, openEtcd])),
    { numRuns: 30 },
  );
});
