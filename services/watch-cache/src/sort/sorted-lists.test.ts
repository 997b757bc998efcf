import assert from "node:assert/strict";
import { before, type TestContext, test } from "node:test";
import type { ListRequest } from "@orch/rpc/messages.js";
import { watchCacheList } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { readJson } from "@orch/status/read-json.js";
import { key, noRevision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import fc from "fast-check";
import { listAll, naming, openStore, receiver, startCache } from "../testing/cache-fixture.js";
import { longestText, sortValue } from "./sort-value.js";

interface Listed {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly data?: { readonly n?: string };
}

const namespaces = ["a", "a-b", "b", "c", "d"];
const values = [undefined, "1", "10", "9", "2Ki", "100m", "x", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z"];
const count = 300;

async function fill(store: Store): Promise<void> {
  for (let i = 0; i < count; i++) {
    const namespace = namespaces[i % namespaces.length];
    const name = `m${i}`;
    const n = values[i % values.length];
    const metadata = { name, namespace, labels: { l: String(i % 3) } };
    const object = { kind: "ConfigMap", apiVersion: "v1", metadata, ...(n === undefined ? {} : { data: { n } }) };
    const at = key(`${naming.storePrefix}configmaps/${namespace}/${name}`);
    const value = Buffer.from(JSON.stringify(object));
    assert.ok((await store.swap({ key: at, expected: noRevision, value })).done);
  }
}

/** The items of a page, and how the next one is asked for. */
async function page(caller: Caller, request: Partial<ListRequest>) {
  const into = receiver();
  caller.open(watchCacheList, { ...listAll, namespace: "", ...request }, into);
  const error = await into.ended;
  if (error !== undefined) throw error;
  const { items, metadata }: { items: Listed[]; metadata: { continue?: string; remainingItemCount?: number } } =
    readJson(into.chunks.join(""));
  return { items, next: metadata.continue ?? "", left: metadata.remainingItemCount };
}

async function pages(caller: Caller, request: Partial<ListRequest>): Promise<readonly Listed[]> {
  const all: Listed[] = [];
  for (let { continueToken = "" } = request; ; ) {
    const { items, next } = await page(caller, { ...request, continueToken });
    all.push(...items);
    if (next === "") return all;
    continueToken = next;
  }
}

/** Told anew for the oracle: which kind of value a text is, and what it counts. */
const weights = new Map<string, number>([
  ...(["100m", "1", "9", "10", "2Ki"] as const).map((text, i) => [text, i] as const),
  ...(["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z"] as const).map((text, i) => [text, 100 + i] as const),
  ["x", 200],
]);

function naive(all: readonly Listed[], keys: readonly string[]): readonly Listed[] {
  const sortedBy = ({ metadata, data }: Listed, path: string): string | number | undefined => {
    if (path === "metadata.namespace") return metadata.namespace;
    return data?.n === undefined ? undefined : weights.get(data.n);
  };
  return [...all].sort((a, b) => {
    for (const sortKey of keys) {
      const down = sortKey.startsWith("-");
      const [left, right] = [a, b].map((each) => sortedBy(each, down ? sortKey.slice(1) : sortKey));
      if (left === right) continue;
      if (left === undefined) return 1;
      if (right === undefined) return -1;
      return left < right === down ? 1 : -1;
    }
    const [left, right] = [a, b].map(({ metadata: { namespace, name } }) => `${namespace}/${name}`);
    return (left ?? "") < (right ?? "") ? -1 : 1;
  });
}

async function filled(t: TestContext): Promise<Caller> {
  const store = await openStore(t);
  await fill(store);
  return startCache(t, store);
}

const choice = fc.record({
  seen: fc.option(fc.subarray([...namespaces, "nowhere"]), { nil: undefined }),
  label: fc.constantFrom("", "l=1", "l=1||l=2", "l!=0"),
  keys: fc.option(fc.subarray(["-data.n", "metadata.namespace"], { minLength: 1 }), { nil: undefined }),
  down: fc.boolean(),
  limit: fc.integer({ min: 1, max: 120 }),
});

test("lists of what may be seen, in any order and by pages, are what a filter of everything shows", async (t) => {
  const caller = await filled(t);
  const { items: everything } = await page(caller, {});
  assert.equal(everything.length, count);
  await fc.assert(
    fc.asyncProperty(choice, async ({ seen, label, keys, down, limit }) => {
      const { items: labelled } = await page(caller, { labelSelector: label });
      const visible = labelled.filter(({ metadata }) => seen?.includes(metadata.namespace) ?? true);
      const order = keys?.map((path) => (down ? path : path.replace("-", "")));
      const request = {
        labelSelector: label,
        ...(seen === undefined ? {} : { permitted: { namespaces: seen } }),
        ...(order === undefined ? {} : { sort: order.join() }),
      };
      const expected = order === undefined ? visible : naive(visible, order);
      assert.deepEqual((await page(caller, request)).items, expected);
      assert.deepEqual(await pages(caller, { ...request, limit }), expected);
    }),
    { numRuns: 60 },
  );
});

test("a sorted list goes on behind its last object, be that no longer among those that may be seen", async (t) => {
  const caller = await filled(t);
  const asked = { sort: "metadata.name", limit: 7 };
  const first = await page(caller, { ...asked, permitted: { namespaces: ["a", "b"] } });
  const last = first.items.at(-1)?.metadata.name ?? "";
  const all = await page(caller, { sort: "metadata.name", permitted: { namespaces: ["c"] } });
  const rest = await pages(caller, { ...asked, permitted: { namespaces: ["c"] }, continueToken: first.next });
  assert.deepEqual(
    rest,
    all.items.filter(({ metadata }) => metadata.name > last),
  );
  const foreign = page(caller, { sort: "-metadata.name", limit: 7, continueToken: first.next });
  await assert.rejects(foreign, /it was not made for this list/);
  assert.equal(first.left, undefined, "how many are left is not told of some namespaces");
  assert.equal((await page(caller, asked)).left, count - 7);
});

test("names and values may be any text, and of a long one its beginning counts", async (t) => {
  const store = await openStore(t);
  const texts = ["\u{1F600}", "\ud800", "\uffff", "", `${"z".repeat(longestText)}b`, `${"z".repeat(longestText)}a`];
  for (const [i, text] of texts.entries()) {
    const metadata = { name: `m${i}`, namespace: "q", annotations: { 'a"\u00e9': text, __proto__x: "1" } };
    const value = Buffer.from(JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata }));
    assert.ok(
      (await store.swap({ key: key(`${naming.storePrefix}configmaps/q/m${i}`), expected: noRevision, value })).done,
    );
  }
  const caller = await startCache(t, store);
  const sort = `metadata.annotations['a"\u00e9'],metadata.annotations['__proto__'],__proto__.constructor`;
  const { items } = await page(caller, { sort });
  assert.deepEqual(
    items.map(({ metadata: { name } }) => name),
    // By UTF-16 units, of which the last two have the same; a surrogate alone is stored as an escape.
    ["m3", "m4", "m5", "m1", "m0", "m2"],
  );
});

test("what cannot be sorted is refused", async (t) => {
  const caller = await filled(t);
  await assert.rejects(page(caller, { sort: "data,data.n" }), /one path is part of another/);
  await assert.rejects(page(caller, { sort: "a,b,c,d,e" }), /at most 4 paths/);
  const scalers = { group: "autoscaling", version: "v1", resource: "horizontalpodautoscalers" };
  await assert.rejects(
    page(caller, { ...scalers, sort: "spec.maxReplicas" }),
    /by metadata alone, not by spec.maxReplicas/,
  );
  assert.deepEqual((await page(caller, { ...scalers, sort: "metadata.name" })).items, []);
});

before(() => assert.deepEqual(new Set(weights.keys()), new Set(values.filter((value) => value !== undefined))));

test("what a field is compared by", () => {
  const ranks = ["true", "1.5", '"1Ki"', '"2026-01-01T00:00:00Z"', '"1Kx"', "null", "{}", "[1]"].map(
    (json) => sortValue(json)?.rank,
  );
  assert.deepEqual(ranks, [0, 1, 1, 2, 3, undefined, undefined, undefined]);
});
