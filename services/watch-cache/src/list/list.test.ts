import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import { createReadIndex } from "@orch/cache/read-index.js";
import { createNaming } from "@orch/naming/naming.js";
import type { ListRequest } from "@orch/rpc/messages.js";
import { createPacer } from "@orch/rpc/pacer.js";
import { openEmbeddedStore } from "@orch/store/embedded-store.js";
import { key, noRevision, revision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import fc from "fast-check";
import { definitionFeed } from "../definitions.js";
import { createFreshness } from "../freshness.js";
import { createMirror } from "../mirror/mirror.js";
import { createReadables } from "../readable.js";
import { createRenditions } from "../renditions/renditions.js";
import { createSorted } from "../sort/sorted.js";
import { noWebhook } from "../testing/no-webhook.js";
import { type ListDeps, list } from "./list.js";
import type { ListBody } from "./list-body.js";

const naming = createNaming("orch");
const catalog = loadCatalog(naming);
const live = createLiveCatalog(catalog);
const readables = createReadables(live, naming.storePrefix);
const renditions = createRenditions({
  ...{ catalog, metaGroup: naming.metaGroup, wallClock: () => 0, hotBytes: 1000 },
  convert: noWebhook,
});
const maps = { group: "", version: "v1", resource: "configmaps" };
const readable = readables.of(maps) ?? assert.fail("no ConfigMap");
const rendition = renditions.of(readable.kind, "");
const unset: ListRequest = {
  ...maps,
  namespace: "",
  labelSelector: "",
  fieldSelector: "",
  resourceVersion: "",
  resourceVersionMatch: "",
  form: "",
  limit: 0,
  continueToken: "",
  gzip: false,
};

/** A cache on a store of its own: lists of it from memory, and the same read from the store. */
async function start(t: TestContext) {
  const path = await mkdtemp(join(tmpdir(), "orch-list-"));
  const real = await openEmbeddedStore({ path, prefix: naming.storePrefix });
  let ranges = 0;
  const store: Store = {
    ...real,
    range(query) {
      ranges += 1;
      return real.range(query);
    },
  };
  const mirror = createMirror({
    store,
    prefix: key(naming.storePrefix),
    readables,
    definitions: definitionFeed(live),
    stamp: () => 0,
    history: { keepMs: 60_000, maxBytes: 1e8, now: () => 0 },
    onError: (what, error) => assert.fail(`${what}: ${String(error)}`),
  });
  const readIndex = createReadIndex({
    fetch: () => store.revision(),
    patienceMs: 3000,
    late: () => assert.fail("the store does not answer"),
  });
  const freshness = createFreshness(mirror, readIndex, { waitMs: 3000, stallMs: 1000 });
  const tokenKey = { get: async () => Buffer.alloc(32, 1), forget: () => {} };
  const sorted = createSorted(createPacer(setImmediate));
  const deps: ListDeps = {
    mirror,
    store,
    freshness,
    tokenKey,
    sorted,
    refuseBehind: () => {},
    metaGroup: naming.metaGroup,
  };
  const abort = new AbortController();
  const running = mirror.run(abort.signal);
  await mirror.whenLoaded();
  await mirror.recalled();
  t.after(async () => {
    abort.abort();
    await running;
    await store.close();
    await rm(path, { recursive: true, force: true });
  });
  const bytes = (body: ListBody): string => Buffer.concat([...rendition.list(body).chunks]).toString();
  return {
    store,
    ranges: () => ranges,
    fromMemory: async (request: Partial<ListRequest>) => bytes(await list(deps, readable, { ...unset, ...request })),
    fromStore: async (request: Partial<ListRequest>) =>
      bytes(await list({ ...deps, freshness: { source: async () => "store" } }, readable, { ...unset, ...request })),
    /** Writes an object, or deletes it where there is nothing to write. */
    async write(namespace: string, name: string, color: string | undefined): Promise<void> {
      const at = key(`${readable.keyPrefix}${namespace}/${name}`);
      const expected = (await real.get(at))?.revision ?? noRevision;
      if (expected === noRevision && color === undefined) return;
      const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name, namespace, labels: { color } } };
      const value = color === undefined ? undefined : Buffer.from(JSON.stringify(object));
      assert.ok((await real.swap({ key: at, expected, value })).done);
    },
    caughtUp: async () => assert.ok(await mirror.gate.reach(await real.revision(), 5000)),
  };
}

type Parsed = { readonly metadata: { readonly continue?: string; readonly resourceVersion: string } };
const parsed = (text: string): Parsed => JSON.parse(text);

const colors = ["red", "blue", "rare", undefined];
const change = fc.record({
  namespace: fc.constantFrom("a", "b"),
  name: fc.nat(300).map((n) => `n${n}`),
  color: fc.constantFrom(...colors),
});
const asked = fc.record({
  namespace: fc.constantFrom("", "a", "b", "none"),
  labelSelector: fc.constantFrom("", "", "color=rare", "color", "color in (red,blue)", "color!=red"),
  fieldSelector: fc.constantFrom("", "", "", "metadata.namespace=b", "metadata.name=n7"),
  limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 50, max: 400 })),
});

test("pages from memory and pages from the store are the same bytes, whatever is written between them", async (t) => {
  const cache = await start(t);
  const every = Array.from({ length: 250 }, (_, i) => i);
  await Promise.all(every.map((i) => cache.write(i % 3 ? "a" : "b", `n${i}`, i % 40 ? "blue" : "rare")));
  let pages = 0;
  await fc.assert(
    fc.asyncProperty(asked, fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 6 }), async (query, rounds) => {
      let request: Partial<ListRequest> = query;
      for (const writes of [...rounds, []]) {
        await cache.caughtUp();
        const before = cache.ranges();
        const memory = await cache.fromMemory(request);
        assert.equal(cache.ranges(), before, "it is in memory");
        assert.equal(memory, await cache.fromStore(request));
        pages += 1;
        const { metadata } = parsed(memory);
        // The first page once more, by its version.
        const { limit, ...others } = query;
        const exact = { ...others, resourceVersion: metadata.resourceVersion, resourceVersionMatch: "Exact", limit };
        if (request === query) assert.equal(await cache.fromMemory(exact), memory);
        if (metadata.continue === undefined) break;
        request = { ...query, continueToken: metadata.continue };
        await Promise.all(distinct(writes).map((write) => cache.write(write.namespace, write.name, write.color)));
      }
    }),
    { numRuns: 60 },
  );
  assert.ok(pages > 60, "some lists have more than one page");
});

function distinct<W extends { readonly namespace: string; readonly name: string }>(writes: readonly W[]): readonly W[] {
  return [...new Map(writes.map((write) => [`${write.namespace}/${write.name}`, write])).values()];
}

test("a list that changes its selector on the way counts what is left, from memory as from the store", async (t) => {
  const cache = await start(t);
  for (const name of ["a", "b", "c", "d", "e"]) await cache.write("a", name, "red");
  await cache.caughtUp();
  const first = parsed(await cache.fromMemory({ limit: 2, labelSelector: "color=red" }));
  const request = { limit: 1, continueToken: first.metadata.continue ?? "" };
  await cache.write("a", "f", "red");
  await cache.caughtUp();
  const memory = await cache.fromMemory(request);
  assert.equal(JSON.parse(memory).metadata.remainingItemCount, 2);
  assert.equal(memory, await cache.fromStore(request));
});

test("a page whose version is forgotten is 410 with a token that goes on with the newest state", async (t) => {
  const cache = await start(t);
  for (const name of ["a", "b", "c"]) await cache.write("a", name, "red");
  await cache.caughtUp();
  const first = parsed(await cache.fromMemory({ limit: 1 }));
  // More lists that go on than are kept.
  for (let i = 0; i < 9; i++) {
    await cache.write("a", "d", `blue${i}`);
    await cache.caughtUp();
    await cache.fromMemory({ limit: 1 });
  }
  await cache.write("a", "d", undefined);
  await cache.write("a", "bb", "blue");
  await cache.caughtUp();
  const request = { limit: 2, continueToken: first.metadata.continue ?? "" };
  assert.deepEqual(names(await cache.fromMemory(request)), ["b", "c"], "the store has it still");
  await cache.store.compact(revision(await cache.store.revision()));
  const error: unknown = await cache.fromMemory(request).then(assert.fail, (thrown: unknown) => thrown);
  assert.ok(error instanceof Error && "metadata" in error);
  const { continue: again } = error.metadata as { readonly continue?: string };
  assert.match(error.message, /^The provided continue parameter is too old to display a consistent list result\./);
  const rest = await cache.fromMemory({ limit: 2, continueToken: again ?? "" });
  assert.deepEqual(names(rest), ["b", "bb"]);
  assert.equal(JSON.parse(rest).metadata.remainingItemCount, 1);
  const exact = { resourceVersion: first.metadata.resourceVersion, resourceVersionMatch: "Exact" };
  await assert.rejects(cache.fromMemory(exact), {
    code: 410,
    reason: "Expired",
    message: "The resourceVersion for the provided list is too old.",
  });
});

function names(text: string): readonly string[] {
  const { items }: { readonly items: readonly { readonly metadata: { readonly name: string } }[] } = JSON.parse(text);
  return items.map(({ metadata }) => metadata.name);
}
