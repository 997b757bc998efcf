import assert from "node:assert/strict";
import { test } from "node:test";
import { watchCacheGet, watchCacheList, watchCacheWatch } from "@orch/rpc/methods.js";
import { ApiError } from "@orch/status/api-error.js";
import { key, noRevision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { xor } from "@orch/store/testing/transformers.js";
import { transformed } from "@orch/store/transformed.js";
import { listAll, naming, openStore, put, receiver, startCache, until, watchAll } from "../testing/cache-fixture.js";

const getOne = { group: "", version: "v1", resource: "configmaps", namespace: "a", subresource: "", form: "" };
const at = (name: string) => key(`${naming.storePrefix}configmaps/a/${name}`);

/** Bytes that are no object, as another user of the store or a fault may leave them. */
async function putNoObject(store: Store, name: string): Promise<void> {
  const current = await store.get(at(name));
  const value = Buffer.from("no object");
  assert.ok((await store.swap({ key: at(name), expected: current?.revision ?? noRevision, value })).done);
}

const refusal = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 500 && error.message.includes(at("lost"));

/** It cannot be read to be written anew, behind a transformer at least. */
async function remove(store: Store, name: string): Promise<void> {
  const current = await store.get(at(name));
  assert.ok(current && (await store.swap({ key: at(name), expected: current.revision, value: undefined })).done);
}

const ways = (["while the cache follows", "before it starts"] as const).flatMap((when) => [
  { when, through: "", wrap: (store: Store) => store },
  { when, through: " through a transformer", wrap: (store: Store) => transformed(store, xor) },
]);

for (const { when, through, wrap } of ways) {
  test(`a put that cannot be read${through}, ${when}, is refused by name, and the object before it is shown no more`, async (t) => {
    const below = await openStore(t);
    const store = wrap(below);
    await put(store, "lost", 1);
    await put(store, "other", 1);
    if (when === "before it starts") await putNoObject(below, "lost");
    const caller = startCache(t, store, {}, () => undefined);
    const get = (name: string, resourceVersion: string): Promise<unknown> =>
      caller.call(watchCacheGet, { ...getOne, name, resourceVersion }, {});
    const list = async (labelSelector: string, namespace = "a"): Promise<ApiError | undefined> => {
      const seen = receiver();
      caller.open(watchCacheList, { ...listAll, namespace, labelSelector }, seen);
      return seen.ended;
    };
    const [all, one] = [receiver(), receiver()];
    if (when === "while the cache follows") {
      caller.open(watchCacheWatch, { ...watchAll, resourceVersion: "0" }, all);
      caller.open(watchCacheWatch, { ...watchAll, fieldSelector: "metadata.name=other", resourceVersion: "0" }, one);
      await until("both watch", () => all.chunks.join("").includes("other") && one.chunks.join("").includes("other"));
      await putNoObject(below, "lost");
      await until("told", () => all.chunks.join("").includes('"ERROR"'));
      assert.match(all.chunks.join(""), /"code":500/);
    }
    await assert.rejects(get("lost", ""), refusal);
    await assert.rejects(get("lost", "0"), refusal);
    assert.ok(await get("other", ""));
    assert.ok(refusal(await list("")));
    assert.ok(refusal(await list("no=such")));
    assert.equal(await list("", "b"), undefined);

    if (through !== "") await remove(below, "lost");
    await put(store, "lost", 2);
    await put(store, "other", 2);
    assert.ok(await get("lost", ""));
    assert.equal(await list(""), undefined);
    if (when === "while the cache follows") {
      await until("the other's change", () => one.chunks.join("").includes('"MODIFIED"'));
      assert.doesNotMatch(one.chunks.join(""), /ERROR/);
    }
  });
}

test("a watch that would resume across a put that cannot be read is Expired: nobody can tell it", async (t) => {
  const store = await openStore(t);
  await put(store, "lost", 1);
  const before = await store.revision();
  const caller = startCache(t, store, {}, () => undefined);
  await caller.call(watchCacheGet, { ...getOne, name: "lost", resourceVersion: "" }, {});
  await putNoObject(store, "lost");
  const unreadable = await store.revision();
  await put(store, "lost", 2);
  await caller.call(watchCacheGet, { ...getOne, name: "lost", resourceVersion: "" }, {});
  const seen = receiver();
  caller.open(watchCacheWatch, { ...watchAll, resourceVersion: String(before) }, seen);
  await seen.ended;
  assert.match(seen.chunks.join(""), /"ERROR".*"code":410/s);
  const after = receiver();
  caller.open(watchCacheWatch, { ...watchAll, resourceVersion: String(unreadable) }, after);
  await until("what came behind it", () => after.chunks.join("").includes('"ADDED"'));
});
