import assert from "node:assert/strict";
import { Socket } from "node:net";
import { test } from "node:test";
import { createManualClock } from "@orch/runtime/clock.js";
import { silentLog } from "@orch/runtime/log.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import type { Child, ChildListener } from "./fork.js";
import type { Order, WorkerSettings } from "./messages.js";
import { createWorkerMetrics } from "./metrics.js";
import { createPool } from "./pool.js";

/** A worker that does nothing but what a test makes it say. */
interface FakeChild extends ChildListener {
  readonly orders: Order[];
  readonly sockets: (Socket | undefined)[];
  killed: boolean;
}

function createStage(count: number) {
  const clock = createManualClock();
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const children: FakeChild[] = [];
  const settingsOf = (slot: number): WorkerSettings => ({ ...unused(), slot });
  const pool = createPool({
    count,
    settingsOf,
    clock,
    log: silentLog,
    metrics: createWorkerMetrics(metrics),
    ownFamilies: () => metrics.families(),
    stopWithinMs: 10_000,
    fork(listener): Child {
      const child: FakeChild = {
        orders: [],
        sockets: [],
        killed: false,
        take: (report) => listener.take(report),
        ended: (how) => listener.ended(how),
      };
      children.push(child);
      return {
        pid: children.length,
        send(order, socket) {
          child.orders.push(order);
          if (order.type === "connection") child.sockets.push(socket);
        },
        kill() {
          child.killed = true;
        },
      };
    },
  });
  const child = (index: number): FakeChild => {
    const found = children[index];
    if (found === undefined) throw new Error(`there is no child ${index}`);
    return found;
  };
  return {
    pool,
    clock,
    child,
    children,
    /** Starts the pool; all workers serve. */
    async running(): Promise<void> {
      const started = pool.start();
      for (const one of children) one.take({ type: "serving" });
      await started;
    },
    async value(name: string): Promise<number | undefined> {
      const families = await metrics.families();
      return [...(families.find((family) => family.name === name)?.samples ?? [])][0]?.value;
    },
  };
}

/** Settings of a worker that never looks at them. */
function unused(): Omit<WorkerSettings, "slot"> {
  return JSON.parse("{}");
}

const typesOf = (child: FakeChild): readonly string[] => child.orders.map(({ type }) => type);

test("who says hello is given the settings of its slot", async () => {
  const { pool, child } = createStage(2);
  void pool.start();
  child(1).take({ type: "hello" });
  assert.deepEqual(child(1).orders, [{ type: "settings", settings: { slot: 1 } }]);
  assert.deepEqual(child(0).orders, []);
});

test("a worker that ends before it has served fails the start; the others are stopped", async () => {
  const { pool, child } = createStage(2);
  const started = pool.start();
  child(0).take({ type: "serving" });
  child(1).ended("code 1");
  await assert.rejects(started, /gateway worker 1 ended \(code 1\) before it served/);
  const stopped = pool.stop();
  assert.deepEqual(typesOf(child(0)), ["stop"]);
  child(0).ended("code 0");
  await stopped;
});

test("who ends is started again, later each time, and at once when it has run well", async () => {
  const { clock, child, children, running, value } = createStage(1);
  await running();
  for (const [i, pause] of [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000].entries()) {
    child(i).ended("SIGKILL");
    assert.equal(await value("orch_gateway_workers"), 0);
    clock.advance(pause - 1);
    assert.equal(children.length, i + 1);
    clock.advance(1);
    assert.equal(children.length, i + 2);
    child(i + 1).take({ type: "serving" });
  }
  assert.equal(await value("orch_gateway_worker_restarts_total"), 9);
  assert.equal(await value("orch_gateway_workers"), 1);
  clock.advance(30_001);
  child(9).ended("code 1");
  clock.advance(50);
  assert.equal(children.length, 11);
});

test("connections are dealt in turn; until it is taken each stays here", async () => {
  const { pool, child, running } = createStage(2);
  await running();
  const sockets = Array.from({ length: 4 }, () => new Socket());
  for (const socket of sockets) pool.deal(socket);
  assert.deepEqual(child(0).sockets, [sockets[0], sockets[2]]);
  assert.deepEqual(child(1).sockets, [sockets[1], sockets[3]]);
  for (const order of child(0).orders) if (order.type === "connection") child(0).take({ type: "taken", id: order.id });
  assert.deepEqual(
    sockets.map(({ destroyed }) => destroyed),
    [true, false, true, false],
  );
});

test("a worker that does not take what it was given comes last", async () => {
  const { pool, child, running } = createStage(2);
  await running();
  const sockets = Array.from({ length: 6 }, () => new Socket());
  for (const socket of sockets) {
    pool.deal(socket);
    const last = child(1).orders.at(-1);
    if (last?.type === "connection") child(1).take({ type: "taken", id: last.id });
  }
  assert.deepEqual(child(0).sockets, [sockets[0]]);
  assert.equal(child(1).sockets.length, 5);
});

test("a connection on its way to a worker that ends goes to another one; where none serves it waits", async () => {
  const { pool, clock, child, running } = createStage(2);
  await running();
  const [first, second] = [new Socket(), new Socket()];
  pool.deal(first);
  assert.deepEqual(child(0).sockets, [first]);
  child(0).ended("SIGKILL");
  assert.deepEqual(child(1).sockets, [first]);
  child(1).ended("SIGKILL");
  pool.deal(second);
  clock.advance(100);
  assert.deepEqual(child(2).sockets, []);
  child(2).take({ type: "serving" });
  assert.deepEqual(child(2).sockets, [first, second]);
  assert.ok(!first.destroyed && !second.destroyed);
});

test("no more connections wait than there is room for, and none after the stop", async () => {
  const { pool, child, running } = createStage(1);
  await running();
  child(0).ended("SIGKILL");
  const sockets = Array.from({ length: 1025 }, () => new Socket());
  for (const socket of sockets) pool.deal(socket);
  assert.equal(sockets.filter(({ destroyed }) => destroyed).length, 1);
  await pool.stop();
  assert.ok(sockets.every(({ destroyed }) => destroyed));
  const late = new Socket();
  pool.deal(late);
  assert.ok(late.destroyed);
});

test("a page adds up what all say; what an ended one said last stays, and who is silent is not waited for long", async () => {
  const { clock, child, running } = createStage(2);
  await running();
  const count = (value: number) =>
    [{ name: "n", help: "N.", type: "counter", join: "sum", samples: [{ suffix: "", labels: "", value }] }] as const;
  /** Asks as worker 0 does; `says` answers for each worker. */
  const page = async (asker: number, says: readonly (readonly [child: number, value: number])[]): Promise<number> => {
    child(asker).take({ type: "page", id: 7 });
    for (const [index, value] of says) {
      const asked = child(index).orders.findLast((order) => order.type === "families");
      if (asked?.type === "families") child(index).take({ type: "families", id: asked.id, families: count(value) });
    }
    clock.advance(1_000);
    for (let i = 0; i < 20; i++) await Promise.resolve();
    const answer = child(asker).orders.at(-1);
    assert.ok(answer?.type === "page" && answer.id === 7);
    return Number(/^n (\d+)$/m.exec(answer.text)?.[1]);
  };
  assert.equal(
    await page(0, [
      [0, 3],
      [1, 4],
    ]),
    7,
  );
  assert.equal(await page(0, [[0, 5]]), 9, "worker 1 is silent");
  child(1).ended("SIGKILL");
  assert.equal(await page(0, [[0, 5]]), 9, "worker 1 is gone");
  clock.advance(100);
  child(2).take({ type: "serving" });
  assert.equal(
    await page(0, [
      [0, 5],
      [2, 1],
    ]),
    10,
  );
  assert.equal(
    await page(2, [
      [0, 6],
      [2, 2],
    ]),
    12,
  );
});

test("readiness falls in those that run and in those that come", async () => {
  const { pool, clock, child, running } = createStage(2);
  await running();
  pool.shutDown();
  assert.deepEqual(typesOf(child(0)), ["shutDown"]);
  child(1).ended("SIGKILL");
  clock.advance(50);
  child(2).take({ type: "hello" });
  assert.deepEqual(typesOf(child(2)), ["settings", "shutDown"]);
});

test("who does not stop in time is killed", async () => {
  const { pool, clock, child, running } = createStage(1);
  await running();
  child(0).take({ type: "ready" });
  assert.equal(pool.ready, 1);
  const stopped = pool.stop();
  clock.advance(9_999);
  assert.ok(!child(0).killed);
  clock.advance(1);
  assert.ok(child(0).killed);
  child(0).ended("SIGKILL");
  await stopped;
});
