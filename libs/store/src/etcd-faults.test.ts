import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { cp, rm } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "@orch/status/api-error.js";
import { type EtcdStoreOptions, openEtcdStore } from "./etcd-store.js";
import { noRevision, type Revision, revision } from "./revision.js";
import { StoreSetBack } from "./set-back.js";
import type { Store, Swap } from "./store.js";
import { type Drive, drive, follow, revisionOf } from "./testing/drive.js";
import { type EtcdServer, etcdMissing, startEtcd } from "./testing/etcd-server.js";
import { startTcpProxy, type TcpProxy } from "./testing/tcp-proxy.js";
import { xor } from "./testing/transformers.js";
import { transformed } from "./transformed.js";

const outcomeUnknown = (error: unknown): boolean => error instanceof ApiError && error.reason === "Timeout";

const backlog = 4000;

/** Creates `count` keys; the revisions in order. */
async function fill(d: Drive, count: number, name = "k", size = 500): Promise<readonly Revision[]> {
  const revisions: Revision[] = [];
  for (let i = 0; i < count; i += 100) {
    const length = Math.min(100, count - i);
    revisions.push(
      ...(await Promise.all(Array.from({ length }, (_, j) => d.put(`${name}${i + j}`, 0, "x".repeat(size))))),
    );
  }
  return revisions.sort((a, b) => a - b);
}

describe("the etcd store behind a network that fails", { skip: etcdMissing() ?? false }, () => {
  let server: EtcdServer;
  let proxy: TcpProxy;
  const opened: Store[] = [];

  async function open(options: Partial<EtcdStoreOptions> & { prefix: string }): Promise<Drive> {
    const store = await openEtcdStore({ endpoints: server.endpoints, ...options });
    opened.push(store);
    return drive(store, options.prefix);
  }

  /** The same keys twice: through the proxy, and straight. */
  async function openBoth(): Promise<{ through: Drive; straight: Drive }> {
    const prefix = `/${randomUUID()}/`;
    return { through: await open({ prefix, endpoints: [proxy.address] }), straight: await open({ prefix }) };
  }

  before(async () => {
    server = await startEtcd();
    const { hostname, port } = new URL(server.endpoints[0] ?? "");
    proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  });
  after(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await proxy.stop();
    await server.stop();
  });

  test("a watch whose connection is cut many times in a backlog brings every event once", async () => {
    const { through, straight } = await openBoth();
    const written = await fill(straight, backlog);
    let cuts = 0;
    const cutting = (async () => {
      for (const bytes of [1, 5_000, 20_000, 100_000, 300_000, 700_000]) {
        await proxy.cutAfter(bytes);
        cuts++;
      }
    })();
    const events = await follow(through.store, {
      prefix: through.prefix,
      from: written[0] ?? noRevision,
      count: backlog,
    });
    await cutting;
    assert.equal(cuts, 6);
    assert.deepEqual(events.map(revisionOf), written);
  });

  test("a watch that is cut while changes are made brings every event once", async () => {
    const { through, straight } = await openBoth();
    const first = await straight.put("first", 0, "x");
    const following = follow(through.store, { prefix: through.prefix, from: first, count: 2001 });
    const writing = fill(straight, 2000);
    const stop = new AbortController();
    const cutting = (async () => {
      while (!stop.signal.aborted) {
        await delay(40);
        proxy.cut();
      }
    })();
    const written = await writing;
    stop.abort();
    await cutting;
    assert.deepEqual((await following).map(revisionOf), [first, ...written]);
  });

  test("a watcher that does not read stops the server's sending, and loses nothing", async () => {
    const { through, straight } = await openBoth();
    const value = Buffer.alloc(1_000_000, "v");
    const written: Revision[] = [];
    for (let i = 0; i < 120; i++) {
      const swap = await straight.store.swap({ key: straight.key(`k${i}`), expected: noRevision, value });
      assert.ok(swap.done);
      written.push(swap.revision);
    }
    const before = proxy.bytesToClients();
    let passed = 0;
    const events = await follow(through.store, {
      prefix: through.prefix,
      from: written[0] ?? noRevision,
      count: 120,
      each: async () => {
        if (passed > 0) return;
        await delay(500);
        passed = proxy.bytesToClients() - before;
      },
    });
    // grpc-js reads 16 messages ahead, each of 1.5 MiB at most as we let etcd split them, and http2 has its window.
    assert.ok(passed < 50 << 20, `${passed} bytes of 120 MB were sent to a watcher that did not read`);
    assert.deepEqual(events.map(revisionOf), written);
  });

  /** Runs a swap whose reply is lost: the server gets the request (or not), then the connection is cut. */
  async function cutReply(
    swapping: () => Promise<Swap>,
    lose: "requests" | "replies",
    meanwhile: () => Promise<void>,
  ): Promise<Swap> {
    proxy.swallow(lose);
    const swap = swapping();
    swap.catch(() => undefined);
    try {
      await meanwhile();
    } finally {
      proxy.refuse();
      proxy.pass();
      proxy.allow();
    }
    return swap;
  }

  async function until(condition: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await condition()); tries++) {
      assert.ok(tries < 500, "what the test waits for did not happen");
      await delay(10);
    }
  }

  test("a create whose reply is cut is done, once, at its revision", async () => {
    const { through, straight } = await openBoth();
    await through.store.revision();
    const swap = await cutReply(
      () => through.store.swap({ key: through.key("a"), expected: noRevision, value: Buffer.from("uid-1") }),
      "replies",
      () => until(async () => (await straight.store.get(straight.key("a"))) !== undefined),
    );
    const entry = await straight.store.get(straight.key("a"));
    assert.deepEqual(swap, { done: true, revision: entry?.revision });
    assert.equal(entry?.created, entry?.revision);
  });

  test("an update whose reply is cut is done at its revision, also when another has changed the key since", async () => {
    const { through, straight } = await openBoth();
    const first = await through.put("a", 0, "uid-1");
    let ours = noRevision;
    const swap = await cutReply(
      () => through.store.swap({ key: through.key("a"), expected: first, value: Buffer.from("uid-1 ours") }),
      "replies",
      async () => {
        await until(async () => (await straight.store.get(straight.key("a")))?.revision !== first);
        ours = (await straight.store.get(straight.key("a")))?.revision ?? noRevision;
        const second = await straight.put("a", ours, "uid-1 another");
        await straight.put("b", 0, "foreign");
        await straight.remove("a", second);
        await straight.put("a", 0, "uid-2");
      },
    );
    assert.deepEqual(swap, { done: true, revision: ours });
  });

  test("an update that lost to another's is a conflict, though its reply was cut", async () => {
    const { through, straight } = await openBoth();
    const first = await through.put("a", 0, "uid-1");
    const second = await straight.put("a", first, "uid-1 another");
    const swap = await cutReply(
      () => through.store.swap({ key: through.key("a"), expected: first, value: Buffer.from("uid-1 ours") }),
      "replies",
      () => delay(50),
    );
    assert.equal(swap.done, false);
    assert.equal(swap.done ? undefined : swap.current?.revision, second);
  });

  test("a delete whose reply is cut has an unknown outcome, for another may have deleted", async () => {
    const { through, straight } = await openBoth();
    const first = await through.put("a", 0, "uid-1");
    const swap = cutReply(
      () => through.store.swap({ key: through.key("a"), expected: first, value: undefined }),
      "replies",
      () => until(async () => (await straight.store.get(straight.key("a"))) === undefined),
    );
    await assert.rejects(swap, outcomeUnknown);
  });

  test("a transaction that never arrived has an unknown outcome and is not sent again", async () => {
    const { through, straight } = await openBoth();
    const first = await through.put("a", 0, "uid-1");
    const swap = cutReply(
      () => through.store.swap({ key: through.key("a"), expected: first, value: Buffer.from("uid-1 ours") }),
      "requests",
      () => delay(50),
    );
    await assert.rejects(swap, outcomeUnknown);
    await delay(200);
    assert.equal((await straight.store.get(straight.key("a")))?.revision, first);
    assert.ok((await through.put("a", first, "uid-1 later")) > first);
  });

  test("random cuts under load: every swap is true to what etcd holds, and none conflicts with itself", async () => {
    const { through, straight } = await openBoth();
    const stop = new AbortController();
    const cutting = (async () => {
      while (!stop.signal.aborted) {
        await delay(70);
        proxy.cut();
      }
    })();
    let unknown = 0;
    const worker = async (id: number): Promise<void> => {
      let at = noRevision;
      for (let i = 0; i < 12; i++) {
        // Each worker has a key of its own: a refusal can only be a conflict with itself.
        const change = { key: through.key(`w${id}`), expected: at, value: Buffer.from(`${id}/${i}`) };
        try {
          const swap = await through.store.swap(change);
          assert.ok(swap.done, `worker ${id} was refused at step ${i}`);
          at = swap.revision;
        } catch (error) {
          assert.ok(
            outcomeUnknown(error) || (error instanceof ApiError && error.reason === "ServiceUnavailable"),
            String(error),
          );
          unknown++;
          at = (await straight.store.get(through.key(`w${id}`)))?.revision ?? noRevision;
          continue;
        }
        const entry = await straight.store.get(through.key(`w${id}`));
        assert.deepEqual([entry?.revision, entry?.value.toString()], [at, `${id}/${i}`]);
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, id) => worker(id)));
    stop.abort();
    await cutting;
    assert.ok(unknown < 6 * 12, "nothing came through");
  });

  test("reads go on when one of the endpoints is away or silent", async () => {
    const prefix = `/${randomUUID()}/`;
    const d = await open({
      prefix,
      endpoints: ["127.0.0.1:1", proxy.address, ...server.endpoints],
      times: { attemptMs: 500 },
    });
    await d.put("a", 0, "1");
    proxy.swallow("both");
    assert.equal(await d.list(), "a=1");
    proxy.pass();
    proxy.cut();
    assert.equal(await d.list(), "a=1");
  });

  test("an etcd that is away answers ServiceUnavailable, and nothing was executed", async () => {
    const d = await open({ prefix: "/x/", endpoints: ["127.0.0.1:1"], times: { totalMs: 300 } });
    const unavailable = (error: unknown): boolean => error instanceof ApiError && error.reason === "ServiceUnavailable";
    await assert.rejects(d.put("a", 0, "1"), unavailable);
    await assert.rejects(d.store.get(d.key("a")), unavailable);
  });

  test("a server killed in the middle of a watch's backlog and started again: no event lost, none doubled", async () => {
    const prefix = `/${randomUUID()}/`;
    const d = await open({ prefix });
    // More than the client's buffers hold: the rest is still the server's to send when it dies.
    const written = await fill(d, backlog, "k", 5000);
    const [member] = server.members;
    assert.ok(member);
    let restarted: Promise<readonly Revision[]> | undefined;
    const events = await follow(d.store, {
      prefix,
      from: written[0] ?? noRevision,
      count: backlog + 100,
      each: async () => {
        if (restarted !== undefined) return;
        await member.kill();
        restarted = member.restart().then(() => fill(d, 100, "late"));
      },
    });
    assert.deepEqual(events.map(revisionOf), [...written, ...((await restarted) ?? [])]);
  });

  test("a watch that comes back after a compaction is Expired", async () => {
    const { through, straight } = await openBoth();
    let at = await straight.put("a", 0, "0");
    const from = at;
    const watching = follow(through.store, {
      prefix: through.prefix,
      from,
      count: 100,
      each: async () => {
        proxy.refuse();
        for (let i = 0; i < 20; i++) at = await straight.put("a", at, String(i));
        await straight.store.compact(revision(at));
        proxy.allow();
      },
    });
    await assert.rejects(watching, (error) => error instanceof ApiError && error.reason === "Expired");
  });

  for (const { name, writes } of [
    { name: "is behind what it has told", writes: 0 },
    { name: "has come as far again, by other changes", writes: 20 },
  ]) {
    test(`a watch of an etcd that was set back is Expired: it ${name}`, async (t) => {
      const etcd = await startEtcd();
      t.after(() => etcd.stop());
      const [member] = etcd.members;
      assert.ok(member);
      const { hostname, port } = new URL(member.endpoint);
      const own = await startTcpProxy({ host: hostname, port: Number(port) });
      t.after(() => own.stop());
      const prefix = `/${randomUUID()}/`;
      const through = await open({ prefix, endpoints: [own.address] });
      const straight = await open({ prefix, endpoints: [member.endpoint] });
      const from = await straight.put("a", 0, "0");
      await member.kill();
      const copy = `${member.directory}.copy`;
      await cp(member.directory, copy, { recursive: true });
      await member.restart();
      for (let i = 0; i < 10; i++) await straight.put(`k${i}`, 0, "x");
      let told = 0;
      const restore = async (): Promise<void> => {
        own.refuse();
        await member.kill();
        await rm(member.directory, { recursive: true });
        await cp(copy, member.directory, { recursive: true });
        await member.restart();
        for (let i = 0; i < writes; i++) await straight.put(`other${i}`, 0, "y");
        own.allow();
      };
      const watching = follow(through.store, {
        prefix,
        from,
        count: 100,
        each: async (item) => {
          told += item.type === "events" ? item.events.length : 0;
          if (told === 11) await restore();
        },
      });
      await assert.rejects(watching, (error) => error instanceof ApiError && error.reason === "Expired");
    });
  }

  for (const { name, decorate } of [
    { name: "", decorate: (store: Store) => store },
    { name: ", behind a transformer", decorate: (store: Store) => transformed(store, xor) },
  ]) {
    test(`a watch of an etcd that was set back and has come as far again is Expired: an entry known from before is another${name}`, async (t) => {
      const etcd = await startEtcd();
      t.after(() => etcd.stop());
      const [member] = etcd.members;
      assert.ok(member);
      const prefix = `/${randomUUID()}/`;
      const plain = await open({ prefix, endpoints: [member.endpoint] });
      const { store, put, key } = drive(decorate(plain.store), prefix);
      const first = await put("a", 0, "0");
      await member.kill();
      const copy = `${member.directory}.copy`;
      await cp(member.directory, copy, { recursive: true });
      await member.restart();
      await put("a", first, "1");
      const { proof: known } = await store.range({ prefix: key(""), prove: "newest" });
      assert.ok(known);
      const from = revision((await store.revision()) + 1);
      const watched = async (): Promise<void> => {
        const signal = AbortSignal.timeout(300);
        for await (const item of store.watch({ prefix: key(""), from, known, signal })) assert.fail(item.type);
      };
      await watched();
      await member.kill();
      await rm(member.directory, { recursive: true });
      await cp(copy, member.directory, { recursive: true });
      await member.restart();
      await put("a", first, "2");
      await put("b", 0, "3");
      await assert.rejects(watched, (error) => error instanceof StoreSetBack);
    });
  }

  test("a watch whose store another cluster has taken the place of is Expired, though it has the same revisions and values", async (t) => {
    const [one, other] = [await startEtcd(), await startEtcd()];
    t.after(() => Promise.all([one.stop(), other.stop()]));
    const prefix = `/${randomUUID()}/`;
    const endpoints = [...one.endpoints, ...other.endpoints];
    const [both, ...each] = await Promise.all(
      [endpoints, one.endpoints, other.endpoints].map((endpoints) => open({ prefix, endpoints })),
    );
    assert.ok(both);
    for (const { put } of each) for (const name of ["a", "b", "c"]) await put(name, 0, name);
    assert.equal(await each[0]?.store.revision(), await each[1]?.store.revision());
    let told = 0;
    const watching = follow(both.store, {
      prefix,
      from: revision(2),
      count: 100,
      each: async (item) => {
        told += item.type === "events" ? item.events.length : 0;
        if (told === 3) await one.members[0]?.kill();
      },
    });
    await assert.rejects(watching, (error) => error instanceof StoreSetBack && /another cluster/.test(error.message));
    assert.equal(await both.list(), "a=a b=b c=c");
    const again = await follow(both.store, { prefix, from: revision(2), count: 3 });
    assert.equal(again.length, 3, "a new watch goes on with the other cluster");
  });
});
