import assert from "node:assert/strict";
import { test } from "node:test";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { Chunk } from "@orch/rpc/messages.js";
import { watchCacheGet, watchCacheList, watchCacheWatch } from "@orch/rpc/methods.js";
import type { Sender } from "@orch/rpc/rpc.js";
import { createManualClock } from "@orch/runtime/clock.js";
import { badRequest, expired, notFound, unavailable } from "@orch/status/api-error.js";
import { callerSource } from "./caller-source.js";
import { objectSourceSuite } from "./object-source.suite.js";
import { createWatchCache } from "./testing/watch-cache.js";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const roles = { group: "rbac", version: "v1", resource: "roles" };

objectSourceSuite("a source of watch caches", async () => {
  const cache = createWatchCache();
  const clock = createManualClock();
  const log: string[] = [];
  return {
    source: callerSource({
      ...{ caches: () => cache.caller, clock },
      log: (what, error) => void log.push(`${what}: ${String(error)}`),
    }),
    collection: roles,
    log,
    put: async (name) => cache.put(name),
    remove: async (name) => cache.remove(name),
    gap: () => cache.endWatches(expired("compacted")),
    fault: () => cache.endWatches(badRequest("broken")),
    failLoad: cache.failList,
    holdLoads: cache.holdLists,
    get following() {
      return cache.openWatches > 0;
    },
    get loads() {
      return cache.lists;
    },
    pass: () => clock.advance(1000),
  };
});

/** A watch cache whose streams the test speaks, and a follower of its roles. */
async function bed(onTold: (line: string) => void = () => {}) {
  const { services, caller } = createInProcess();
  const lists: Sender<Chunk>[] = [];
  const watches: { readonly from: string; readonly sender: Sender<Chunk> }[] = [];
  services.stream(watchCacheList, (_request, sender) => void lists.push(sender));
  services.stream(watchCacheWatch, ({ resourceVersion: from }, sender) => void watches.push({ from, sender }));
  services.unary(watchCacheGet, ({ name, resourceVersion }) => {
    assert.equal(resourceVersion, "0", "from memory");
    if (name === "a") return { body: Buffer.from('{"metadata":{"name":"a"}}') };
    throw name === "broken" ? badRequest("no") : notFound({ group: "rbac", resource: "roles" }, name);
  });
  const clock = createManualClock();
  const failures: string[] = [];
  const source = callerSource({ caches: () => caller, clock, log: (what) => void failures.push(what) });
  const told: string[] = [];
  const following = source.follow(roles, {
    replaced: (all) => void told.push(`= ${all.map((o) => o.metadata.name).join(" ")}`),
    changed({ metadata }) {
      told.push(`+ ${metadata.name}`);
      onTold(`+ ${metadata.name}`);
    },
    deleted: ({ metadata }) => void told.push(`- ${metadata.name}`),
  });
  await settled();
  const list = async (resourceVersion: string, ...names: readonly string[]): Promise<void> => {
    const items = names.map((name) => ({ metadata: { name } }));
    const bytes = Buffer.from(JSON.stringify({ metadata: { resourceVersion }, items }));
    // Chunks are cut anywhere.
    lists.at(-1)?.send({ body: bytes.subarray(0, 9) });
    lists.at(-1)?.send({ body: bytes.subarray(9) });
    lists.at(-1)?.end();
    await settled();
  };
  const say = async (type: string, name: string, resourceVersion: string): Promise<void> => {
    const bytes = Buffer.from(`${JSON.stringify({ type, object: { metadata: { name, resourceVersion } } })}\n`);
    watches.at(-1)?.sender.send({ body: bytes.subarray(0, 7) });
    watches.at(-1)?.sender.send({ body: bytes.subarray(7) });
    await settled();
  };
  const pass = async (): Promise<void> => {
    clock.advance(1000);
    await settled();
  };
  return { source, following, told, failures, lists, watches, list, say, pass };
}

test("a collection is told whole, then change by change", async () => {
  const { told, watches, list, say } = await bed();
  await list("7", "a", "b");
  assert.equal(watches[0]?.from, "7");
  await say("ADDED", "c", "8");
  await say("MODIFIED", "a", "9");
  await say("BOOKMARK", "", "12");
  await say("DELETED", "b", "13");
  assert.deepEqual(told, ["= a b", "+ c", "+ a", "- b"]);
});

test("a watch whose cache went away goes on where it was", async () => {
  const { told, failures, lists, watches, list, say, pass } = await bed();
  await list("7", "a");
  await say("BOOKMARK", "", "12");
  watches[0]?.sender.end(unavailable("gone"));
  await settled();
  await pass();
  assert.equal(watches[1]?.from, "12");
  watches[1]?.sender.end();
  await settled();
  await pass();
  assert.equal(watches[2]?.from, "12");
  await say("ADDED", "b", "14");
  assert.deepEqual(told, ["= a", "+ b"]);
  assert.equal(lists.length, 1);
  assert.deepEqual(failures, []);
});

test("where history is gone the collection is told anew", async () => {
  const { told, failures, lists, watches, list, say, pass } = await bed();
  await list("7", "a", "b");
  await say("ERROR", "", "");
  watches[0]?.sender.end();
  await settled();
  await pass();
  assert.equal(lists.length, 2);
  await list("20", "b");
  assert.deepEqual(told, ["= a b", "= b"]);
  assert.equal(failures.length, 1);
  watches[1]?.sender.end(badRequest("never"));
  await settled();
  await pass();
  assert.equal(lists.length, 3);
});

test("a list that fails is tried again, until the follower stops", async () => {
  const { following, failures, lists, watches, list, pass } = await bed();
  lists[0]?.end(unavailable("none"));
  await settled();
  await pass();
  assert.equal(lists.length, 2);
  assert.equal(failures.length, 1);
  await list("3");
  following.stop();
  await settled();
  assert.equal(watches[0]?.sender.cancelled, true);
});

test("a follower that stops in the middle of a chunk is told nothing of the rest", async () => {
  const { following, told, watches, list } = await bed((line) => {
    if (line === "+ a") following.stop();
  });
  await list("3");
  const line = (name: string): string =>
    `${JSON.stringify({ type: "ADDED", object: { metadata: { name, resourceVersion: "4" } } })}\n`;
  watches[0]?.sender.send({ body: Buffer.from(line("a") + line("b")) });
  await settled();
  assert.deepEqual(told, ["= ", "+ a"]);
});

test("an object is read from memory; none is undefined, and a failure is one", async () => {
  const { source, following } = await bed();
  assert.deepEqual(await source.get(roles, "a"), { metadata: { name: "a" } });
  assert.equal(await source.get(roles, "b"), undefined);
  await assert.rejects(source.get(roles, "broken"), { reason: "BadRequest" });
  following.stop();
});
