import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "@orch/runtime/clock.js";
import { programMissing } from "@orch/store/testing/etcd-server.js";
import { Redis } from "ioredis";
import { createSharedCache, type SharedCacheSettings, unsharedTtlMs } from "./redis-cache.js";
import { type RedisServer, startRedis } from "./testing/redis-server.js";

const skip = programMissing("redis-server", "redis-server") ?? false;
const secret = randomBytes(32);
const minute = 60_000;

interface Decision {
  readonly who: string;
}

const parse = (value: unknown): Decision | undefined =>
  typeof value === "object" && value !== null && "who" in value && typeof value.who === "string"
    ? { who: value.who }
    : undefined;

/** A gateway's cache; `skew` is by how much its clocks are ahead. */
function gateway(t: TestContext, settings: Partial<SharedCacheSettings> & { readonly url: string }) {
  const told: string[] = [];
  const lines: string[] = [];
  let skew = 0;
  const shared = createSharedCache(
    { secret, prefix: "c1:", ...settings },
    {
      clock: {
        ...systemClock,
        now: () => systemClock.now() + skew,
        monotonic: () => systemClock.monotonic() + skew,
        // What is looked after every few seconds is looked after often.
        after: (ms, run) => systemClock.after(ms / 100, run),
      },
      log: { info: (_, line) => void lines.push(line), warn: (_, line) => void lines.push(line) },
      observer: {
        looked: (_, found) => void told.push(found),
        failed: (operation) => void told.push(`failed ${operation}`),
      },
    },
  );
  const cache = shared.part("who", { parse });
  shared.start();
  t.after(() => shared.stop());
  /** As of now, from Redis if need be. */
  const get = async (key: string): Promise<string | undefined> => (await cache.get(key))?.who;
  return {
    ...cache,
    shared,
    cache,
    find: get,
    told,
    lines,
    ahead(ms: number) {
      skew += ms;
    },
  };
}

async function server(t: TestContext, options = {}): Promise<RedisServer> {
  const redis = await startRedis(options);
  t.after(() => redis.stop());
  return redis;
}

/** A client beside the gateways: an attacker, or somebody who looks. */
function beside(t: TestContext, url: string): Redis {
  const redis = new Redis(url, { disconnectTimeout: 100 });
  redis.on("error", () => {});
  t.after(() => redis.disconnect());
  return redis;
}

/** Waits until something is so; it does not matter how long that takes. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    if (await holds()) return;
    await delay(10);
  }
  assert.fail("it did not come to pass");
}

/** Whether what one keeps is found by the other: both are connected and listen. */
async function together(...gateways: readonly ReturnType<typeof gateway>[]): Promise<void> {
  for (const from of gateways) {
    for (const to of gateways) {
      if (from === to) continue;
      let i = 0;
      await until(async () => {
        const key = `probe${i++}`;
        from.set(key, { who: key }, minute);
        await delay(2);
        return (await to.find(key)) === key;
      });
    }
  }
}

test("what one gateway has decided the others know, and Redis learns no keys", { skip }, async (t) => {
  const redis = await server(t, { password: "pa:ss" });
  const url = redis.url.replace("pa:ss", "pa%3Ass");
  const [a, b] = [gateway(t, { url }), gateway(t, { url })];
  await together(a, b);
  a.set("s3cret", { who: "bob" }, minute);
  assert.deepEqual(a.cache.get("s3cret"), { who: "bob" }, "from memory, at once");
  await until(async () => (await b.find("s3cret")) === "bob");
  assert.deepEqual(b.cache.get("s3cret"), { who: "bob" });
  assert.equal(await b.find("other"), undefined);
  a.set("never", { who: "x" }, 0);
  assert.equal(await a.find("never"), undefined);

  const client = beside(t, url);
  const names = await client.keys("*");
  assert.ok(names.length > 0 && names.every((name) => /^c1:who:[-\w]{43}$/.test(name)), names.join());
  const texts = await client.mget(names);
  assert.doesNotMatch(names.join() + texts.join(), /s3cret/);
  for (const name of names) {
    const ms = await client.pttl(name);
    assert.ok(ms > 0 && ms <= minute);
  }
});

test("nobody who can write to Redis can make a decision, move one or keep it alive", { skip }, async (t) => {
  const { url } = await server(t);
  const [a, b] = [gateway(t, { url }), gateway(t, { url })];
  await together(a, b);
  const client = beside(t, url);
  a.set("admin", { who: "admin" }, minute);
  await until(async () => (await b.find("admin")) === "admin");
  const before = new Set(await client.keys("*"));
  a.set("bob", { who: "bob" }, 2000);
  await until(async () => (await client.keys("*")).length > before.size);
  const [bob = ""] = (await client.keys("*")).filter((name) => !before.has(name));
  const sealed = (await client.get(bob)) ?? "";
  const texts = await client.mget([...before]);
  const admin = texts.find((text) => text?.includes('"admin"')) ?? "";
  assert.match(sealed, /"bob"/);
  assert.match(admin, /"admin"/);

  const forged = [
    "",
    "x",
    JSON.stringify({ value: { who: "admin" }, until: systemClock.now() + minute }),
    sealed.replace('"bob"', '"admin"'),
    sealed.replace(/"until":\d+/, `"until":${systemClock.now() + minute}`),
    admin,
    `${"A".repeat(43)}{"until":9999999999999,"value":{"who":"admin"}}`,
    "x".repeat(100_000),
  ];
  const c = gateway(t, { url });
  await together(a, c);
  for (const text of forged) {
    c.told.length = 0;
    await client.set(bob, text);
    assert.equal(await c.find("bob"), undefined, text.slice(0, 100));
    assert.equal(c.told.includes("failed open"), text !== "");
  }
  // Put back as it was, but later than it may be believed.
  await client.set(bob, sealed);
  assert.equal(await b.find("bob"), "bob");
  const late = gateway(t, { url });
  await together(a, late);
  late.ahead(2000);
  assert.equal(await late.find("bob"), undefined);
  // Those with another secret have nothing to do with each other.
  const stranger = gateway(t, { url, secret: randomBytes(32) });
  stranger.set("admin", { who: "stranger" }, minute);
  await delay(20);
  assert.equal(await b.find("admin"), "admin");
});

test("what is no such decision, or of another cluster or part, is not taken", { skip }, async (t) => {
  const { url } = await server(t);
  const [a, b] = [gateway(t, { url }), gateway(t, { url })];
  await together(a, b);
  const odd = a.shared.part<number>("odd", { parse: () => 1 });
  odd.set("k", 7, minute);
  const strict = b.shared.part<string>("odd", { parse: (value) => (typeof value === "string" ? value : undefined) });
  await delay(20);
  assert.equal(await strict.get("k"), undefined);
  assert.equal(await b.find("k"), undefined);
  assert.throws(() => b.shared.part("odd", { parse: () => 1 }), /a part odd/);
  const elsewhere = gateway(t, { url, prefix: "c2:" });
  a.set("k", { who: "a" }, minute);
  await until(async () => (await b.find("k")) === "a");
  assert.equal(await elsewhere.find("k"), undefined);
});

test("an invalidation reaches everybody, and nothing of before comes back", { skip }, async (t) => {
  const { url } = await server(t);
  const [a, b, c] = [gateway(t, { url }), gateway(t, { url }), gateway(t, { url })];
  await together(a, b, c);
  a.set("k", { who: "bob" }, minute);
  await until(async () => (await b.find("k")) === "bob");
  b.invalidate("k");
  assert.equal(await b.find("k"), undefined);
  await until(() => a.cache.get("k") === undefined);
  // One that was asked before and is answered after.
  for (const each of [a, b, c]) {
    each.set("k", { who: "late" }, minute);
    assert.equal(await each.find("k"), undefined);
  }
  const fresh = gateway(t, { url });
  await together(a, fresh);
  fresh.set("k", { who: "unaware" }, minute);
  await delay(20);
  assert.equal(await c.find("k"), undefined, "the tombstone stays where it is");
  // Anybody may publish: that costs a question.
  a.set("l", { who: "l" }, minute);
  const client = beside(t, url);
  for (const name of ["", "x", "c1:who:", "x".repeat(5000), ...(await client.keys("*"))]) {
    await client.publish("c1:forget", name);
  }
  await until(() => a.cache.get("l") === undefined || a.cache.get("l") instanceof Promise);
});

test("Redis that dies is missed and not needed; when it is back all is as before", { skip }, async (t) => {
  const redis = await server(t);
  const [a, b] = [gateway(t, { url: redis.url }), gateway(t, { url: redis.url })];
  await together(a, b);
  a.set("k", { who: "old" }, minute);
  await until(async () => (await b.find("k")) === "old");
  await redis.kill();
  await until(() => b.cache.get("k") === undefined);
  await until(() => a.lines.length > 0);

  a.set("mine", { who: "a" }, minute);
  assert.deepEqual(a.cache.get("mine"), { who: "a" });
  assert.equal(b.cache.get("mine"), undefined);
  a.ahead(unsharedTtlMs);
  assert.equal(a.cache.get("mine"), undefined, "what nobody could invalidate is not believed for long");
  a.invalidate("k");

  await redis.restart();
  // The entry of before, as if Redis had kept it on disk.
  await together(a, b);
  assert.equal(await b.find("k"), undefined);
  b.set("k", { who: "b" }, minute);
  assert.equal(await a.find("k"), undefined, "it was told as soon as somebody could be told");
  a.set("new", { who: "a" }, minute);
  await until(async () => (await b.find("new")) === "a");
  assert.deepEqual(
    a.lines,
    ["the shared cache fails; decisions are not shared", "the shared cache is there again"],
    "an outage is told once",
  );
});

test("Redis that hangs costs a moment, then nothing", { skip }, async (t) => {
  const redis = await server(t);
  const [a, b] = [gateway(t, { url: redis.url }), gateway(t, { url: redis.url })];
  await together(a, b);
  b.set("told", { who: "b" }, minute);
  await delay(80);
  assert.deepEqual(b.lines, [], "a connection that answers is kept");
  await redis.kill("SIGSTOP");
  await until(() => b.cache.get("told") === undefined);
  const all = await Promise.all(Array.from({ length: 50 }, (_, i) => a.find(`k${i}`)));
  assert.ok(all.every((found) => found === undefined));
  assert.equal(a.cache.get("k"), undefined, "the connection is given up: nobody waits for it now");
  a.set("k", { who: "a" }, minute);
  assert.deepEqual(a.cache.get("k"), { who: "a" });
  await redis.kill("SIGCONT");
  await together(a, b);
});

test("Redis that was never there, or does not let us in, is no error", { skip }, async (t) => {
  const gone = await startRedis();
  await gone.stop();
  const secured = await server(t, { password: "right" });
  for (const url of [gone.url, secured.url.replace("right", "wr0ng"), secured.url.replace(":right@", "")]) {
    const a = gateway(t, { url });
    a.set("k", { who: "a" }, minute);
    assert.deepEqual(a.cache.get("k"), { who: "a" });
    a.invalidate("k");
    assert.equal(await a.find("k"), undefined);
    await until(() => a.lines.length > 0);
    assert.equal(await a.find("l"), undefined);
    assert.doesNotMatch(a.lines.join(), /wr0ng/);
  }
});

test("settings that cannot be are refused in words that show no password", () => {
  const deps = {
    clock: systemClock,
    log: { info: () => {}, warn: () => {} },
    observer: { looked: () => {}, failed: () => {} },
  };
  for (const url of ["", "localhost:6379", "/run/redis.sock", "http://u:s3cret@h", "redis//:s3cret@h"]) {
    assert.throws(
      () => createSharedCache({ url, secret, prefix: "" }, deps),
      (error) => error instanceof Error && /no redis:\/\//.test(error.message) && !/s3cret/.test(error.message),
    );
  }
  assert.throws(() => createSharedCache({ url: "redis://h", secret: randomBytes(16), prefix: "" }, deps), /32 bytes/);
});
