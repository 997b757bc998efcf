import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { Chunk } from "@orch/rpc/messages.js";
import { watchCacheList, watchCacheWatch } from "@orch/rpc/methods.js";
import type { Sender } from "@orch/rpc/rpc.js";
import { createManualClock } from "@orch/runtime/clock.js";
import { unavailable } from "@orch/status/api-error.js";
import type { FlowConfig } from "./config.js";
import { followFlowConfig } from "./config-source.js";

const naming = createNaming("kubernetes");
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** A watch cache whose streams the test speaks. */
async function cache() {
  const { services, caller } = createInProcess();
  const streams = new Map<string, Sender<Chunk>>();
  const lists = new Map<string, Sender<Chunk>>();
  services.stream(watchCacheList, ({ resource }, sender) => void lists.set(resource, sender));
  services.stream(watchCacheWatch, ({ resource, resourceVersion }, sender) => {
    assert.equal(resourceVersion, "7");
    streams.set(resource, sender);
  });
  const clock = createManualClock();
  const told: FlowConfig[] = [];
  const failures: string[] = [];
  const source = followFlowConfig({
    naming,
    clock,
    caches: () => caller,
    changed: (config) => void told.push(config),
    log: (what) => void failures.push(what),
  });
  source.start();
  await settled();
  const say = async (resource: string, type: string, name: string, more: object = {}): Promise<void> => {
    const line = { type, object: { metadata: { name, uid: `uid-${name}`, ...more }, spec: { of: name } } };
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    // Lines come cut anywhere.
    streams.get(resource)?.send({ body: bytes.subarray(0, 7) });
    streams.get(resource)?.send({ body: bytes.subarray(7) });
    await settled();
  };
  const list = async (resource: string, ...listed: readonly string[]): Promise<void> => {
    const items = listed.map((name) => ({ metadata: { name, uid: `uid-${name}` }, spec: { of: name } }));
    const bytes = Buffer.from(JSON.stringify({ metadata: { resourceVersion: "7" }, items }));
    lists.get(resource)?.send({ body: bytes.subarray(0, 9) });
    lists.get(resource)?.send({ body: bytes.subarray(9) });
    lists.get(resource)?.end();
    await settled();
  };
  const names = (): unknown => {
    const last = told.at(-1);
    return last === undefined ? undefined : [last.schemas.map((s) => s.name), last.levels.map((l) => l.name)];
  };
  return { source, clock, told, failures, streams, say, list, names };
}

test("a configuration is told when both kinds are there whole, and after every change", async () => {
  const { clock, told, say, list, names } = await cache();
  await list("flowschemas", "a");
  clock.advance(100);
  assert.equal(told.length, 0);
  await list("prioritylevelconfigurations", "p");
  clock.advance(100);
  assert.deepEqual(names(), [["a"], ["p"]]);
  assert.deepEqual(told[0]?.schemas[0], { name: "a", uid: "uid-a", spec: { of: "a" } });
  await say("flowschemas", "ADDED", "b");
  await say("flowschemas", "BOOKMARK", "");
  await say("flowschemas", "DELETED", "a");
  clock.advance(100);
  assert.deepEqual(names(), [["b"], ["p"]]);
  assert.equal(told.length, 2);
});

test("a stream that breaks is opened again, and what vanished meanwhile is gone", async () => {
  const { source, clock, failures, streams, list, names } = await cache();
  await list("flowschemas", "a", "b");
  await list("prioritylevelconfigurations");
  clock.advance(100);
  assert.deepEqual(names(), [["a", "b"], []]);
  const broken = streams.get("flowschemas");
  broken?.end(unavailable("gone"));
  await settled();
  assert.equal(failures.length, 1);
  clock.advance(1000);
  await settled();
  assert.deepEqual(names(), [["a", "b"], []], "until it is listed anew, the last state holds");
  await list("flowschemas", "b");
  assert.notEqual(streams.get("flowschemas"), broken);
  clock.advance(100);
  assert.deepEqual(names(), [["b"], []]);
  source.stop();
  await settled();
  assert.equal(streams.get("flowschemas")?.cancelled, true);
});
