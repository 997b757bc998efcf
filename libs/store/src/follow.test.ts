import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { expired, unavailable } from "@orch/status/api-error.js";
import { createFollowing, type Follower, type FollowOptions } from "./follow.js";
import { key, noRevision, revision } from "./revision.js";
import { StoreSetBack } from "./set-back.js";
import { drive, line } from "./testing/drive.js";
import { openEmbeddedFixture } from "./testing/embedded-fixture.js";
import { interruptedStore } from "./testing/interrupted-store.js";

/** A store, somebody who follows it and notes a line for whatever he is told, and the log. */
async function bed(t: TestContext, more: Partial<FollowOptions> & { readonly refuse?: (told: string) => void } = {}) {
  const fixture = await openEmbeddedFixture();
  const store = interruptedStore(fixture.store);
  const d = drive(store, fixture.prefix);
  const told: string[] = [];
  const log: string[] = [];
  const pauses: number[] = [];
  const overs: AbortSignal[] = [];
  const reached: number[] = [];
  const note = (text: string): void => {
    more.refuse?.(text);
    told.push(text);
  };
  const nameOf = (at: string): string => at.slice(fixture.prefix.length);
  const follower: Follower = {
    load(over) {
      overs.push(over);
      const all: string[] = [];
      return {
        add({ entries, damaged = [] }) {
          for (const entry of entries) all.push(`${nameOf(entry.key)}=${entry.value.toString()}`);
          for (const damage of damaged) all.push(`!${nameOf(damage.key)}`);
        },
        done: () => note(["all:", ...all].join(" ")),
      };
    },
    changed(events) {
      for (const event of events) note(line(event, fixture.prefix, () => "").replaceAll("@", ""));
    },
    reached: (at) => void reached.push(at),
    setBack: () => note("set back"),
  };
  const following = createFollowing({
    ...{ store, prefix: key(fixture.prefix), follower, subject: "it" },
    log: (what, error) => void log.push(`${what}: ${String(error)}`),
    pause: async (ms) => void pauses.push(ms),
    ...more,
  });
  const abort = new AbortController();
  let running: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    abort.abort();
    await running;
  };
  t.after(async () => {
    await stop();
    await fixture.cleanup();
  });
  const run = (): void => {
    running = following.run(abort.signal);
  };
  /** Until so many lines are told and a watch is open. */
  const until = async (count: number): Promise<void> => {
    while (told.length < count || store.openWatches === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  return { store, d, told, log, pauses, overs, reached, following, run, until, stop };
}

test("everything is told at one revision, then every change in order", async (t) => {
  const { d, told, log, run, until } = await bed(t);
  const a = await d.put("a", 0, "1");
  run();
  await until(1);
  const b = await d.put("b", 0, "1");
  await d.put("a", a, "2");
  await d.remove("b", b);
  await until(4);
  assert.deepEqual(told, ["all: a=1", "+b=1", "~a=2 (1)", "-b (1)"]);
  assert.deepEqual(log, []);
});

test("a change that comes while pages are read is told after them", async (t) => {
  const { d, store, told, run, until } = await bed(t);
  await d.put("a", 0, "1");
  const range = store.range;
  store.range = async (query) => {
    const page = await range(query);
    store.range = range;
    await d.put("b", 0, "1");
    return page;
  };
  run();
  await until(2);
  assert.deepEqual(told, ["all: a=1", "+b=1"]);
});

for (const [name, error] of [
  ["history that is gone", expired("compacted")],
  ["a store that was set back", new StoreSetBack("another one")],
] as const) {
  test(`after ${name} everything is told anew, at once and without a word in the log`, async (t) => {
    const { d, store, told, log, pauses, overs, run, until } = await bed(t);
    await d.put("a", 0, "1");
    run();
    await until(1);
    await d.put("b", 0, "1");
    await until(2);
    store.endWatches(error);
    const setBack = error instanceof StoreSetBack ? ["set back"] : [];
    await until(3 + setBack.length);
    assert.deepEqual(told, ["all: a=1", "+b=1", ...setBack, "all: a=1 b=1"]);
    assert.deepEqual([log, pauses], [[], []]);
    assert.deepEqual(
      overs.map((over) => over.aborted),
      [true, false],
    );
  });
}

test("a failure is logged once, and everything is told anew after a pause", async (t) => {
  const { d, store, told, log, pauses, run, until } = await bed(t);
  await d.put("a", 0, "1");
  store.failLoad(unavailable("away"));
  store.failLoad(unavailable("still away"));
  run();
  await until(1);
  store.endWatches(new Error("broken"));
  await until(2);
  assert.deepEqual(told, ["all: a=1", "all: a=1"]);
  assert.equal(log.length, 3);
  assert.match(log.join("\n"), /following it failed.*away\n.*still away\n.*broken/);
  assert.deepEqual(pauses, [500, 500, 500]);
});

test("a change that cannot be read is told as such where its key is known, and is a gap where it is not", async (t) => {
  const { d, store, told, log, run, until } = await bed(t);
  const a = await d.put("a", 0, "1");
  run();
  await until(1);
  store.tell([{ type: "damaged", key: d.key("b"), revision: revision(a + 1), why: "flipped" }]);
  await until(2);
  store.tell([{ type: "damaged", key: undefined, revision: revision(a + 2), why: "flipped" }]);
  await until(3);
  assert.deepEqual(told, ["all: a=1", "!b", "all: a=1"]);
  assert.deepEqual(log, []);
});

test("entries that cannot be read are told beside the rest of a load", async (t) => {
  const { d, store, told, run, until } = await bed(t);
  const a = await d.put("a", 0, "1");
  const range = store.range;
  store.range = async (query) => {
    assert.equal(query.damaged, "told");
    return { ...(await range(query)), count: 2, damaged: [{ key: d.key("b"), revision: a, why: "flipped" }] };
  };
  run();
  await until(1);
  assert.deepEqual(told, ["all: a=1 !b"]);
});

test("a follower that cannot go on from a change is told everything anew; its fault is logged", async (t) => {
  const refusals = [expired("not this one"), new TypeError("a fault")];
  const refuse = (text: string): void => {
    const refusal = text.startsWith("all:") ? undefined : refusals.shift();
    if (refusal !== undefined) throw refusal;
  };
  const { d, told, log, pauses, run, until } = await bed(t, { refuse });
  run();
  await until(1);
  await d.put("a", 0, "1");
  await until(2);
  assert.deepEqual([log, pauses], [[], []]);
  await d.put("b", 0, "1");
  await until(3);
  assert.deepEqual(told, ["all:", "all: a=1", "all: a=1 b=1"]);
  assert.deepEqual(log, ["following it failed; loading anew: TypeError: a fault"]);
});

test("a follower that fails when it is told of a set-back is told everything anew all the same", async (t) => {
  const refuse = (text: string): void => {
    if (text === "set back") throw new TypeError("a fault");
  };
  const { store, told, log, run, until } = await bed(t, { refuse });
  run();
  await until(1);
  store.endWatches(new StoreSetBack("another one"));
  await until(2);
  assert.deepEqual(told, ["all:", "all:"]);
  assert.deepEqual(log, ["following it failed; loading anew: TypeError: a fault"]);
});

test("progress is told, and a watch that ends by itself is a gap", async (t) => {
  const { store, told, log, reached, run, until } = await bed(t);
  const watch = store.watch;
  store.watch = async function* () {
    store.watch = watch;
    yield { type: "progress", revision: revision(700) };
  };
  run();
  await until(2);
  assert.deepEqual(told, ["all:", "all:"]);
  assert.equal(reached[0], 700);
  assert.deepEqual(log, []);
});

test("a stop settles while the store is away, and nothing is told after it", async (t) => {
  const { d, store, told, log, run, stop } = await bed(t);
  await d.put("a", 0, "1");
  const free = store.holdLoads();
  run();
  await stop();
  free();
  await d.put("b", 0, "1");
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual([told, log], [[], []]);
});

test("a pause ends by the signal", async (t) => {
  let paused: AbortSignal | undefined;
  const pause = (_ms: number, signal: AbortSignal): Promise<void> => {
    paused = signal;
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  };
  const { store, run, stop } = await bed(t, { pause });
  store.failLoad(new Error("broken"));
  run();
  while (paused === undefined) await new Promise((resolve) => setImmediate(resolve));
  await stop();
  assert.equal(store.loads, 1);
});

test("whoever asks for it is told anew, also in the middle of a load", async (t) => {
  const { d, store, told, log, overs, following, run, until } = await bed(t);
  await d.put("a", 0, "1");
  const free = store.holdLoads();
  run();
  following.anew();
  free();
  await until(1);
  following.anew();
  await until(2);
  assert.deepEqual(told, ["all: a=1", "all: a=1"]);
  assert.deepEqual(log, []);
  assert.equal(overs.length, 3);
});

test("a load that has begun already is taken in, once", async (t) => {
  const { d, store, told, following, run, until } = await bed(t, {
    begun: (async function* () {
      yield { entries: [], revision: noRevision, count: 0 };
    })(),
  });
  run();
  await until(1);
  assert.equal(store.loads, 0);
  await d.put("a", 0, "1");
  await until(2);
  following.anew();
  await until(3);
  assert.deepEqual(told, ["all:", "+a=1", "all: a=1"]);
});
