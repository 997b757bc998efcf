import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import { after, before, describe, test } from "node:test";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { clientOf } from "./harness/clients.js";
import { follow } from "./harness/consistency/histories.js";
import { type DistributedTarget, startDistributed } from "./harness/target.js";
import { until } from "./harness/until.js";

const collection = { group: "", version: "v1", resource: "configmaps", namespace: "default" };
const watchers = 1_000;
const writesPerPhase = 10;

describe("watch caches that start anew", { skip: etcdMissing() ?? false }, () => {
  let target: DistributedTarget;
  before(async () => {
    target = await startDistributed();
  });
  after(() => target.stop());

  test(`${watchers} watchers of one that was killed resume through the other, and through it once it is back, without a list`, async (t) => {
    const clients = await Promise.all(target.urls.map((_, gateway) => clientOf(target, gateway)));
    const [client] = clients;
    assert.ok(client);
    const stop = new AbortController();
    setMaxListeners(watchers, stop.signal);
    const { resourceVersion: from } = await client.list(collection);
    const histories = Array.from({ length: watchers }, (_, i) =>
      follow({ collection, from, clients: i % 2 === 0 ? clients : clients.toReversed(), signal: stop.signal }),
    );
    t.after(async () => {
      stop.abort();
      await Promise.allSettled(histories.map(({ done }) => done));
      await Promise.all(clients.map((each) => each.close()));
    });
    let failure: { readonly error: unknown } | undefined;
    for (const { done } of histories) {
      done.catch((error: unknown) => {
        failure ??= { error };
      });
    }
    let written = 0;
    const expected: string[] = [];
    const write = async (): Promise<void> => {
      for (let i = 0; i < writesPerPhase; i++) {
        const name = `object-${written++}`;
        const { metadata } = await client.create(collection, { metadata: { name } });
        expected.push(`ADDED ${name} ${metadata.resourceVersion} ${metadata.uid}`);
      }
    };
    const allTold = async (when: string): Promise<void> => {
      const began = performance.now();
      await until(`every watcher was told everything ${when}`, () => {
        if (failure !== undefined) throw failure.error;
        return histories.every(({ events }) => events.length >= expected.length) ? true : undefined;
      });
      t.diagnostic(`${when}: ${Math.round(performance.now() - began)} ms`);
    };

    await write();
    await allTold("at first");
    for (const [i, watchCache] of target.cluster.watchCaches.entries()) {
      await watchCache.kill();
      await write();
      await allTold(`while watch cache ${i} is down`);
      await watchCache.restart();
    }
    await write();
    await allTold("in the end");
    for (const { events } of histories) assert.deepEqual(events, expected);
    assert.deepEqual([...new Set(histories.map(({ tooOld }) => tooOld))], [0], "watches that were refused as too old");
    t.diagnostic(`${histories.reduce((sum, h) => sum + h.watches, 0)} watches in all`);
  });

  test("requests wait for one that is not there yet, and none is answered by one that is not ready", async (t) => {
    const client = await clientOf(target);
    t.after(() => client.close());
    const { metadata } = await client.create(collection, { metadata: { name: "waited-for" } });
    await Promise.all(target.cluster.watchCaches.map((cache) => cache.kill()));
    const restarted = Promise.all(target.cluster.watchCaches.map((cache) => cache.restart()));
    const answered = until("an answer", () =>
      client.get(collection, "waited-for", { resourceVersion: "0" }).catch((error: unknown) => {
        // It waits two seconds for a peer; a slow start may take longer.
        assert.ok(error instanceof Error && "reason" in error && error.reason === "ServiceUnavailable", String(error));
        return undefined;
      }),
    );
    await restarted;
    assert.equal((await answered).metadata.resourceVersion, metadata.resourceVersion);
    assert.equal(
      (await client.list(collection, { resourceVersion: "0" })).items.some(
        ({ metadata: m }) => m.name === "waited-for",
      ),
      true,
    );
  });
});
