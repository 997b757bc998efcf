import assert from "node:assert/strict";
import { test } from "node:test";
import { unavailable } from "@orch/status/api-error.js";
import { type Key, key, revision } from "./revision.js";
import type { Entry, Store } from "./store.js";
import { createTokenKey, type TokenKeyOptions } from "./token-key.js";

const at = key("/orch/watch-cache/continue-key");

/** A store of one key. */
function oneKeyStore() {
  let entry: Entry | undefined;
  let away = false;
  const store: TokenKeyOptions["store"] = {
    async get() {
      if (away) throw unavailable("away");
      return entry;
    },
    async swap({ key: of, value }) {
      if (entry !== undefined || value === undefined)
        return { done: false, ...(entry === undefined ? {} : { current: entry }) };
      entry = { key: of, value, revision: revision(1), created: revision(1) };
      return { done: true, revision: revision(1) };
    },
  };
  const setAway = (is: boolean): void => {
    away = is;
  };
  return { store, setAway, keyOf: (): Key | undefined => entry?.key };
}

test("all caches of a store have one key, whoever makes it", async () => {
  const { store, keyOf } = oneKeyStore();
  let made = 0;
  const random = (bytes: number): Buffer => Buffer.alloc(bytes, ++made);
  const caches = [1, 2, 3].map(() => createTokenKey({ store, storePrefix: "/orch/", random }));
  const keys = await Promise.all(caches.map((cache) => cache.get()));
  assert.equal(made, 3, "they raced");
  assert.equal(new Set(keys.map(String)).size, 1);
  assert.equal(keys[0]?.length, 32);
  assert.equal(keyOf(), at);
});

test("the key is asked for once, and again where the store was away or may be another", async () => {
  const one = oneKeyStore();
  let current: Pick<Store, "get" | "swap"> = one.store;
  const random = (bytes: number): Buffer => Buffer.alloc(bytes, 1);
  const cache = createTokenKey({
    store: { get: (of) => current.get(of), swap: (change) => current.swap(change) },
    storePrefix: "/orch/",
    random,
  });
  one.setAway(true);
  await assert.rejects(cache.get(), { reason: "ServiceUnavailable" });
  one.setAway(false);
  const first = await cache.get();
  one.setAway(true);
  assert.equal(await cache.get(), first);
  cache.forget();
  current = oneKeyStore().store;
  await cache.get();
  assert.equal((await current.get(at))?.value.length, 32);
});
