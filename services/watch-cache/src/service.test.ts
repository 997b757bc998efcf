import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { type Encoding, encodings, formText, plainForm, type Transform, transforms } from "@orch/render/form.js";
import { createBodyReader } from "@orch/render/testing/read-body.js";
import type { Chunk, ListRequest, Live } from "@orch/rpc/messages.js";
import { watchCacheList, watchCacheWatch } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { createMirror } from "./mirror/mirror.js";
import {
  listAll,
  naming,
  noKinds,
  openStore,
  put,
  receiver,
  startCache,
  until,
  watchAll,
} from "./testing/cache-fixture.js";

test("a list is held back by a client that takes it bit by bit, at every pause", async (t) => {
  const store = await openStore(t);
  for (let i = 0; i < 40; i++) await put(store, `big-${String(i).padStart(2, "0")}`, 250_000);
  const caller = startCache(t, store);
  const seen = receiver();
  const window = 1024 * 1024;
  const allowed = 2 * window + 600_000;
  let taken = 0;
  const subscription = caller.open(watchCacheList, listAll, {
    message(chunk) {
      seen.message(chunk);
      subscription.pause();
    },
    end: seen.end,
  });
  await until("the first chunk", () => seen.bytes() > 0);
  let done = false;
  void seen.ended.then(() => {
    done = true;
  });
  while (!done) {
    assert.ok(seen.bytes() - taken <= allowed, `${seen.bytes() - taken} bytes came unasked`);
    taken = seen.bytes();
    subscription.resume();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(JSON.parse(seen.chunks.join("")).items.length, 40);
});

test("the memory of a list's chunks is written to again only after it was given back", async (t) => {
  const store = await openStore(t);
  for (let i = 0; i < 30; i++) await put(store, `big-${i}`, 30_000 + i);
  const caller = startCache(t, store);
  const whole = receiver();
  caller.open(watchCacheList, listAll, whole);
  await whole.ended;
  // The store's revision moves: the cache writes its key of tokens.
  const itemsOf = (text: string): string => text.slice(text.indexOf('"items"'));
  const expected = itemsOf(whole.chunks.join(""));
  assert.equal(JSON.parse(`{${expected}`).items.length, 30);
  const used = new Set<ArrayBufferLike>();
  let chunks = 0;
  const turns = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await new Promise((next) => setImmediate(next));
  };
  /** Asks after some turns and reads each chunk ten turns after it came, as a slow client's socket does. */
  const readLate = async (after: number): Promise<string> => {
    await turns(after);
    return new Promise((resolve) => {
      const parts: string[] = [];
      const late: Promise<void>[] = [];
      const read = async ({ body, release }: Chunk): Promise<void> => {
        const at = parts.push("") - 1;
        await turns(10);
        parts[at] = body.toString();
        release?.();
      };
      caller.open(watchCacheList, listAll, {
        message(chunk) {
          chunks += 1;
          used.add(chunk.body.buffer);
          late.push(read(chunk));
        },
        end: () => void Promise.all(late).then(() => resolve(parts.join(""))),
      });
    });
  };
  for (let round = 0; round < 5; round++) {
    for (const text of await Promise.all([0, 3, 6, 20].map(readLate)))
      assert.ok(itemsOf(text) === expected, "the same bytes");
  }
  assert.ok(used.size < chunks / 2, `${used.size} pieces of memory for ${chunks} chunks`);
});

test("a watch opened before the first load begins with the state and no error", async (t) => {
  const store = await openStore(t);
  await put(store, "one", 1);
  const seen = receiver();
  startCache(t, store).open(watchCacheWatch, watchAll, seen);
  await until("the first event", () => seen.chunks.join("") !== "");
  assert.equal(JSON.parse(seen.chunks.join("").split("\n")[0] ?? "").type, "ADDED");
});

test("events carry when they came and how many they are; what is sent before them does not", async (t) => {
  const store = await openStore(t);
  await put(store, "one", 1);
  const lives: (Live | undefined)[] = [];
  const began = Date.now();
  startCache(t, store).open(watchCacheWatch, watchAll, {
    message: ({ live }) => void lives.push(live),
    end: () => {},
  });
  await until("the initial event", () => lives.length === 2);
  await Promise.all(["two", "three"].map((name) => put(store, name, 1)));
  const events = (): number => lives.reduce((sum, live) => sum + (live?.events ?? 0), 0);
  await until("two events", () => events() === 2);
  assert.deepEqual(lives.slice(0, 2), [undefined, undefined], "acceptance and the initial event");
  for (const live of lives.slice(2)) assert.ok(live !== undefined && live.since >= began && live.since <= Date.now());
});

test("a watcher that does not read is ended with an error, so that nothing stays queued for it", async (t) => {
  const store = await openStore(t);
  await put(store, "one", 1);
  const caller = startCache(t, store, { maxPendingBytes: 500_000 });
  const seen = receiver();
  const subscription = caller.open(watchCacheWatch, watchAll, seen);
  await until("the first event", () => seen.chunks.join("") !== "");
  subscription.pause();
  for (let i = 0; i < 12; i++) await put(store, "one", 200_000 + i);
  subscription.resume();
  const error = await seen.ended;
  assert.equal(error?.reason, "Timeout");
  assert.ok(seen.bytes() < 2_400_000, "what was queued is dropped");
});

test("a load that is stopped in the middle never shows", async (t) => {
  const store = await openStore(t);
  await put(store, "one", 1);
  await put(store, "two", 1);
  const abort = new AbortController();
  const half: Store = {
    ...store,
    async range(query) {
      const page = await store.range({ ...query, limit: 1 });
      abort.abort();
      return page;
    },
  };
  const mirror = createMirror({
    store: half,
    prefix: key(naming.storePrefix),
    ...noKinds,
    history: { keepMs: 1000, maxBytes: 1000, now: () => 0 },
    stamp: () => 0,
    onError: (what) => assert.fail(what),
  });
  await mirror.run(abort.signal);
  assert.equal(mirror.loaded, false);
});

test("pages of a list are its state as it began, whatever is written meanwhile", async (t) => {
  const store = await openStore(t);
  const names = Array.from({ length: 7 }, (_, i) => `n${i}`);
  for (const name of names) await put(store, name, 1);
  const caller = startCache(t, store);
  const list = async (request: Partial<ListRequest>) => {
    const seen = receiver();
    caller.open(watchCacheList, { ...listAll, ...request }, seen);
    const error = await seen.ended;
    if (error !== undefined) throw error;
    return JSON.parse(seen.chunks.join("")) as {
      metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
      items: { metadata: { name: string } }[];
    };
  };
  const versions = new Set<string>();
  const found: string[] = [];
  let continueToken = "";
  do {
    const page = await list({ limit: 3, continueToken });
    versions.add(page.metadata.resourceVersion);
    found.push(...page.items.map((item) => item.metadata.name));
    assert.equal(page.metadata.remainingItemCount ?? 0, names.length - found.length);
    continueToken = page.metadata.continue ?? "";
    // What comes meanwhile is not shown.
    await put(store, `n0-${found.length}`, 1);
  } while (continueToken !== "");
  assert.deepEqual(found, names);
  assert.equal(versions.size, 1);
});

test("a page may come from another cache than the one before it, or from one that was started anew", async (t) => {
  const store = await openStore(t);
  for (const name of ["a", "b", "c", "d"]) await put(store, name, 1);
  const page = async (caller: Caller, continueToken: string) => {
    const seen = receiver();
    caller.open(watchCacheList, { ...listAll, limit: 1, continueToken }, seen);
    const error = await seen.ended;
    if (error !== undefined) throw error;
    return JSON.parse(seen.chunks.join("")) as {
      metadata: { continue?: string; remainingItemCount?: number };
      items: { metadata: { name: string } }[];
    };
  };
  let token = "";
  const found: string[] = [];
  const left: (number | undefined)[] = [];
  do {
    const { metadata, items } = await page(startCache(t, store), token);
    found.push(...items.map((item) => item.metadata.name));
    left.push(metadata.remainingItemCount);
    token = metadata.continue ?? "";
    await put(store, "ab", found.length);
  } while (token !== "");
  assert.deepEqual(found, ["a", "b", "c", "d"]);
  assert.deepEqual(left, [3, 2, 1, undefined]);
});

test("a streaming list of a version that does not come in time begins, and ends with an ERROR event in its form", async (t) => {
  const store = await openStore(t);
  await put(store, "one", 1);
  const caller = startCache(t, store, { waitMs: 50 });
  const reader = createBodyReader(loadCatalog(naming));
  const query = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", resourceVersion: "9000000000000" };
  // Tables are JSON.
  const pairs = encodings.flatMap((encoding) => transforms.map((as) => ({ encoding, as })));
  const rows = pairs.filter(({ encoding, as }) => encoding === "json" || as !== "Table");
  const streams = rows.map(async ({ encoding, as }) => {
    const frames: Buffer[] = [];
    const request = { ...watchAll, ...query, allowBookmarks: true, form: formText({ ...plainForm, encoding, as }) };
    const error = await new Promise((end) => {
      caller.open(watchCacheWatch, request, { message: ({ body }) => void frames.push(Buffer.from(body)), end });
    });
    return { encoding, error, frames };
  });
  for (const { encoding, error, frames } of await Promise.all(streams)) {
    const [accepted, frame] = frames;
    assert.ok(frame);
    assert.deepEqual([error, frames.length, accepted?.length], [undefined, 2, 0]);
    const { type, object } = reader.event(encoding, frame);
    assert.deepEqual([type, object["kind"], object["code"], object["reason"]], ["ERROR", "Status", 504, "Timeout"]);
    assert.match(String(object["message"]), /^Timeout: Too large resource version: 9000000000000, current: \d+$/);
    assert.match(JSON.stringify(object["details"]), /"ResourceVersionTooLarge"/, encoding);
  }
});

test("lists and watches tell objects in the form that was asked for, a form that there is not is refused", async (t) => {
  const store = await openStore(t);
  await put(store, "one", 1);
  const caller = startCache(t, store);
  const reader = createBodyReader(loadCatalog(naming));
  const asked: readonly (readonly [Encoding, Transform, kind: string, list: string])[] = [
    ["json", "Object", "ConfigMap", "ConfigMapList"],
    ["protobuf", "Object", "ConfigMap", "ConfigMapList"],
    ["cbor", "Object", "ConfigMap", "ConfigMapList"],
    ["protobuf", "PartialObjectMetadata", "PartialObjectMetadata", "PartialObjectMetadataList"],
    ["json", "Table", "Table", "Table"],
  ];
  const watched = asked.map(([encoding, as, kind, listKind]) => {
    const form = formText({ ...plainForm, encoding, as });
    const frames: Buffer[] = [];
    caller.open(
      watchCacheWatch,
      { ...watchAll, form },
      { message: ({ body }) => void (body.length > 0 && frames.push(Buffer.from(body))), end: () => {} },
    );
    return { encoding, kind, listKind, form, frames };
  });
  await until("the first events", () => watched.every(({ frames }) => frames.length === 1));
  await put(store, "one", 2);
  await until("the second events", () => watched.every(({ frames }) => frames.length === 2));
  for (const { encoding, kind, listKind, form, frames } of watched) {
    const events = frames.map((frame) => reader.event(encoding, frame));
    assert.deepEqual(
      events.map(({ type, object }) => `${type} ${String(object["kind"])}`),
      [`ADDED ${kind}`, `MODIFIED ${kind}`],
    );
    const chunks: Buffer[] = [];
    const error = await new Promise((end) => {
      caller.open(
        watchCacheList,
        { ...listAll, form },
        { message: ({ body }) => void chunks.push(Buffer.from(body)), end },
      );
    });
    assert.equal(error, undefined);
    assert.equal(reader.body(encoding, Buffer.concat(chunks))["kind"], listKind);
  }
  const refused = receiver();
  caller.open(watchCacheWatch, { ...watchAll, form: "xml" }, refused);
  assert.equal((await refused.ended)?.reason, "BadRequest");
});
