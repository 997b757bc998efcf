import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ClusterEvent, Registration } from "../framework/events.js";
import { nodeFactsOf } from "../model/node-info.js";
import { type PodInfo, podInfoOf } from "../model/pod-info.js";
import { prioritySort } from "../plugins/priority-sort.js";
import { schedulingGates } from "../plugins/scheduling-gates.js";
import { naming, node, on, type PodWords, pod, sceneOf } from "../testing/cluster-of.js";
import { backoffMs } from "./backoff.js";
import { createHeap } from "./heap.js";
import { createSchedulingQueue, type Part } from "./scheduling-queue.js";

const backoff = { initialMs: 1000, maxMs: 10_000 };
const second = 1000;

const of = (name: string, words: PodWords = {}): PodInfo => podInfoOf(pod(name, words));
const nodeAdded: ClusterEvent = {
  resource: "Node",
  actions: new Set(["Add"]),
  after: nodeFactsOf(node("n"), naming),
};
const podGone: ClusterEvent = {
  resource: "AssignedPod",
  actions: new Set(["Delete"]),
  before: on("n", pod("gone", { asks: { cpu: "1" } })),
};

/** Pods refused by `Any` wait for every event, by `Nodes` for nodes, by `Never` for nothing, by `Picky` for a hint. */
const registered: Readonly<Record<string, readonly Registration[]>> = {
  Nodes: [{ resource: "Node", actions: ["Add"] }],
  Never: [],
  Picky: [{ resource: "Node", actions: ["Add"], hint: (p) => p.name === "lucky" }],
  Faulty: [
    {
      resource: "Node",
      actions: ["Add"],
      hint: () => {
        throw new Error("no");
      },
    },
  ],
  SchedulingGates: schedulingGates.events ?? [],
};

function queueOf() {
  const entries: string[] = [];
  const queue = createSchedulingQueue({
    compare: prioritySort.queueSort ?? (() => 0),
    preEnqueue: (p) => schedulingGates.preEnqueue?.(p),
    eventsOf: (_, plugin) => registered[plugin],
    backoff,
    maxUnschedulableMs: 300 * second,
    entered: (part: Part, event: string) => entries.push(`${part} ${event}`),
  });
  return {
    queue,
    entries,
    /** Takes the next pod and gives it back, refused by plugins. */
    refuse: (now: number, plugins: readonly string[], pending: readonly string[] = []) => {
      const taken = queue.pop(now);
      assert.ok(taken);
      queue.requeue(taken, { plugins: new Set(plugins), pending: new Set(pending) }, now);
      queue.done(taken.key);
      return taken;
    },
    whole: () => {
      const { active, backoff: resting, unschedulable, gated } = queue.sizes();
      return [active, resting, unschedulable, gated];
    },
  };
}

test("backoff doubles up to the longest", () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 5000].map((attempts) => backoffMs(attempts, backoff) / second),
    [1, 2, 4, 8, 10, 10, 10],
  );
});

test("higher priority first, then who came earlier", () => {
  const { queue } = queueOf();
  queue.add(of("late"), 2);
  queue.add(of("early"), 1);
  queue.add(of("high", { spec: { priority: 5 } }), 3);
  assert.deepEqual(
    [1, 2, 3, 4].map((now) => queue.pop(now)?.pod.name),
    ["high", "early", "late", undefined],
  );
});

test("a heap gives what a sorted list gives, whatever is taken out", () => {
  const item = fc.record({ key: fc.constantFrom(..."abcdefghij"), rank: fc.nat(5) });
  fc.assert(
    fc.property(fc.array(fc.record({ item, isDelete: fc.boolean() })), (steps) => {
      const heap = createHeap<{ readonly key: string; readonly rank: number }>((a, b) => a.rank - b.rank);
      const plain = new Map<string, number>();
      for (const { item: each, isDelete } of steps) {
        if (isDelete) assert.equal(heap.delete(each.key)?.rank, plain.get(each.key));
        else heap.set(each);
        if (isDelete) plain.delete(each.key);
        else plain.set(each.key, each.rank);
      }
      const taken: number[] = [];
      for (let next = heap.take(); next !== undefined; next = heap.take()) taken.push(next.rank);
      assert.deepEqual(
        taken,
        [...plain.values()].sort((a, b) => a - b),
      );
    }),
  );
});

const verdicts: readonly (readonly [
  rule: string,
  plugins: readonly string[],
  event: ClusterEvent,
  whole: readonly number[],
])[] = [
  ["an event that its plugin waits for: after its backoff", ["Nodes"], nodeAdded, [0, 1, 0, 0]],
  ["another event: it stays", ["Nodes"], podGone, [0, 0, 1, 0]],
  ["no events at all", ["Never"], nodeAdded, [0, 0, 1, 0]],
  ["a plugin that says nothing of events waits for all", ["Unknown"], podGone, [0, 1, 0, 0]],
  ["one of several plugins is enough", ["Never", "Nodes"], nodeAdded, [0, 1, 0, 0]],
  ["a hint that says no", ["Picky"], nodeAdded, [0, 0, 1, 0]],
  ["a hint that fails", ["Faulty"], nodeAdded, [0, 1, 0, 0]],
];
for (const [rule, plugins, event, whole] of verdicts) {
  test(`an unschedulable pod after ${rule}`, () => {
    const scene = queueOf();
    scene.queue.add(of("p"), 0);
    scene.refuse(0, plugins);
    assert.deepEqual(scene.whole(), [0, 0, 1, 0]);
    scene.queue.happened(event, 100);
    assert.deepEqual(scene.whole(), whole);
  });
  test(`a pod on its way is judged when it comes back: ${rule}`, () => {
    const { queue, whole: sizes } = queueOf();
    queue.add(of("p"), 0);
    const taken = queue.pop(0);
    assert.ok(taken);
    queue.happened(event, 0);
    queue.requeue(taken, { plugins: new Set(plugins), pending: new Set() }, 0);
    queue.done(taken.key);
    assert.deepEqual(sizes(), whole);
  });
}

test("a pod whose plugin waits for something outside is tried at once", () => {
  const { queue, whole, refuse } = queueOf();
  queue.add(of("p"), 0);
  refuse(0, [], ["Nodes"]);
  queue.happened(nodeAdded, 1);
  assert.deepEqual(whole(), [1, 0, 0, 0]);
});

test("an attempt that failed is repeated after the backoff, which a flush ends", () => {
  const { queue, whole, refuse, entries } = queueOf();
  queue.add(of("p"), 0);
  refuse(0, []);
  assert.deepEqual(whole(), [0, 1, 0, 0]);
  assert.equal(queue.nextFlush(), second);
  queue.flush(second - 1);
  assert.deepEqual(whole(), [0, 1, 0, 0]);
  queue.flush(second);
  assert.deepEqual(whole(), [1, 0, 0, 0]);
  assert.equal(refuse(second, []).attempts, 2);
  assert.equal(queue.nextFlush(), 3 * second);
  assert.deepEqual(entries, [
    "active PodAdd",
    "backoff ScheduleAttemptFailure",
    "active BackoffComplete",
    "backoff ScheduleAttemptFailure",
  ]);
});

test("an event after the backoff is over makes the pod active at once", () => {
  const { queue, whole, refuse } = queueOf();
  queue.add(of("p"), 0);
  refuse(0, ["Nodes"]);
  queue.happened(nodeAdded, 2 * second);
  assert.deepEqual(whole(), [1, 0, 0, 0]);
});

test("a pod that nothing happened to is tried again after five minutes", () => {
  const { queue, whole, refuse } = queueOf();
  queue.add(of("p"), 0);
  refuse(0, ["Never"]);
  queue.flush(300 * second);
  assert.deepEqual(whole(), [0, 0, 1, 0]);
  queue.flush(300 * second + 1);
  assert.deepEqual(whole(), [1, 0, 0, 0]);
});

test("gates hold a pod until the last is gone", () => {
  const { queue, whole, entries } = queueOf();
  const gatedBy = (...names: readonly string[]) =>
    of("p", { spec: { schedulingGates: names.map((name) => ({ name })) } });
  const [two, one, none] = [gatedBy("a", "b"), gatedBy("b"), gatedBy()];
  queue.add(two, 0);
  assert.deepEqual(queue.get("default/p")?.gate?.reasons, ["waiting for scheduling gates: [a b]"]);
  queue.update(two, one, 1);
  queue.happened(nodeAdded, 1);
  assert.deepEqual(whole(), [0, 0, 0, 1]);
  queue.update(one, none, 2);
  assert.deepEqual(whole(), [1, 0, 0, 0]);
  assert.deepEqual(entries.slice(0, 1), ["gated PodAdd"]);
});

test("a waiting pod that changes is the changed one; a pod that is gone is nowhere", () => {
  const { queue, whole } = queueOf();
  const [before, after] = [of("p"), of("p", { spec: { priority: 7 } })];
  queue.add(before, 0);
  queue.update(before, after, 1);
  assert.equal(queue.get("default/p")?.pod.priority, 7);
  queue.delete("default/p");
  assert.deepEqual(whole(), [0, 0, 0, 0]);
});

test("pods that somebody names are tried at once", () => {
  const { queue, whole, refuse } = queueOf();
  queue.add(of("p"), 0);
  refuse(0, ["Never"]);
  queue.activate(["default/p", "default/unknown"], 1);
  assert.deepEqual(whole(), [1, 0, 0, 0]);
});

test("hints of the default plugins: what frees a resource, a node that fits, a taint that went", () => {
  const { profile } = sceneOf();
  const worth = (plugin: string, waiting: PodInfo, event: ClusterEvent): boolean =>
    (profile.plugins.get(plugin)?.events ?? []).some(
      ({ resource, actions, hint }) =>
        (resource === event.resource || resource === "Pod") &&
        actions.some((action) => event.actions.has(action)) &&
        (hint?.(waiting, event) ?? true),
    );
  const nodeEvent = (words: Parameters<typeof node>[1], before?: Parameters<typeof node>[1]): ClusterEvent => ({
    resource: "Node",
    actions: new Set(before === undefined ? ["Add"] : ["UpdateNodeAllocatable", "UpdateNodeTaint", "UpdateNodeLabel"]),
    after: nodeFactsOf(node("n", words), naming),
    ...(before === undefined ? {} : { before: nodeFactsOf(node("n", before), naming) }),
  });
  const wants = (cpu: string, spec: PodWords["spec"] = {}) => of("p", { asks: { cpu }, spec });
  assert.equal(worth("NodeResourcesFit", wants("1"), podGone), true);
  assert.equal(worth("NodeResourcesFit", wants("8"), nodeEvent({})), false);
  assert.equal(worth("NodeResourcesFit", wants("2"), nodeEvent({})), true);
  assert.equal(worth("NodeResourcesFit", wants("2"), nodeEvent({ has: { memory: "64Gi" } }, {})), false);
  assert.equal(worth("NodeResourcesFit", wants("2"), nodeEvent({ has: { cpu: "8" } }, {})), true);
  const taints = [{ key: "k", effect: "NoSchedule" }];
  assert.equal(worth("TaintToleration", wants("1"), nodeEvent({ taints })), false);
  assert.equal(worth("TaintToleration", wants("1"), nodeEvent({}, { taints })), true);
  assert.equal(worth("NodeUnschedulable", wants("1"), nodeEvent({ unschedulable: true })), false);
  assert.equal(worth("NodeAffinity", wants("1", { nodeSelector: { a: "b" } }), nodeEvent({})), false);
  assert.equal(
    worth("NodeAffinity", wants("1", { nodeSelector: { a: "b" } }), nodeEvent({ labels: { a: "b" } })),
    true,
  );
  assert.equal(worth("NodeName", wants("1", { nodeName: "n" }), nodeEvent({})), true);
  assert.equal(worth("NodePorts", of("p", { hostPort: 80 }), podGone), false);
});

test("events are kept only while somebody is on its way", () => {
  const { queue } = queueOf();
  queue.happened(nodeAdded, 0);
  queue.add(of("p"), 0);
  const taken = queue.pop(0);
  assert.ok(taken);
  queue.requeue(taken, { plugins: new Set(["Nodes"]), pending: new Set() }, 0);
  queue.done(taken.key);
  // What came before the attempt was seen by it.
  assert.equal(queue.sizes().unschedulable, 1);
});

test("what became of a pod on its way is known when it comes back", () => {
  const takenFrom = (queue: ReturnType<typeof queueOf>["queue"]) => {
    queue.add(of("p"), 0);
    const taken = queue.pop(0);
    assert.ok(taken);
    return () => {
      queue.requeue(taken, { plugins: new Set(["Never"]), pending: new Set() }, 1);
      queue.done(taken.key);
      return queue.get("default/p");
    };
  };
  const changed = queueOf().queue;
  const back = takenFrom(changed);
  changed.update(of("p"), of("p", { spec: { priority: 3 } }), 1);
  assert.equal(back()?.pod.priority, 3);
  const gone = queueOf().queue;
  const never = takenFrom(gone);
  gone.delete("default/p");
  assert.equal(never(), undefined);
  const again = queueOf().queue;
  const first = takenFrom(again);
  again.delete("default/p");
  again.add(podInfoOf(pod("p", { meta: { name: "p", namespace: "default", uid: "another" } })), 2);
  const second = first();
  assert.deepEqual([second?.pod.uid, second?.attempts, again.sizes().active], ["another", 0, 1]);
});
