import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { Chunk, ListRequest } from "@orch/rpc/messages.js";
import { watchCacheList } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { listAll, openStore, put, startCache } from "../testing/cache-fixture.js";

interface Answer {
  readonly name: string | undefined;
  readonly length: number | undefined;
  readonly first: Buffer;
  readonly bytes: Buffer;
  readonly chunks: number;
}

function ask(cache: Caller, request: Partial<ListRequest>): Promise<Answer> {
  const chunks: Chunk[] = [];
  return new Promise((resolve, reject) => {
    cache.open(
      watchCacheList,
      { ...listAll, ...request },
      {
        message: ({ body, ...told }) => void chunks.push({ ...told, body: Buffer.from(body) }),
        end(error) {
          const [first] = chunks;
          if (error !== undefined || first === undefined) return reject(error ?? new Error("nothing came"));
          const { rest: name, length } = first;
          const bytes = Buffer.concat(chunks.map(({ body }) => body));
          resolve({ name, length, bytes, first: first.body, chunks: chunks.length });
        },
      },
    );
  });
}

const objects = 200;

for (const gzip of [false, true]) {
  test(`the rest of a list that is kept is not sent again${gzip ? ", gzipped" : ""}`, async (t) => {
    const store = await openStore(t);
    for (let i = 0; i < objects; i++) await put(store, `map-${i}`, 1000);
    const [cache, other] = [startCache(t, store), startCache(t, store)];
    const text = ({ bytes }: Pick<Answer, "bytes">): string => (gzip ? gunzipSync(bytes) : bytes).toString();
    const twice = async (of: Caller): Promise<Answer> => {
      await ask(of, { gzip, kept: "" });
      return ask(of, { gzip, kept: "" });
    };
    const asked = async () => {
      const whole = await twice(cache);
      const name = whole.name ?? assert.fail("it has no name");
      const again = await ask(cache, { gzip, kept: name });
      const unnamed = await ask(cache, { gzip });
      const keepsAnother = await ask(cache, { gzip, kept: "of another list" });
      return { whole, name, again, unnamed, keepsAnother, elsewhere: await twice(other), after: await twice(cache) };
    };
    const versionOf = (answer: Answer): string => JSON.parse(text(answer)).metadata.resourceVersion;
    // The store's version moves on by itself now and then: what is compared is of one.
    let all = await asked();
    while (new Set([all.whole, all.elsewhere, all.after].map(versionOf)).size > 1) all = await asked();
    const { whole, name, again, unnamed, keepsAnother, elsewhere } = all;

    assert.equal(JSON.parse(text(whole)).items.length, objects);
    assert.equal(whole.length, whole.bytes.length);
    assert.deepEqual([again.chunks, again.name, again.length], [1, name, whole.length]);
    const assembled = Buffer.concat([again.first, whole.bytes.subarray(whole.first.length)]);
    assert.equal(text({ bytes: assembled }), text(whole));
    assert.equal(elsewhere.name, name, "another process that follows the same store names it so");
    assert.equal(unnamed.name, undefined, "who keeps none is told none");
    assert.equal(keepsAnother.bytes.length, whole.bytes.length);

    await put(store, "map-7", 1001);
    const changed = await ask(cache, { gzip, kept: name });
    assert.notEqual(changed.name, name);
    assert.equal(changed.length ?? 0, changed.bytes.length);
    assert.equal(JSON.parse(text(changed)).items.length, objects);
    assert.notEqual(text(changed), text(whole));
  });
}

test("a cache in the same process names nothing", async (t) => {
  const store = await openStore(t);
  for (let i = 0; i < objects; i++) await put(store, `map-${i}`, 10);
  const cache = startCache(t, store, { namesBodies: false });
  for (let i = 0; i < 3; i++) assert.equal((await ask(cache, { kept: "" })).name, undefined);
});
