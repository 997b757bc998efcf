import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { watchCacheGet, watchCacheWatch } from "@orch/rpc/methods.js";
import { key, revision } from "@orch/store/revision.js";
import { StoreSetBack } from "@orch/store/set-back.js";
import type { Store } from "@orch/store/store.js";
import { createMirror } from "./mirror/mirror.js";
import { naming, noKinds, openStore, put, receiver, startCache, until, watchAll } from "./testing/cache-fixture.js";

const getOne = { group: "", version: "v1", resource: "configmaps", namespace: "a", subresource: "", form: "" };

interface Event {
  readonly type: string;
  readonly object: {
    readonly code?: number;
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
  };
}

const eventsOf = (seen: ReturnType<typeof receiver>): Event[] =>
  seen.chunks
    .join("")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Event => JSON.parse(line));
const told = (seen: ReturnType<typeof receiver>): string[] =>
  eventsOf(seen).map(({ type, object }) =>
    type === "ERROR" ? `ERROR ${object.code}` : `${type} ${object.metadata.name}@${object.metadata.resourceVersion}`,
  );

test("a cache that has just started tells what was before, as far as the store knows it", async (t) => {
  const store = await openStore(t);
  const first = await store.revision();
  const names = ["one", "two", "one", "three", "one"];
  for (const [i, name] of names.entries()) await put(store, name, i);
  await store.compact(revision(first + 2));
  const caller = startCache(t, store);
  const expected = [`MODIFIED one@${first + 3}`, `ADDED three@${first + 4}`, `MODIFIED one@${first + 5}`];
  for (const after of [2, 3, 4]) {
    const seen = receiver();
    caller.open(watchCacheWatch, { ...watchAll, resourceVersion: String(first + after) }, seen);
    await until(`events after ${after}`, () => eventsOf(seen).length === 5 - after);
    assert.deepEqual(told(seen), expected.slice(after - 2));
  }
  const older = receiver();
  caller.open(watchCacheWatch, { ...watchAll, resourceVersion: String(first + 1) }, older);
  await older.ended;
  assert.deepEqual(told(older), ["ERROR 410"]);
});

test("what came before a start and what comes after it are one history", async (t) => {
  const store = await openStore(t);
  const versions: number[] = [];
  const write = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await put(store, "one", i);
      versions.push(await store.revision());
    }
  };
  await write();
  const caller = startCache(t, store);
  const watching = receiver();
  const resourceVersion = String(versions[0]);
  caller.open(watchCacheWatch, { ...watchAll, resourceVersion }, watching);
  await write();
  const expected = versions.slice(1).map((version) => `MODIFIED one@${version}`);
  await until("all of it", () => eventsOf(watching).length === 5);
  assert.deepEqual(told(watching), expected);
  const again = receiver();
  caller.open(watchCacheWatch, { ...watchAll, resourceVersion }, again);
  await until("all of it again", () => eventsOf(again).length === 5);
  assert.deepEqual(told(again), expected);
});

/** A store that can be set back behind the back of a watch, which stays open and says nothing: `one` was written nine times. */
async function openSetBack(t: TestContext) {
  const [ahead, behind] = [await openStore(t), await openStore(t)];
  for (let i = 0; i < 9; i++) await put(ahead, "one", i);
  await put(behind, "two", 1);
  let now = ahead;
  const store: Store = {
    ...ahead,
    revision: () => now.revision(),
    get: (key) => now.get(key),
    // What reads the past may have begun before.
    range: (query) => (query.at === undefined ? now : ahead).range(query),
    watch: (query) => now.watch(query),
  };
  const setBack = (): void => {
    now = behind;
  };
  return { store, behind, setBack };
}

test("a store that is set back: its watches end with 410, and no read shows what never was", async (t) => {
  const { store, behind, setBack } = await openSetBack(t);
  const caller = startCache(t, store);
  const watching = receiver();
  caller.open(watchCacheWatch, watchAll, watching);
  await until("the first event", () => eventsOf(watching).length > 0);
  setBack();
  const names = async (): Promise<string[]> => {
    const asked = ["one", "two"].map((name) =>
      caller.call(watchCacheGet, { ...getOne, name, resourceVersion: "" }).then(
        () => [name],
        () => [],
      ),
    );
    return (await Promise.all(asked)).flat();
  };
  // The first read that asks the store finds it out.
  assert.deepEqual(await names(), ["two"]);
  await watching.ended;
  assert.equal(told(watching).at(-1), "ERROR 410");
  const fresh = receiver();
  caller.open(watchCacheWatch, watchAll, fresh);
  await until("the state of now", () => eventsOf(fresh).length > 0);
  await put(behind, "three", 1);
  await until("what comes now", () => eventsOf(fresh).length > 1);
  assert.deepEqual(
    told(fresh).map((text) => text.split("@")[0]),
    ["ADDED two", "ADDED three"],
  );
});

test("a store that is set back while nobody reads or writes is noticed", async (t) => {
  const { store, setBack } = await openSetBack(t);
  const caller = startCache(t, store, { checkMs: 20 });
  const watching = receiver();
  caller.open(watchCacheWatch, watchAll, watching);
  await until("the first event", () => eventsOf(watching).length > 0);
  setBack();
  await watching.ended;
  assert.equal(told(watching).at(-1), "ERROR 410");
  const fresh = receiver();
  caller.open(watchCacheWatch, { ...watchAll, resourceVersion: "0" }, fresh);
  await until("the state of now", () => eventsOf(fresh).length > 0);
  assert.deepEqual(told(fresh)[0]?.split("@")[0], "ADDED two");
  // That the store has what it had then is no reason to do it again.
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(eventsOf(fresh).length, 1);
});

test("an answer of the store that comes when it was noticed already ends no watch of the state since", async (t) => {
  const { store, behind, setBack } = await openSetBack(t);
  const mirror = createMirror({
    ...{ store, prefix: key(naming.storePrefix), ...noKinds, stamp: () => 0 },
    history: { keepMs: 1000, maxBytes: 1000, now: () => 0 },
    onError: (what, error) => assert.fail(`${what}: ${String(error)}`),
  });
  const abort = new AbortController();
  const running = mirror.run(abort.signal);
  await mirror.whenLoaded();
  const [first, second, third] = [mirror.expectNoLess(), mirror.expectNoLess(), mirror.expectNoLess()];
  first(await store.revision());
  assert.equal(mirror.loaded, true);
  setBack();
  const older = await store.revision();
  second(older);
  assert.equal(mirror.loaded, false);
  await mirror.whenLoaded();
  await put(behind, "two", 2);
  await until("the write of now", () => mirror.gate.revision > older);
  third(older);
  assert.equal(mirror.loaded, true);
  abort.abort();
  await running;
});

test("when the watch of the store says that it was set back nothing is shown until it is loaded anew", async (t) => {
  const { store, setBack } = await openSetBack(t);
  let replaced = (): void => {};
  const noticed = new Promise<void>((resolve) => {
    replaced = resolve;
  });
  let free = (): void => {};
  const loads = new Promise<void>((resolve) => {
    free = resolve;
  });
  let rounds = 0;
  const caller = startCache(
    t,
    {
      ...store,
      async range(query) {
        if (rounds > 0) await loads;
        return store.range(query);
      },
      async *watch(query) {
        if (query.known === undefined || rounds++ > 0) {
          yield* store.watch(query);
          return;
        }
        await noticed;
        throw new StoreSetBack("the store was set back");
      },
    },
    { waitMs: 300 },
  );
  const watching = receiver();
  caller.open(watchCacheWatch, watchAll, watching);
  await until("the first event", () => eventsOf(watching).length > 0);
  setBack();
  replaced();
  await watching.ended;
  assert.equal(told(watching).at(-1), "ERROR 410");
  const get = (name: string) => caller.call(watchCacheGet, { ...getOne, name, resourceVersion: "0" });
  await assert.rejects(async () => get("one"), { reason: "ServiceUnavailable" });
  free();
  assert.match(String((await get("two")).body), /"two"/);
  await assert.rejects(async () => get("one"), { reason: "NotFound" });
});
