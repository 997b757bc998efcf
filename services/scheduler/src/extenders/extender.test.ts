import assert from "node:assert/strict";
import { test } from "node:test";
import type { Extender as Configuration } from "@orch/component-config/scheduler/scheduler-configuration.js";
import { createNaming } from "@orch/naming/naming.js";
import type { RawPod } from "@orch/scheduling/model/objects.js";
import { type PodInfo, podInfoOf } from "@orch/scheduling/model/pod-info.js";
import { createScheduling } from "@orch/scheduling/scheduling.js";
import { readScheduler } from "../configuration-file.js";
import { extendersProblem, tlsOf } from "./call.js";
import { decideWith } from "./decide.js";
import { createExtender, type Extender, type ExtenderDeps } from "./extender.js";

const configuration: Configuration = {
  ...{ urlPrefix: "http://x", filterVerb: "f", prioritizeVerb: "p", preemptVerb: "e", bindVerb: "b", weight: 3 },
  ...{ enableHTTPS: false, httpTimeout: "5s", nodeCacheCapable: true, ignorable: false },
  managedResources: [],
};
const signal = new AbortController().signal;

type Answers = Readonly<Record<string, unknown>>;

/** One whose answers are given by the verb; `asked` takes what it was asked. */
function extenderOf(
  answers: Answers,
  changed: Partial<Configuration> = {},
  asked: unknown[] = [],
  podsOn: ExtenderDeps["podsOn"] = () => [],
): Extender {
  const ask = async (verb: string, body: object): Promise<unknown> => {
    asked.push(body);
    const answer = answers[verb];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const nodeObject = (name: string) => ({ metadata: { name }, whole: true });
  return createExtender({ ...configuration, ...changed }, { ask, nodeObject, podsOn });
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
  const podsOn: ExtenderDeps["podsOn"] = (name) => scheduling.cluster.node(name)?.pods;
  return { decide, podsOn, nodes: scheduling.cluster.nodes };
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

test("a reason may be long, and is cut", async () => {
  const { nodes } = clusterOf();
  const answer = { NodeNames: [], FailedNodes: { a: "y".repeat(1_000_000) } };
  const { rejections } = await extenderOf({ f: answer }).filter(pod("p"), nodes, signal);
  assert.equal(rejections.get("a")?.reasons[0]?.length, 1024);
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
    message: 'extender "http://x" claims a filtered node "z" which is not found in the input node list',
  });
});

for (const [what, answers] of [
  ["a list", { f: [] }],
  ["nothing", { f: undefined }],
  ["a word", { f: "a" }],
] as const) {
  test(`who answers with ${what} has not refused every node: the attempt has failed`, async () => {
    const decision = await clusterOf().decide([extenderOf(answers)], pod("p"));
    const message = 'extender "http://x" answers f with something that is no object';
    assert.deepEqual(decision, { outcome: "failed", message });
  });
}

test("scores that are no integers, and what is no list of them, count for nothing", async () => {
  for (const p of [{}, [{ Host: "b", Score: 1e300 }], [{ Host: "b", Score: 0.5 }], [{ Host: "b", Score: "10" }]]) {
    const errors: unknown[] = [];
    const { decide } = clusterOf();
    assert.equal((await decide([extenderOf({ f: { NodeNames: ["a", "b"] }, p })], pod("p"), errors)).outcome, "placed");
    assert.equal(errors.length, 1, JSON.stringify(p));
  }
});

test("the only node that is left is taken without scores", async () => {
  const asked: unknown[] = [];
  const placed = await clusterOf().decide([extenderOf({ f: { NodeNames: ["b"] } }, {}, asked)], pod("p"));
  assert.deepEqual([placed.outcome, asked.length], ["placed", 1]);
});

test("a pod that an extender refuses waits for whatever happens", async () => {
  const decision = await clusterOf().decide([extenderOf({ f: { NodeNames: [] } })], pod("p"));
  assert.deepEqual(decision.outcome === "refused" ? [...decision.plugins] : [], ["Extender"]);
});

test("with enableHTTPS and no authority the server is not asked who it is", () => {
  const tls = {
    ...{ insecure: false, serverName: "", certFile: "", keyFile: "", caFile: "" },
    ...{ certData: "", keyData: "", caData: "" },
  };
  assert.deepEqual(tlsOf({ enableHTTPS: false }), {});
  assert.deepEqual(tlsOf({ enableHTTPS: true }), { rejectUnauthorized: false });
  assert.deepEqual(tlsOf({ enableHTTPS: true, tlsConfig: tls }), { rejectUnauthorized: false });
  const caData = Buffer.from("authority").toString("base64");
  assert.deepEqual(tlsOf({ enableHTTPS: true, tlsConfig: { ...tls, caData } }), { ca: Buffer.from("authority") });
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
  const chosen = await cluster.decide([extenderOf({ f: { NodeNames: [] }, e: answer }, {}, [], cluster.podsOn)], vip);
  assert.equal(chosen.outcome === "refused" ? chosen.nomination?.node : "", "b");
  const none = { NodeNameToMetaVictims: { b: { Pods: [], NumPDBViolations: 0 } } };
  const idle = await cluster.decide([extenderOf({ f: { NodeNames: [] }, e: none }, {}, [], cluster.podsOn)], vip);
  assert.deepEqual(idle, { outcome: "failed", message: 'expected at least one victim pod on node "b"' });
  const passedOver = await cluster.decide(
    [extenderOf({ f: { NodeNames: [] }, e: none }, { ignorable: true }, [], cluster.podsOn)],
    vip,
  );
  assert.equal(passedOver.outcome === "refused" ? passedOver.nomination : "", undefined);
  const failure = async (kept: object): Promise<string> => {
    const e = { NodeNameToMetaVictims: kept };
    const decision = await cluster.decide([extenderOf({ f: { NodeNames: [] }, e }, {}, [], cluster.podsOn)], vip);
    return decision.outcome === "failed" ? decision.message : decision.outcome;
  };
  assert.equal(await failure({ z: { Pods: [{ UID: "u" }] } }), 'nodeinfo not found for node name "z"');
  assert.equal(
    await failure({ b: { Pods: [{ UID: "uid-on-a" }] } }),
    "extender: http://x claims to preempt pod (UID: uid-on-a) on node: b, but the pod is not found on that node",
  );
});

test("files of an extender that cannot be read are told of before anything is asked", () => {
  const tlsConfig = {
    ...{ insecure: false, serverName: "", certFile: "", keyFile: "", caFile: "/nowhere/ca.crt" },
    ...{ certData: "", keyData: "", caData: "" },
  };
  const problem = extendersProblem([configuration, { ...configuration, tlsConfig }]) ?? "";
  assert.match(problem, /^extenders\[1\]\.tlsConfig: ENOENT: no such file or directory, open '\/nowhere\/ca\.crt'$/);
  assert.equal(extendersProblem([configuration]), undefined);
  const broken = { ...tlsConfig, caFile: "", certData: btoa("no certificate"), keyData: btoa("no key") };
  assert.match(extendersProblem([{ ...configuration, tlsConfig: broken }]) ?? "", /^extenders\[0\]\.tlsConfig: /);
});
