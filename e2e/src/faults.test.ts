import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { listAll } from "@orch/client/list-all.js";
import { createReflector } from "@orch/client/reflector.js";
import type { Process } from "@orch/deploy/process.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { clientOf, clock } from "./harness/clients.js";
import { follow, type History } from "./harness/consistency/histories.js";
import { startReader } from "./harness/consistency/readers.js";
import { startWriter, type Writer } from "./harness/consistency/writers.js";
import { numberOf } from "./harness/content.js";
import { connect } from "./harness/http.js";
import { metricOf } from "./harness/metrics.js";
import { type DistributedTarget, startDistributed } from "./harness/target.js";
import { until } from "./harness/until.js";

const writers = 8;

for (const [kind, args] of [
  ["services", []],
  ["services with near caches", ["--near-cache=*"]],
] as const) {
  describe(`${kind} that are killed under load`, { skip: etcdMissing() ?? false }, () => killed(args));
}

function killed(args: readonly string[]): void {
  let target: DistributedTarget;
  before(async () => {
    target = await startDistributed({ args });
  });
  after(() => target.stop());

  test("acknowledged writes stay, no read is older than them, and resumed watches miss nothing and see nothing twice", async (t) => {
    const scene = await startScene(target);
    t.after(scene.stop);
    const { gateways, resources, watchCaches, etcd } = target.cluster;
    const [gateway, resource, watchCache] = [gateways[0], resources[0], watchCaches[0]];
    assert.ok(gateway && resource && watchCache);
    await scene.progress("all is well");

    await whileDown(gateway, () => scene.progress("a gateway is down"));
    await scene.progress("the gateway is back");

    // The only one that writes this group: nothing can be acknowledged until it is back.
    await whileDown(resource, () => scene.outage("the resource service is down"));
    await scene.progress("the resource service is back");

    await whileDown(watchCache, () => scene.progress("a watch cache is down"));
    await scene.progress("the watch cache is back");

    const leader = etcd.members[await etcd.leader()];
    assert.ok(leader);
    await leader.kill();
    await scene.progress("the etcd leader is down");
    await leader.restart();
    await scene.progress("the member is back");

    await scene.finish();
    t.diagnostic(scene.summary());
    await assertNothingLost(scene);
  });

  test("watch caches that are restarted one after the other, in an orderly way, fail no request and no watch", async (t) => {
    const scene = await startScene(target);
    t.after(scene.stop);
    await scene.progress("all is well");
    for (const watchCache of target.cluster.watchCaches) {
      assert.equal(await watchCache.stop(), 0, watchCache.log());
      await scene.progress("it is away");
      await watchCache.restart();
      await scene.progress("it is back");
    }
    await scene.finish();
    t.diagnostic(scene.summary());
    assert.equal(scene.outages(), 0, "failed requests");
    await assertNothingLost(scene);
  });
}

describe("a watcher of separate services", { skip: etcdMissing() ?? false }, () => {
  test("that stops reading is ended by its watch cache, and nobody else notices", async (t) => {
    // Controllers watch every kind: without them the watchers can be counted.
    const target = await startDistributed({ controllerArgs: ["--controllers="] });
    t.after(() => target.stop());
    const http = connect(target);
    t.after(() => http.close());
    const path = "/api/v1/namespaces/default/configmaps";
    const query = { fieldSelector: "metadata.name=large", resourceVersion: "0" };
    const deaf = await Promise.all(Array.from({ length: 10 }, () => http.watch(path, query)));
    const listening = await http.watch(path, query);
    t.after(() => {
      for (const stream of [...deaf, listening]) stream.close();
    });
    // Each gateway watches the two kinds that configure its flow control, the four of RBAC, definitions, and API services.
    const own = 16;
    const watchers = async (): Promise<number> => {
      const { cluster } = target;
      const counts = cluster.watchCaches.map((cache) => metricOf(cluster, cache, "orch_watch_cache_watchers"));
      return (await Promise.all(counts)).reduce((a, b) => a + b, 0);
    };
    await until("all of them watch", async () => (await watchers()) === own + 11 || undefined);
    // More than the buffers of a connection, of a gateway and of a watch cache hold together.
    const value = "x".repeat(900 * 1024);
    let written = 0;
    for (; (await watchers()) > own + 1 && written < 80; written++) {
      const object = { metadata: { name: "large" }, data: { value, n: String(written) } };
      const answer = await (written === 0 ? http.post(path, object) : http.put(`${path}/large`, object));
      assert.ok(answer.status < 300, answer.text.slice(0, 300));
      const event = await listening.next();
      assert.equal(event?.type, written === 0 ? "ADDED" : "MODIFIED");
      assert.equal(event?.object.metadata.resourceVersion, answer.object().metadata.resourceVersion);
    }
    assert.equal(await watchers(), own + 1, `after ${written} writes`);
  });
});

async function assertNothingLost(scene: Awaited<ReturnType<typeof startScene>>): Promise<void> {
  for (const { error } of scene.failures) throw error;
  assertAcknowledged(scene.writers, await scene.list());
  for (const history of [...scene.histories, ...scene.selected]) assertOrdered(history);
  assertComplete(scene);
  await scene.mirrorsAreTheList();
}

async function whileDown(process: Process, run: () => Promise<void>): Promise<void> {
  await process.kill();
  await run();
  await process.restart();
}

/** Writers, raw watchers and reflectors on both gateways, all at work. */
async function startScene(target: DistributedTarget) {
  const clients = await Promise.all(target.urls.map((_, gateway) => clientOf(target, gateway)));
  const writing = new AbortController();
  const following = new AbortController();
  const failures: { readonly error: unknown }[] = [];
  const note = (error: unknown): void => void failures.push({ error });
  const order = (i: number) => [...clients.slice(i % clients.length), ...clients.slice(0, i % clients.length)];
  const [first] = clients;
  if (first === undefined) throw new TypeError("a cluster without a gateway");
  const namespaces = { group: "", version: "v1", resource: "namespaces" };
  const { metadata } = await first.create(namespaces, { metadata: { generateName: "faults-" } });
  const collection = { group: "", version: "v1", resource: "configmaps", namespace: metadata.name ?? "" };
  const { resourceVersion: from } = await listAll(first, collection);
  const history = (i: number, labelSelector?: string): History =>
    follow({
      ...{ collection, from, clients: order(i), signal: following.signal },
      ...(labelSelector === undefined ? {} : { labelSelector }),
    });
  const histories = [0, 1, 2, 3].map((i) => history(i));
  const selected = [0, 1].map((i) => history(i, "lane=odd"));
  const mirrors = clients.map((client) => {
    const reflector = createReflector({ client, collection, clock, random: Math.random });
    return { reflector, run: reflector.run(following.signal) };
  });
  const all = Array.from({ length: writers }, (_, i) =>
    startWriter({
      ...{ name: `writer-${i}`, collection, clients: order(i), signal: writing.signal },
      labels: { lane: i % 2 === 0 ? "even" : "odd" },
    }),
  );
  const readers = [0, 1].map((i) =>
    startReader({ collection, clients: order(i), writers: all, signal: writing.signal }),
  );
  const busy = [...all, ...readers, ...histories, ...selected];
  for (const { done } of busy) done.catch(note);
  const phases: string[] = [];
  const timed = async (when: string, run: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    await run();
    phases.push(`${when}: ${Math.round(performance.now() - began)} ms`);
  };
  const healthy = (): void => {
    for (const { error } of failures) throw error;
  };
  const list = () => listAll(first, collection);
  return {
    writers: all,
    histories,
    selected,
    failures,
    list,
    progress: async (when: string) => {
      const before = all.map((w) => w.acknowledged.length);
      await timed(when, () =>
        until(`every writer goes on while ${when}`, () => {
          healthy();
          return all.every((w, i) => w.acknowledged.length >= (before[i] ?? 0) + 40) ? true : undefined;
        }),
      );
    },
    outage: async (when: string) => {
      const before = all.map((w) => w.outages);
      await until(`every writer notices that ${when}`, () => {
        healthy();
        return all.every((w, i) => w.outages > (before[i] ?? 0)) ? true : undefined;
      });
    },
    /** Ends the load and waits until every watcher has been told the last change. */
    finish: async () => {
      writing.abort();
      await Promise.all([...all, ...readers].map((w) => w.done));
      const end = await first.create(collection, { metadata: { name: "the-end", labels: { lane: "odd" } } });
      const last = Number(end.metadata.resourceVersion);
      await until("every watcher has seen the end", () => {
        healthy();
        return [...histories, ...selected].every((h) => h.last() >= last) ? true : undefined;
      });
    },
    mirrorsAreTheList: async () => {
      const { items } = await list();
      const expected = items.map(identity).sort().join();
      await until("both mirrors are the list", () =>
        mirrors.every(({ reflector }) => [...reflector.store.values()].map(identity).sort().join() === expected)
          ? true
          : undefined,
      );
    },
    outages: () => [...all, ...readers].reduce((sum, { outages }) => sum + outages, 0),
    summary: () =>
      [
        `${all.reduce((sum, w) => sum + w.acknowledged.length, 0)} writes acknowledged`,
        `${all.reduce((sum, w) => sum + w.outages, 0)} attempts failed`,
        `reads and failed reads: ${readers.map((r) => `${r.reads}/${r.outages}`).join(" ")}`,
        `events and watches of each watcher: ${[...histories, ...selected].map((h) => `${h.events.length}/${h.watches}`).join(" ")}`,
        ...phases,
        `refused as too old: ${[...histories, ...selected].map((h) => h.tooOld).join(" ")}`,
      ].join("; "),
    stop: async () => {
      writing.abort();
      following.abort();
      await Promise.allSettled(busy.map((x) => x.done));
      await Promise.all(mirrors.map((m) => m.run));
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

/** The stored state is the last one that each writer was told. */
function assertAcknowledged(all: readonly Writer[], list: Awaited<ReturnType<typeof listAll>>): void {
  const stored = new Map(list.items.map((object) => [object.metadata.name, object]));
  for (const { name, acknowledged } of all) {
    const last = acknowledged.at(-1);
    const object = stored.get(name);
    assert.equal(object === undefined ? undefined : numberOf(object), last?.n, name);
    assert.equal(object?.metadata.resourceVersion, last?.version, name);
  }
}

const parts = (event: string) => {
  const [type = "", name = "", version = "", uid = ""] = event.split(" ");
  return { type, name, version, uid };
};

/** Versions only grow, and each object is added, modified and deleted in that order: nothing came twice. */
function assertOrdered({ events }: History): void {
  const alive = new Map<string, string>();
  let last = 0;
  for (const event of events) {
    const { type, name, version, uid } = parts(event);
    assert.ok(Number(version) > last, `${event} after ${last}`);
    last = Number(version);
    assert.equal(alive.get(name), type === "ADDED" ? undefined : uid, event);
    if (type === "DELETED") alive.delete(name);
    else alive.set(name, uid);
  }
}

/** Every acknowledged write is in every history, and all histories are the same. */
function assertComplete(scene: {
  readonly writers: readonly Writer[];
  readonly histories: readonly History[];
  readonly selected: readonly History[];
}): void {
  const [whole] = scene.histories;
  assert.ok(whole);
  for (const history of scene.histories) assert.deepEqual(history.events, whole.events);
  const isSelected = (event: string): boolean => /^(writer-\d*[13579]|the-end)$/.test(parts(event).name);
  for (const history of scene.selected) assert.deepEqual(history.events, whole.events.filter(isSelected));
  const told = new Set(whole.events.map((event) => `${parts(event).name} ${parts(event).version} ${parts(event).uid}`));
  const deleted = new Set(whole.events.filter((event) => event.startsWith("DELETED")).map((event) => parts(event).uid));
  for (const { acknowledged } of scene.writers) {
    for (const { name, version, uid } of acknowledged) {
      if (version === undefined) assert.ok(deleted.has(uid), `the deletion of ${name} ${uid}`);
      else assert.ok(told.has(`${name} ${version} ${uid}`), `${name} at ${version}`);
    }
  }
}

const identity = ({ metadata }: { readonly metadata: { readonly name?: string; readonly resourceVersion?: string } }) =>
  `${metadata.name}@${metadata.resourceVersion}`;
