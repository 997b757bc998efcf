import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Client } from "@orch/client/http/http.js";
import type { Process } from "@orch/deploy/process.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { clientOf } from "./harness/clients.js";
import { violation } from "./harness/consistency/linearizable.js";
import { startRegisterClients, tornList } from "./harness/consistency/registers.js";
import { metricOf } from "./harness/metrics.js";
import { type DistributedTarget, startDistributed } from "./harness/target.js";
import { until } from "./harness/until.js";

const workers = 12;
const registers = Array.from({ length: 5 }, (_, i) => `register-${i}`);
const operationsPerPhase = 600;

describe("reads of the newest state", { skip: etcdMissing() ?? false }, () => {
  let target: DistributedTarget;
  before(async () => {
    target = await startDistributed();
  });
  after(() => target.stop());

  const connect = async (count: number): Promise<readonly Client[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => clientOf(target, i)));

  test("are linearizable through all gateways, also while each service and the etcd leader is killed", async (t) => {
    const clients = await connect(workers);
    const stop = new AbortController();
    const [client] = clients;
    assert.ok(client);
    const { metadata } = await client.create(
      { group: "", version: "v1", resource: "namespaces" },
      { metadata: { generateName: "linear-" } },
    );
    const collection = { group: "", version: "v1", resource: "configmaps", namespace: metadata.name ?? "" };
    for (const name of registers) await client.create(collection, { metadata: { name } });
    const { record, done } = startRegisterClients({ collection, names: registers, clients, signal: stop.signal });
    t.after(async () => {
      stop.abort();
      await Promise.allSettled([done]);
      await Promise.all(clients.map((each) => each.close()));
    });
    let failure: { readonly error: unknown } | undefined;
    done.catch((error: unknown) => {
      failure = { error };
    });
    const phase = async (when: string): Promise<void> => {
      const enough = record.operations.length + operationsPerPhase;
      const began = performance.now();
      await until(`clients go on while ${when}`, () => {
        if (failure !== undefined) throw failure.error;
        return record.operations.length >= enough ? true : undefined;
      });
      t.diagnostic(`${when}: ${Math.round(performance.now() - began)} ms`);
    };
    const whileDown = async (name: string, { kill, restart }: Pick<Process, "kill" | "restart">): Promise<void> => {
      await kill();
      await phase(`${name} is down`);
      await restart();
      await phase(`${name} is back`);
    };

    await phase("all is well");
    const { gateways, resources, watchCaches, etcd } = target.cluster;
    const [gateway, resource] = [gateways[0], resources[0]];
    const leader = etcd.members[await etcd.leader()];
    assert.ok(gateway && resource && leader);
    await whileDown("a gateway", gateway);
    await whileDown("the resource service", resource);
    for (const [i, watchCache] of watchCaches.entries()) await whileDown(`watch cache ${i}`, watchCache);
    await whileDown("the etcd leader", leader);
    stop.abort();
    await done;

    const { operations, lists } = record;
    const unknown = operations.filter(({ completed }) => completed === Number.POSITIVE_INFINITY).length;
    t.diagnostic(
      `${operations.length} operations, ${lists.length} lists; ${record.outages} outages, ${unknown} unknown`,
    );
    assert.equal(violation(operations), undefined);
    assert.equal(tornList(record), undefined);
    assert.ok(record.outages > 0, "nothing was ever away: the kills came in pauses");
  });

  test("share their round trips to the store", async (t) => {
    const clients = await connect(64);
    t.after(() => Promise.all(clients.map((each) => each.close())));
    const total = async (name: string): Promise<number> => {
      const { cluster } = target;
      const metrics = cluster.watchCaches.map((cache) => metricOf(cluster, cache, name));
      return (await Promise.all(metrics)).reduce((a, b) => a + b, 0);
    };
    const counts = async (): Promise<readonly [number, number]> => [
      await total("orch_watch_cache_read_index_round_trips_total"),
      await total("orch_watch_cache_consistent_reads_total"),
    ];
    const collection = { group: "", version: "v1", resource: "configmaps", namespace: "default" };
    await clients[0]?.create(collection, { metadata: { name: "shared" } });
    // Connections are made before anything is counted.
    await Promise.all(clients.map((client) => client.get(collection, "shared")));
    const before = await counts();
    await Promise.all(
      clients.map(async (client) => {
        for (let i = 0; i < 50; i++) await client.get(collection, "shared");
      }),
    );
    const after = await counts();
    const [trips, reads] = [after[0] - before[0], after[1] - before[1]];
    t.diagnostic(`${trips} round trips for ${reads} reads`);
    assert.ok(reads >= 64 * 50, `${reads} reads counted`);
    assert.ok(trips / reads < 0.2, `${trips} round trips for ${reads} reads`);
  });
});
