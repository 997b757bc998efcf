import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { ListRequest } from "@orch/rpc/messages.js";
import { watchCacheList } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { readJson } from "@orch/status/read-json.js";
import { key, noRevision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { listAll, naming, openStore, startCache } from "../testing/cache-fixture.js";

const each = 100;

async function put(store: Store, namespace: string, name: string): Promise<void> {
  const at = key(`${naming.storePrefix}configmaps/${namespace}/${name}`);
  const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name, namespace, labels: { l: "1" } } };
  const value = Buffer.from(JSON.stringify({ ...object, data: { k: "x".repeat(2000) } }));
  const expected = (await store.get(at))?.revision ?? noRevision;
  assert.ok((await store.swap({ key: at, expected, value })).done);
}

/** How many objects it has of each namespace, and the name of its body. */
async function ask(cache: Caller, request: Partial<ListRequest>) {
  const chunks: Buffer[] = [];
  let name = "";
  await new Promise<void>((resolve, reject) => {
    cache.open(
      watchCacheList,
      { ...listAll, namespace: "", kept: "", ...request },
      {
        message({ body, rest }) {
          name = rest ?? name;
          chunks.push(Buffer.from(body));
        },
        end: (error) => (error === undefined ? resolve() : reject(error)),
      },
    );
  });
  const bytes = Buffer.concat(chunks);
  // A short one is not compressed.
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
  const { items }: { items: readonly { metadata: { namespace: string } }[] } = readJson(text);
  const counts = new Map<string, number>();
  for (const { metadata } of items) counts.set(metadata.namespace, (counts.get(metadata.namespace) ?? 0) + 1);
  return { counts: Object.fromEntries(counts), name };
}

const forms: readonly (readonly [what: string, request: Partial<ListRequest>])[] = [
  ["plain", {}],
  ["gzipped", { gzip: true }],
  ["by a label", { labelSelector: "l=1" }],
  ["sorted", { sort: "-metadata.name" }],
  ["of one field", { form: "?metadata.labels" }],
];

for (const [what, request] of forms) {
  test(`a body that is kept, ${what}, goes to nobody who may see other namespaces than it shows`, async (t) => {
    const store = await openStore(t);
    for (const namespace of ["a", "b", "c"]) {
      for (let i = 0; i < each; i++) await put(store, namespace, `m${i}`);
    }
    const cache = startCache(t, store);
    const seen = (...namespaces: readonly string[]) => ask(cache, { ...request, permitted: { namespaces } });
    // The third of the same goes out as it was joined for the second.
    for (let i = 0; i < 3; i++) assert.deepEqual((await seen("a", "b")).counts, { a: each, b: each });
    const { name } = await seen("b", "a");
    assert.notEqual(name, "");
    assert.deepEqual((await seen("a")).counts, { a: each }, "a right has gone away");
    assert.deepEqual((await seen("a", "c")).counts, { a: each, c: each }, "as many objects of another one");
    assert.deepEqual((await seen()).counts, {});
    assert.deepEqual((await ask(cache, request)).counts, { a: each, b: each, c: each });
    for (const namespaces of [["a"], ["a", "c"]]) {
      const told = await ask(cache, { ...request, permitted: { namespaces }, kept: name });
      assert.notEqual(told.name, name, "who has kept the body of before is not told that it is the same");
      assert.equal(Object.keys(told.counts).length, namespaces.length);
    }
    await put(store, "b", "new");
    assert.deepEqual((await seen("a", "b")).counts, { a: each, b: each + 1 });
  });
}
