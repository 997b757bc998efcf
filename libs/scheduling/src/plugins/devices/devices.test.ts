import assert from "node:assert/strict";
import { test } from "node:test";
import type { Device, DeviceRequest, ResourceClaim, ResourceSlice } from "../../cluster/device-objects.js";
import { podInfoOf } from "../../model/pod-info.js";
import { node, type Parts, type PodWords, pod, type Scene, sceneOf } from "../../testing/cluster-of.js";
import type { DeviceFacts, DevicePlan } from "./dynamic-resources.js";

/** Selectors of these tests: `name=value` of an attribute. */
const compileSelector = (expression: string) => {
  const [name = "", value] = expression.split("=");
  if (value === undefined) throw new Error(`cannot read ${expression}`);
  return ({ attributes }: DeviceFacts) =>
    JSON.stringify(Object.fromEntries(Object.entries(attributes))[name]) === JSON.stringify({ string: value });
};

const device = (name: string, attributes: Readonly<Record<string, string>> = {}): Device => ({
  name,
  basic: { attributes: Object.fromEntries(Object.entries(attributes).map(([key, string]) => [key, { string }])) },
});
const slice = (
  name: string,
  devices: readonly Device[],
  spec: ResourceSlice["spec"] = { allNodes: true },
): ResourceSlice => ({
  metadata: { name },
  spec: { driver: "d.x", pool: { name, generation: 1, resourceSliceCount: 1 }, devices, ...spec },
});
const claim = (name: string, requests: readonly DeviceRequest[], more: ResourceClaim["spec"] = {}): ResourceClaim => ({
  metadata: { namespace: "default", name },
  spec: {
    devices: {
      requests: requests.map((each) => ({ deviceClassName: "c", allocationMode: "ExactCount", count: 1, ...each })),
      ...more.devices,
    },
  },
});
const uses = (...names: readonly string[]): PodWords => ({
  spec: { resourceClaims: names.map((name) => ({ name, resourceClaimName: name })) },
});

interface World {
  readonly scene: Scene;
  readonly carried: DevicePlan[];
  readonly freed: string[];
}

function world(claims: readonly ResourceClaim[], slices: readonly ResourceSlice[], parts: Parts = {}): World {
  const [carried, freed]: [DevicePlan[], string[]] = [[], []];
  const scene = sceneOf({
    ...parts,
    devices: {
      compileSelector,
      carryOut: async (plan) => {
        carried.push(plan);
        return undefined;
      },
      deallocate: (key) => freed.push(key),
    },
  });
  for (const name of ["n1", "n2"]) scene.cluster.setNode(node(name));
  const { objects } = scene.cluster;
  objects.DeviceClass.set("c", { metadata: { name: "c" }, spec: { config: [{ opaque: { driver: "d.x" } }] } });
  objects.DeviceClass.set("big", {
    metadata: { name: "big" },
    spec: { selectors: [{ cel: { expression: "size=big" } }] },
  });
  for (const each of claims) objects.ResourceClaim.set(`default/${each.metadata?.name}`, each);
  for (const each of slices) objects.ResourceSlice.set(each.metadata?.name ?? "", each);
  return { scene, carried, freed };
}

const none =
  "no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
const still = none.replace("no new claims to deallocate", "still not schedulable");
const no = (why: string): string => `0/2 nodes are available: ${why}. ${still}`;

const rows: readonly (readonly [rule: string, world: World, words: PodWords, is: string])[] = [
  [
    "a node that reaches the device",
    world([claim("a", [{ name: "r" }])], [slice("s", [device("x")], { nodeName: "n2" })]),
    uses("a"),
    "n2",
  ],
  [
    "a class chooses",
    world(
      [claim("a", [{ name: "r", deviceClassName: "big" }])],
      [slice("s", [device("x")], { nodeName: "n1" }), slice("t", [device("y", { size: "big" })], { nodeName: "n2" })],
    ),
    uses("a"),
    "n2",
  ],
  [
    "a request chooses",
    world(
      [claim("a", [{ name: "r", selectors: [{ cel: { expression: "size=small" } }] }])],
      [slice("s", [device("x", { size: "big" })])],
    ),
    uses("a"),
    no("2 cannot allocate all claims"),
  ],
  [
    "as many as are asked for",
    world([claim("a", [{ name: "r", count: 3 }])], [slice("s", [device("x"), device("y")])]),
    uses("a"),
    no("2 cannot allocate all claims"),
  ],
  [
    "each device once for all claims",
    world([claim("a", [{ name: "r" }]), claim("b", [{ name: "r" }])], [slice("s", [device("x")])]),
    uses("a", "b"),
    no("2 cannot allocate all claims"),
  ],
  [
    "devices that agree, though the first do not",
    world(
      [claim("a", [{ name: "r", count: 2 }], { devices: { constraints: [{ matchAttribute: "d.x/rack" }] } })],
      [
        slice("s", [device("x", { rack: "1" }), device("y", { rack: "2" }), device("z", { rack: "2" })], {
          nodeName: "n1",
        }),
      ],
    ),
    uses("a"),
    "n1",
  ],
  [
    "a pool that is being written",
    world(
      [claim("a", [{ name: "r" }])],
      [slice("s", [device("x")], { allNodes: true, pool: { name: "s", generation: 1, resourceSliceCount: 2 } })],
    ),
    uses("a"),
    no("2 cannot allocate all claims"),
  ],
  [
    "a class that there is not",
    world([claim("a", [{ name: "r", deviceClassName: "none" }])], []),
    uses("a"),
    no("request r: device class none does not exist"),
  ],
  [
    "a claim that there is not",
    world([], []),
    uses("a"),
    `0/2 nodes are available: resourceclaim "a" not found. ${none}`,
  ],
  [
    "a template's claim that is not made yet",
    world([], []),
    { spec: { resourceClaims: [{ name: "r", resourceClaimTemplateName: "t" }] } },
    `0/2 nodes are available: pod "default/p": ResourceClaim not created yet. ${none}`,
  ],
  [
    "no claims: the sentence of the plugin stands before preemption's",
    world([], []),
    { asks: { cpu: "100" } },
    `0/2 nodes are available: 2 Insufficient cpu. ${none.replace("2 Preemption is not helpful for scheduling", "2 No preemption victims found for incoming pod")}`,
  ],
];
for (const [rule, { scene }, words, is] of rows) {
  test(`devices: ${rule}`, () => {
    const decision = scene.schedule(pod("p", words));
    assert.equal(decision.outcome === "placed" ? decision.node : decision.message, is);
  });
}

test("a selector that cannot be read is a fault", () => {
  const { scene } = world(
    [claim("a", [{ name: "r", selectors: [{ cel: { expression: "?" } }] }])],
    [slice("s", [device("x")])],
  );
  assert.deepEqual(scene.schedule(pod("p", uses("a"))), { outcome: "failed", message: "cannot read ?" });
});

test("devices of a pod on its way are nobody else's, until it fails or the mirror shows them", async () => {
  const { scene, carried } = world(
    [claim("a", [{ name: "r" }]), claim("b", [{ name: "r" }])],
    [slice("s", [device("x")], { nodeName: "n1" })],
  );
  const plugin = scene.profile.reserve.find(({ name }) => name === "DynamicResources");
  assert.ok(plugin);
  const first = podInfoOf(pod("p1", uses("a")));
  const second = pod("p2", uses("b"));
  assert.equal(plugin.reserve.reserve(first, "n1"), undefined);
  assert.equal(scene.schedule(second).outcome, "refused");
  plugin.reserve.unreserve(first, "n1");
  assert.equal(scene.schedule(second).outcome, "placed");
  assert.equal(plugin.reserve.reserve(first, "n1"), undefined);
  await plugin.preBind?.(first, "n1", new AbortController().signal);
  const allocation = {
    devices: {
      results: [{ request: "r", driver: "d.x", pool: "s", device: "x" }],
      config: [{ source: "FromClass", requests: ["r"], opaque: { driver: "d.x" } }],
    },
    nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }] },
  };
  assert.deepEqual(carried, [{ allocate: [{ claim: "default/a", allocation }], reserve: ["default/a"] }]);
  assert.equal(scene.schedule(second).outcome, "refused");
  scene.cluster.objects.ResourceClaim.set("default/a", { ...claim("a", [{ name: "r" }]), status: { allocation } });
  assert.equal(scene.schedule(second).outcome, "refused");
  assert.deepEqual(scene.schedule(pod("p3", uses("a"))).outcome, "placed");
});

test("a claim that keeps its pod from every node, and that nobody else uses, is freed", () => {
  const nodeSelector = {
    nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["gone"] }] }],
  };
  const held = { ...claim("a", [{ name: "r" }]), status: { allocation: { nodeSelector } } };
  const { scene, freed } = world([held], []);
  const decision = scene.schedule(pod("p", uses("a")));
  assert.ok(decision.outcome === "refused");
  assert.match(
    decision.message,
    /2 resourceclaim not available on the node\. deallocation of ResourceClaim completed,/,
  );
  assert.deepEqual(freed, ["default/a"]);
});

test("pods whose claims are not there stay out of the queue", () => {
  const { scene } = world([], []);
  const [gates, devices] = scene.profile.preEnqueue;
  assert.equal(gates?.name, "SchedulingGates");
  assert.deepEqual(devices?.preEnqueue(podInfoOf(pod("p", uses("a"))))?.reasons, ['resourceclaim "a" not found']);
  assert.equal(devices?.preEnqueue(podInfoOf(pod("p"))), undefined);
});
