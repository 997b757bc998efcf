import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfigurations } from "@orch/component-config/read-configurations.js";
import { schedulerConfiguration } from "@orch/component-config/scheduler/scheduler.js";
import fc from "fast-check";
import { bindPod, permit, postBind, preBindPod, release, reserve } from "./cycle/binding.js";
import type { Plugin } from "./framework/plugin.js";
import { skip, unschedulable } from "./framework/status.js";
import type { RawPod } from "./model/objects.js";
import { podInfoOf } from "./model/pod-info.js";
import { createScheduling, type Scheduling } from "./scheduling.js";
import { naming, node, type PodWords, pod } from "./testing/cluster-of.js";

function schedulingOf(given: object = {}, more: readonly Plugin[] = []): Scheduling {
  const kind = schedulerConfiguration(naming);
  const apiVersion = `${naming.configurationGroup("orchscheduler.config")}/v1`;
  const file = readConfigurations(JSON.stringify({ apiVersion, kind: "OrchSchedulerConfiguration", ...given }), [kind]);
  assert.ok(file.ok, file.ok ? "" : file.problems.join("; "));
  const config = file.documents[0] === undefined ? undefined : kind.from(file.documents[0]);
  assert.ok(config);
  return createScheduling({
    config,
    naming,
    random: () => 0,
    bind: async () => undefined,
    bindVolumes: () => async () => undefined,
    more: new Map(more.map((plugin) => [plugin.name, () => plugin])),
  });
}

const mine = (name: string, words: PodWords = {}): RawPod =>
  pod(name, { ...words, spec: { schedulerName: "default-scheduler", ...words.spec } });
const bound = (raw: RawPod, nodeName: string): RawPod => ({ ...raw, spec: { ...raw.spec, nodeName } });

/** Tries waiting pods until none is active; what is placed is assumed, what is nominated gets its victims out of the way. */
function drain({ queue, profiles, cycles, cluster, feed }: Scheduling, now: number): readonly string[] {
  const told: string[] = [];
  for (let waiting = queue.pop(now); waiting !== undefined; waiting = queue.pop(now)) {
    const { pod: each, key } = waiting;
    const profile = profiles.get(each.schedulerName);
    assert.ok(profile);
    const decision = cycles.schedule(profile, each, now);
    told.push(`${each.name} ${decision.outcome === "placed" ? decision.node : decision.outcome}`);
    if (decision.outcome === "placed") {
      cluster.assume(each, decision.node);
      cluster.nominations.clear(key);
    } else {
      const refused =
        decision.outcome === "refused" ? decision : { plugins: new Set<string>(), pending: new Set<string>() };
      if (decision.outcome === "refused" && decision.nomination !== undefined) {
        cluster.nominations.set(each, decision.nomination.node);
        for (const victim of decision.nomination.victims) feed.podGone(victim.key, now);
      }
      queue.requeue(waiting, refused, now);
    }
    queue.done(key);
  }
  return told;
}

test("a pod that does not fit is tried again when a node comes", () => {
  const scene = schedulingOf();
  scene.feed.node(node("small", { has: { cpu: "1" } }), 0);
  scene.feed.pod(mine("p", { asks: { cpu: "3" } }), 0);
  assert.deepEqual(drain(scene, 0), ["p refused"]);
  scene.feed.node(node("tiny", { has: { cpu: "2" } }), 5000);
  assert.deepEqual(drain(scene, 5000), []);
  scene.feed.node(node("large"), 6000);
  assert.deepEqual(drain(scene, 6000), ["p large"]);
});

test("pods of other schedulers are not ours; those that have ended take no room", () => {
  const scene = schedulingOf();
  scene.feed.node(node("n", { has: { pods: "1" } }), 0);
  scene.feed.pod({ ...bound(mine("old"), "n"), status: { phase: "Succeeded" } }, 0);
  scene.feed.pod(pod("foreign", { spec: { schedulerName: "other" } }), 0);
  scene.feed.pod(mine("p"), 0);
  assert.deepEqual(drain(scene, 0), ["p n"]);
});

test("an assumed pod is confirmed by the server, or forgotten and tried again", () => {
  const scene = schedulingOf();
  const { cluster, queue, profiles } = scene;
  scene.feed.node(node("n", { has: { pods: "1" } }), 0);
  scene.feed.pod(mine("a"), 0);
  scene.feed.pod(mine("b"), 0);
  assert.deepEqual(drain(scene, 0), ["a n", "b refused"]);
  const profile = profiles.get("default-scheduler");
  const assumed = cluster.pod("default/a");
  assert.ok(profile && assumed);
  release(profile, assumed, "n", { cluster, queue, now: 5000 });
  assert.deepEqual(drain(scene, 5000), ["b n"]);
  scene.feed.pod(bound(mine("b"), "n"), 6000);
  assert.deepEqual(cluster.sizes(), { nodes: 1, pods: 1, assumed: 0 });
});

test("a pod that makes others go lands on the nominated node, though others of less priority wait too", () => {
  const scene = schedulingOf();
  scene.feed.node(node("n"), 0);
  scene.feed.pod(bound(mine("low", { asks: { cpu: "4" }, spec: { priority: 1 } }), "n"), 0);
  scene.feed.pod(mine("high", { asks: { cpu: "4" }, spec: { priority: 5 } }), 0);
  scene.feed.pod(mine("later", { asks: { cpu: "1" }, spec: { priority: 2 } }), 1);
  assert.deepEqual(drain(scene, 1), ["high refused", "later refused"]);
  assert.equal(scene.cluster.nominations.nodeOf("default/high"), "n");
  scene.queue.flush(2000);
  assert.deepEqual(drain(scene, 2000), ["high n"]);
});

test("a pod that takes the name of one that was assumed or nominated begins anew", () => {
  const scene = schedulingOf();
  scene.feed.node(node("n", { has: { pods: "1" } }), 0);
  scene.feed.pod(mine("a"), 0);
  assert.deepEqual(drain(scene, 0), ["a n"]);
  const again = mine("a", { meta: { name: "a", namespace: "default", uid: "another" } });
  scene.feed.pod(again, 1);
  assert.equal(scene.cluster.isAssumed("default/a"), false);
  assert.deepEqual(drain(scene, 1), ["a n"]);
  assert.equal(scene.cluster.pod("default/a")?.uid, "another");
  scene.cluster.nominations.set(podInfoOf(mine("b")), "n");
  scene.feed.pod(mine("b"), 2);
  scene.feed.pod(mine("b", { meta: { name: "b", namespace: "default", uid: "another" } }), 3);
  assert.equal(scene.cluster.nominations.nodeOf("default/b"), undefined);
});

test("two profiles: each pod goes by its own", () => {
  const scene = schedulingOf({
    profiles: [
      { schedulerName: "default-scheduler" },
      {
        schedulerName: "packs",
        plugins: { score: { disabled: [{ name: "NodeResourcesBalancedAllocation" }] } },
        pluginConfig: [{ name: "NodeResourcesFit", args: { scoringStrategy: { type: "MostAllocated" } } }],
      },
    ],
  });
  for (const name of ["n1", "n2"]) scene.feed.node(node(name), 0);
  scene.feed.pod(bound(mine("x", { asks: { cpu: "2", memory: "16Gi" } }), "n2"), 0);
  const asks = { cpu: "1", memory: "8Gi" };
  scene.feed.pod(mine("a", { asks }), 0);
  scene.feed.pod(mine("b", { asks, spec: { schedulerName: "packs" } }), 1);
  assert.deepEqual(drain(scene, 1), ["a n1", "b n2"]);
});

test("plugins keep, allow and bind in their order; what fails is taken back in the opposite one", async () => {
  const calls: string[] = [];
  const recording = (name: string, more: Partial<Plugin> = {}): Plugin => ({
    name,
    reserve: {
      reserve: () => {
        calls.push(`reserve ${name}`);
        return undefined;
      },
      unreserve: () => calls.push(`unreserve ${name}`),
    },
    bind: async () => skip,
    postBind: () => calls.push(`postBind ${name}`),
    ...more,
  });
  const [a, b] = [
    recording("A", { permit: () => ({ code: "Wait", ms: 60 * 60 * 1000 }) }),
    recording("B", { preBind: async (each) => (each.name === "bad" ? unschedulable("B", "no") : undefined) }),
  ];
  const enabled = [{ name: "A" }, { name: "B" }];
  const scene = schedulingOf({ profiles: [{ plugins: { multiPoint: { enabled } } }] }, [a, b]);
  const profile = scene.profiles.get("default-scheduler");
  assert.ok(profile);
  scene.feed.node(node("n"), 0);
  scene.feed.pod(mine("bad"), 0);
  drain(scene, 0);
  const each = scene.cluster.pod("default/bad");
  assert.ok(each);
  const signal = new AbortController().signal;
  assert.equal(reserve(profile, each, "n"), undefined);
  const permission = permit(profile, each, "n");
  assert.ok("waitsFor" in permission);
  assert.deepEqual([[...permission.waitsFor.keys()], permission.ms], [["A"], 15 * 60 * 1000]);
  assert.deepEqual((await preBindPod(profile, each, "n", signal))?.reasons, ["no"]);
  release(profile, each, "n", { ...scene, now: 0 });
  assert.equal(scene.cluster.pod("default/bad"), undefined);
  assert.equal(await bindPod(profile, { ...each, name: "good" }, "n", signal), undefined);
  postBind(profile, each, "n", assert.ifError);
  const own = calls.filter((call) => /[AB]$/.test(call));
  assert.deepEqual(own, ["reserve A", "reserve B", "unreserve B", "unreserve A", "postBind A", "postBind B"]);
});

test("whatever comes and goes: no node holds more than it has, and no pod waits for one of lower priority with room", () => {
  const size = fc.integer({ min: 1, max: 4 });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ is: fc.constant("pod" as const), cpu: size, priority: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("node" as const), cpu: size }) },
    { weight: 2, arbitrary: fc.record({ is: fc.constant("gone" as const), which: fc.nat(30) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const scene = schedulingOf();
      let now = 0;
      for (const [i, each] of steps.entries()) {
        now += 20_000;
        if (each.is === "node") scene.feed.node(node(`n${i}`, { has: { cpu: String(each.cpu) } }), now);
        else if (each.is === "gone") scene.feed.podGone(`default/p${each.which}`, now);
        else scene.feed.pod(mine(`p${i}`, { asks: { cpu: String(each.cpu) }, spec: { priority: each.priority } }), now);
        scene.queue.flush(now);
        drain(scene, now);
        now += 20_000;
        scene.queue.flush(now);
        drain(scene, now);
        for (const { requested, allocatable, pods } of scene.cluster.nodes) {
          assert.ok(requested.cpu <= allocatable.cpu);
          assert.equal(
            requested.cpu,
            pods.reduce((sum, { requests }) => sum + requests.cpu, 0),
          );
        }
        for (let j = 0; j <= i; j++) {
          const waits = scene.queue.get(`default/p${j}`)?.pod;
          if (waits === undefined) continue;
          for (const { pods, allocatable } of scene.cluster.nodes) {
            const kept = pods.filter(({ priority }) => priority >= waits.priority);
            const rivals = scene.cluster.nominations.size;
            const room = allocatable.cpu - kept.reduce((sum, { requests }) => sum + requests.cpu, 0);
            assert.ok(room < waits.requests.cpu || rivals > 0, `${waits.name} could have made room`);
          }
        }
      }
    }),
    { numRuns: 200 },
  );
});
