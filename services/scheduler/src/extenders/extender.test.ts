import assert from "node:assert/strict";
import { test } from "node:test";
import type { Extender as Configuration } from "@orch/component-config/scheduler/scheduler-configuration.js";
import { createNaming } from "@orch/naming/naming.js";
import type { RawPod } from "@orch/scheduling/model/objects.js";
import { type PodInfo, podInfoOf } from "@orch/scheduling/model/pod-info.js";
import { createScheduling } from "@orch/scheduling/scheduling.js";
import { readScheduler } from "../configuration-file.js";
import { decideWith } from "./decide.js";
import { createExtender, type Extender } from "./extender.js";

const configuration: Configuration = {
  ...{ urlPrefix: "http://x", filterVerb: "f", prioritizeVerb: "p", preemptVerb: "e", bindVerb: "b", weight: 3 },
  ...{ enableHTTPS: false, httpTimeout: "5s", nodeCacheCapable: true, ignorable: false },
  managedResources: [],
};
const signal = new AbortController().signal;

type Answers = Readonly<Record<string, unknown>>;

/** One whose answers are given by the verb; `asked` takes what it was asked. */
function extenderOf(answers: Answers, changed: Partial<Configuration> = {}, asked: unknown[] = []): Extender {
  const ask = async (verb: string, body: object): Promise<unknown> => {
    asked.push(body);
    const answer = answers[verb];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const nodeObject = (name: string) => ({ metadata: { name }, whole: true });
  return createExtender({ ...configuration, ...changed }, { ask, nodeObject });
}

const pod = (name: string, spec: RawPod["spec"] = {}): PodInfo =>
  podInfoOf({
    metadata: { name, namespace: "ns", uid: `uid-${name}` },
    spec: {
      schedulerName: "default-scheduler",
      containers: [{ name: "c", resources: { requests: { cpu: "2" } } }],
      ...spec,
    },
  });

/** Two nodes of two processors; `busy` takes all of the first, `other` of the second. */
function clusterOf(pods: readonly PodInfo[] = []) {
  const naming = createNaming("orch");
  const read = readScheduler([], naming);
  assert.ok(read.ok);
  const nothing = (): Promise<undefined> => Promise.resolve(undefined);
  const scheduling = createScheduling({
    ...{ config: read.config, naming, random: () => 0 },
    ...{ bind: nothing, bindVolumes: () => nothing },
  });
  for (const name of ["a", "b"])
    scheduling.feed.node({ metadata: { name }, status: { allocatable: { cpu: "2", pods: "10" } } }, 0);
  for (const each of pods) scheduling.feed.pod(each.raw, 0);
  const profile = scheduling.profiles.get("default-scheduler");
  assert.ok(profile);
  const decide = (extenders: readonly Extender[], each: PodInfo, errors: unknown[] = []) =>
    decideWith(profile, each, {
      ...{ cycles: scheduling.cycles, extenders, now: 0, signal },
      onError: (error) => errors.push(error),
    });
  return { decide, nodes: scheduling.cluster.nodes };
}

test("what is left and why is read whatever the case of its keys, names or whole nodes", async () => {
  const { nodes } = clusterOf();
  for (const answer of [
    { NodeNames: ["b"], FailedNodes: { a: "no" } },
    { nodenames: ["b"], failednodes: { a: "no" } },
    { Nodes: { items: [{ metadata: { name: "b" } }] }, FailedNodes: { a: "no" } },
  ]) {
    const { left, rejections } = await extenderOf({ f: answer }).filter(pod("p"), nodes, signal);
    assert.deepEqual(
      left.map(({ name }) => name),
      ["b"],
    );
    assert.deepEqual(rejections.get("a"), { code: "Unschedulable", plugin: "", reasons: ["no"] });
  }
});

test("what making room does not help with wins over what it may help with", async () => {
  const { nodes } = clusterOf();
  const answer = { NodeNames: [], FailedNodes: { a: "later" }, FailedAndUnresolvableNodes: { a: "never" } };
  const { rejections } = await extenderOf({ f: answer }).filter(pod("p"), nodes, signal);
  assert.equal(rejections.get("a")?.code, "UnschedulableAndUnresolvable");
});

test("who keeps nodes is told names, others whole nodes", async () => {
  const { nodes } = clusterOf();
  const [named, whole]: unknown[][] = [[], []];
  await extenderOf({ f: { NodeNames: [] } }, {}, named).filter(pod("p"), nodes, signal);
  await extenderOf({ f: { NodeNames: [] } }, { nodeCacheCapable: false }, whole).filter(pod("p"), nodes, signal);
  const [first, second] = [Object(named?.[0]), Object(whole?.[0])];
  assert.deepEqual([first.NodeNames, first.Nodes], [["a", "b"], null]);
  assert.deepEqual([second.NodeNames, second.Nodes.items.length], [null, 2]);
});

test("a pod concerns who manages a resource that it asks for, limits and init containers too", () => {
  const managing = extenderOf({}, { managedResources: [{ name: "example.com/x", ignoredByScheduler: false }] });
  assert.equal(managing.isInterested(pod("p")), false);
  const limited = { resources: { limits: { "example.com/x": "1" } } };
  assert.equal(managing.isInterested(pod("p", { containers: [limited] })), true);
  assert.equal(managing.isInterested(pod("p", { initContainers: [limited] })), true);
  assert.equal(extenderOf({}).isInterested(pod("p")), true);
});

test("scores decide by their weight", async () => {
  const { decide } = clusterOf();
  const one = extenderOf({
    f: { NodeNames: ["a", "b"] },
    p: [
      { Host: "b", Score: 10 },
      { host: "a", score: 1 },
    ],
  });
  const placed = await decide([one], pod("p"));
  assert.equal(placed.outcome === "placed" ? placed.node : placed.outcome, "b");
});

test("a node that nobody offered is an error", async () => {
  const { decide } = clusterOf();
  const decision = await decide([extenderOf({ f: { NodeNames: ["z"] } })], pod("p"));
  assert.deepEqual(decision, {
    outcome: "failed",
    message: 'extender claims a filtered node "z" it was not given',
  });
});

test("who fails is passed over where that may be, and where it only scores", async () => {
  const { decide } = clusterOf();
  const errors: unknown[] = [];
  const broken = { f: new Error("away"), p: new Error("away") };
  assert.equal((await decide([extenderOf(broken, { ignorable: true })], pod("p"), errors)).outcome, "placed");
  assert.equal(errors.length, 2);
  assert.deepEqual(await decide([extenderOf(broken)], pod("p")), { outcome: "failed", message: "away" });
  assert.equal(
    (await decide([extenderOf({ p: new Error("away"), f: { NodeNames: ["a"] } })], pod("p"))).outcome,
    "placed",
  );
});

test("all refused: the sentence counts its reasons with the plugins'", async () => {
  const { decide } = clusterOf([
    pod("busy", { nodeName: "a", containers: [{ resources: { requests: { cpu: "2" } } }] }),
  ]);
  const decision = await decide([extenderOf({ f: { NodeNames: [], FailedNodes: { b: "not this one" } } })], pod("p"));
  assert.equal(decision.outcome, "refused");
  assert.match(
    decision.outcome === "refused" ? decision.message : "",
    /^0\/2 nodes are available: 1 Insufficient cpu, 1 not this one\./,
  );
});

test("who preempts drops nodes and victims; a node that it leaves without victims is an error", async () => {
  const full = (name: string, nodeName: string) => pod(name, { nodeName, priority: 0 });
  const cluster = clusterOf([full("on-a", "a"), full("on-b", "b")]);
  const vip = pod("vip", { priority: 100 });
  const answer = { NodeNameToMetaVictims: { b: { Pods: [{ UID: "uid-on-b" }], NumPDBViolations: 0 } } };
  const chosen = await cluster.decide([extenderOf({ f: { NodeNames: [] }, e: answer })], vip);
  assert.equal(chosen.outcome === "refused" ? chosen.nomination?.node : "", "b");
  const none = { NodeNameToMetaVictims: { b: { Pods: [], NumPDBViolations: 0 } } };
  const idle = await cluster.decide([extenderOf({ f: { NodeNames: [] }, e: none })], vip);
  assert.deepEqual(idle, { outcome: "failed", message: 'expected at least one victim pod on node "b"' });
});
