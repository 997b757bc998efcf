import assert from "node:assert/strict";
import { test } from "node:test";
import { node, on, pod, sceneOf, scoresOf, zone } from "../testing/cluster-of.js";
import { balanceOf } from "./balanced-allocation.js";
import { imageScore } from "./image-locality.js";
import { normalizedTo } from "./normalize.js";
import { normalizeBetween } from "./pod-affinity.js";
import { byShape } from "./resource-scores.js";
import { normalizeSpread } from "./topology-spread.js";

const asked = { cpu: "1", memory: "1000" };
const strategies: readonly (readonly [rule: string, strategy: object, used: object, has: object, score: number])[] = [
  ["least allocated", { type: "LeastAllocated" }, { cpu: "2", memory: "4000" }, { cpu: "4", memory: "10000" }, 37],
  [
    "least allocated, half of all",
    { type: "LeastAllocated" },
    { cpu: "2", memory: "4000" },
    { cpu: "6", memory: "10000" },
    50,
  ],
  ["most allocated", { type: "MostAllocated" }, { cpu: "2", memory: "4000" }, { cpu: "4", memory: "10000" }, 62],
  [
    "most allocated, by weights",
    {
      type: "MostAllocated",
      resources: [
        { name: "cpu", weight: 1 },
        { name: "memory", weight: 2 },
      ],
    },
    { cpu: "2", memory: "4000" },
    { cpu: "4", memory: "10000" },
    58,
  ],
  [
    "a ratio that falls",
    {
      type: "RequestedToCapacityRatio",
      requestedToCapacityRatio: {
        shape: [
          { utilization: 0, score: 10 },
          { utilization: 100, score: 0 },
        ],
      },
    },
    { cpu: "2", memory: "4000" },
    { cpu: "4", memory: "10000" },
    38,
  ],
  [
    "a ratio with a resource of a driver",
    {
      type: "RequestedToCapacityRatio",
      resources: [
        { name: "a.b/foo", weight: 5 },
        { name: "memory", weight: 1 },
        { name: "cpu", weight: 3 },
      ],
      requestedToCapacityRatio: {
        shape: [
          { utilization: 0, score: 0 },
          { utilization: 100, score: 10 },
        ],
      },
    },
    { cpu: "2", memory: "0", "a.b/foo": "1" },
    { cpu: "8", memory: "2000", "a.b/foo": "4" },
    60,
  ],
];
for (const [rule, scoringStrategy, used, has, score] of strategies) {
  test(`resources fit, ${rule}: ${score}`, () => {
    const scene = sceneOf({
      profile: { pluginConfig: [{ name: "NodeResourcesFit", args: { scoringStrategy } }] },
    });
    scene.cluster.setNode(node("n", { has: { ...has } }));
    scene.cluster.setPod(on("n", pod("held", { asks: { ...used } })));
    const wanted = pod("p", { asks: "a.b/foo" in used ? { ...asked, "a.b/foo": "2" } : asked });
    assert.deepEqual(scoresOf(scene, wanted, "NodeResourcesFit"), { n: [score, score] });
  });
}

test("a container that names no amounts counts as a tenth of a processor and 200 MiB", () => {
  const scene = sceneOf();
  scene.cluster.setNode(node("n", { has: { cpu: "1", memory: "1000Mi" } }));
  assert.deepEqual(scoresOf(scene, pod("p"), "NodeResourcesFit"), { n: [85, 85] });
});

test("a shape is a line between its points, in whole numbers", () => {
  const score = byShape([
    { utilization: 20, score: 0 },
    { utilization: 50, score: 9 },
    { utilization: 80, score: 1 },
  ]);
  const at = (percent: number): number => score(percent, 100);
  assert.deepEqual([0, 20, 21, 50, 65, 80, 100, 200].map(at), [0, 0, 3, 90, 50, 10, 10, 10]);
});

const shares: readonly (readonly [shares: readonly number[], score: number])[] = [
  [[3000 / 10000, 5000 / 20000], 97],
  [[3000 / 6000, 5000 / 10000], 100],
  [[3000 / 4000, 5000 / 10000], 87],
  [[3000 / 6000, 5000 / 10000, 9 / 10], 81],
  [[0.5], 100],
];
for (const [list, score] of shares) {
  test(`balance of ${list.join(", ")}: ${score}`, () => assert.equal(balanceOf(list), score));
}

test("balanced allocation counts real requests, and is not asked about pods without any", () => {
  const scene = sceneOf();
  scene.cluster.setNode(node("n", { has: { cpu: "4", memory: "10000" } }));
  scene.cluster.setPod(on("n", pod("held", { asks: { cpu: "2", memory: "4000" } })));
  scene.cluster.setPod(on("n", pod("other")));
  const plugin = "NodeResourcesBalancedAllocation";
  assert.deepEqual(scoresOf(scene, pod("p", { asks: asked }), plugin), { n: [87, 87] });
  assert.deepEqual(scoresOf(scene, pod("p"), plugin), {});
});

const mebi = 1024 * 1024;
const images: readonly (readonly [rule: string, bytes: number, containers: number, score: number])[] = [
  ["250 MiB on one of two nodes", 125 * mebi, 1, 10],
  ["40 and 300 MiB on one of two nodes", 170 * mebi, 2, 7],
  ["2000 MiB on all", 2000 * mebi, 1, 100],
  ["10 MiB", 10 * mebi, 1, 0],
];
for (const [rule, bytes, containers, score] of images) {
  test(`images: ${rule}: ${score}`, () => assert.equal(imageScore(bytes, containers), score));
}

test("an image without a tag is the latest; many nodes share its worth", () => {
  const scene = sceneOf();
  const held = [{ names: ["reg:5000/web:latest"], sizeBytes: 250 * mebi }];
  scene.cluster.setNode(node("n1", { images: held }));
  scene.cluster.setNode(node("n2"));
  assert.deepEqual(scoresOf(scene, pod("p", { images: ["reg:5000/web"] }), "ImageLocality"), {
    n1: [10, 10],
    n2: [0, 0],
  });
});

const normalized = (scores: readonly number[], by: (scores: Float64Array) => void): readonly number[] => {
  const list = Float64Array.from(scores);
  by(list);
  return [...list];
};

test("scores are brought to 0 … 100", () => {
  assert.deepEqual(normalized([0, 1, 2], normalizedTo({ reverse: true })), [100, 50, 0]);
  assert.deepEqual(normalized([0, 0], normalizedTo({ reverse: true })), [100, 100]);
  assert.deepEqual(normalized([2, 1, 0], normalizedTo({ reverse: false })), [100, 50, 0]);
  assert.deepEqual(normalized([0, 0], normalizedTo({ reverse: false })), [0, 0]);
  assert.deepEqual(normalized([8, -3, 0], normalizeBetween), [100, 0, 27]);
  assert.deepEqual(normalized([5, 5], normalizeBetween), [0, 0]);
  assert.deepEqual(
    normalized([4, 2, 0, 5], (list) => normalizeSpread(list, () => true)),
    [20, 60, 100, 0],
  );
  assert.deepEqual(
    normalized([4, 9], (list) => normalizeSpread(list, (i) => i === 0)),
    [100, 0],
  );
});

test("taints that a pod had better avoid", () => {
  const scene = sceneOf();
  const taint = (key: string) => ({ key, effect: "PreferNoSchedule" });
  for (const [i, taints] of [[], [taint("a")], [taint("a"), taint("b")]].entries()) {
    scene.cluster.setNode(node(`n${i}`, { taints }));
  }
  const tolerant = pod("p", { spec: { tolerations: [{ key: "b", operator: "Exists", effect: "NoSchedule" }] } });
  assert.deepEqual(scoresOf(scene, tolerant, "TaintToleration"), { n0: [0, 100], n1: [1, 50], n2: [2, 0] });
});

test("preferred node affinity, of the pod and of the configuration", () => {
  const preferred = (key: string, weight: number) => ({
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight, preference: { matchExpressions: [{ key, operator: "Exists" }] } },
    ],
  });
  const scene = sceneOf({
    profile: { pluginConfig: [{ name: "NodeAffinity", args: { addedAffinity: preferred("a", 1) } }] },
  });
  for (const [name, labels] of [
    ["n0", {}],
    ["n1", { a: "" }],
    ["n2", { a: "", b: "" }],
  ] as const) {
    scene.cluster.setNode(node(name, { labels }));
  }
  const wanted = pod("p", { spec: { affinity: { nodeAffinity: preferred("b", 1) } } });
  assert.deepEqual(scoresOf(scene, wanted, "NodeAffinity"), { n0: [0, 0], n1: [1, 50], n2: [2, 100] });
});

const app = { app: "web" };
test("spread over hosts: raw scores and scores", () => {
  const scene = sceneOf();
  for (const [i, count] of [2, 1, 0, 3].entries()) {
    scene.cluster.setNode(node(`n${i}`));
    for (let j = 0; j < count; j++) scene.cluster.setPod(on(`n${i}`, pod(`${i}-${j}`, { labels: app })));
  }
  const [topologyKey = ""] = Object.keys(node("n").metadata?.labels ?? {});
  const wanted = pod("p", {
    labels: app,
    spec: {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey, whenUnsatisfiable: "ScheduleAnyway", labelSelector: { matchLabels: app } },
      ],
    },
  });
  assert.deepEqual(scoresOf(scene, wanted, "PodTopologySpread"), {
    n0: [4, 20],
    n1: [2, 60],
    n2: [0, 100],
    n3: [5, 0],
  });
});

test("the system's defaults spread pods of a service over hosts and zones", () => {
  const scene = sceneOf();
  const rows = [
    ["n1", "a", 1],
    ["n2", "a", 2],
    ["n3", "b", 0],
    ["n4", "b", 1],
  ] as const;
  for (const [name, zoneName, count] of rows) {
    scene.cluster.setNode(node(name, { labels: zone(zoneName) }));
    for (let j = 0; j < count; j++) scene.cluster.setPod(on(name, pod(`${name}-${j}`, { labels: app })));
  }
  const wanted = pod("p", { labels: app });
  assert.deepEqual(scoresOf(scene, wanted, "PodTopologySpread"), {});
  scene.cluster.objects.Service.set("default/web", {
    metadata: { namespace: "default", name: "web" },
    spec: { selector: app },
  });
  assert.deepEqual(scoresOf(scene, wanted, "PodTopologySpread"), {
    n1: [12, 64],
    n2: [14, 50],
    n3: [7, 100],
    n4: [9, 85],
  });
});

test("pod affinity: preferences of the pod, of pods on nodes, and their required terms", () => {
  const scene = sceneOf();
  const [topologyKey = ""] = Object.keys(zone(""));
  const near = { topologyKey, labelSelector: { matchLabels: app } };
  for (const name of ["a", "b", "c"]) scene.cluster.setNode(node(name, { labels: zone(name) }));
  scene.cluster.setPod(on("a", pod("web", { labels: app })));
  scene.cluster.setPod(
    on(
      "b",
      pod("away", {
        spec: {
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 3, podAffinityTerm: near }],
            },
          },
        },
      }),
    ),
  );
  scene.cluster.setPod(
    on(
      "c",
      pod("wants", {
        spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near] } } },
      }),
    ),
  );
  const wanted = pod("p", {
    labels: app,
    spec: {
      affinity: {
        podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 8, podAffinityTerm: near }] },
      },
    },
  });
  assert.deepEqual(scoresOf(scene, wanted, "InterPodAffinity"), { a: [8, 100], b: [-3, 0], c: [1, 36] });
});
