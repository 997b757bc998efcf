import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { silentLog } from "@orch/runtime/log.js";
import { programMissing } from "@orch/store/testing/etcd-server.js";
import { createSharedBuckets, type SharedBuckets } from "./shared-buckets.js";
import { startRedis } from "./testing/redis-server.js";

const skip = programMissing("redis-server", "redis-server") ?? false;

function bucketsAt(t: TestContext, url: string): SharedBuckets {
  const buckets = createSharedBuckets({ url, prefix: "c1:" }, { log: silentLog });
  buckets.start();
  t.after(() => buckets.stop());
  return buckets;
}

/** Asks until Redis answers: connections take a moment. */
async function answered(buckets: SharedBuckets): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const there = await buckets.take([]).then(
      () => true,
      () => false,
    );
    if (there) return;
    await delay(10);
  }
  assert.fail("no answer");
}

test("two processes take from one bucket", { skip }, async (t) => {
  const server = await startRedis();
  t.after(() => server.stop());
  const [one, two] = [bucketsAt(t, server.url), bucketsAt(t, server.url)];
  await Promise.all([answered(one), answered(two)]);
  // Filled too slowly to matter here.
  const ask = (name: string, burst: number) => ({ name, qps: 0.001, burst });
  const all = Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? one : two).take([ask("a", 7), ask("b", 100)]));
  const taken = await Promise.all(all);
  assert.equal(taken.filter(([a]) => a === true).length, 7);
  assert.ok(
    taken.every(([, b]) => b === true),
    "a token is taken from each, whatever the others say",
  );
});

test("a bucket fills again, and is forgotten when it is full", { skip }, async (t) => {
  const server = await startRedis();
  t.after(() => server.stop());
  const buckets = bucketsAt(t, server.url);
  await answered(buckets);
  const take = async (): Promise<boolean> => (await buckets.take([{ name: "a", qps: 50, burst: 1 }]))[0] === true;
  assert.equal(await take(), true);
  for (let tries = 0; !(await take()); tries++) {
    assert.ok(tries < 500, "it never fills");
    await delay(10);
  }
});

test("while Redis is away the question is refused at once, and answered when it is there again", {
  skip,
}, async (t) => {
  const server = await startRedis();
  t.after(() => server.stop());
  const buckets = bucketsAt(t, server.url);
  await answered(buckets);
  await server.kill();
  await assert.rejects(buckets.take([{ name: "a", qps: 1, burst: 1 }]));
  await server.restart();
  await answered(buckets);
  assert.deepEqual(await buckets.take([{ name: "a", qps: 1, burst: 1 }]), [true]);
});

test("an address that is none is refused without being repeated", () => {
  assert.throws(
    () => createSharedBuckets({ url: "secret", prefix: "" }, { log: silentLog }),
    /no redis:\/\/ or rediss/,
  );
});
