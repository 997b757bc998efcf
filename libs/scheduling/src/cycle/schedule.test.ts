import assert from "node:assert/strict";
import { test } from "node:test";
import { localFilter, type Plugin } from "../framework/plugin.js";
import { unschedulable } from "../framework/status.js";
import { podInfoOf } from "../model/pod-info.js";
import {
  type NodeWords,
  naming,
  node,
  on,
  type Parts,
  type PodWords,
  pod,
  type Scene,
  sceneOf,
  zone,
} from "../testing/cluster-of.js";

interface Row {
  readonly rule: string;
  readonly nodes: Readonly<Record<string, NodeWords>>;
  readonly held?: readonly (readonly [node: string, name: string, words?: PodWords])[];
  readonly pod: PodWords;
  readonly says: string;
  readonly parts?: Parts;
  readonly before?: (scene: Scene) => void;
}

const controlPlane = { key: `node-role.${naming.key("control-plane")}`, effect: "NoSchedule" };
const three = { n1: {}, n2: {}, n3: {} };
const notHelpful = (of: number) =>
  `preemption: 0/${of} nodes are available: ${of} Preemption is not helpful for scheduling.`;
const noVictims = (of: number) =>
  `preemption: 0/${of} nodes are available: ${of} No preemption victims found for incoming pod.`;
const [zoneKey = ""] = Object.keys(zone(""));
const spreadOver = (topologyKey: string, more: object = {}): PodWords["spec"] => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "a" } },
      ...more,
    },
  ],
});
const near = { topologyKey: zoneKey, labelSelector: { matchLabels: { app: "a" } } };
const required = { requiredDuringSchedulingIgnoredDuringExecution: [near] };

const rows: readonly Row[] = [
  { rule: "no nodes", nodes: {}, pod: {}, says: "no nodes available to schedule pods" },
  {
    rule: "more than any node has",
    nodes: three,
    pod: { asks: { cpu: "100" } },
    says: `0/3 nodes are available: 3 Insufficient cpu. ${noVictims(3)}`,
  },
  {
    rule: "more than is left, of equals",
    nodes: { n1: {} },
    held: [["n1", "a", { asks: { cpu: "3", memory: "32Gi" } }]],
    pod: { asks: { cpu: "2", memory: "1Gi" } },
    says: `0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory. ${noVictims(1)}`,
  },
  {
    rule: "reasons are sorted as texts, with the taint's words",
    nodes: { n1: {}, n2: { taints: [controlPlane] }, n3: { taints: [controlPlane] } },
    held: [["n1", "a", { asks: { cpu: "4" } }]],
    pod: { asks: { cpu: "1" } },
    says: `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {${controlPlane.key}: }. preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.`,
  },
  {
    rule: "no place for another pod, no scalar resource, a resource of a group that is ignored",
    nodes: { n1: { has: { pods: "0" } }, n2: { has: { "a.b/x": "1" } } },
    pod: { asks: { "a.b/x": "2", "c.d/y": "1" } },
    parts: { profile: { pluginConfig: [{ name: "NodeResourcesFit", args: { ignoredResourceGroups: ["c.d"] } }] } },
    says: `0/2 nodes are available: 1 Too many pods, 2 Insufficient a.b/x. ${noVictims(2)}`,
  },
  {
    rule: "cordoned nodes",
    nodes: { n1: { unschedulable: true } },
    pod: {},
    says: `0/1 nodes are available: 1 node(s) were unschedulable. ${notHelpful(1)}`,
  },
  {
    rule: "another node's name",
    nodes: three,
    pod: { spec: { nodeName: "n4" } },
    says: `0/3 nodes are available: 3 node(s) didn't match the requested node name. ${notHelpful(3)}`,
  },
  {
    rule: "a selector that no node has",
    nodes: three,
    pod: { spec: { nodeSelector: { a: "b" } } },
    says: `0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. ${notHelpful(3)}`,
  },
  {
    rule: "names narrow the nodes; the others are told of the plugin",
    nodes: { n1: { unschedulable: true }, n2: {}, n3: {} },
    pod: {
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }],
            },
          },
        },
      },
    },
    says: `0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${notHelpful(3)}`,
  },
  {
    rule: "terms that exclude each other",
    nodes: three,
    pod: {
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchFields: [
                    { key: "metadata.name", operator: "In", values: ["n1"] },
                    { key: "metadata.name", operator: "In", values: ["n2"] },
                  ],
                },
              ],
            },
          },
        },
      },
    },
    says: `0/3 nodes are available: pod affinity terms conflict. ${notHelpful(3)}`,
  },
  {
    rule: "a port that is taken",
    nodes: { n1: {} },
    held: [["n1", "a", { hostPort: 80 }]],
    pod: { hostPort: 80 },
    says: `0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. ${noVictims(1)}`,
  },
  {
    rule: "a pod that lets others be",
    nodes: { n1: {} },
    held: [["n1", "a", { asks: { cpu: "4" } }]],
    pod: { asks: { cpu: "4" }, spec: { priority: 10, preemptionPolicy: "Never" } },
    says: "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.",
  },
  {
    rule: "room is being made on the nominated node",
    nodes: { n1: {} },
    held: [
      [
        "n1",
        "a",
        {
          asks: { cpu: "4" },
          meta: { name: "a", namespace: "default", deletionTimestamp: "2026-01-01T00:00:00Z" },
          status: { conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }] },
        },
      ],
    ],
    pod: { asks: { cpu: "4" }, spec: { priority: 10 }, status: { nominatedNodeName: "n1" } },
    says: "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to a terminating pod on the nominated node.",
  },
  {
    rule: "a skew that would grow too large; nodes without the label",
    nodes: { n1: { labels: zone("a") }, n2: { labels: zone("b"), unschedulable: true }, n3: {} },
    held: [["n1", "x", { labels: { app: "a" } }]],
    pod: { labels: { app: "a" }, spec: spreadOver(zoneKey) },
    says: "0/3 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) didn't match pod topology spread constraints (missing required label), 1 node(s) were unschedulable. preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
  },
  {
    rule: "fewer domains than asked for count as an empty one",
    nodes: { n1: { labels: zone("a") } },
    held: [["n1", "x", { labels: { app: "a" } }]],
    pod: { labels: { app: "a" }, spec: spreadOver(zoneKey, { minDomains: 2 }) },
    says: `0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints. ${noVictims(1)}`,
  },
  {
    rule: "nobody to be near to",
    nodes: { n1: { labels: zone("a") } },
    pod: { spec: { affinity: { podAffinity: required } } },
    says: `0/1 nodes are available: 1 node(s) didn't match pod affinity rules. ${notHelpful(1)}`,
  },
  {
    rule: "somebody to be far from",
    nodes: { n1: { labels: zone("a") }, n2: { labels: zone("a") } },
    held: [["n1", "x", { labels: { app: "a" } }]],
    pod: { spec: { affinity: { podAntiAffinity: required } } },
    says: `0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. ${noVictims(2)}`,
  },
  {
    rule: "somebody who wants to be far from it",
    nodes: { n1: { labels: zone("a") } },
    held: [["n1", "x", { spec: { affinity: { podAntiAffinity: required } } }]],
    pod: { labels: { app: "a" } },
    says: `0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. ${noVictims(1)}`,
  },
  {
    rule: "a claim that nobody has made",
    nodes: three,
    pod: { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] } },
    says: `0/3 nodes are available: persistentvolumeclaim "c" not found. ${notHelpful(3)}`,
  },
  {
    rule: "a claim of a class that binds at once",
    nodes: { ...three, n4: {}, n5: {} },
    pod: { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] } },
    before: ({ cluster: { objects } }) => {
      objects.PersistentVolumeClaim.set("default/c", {
        metadata: { namespace: "default", name: "c" },
        spec: { storageClassName: "s" },
      });
      objects.StorageClass.set("s", { metadata: { name: "s" }, provisioner: "x" });
    },
    parts: { profile: { plugins: { multiPoint: { disabled: [{ name: "VolumeZone" }] } } } },
    says: `0/5 nodes are available: pod has unbound immediate PersistentVolumeClaims. ${notHelpful(5)}`,
  },
];

for (const { rule, nodes, held = [], pod: words, says, parts = {}, before } of rows) {
  test(`why no node fits: ${rule}`, () => {
    const scene = sceneOf(parts);
    for (const [name, of] of Object.entries(nodes)) scene.cluster.setNode(node(name, of));
    for (const [on_, name, of] of held) scene.cluster.setPod(on(on_, pod(name, of)));
    before?.(scene);
    const decision = scene.schedule(pod("p", words));
    assert.equal(decision.outcome === "refused" ? decision.message : decision.outcome, says);
  });
}

test("plugins that refused are named for the queue", () => {
  const scene = sceneOf();
  scene.cluster.setNode(node("n1", { unschedulable: true }));
  scene.cluster.setNode(node("n2", { taints: [{ key: "k", effect: "NoExecute" }] }));
  const decision = scene.schedule(pod("p"));
  assert.ok(decision.outcome === "refused");
  assert.deepEqual([...decision.plugins].sort(), ["NodeUnschedulable", "TaintToleration"]);
});

test("a search begins where the one before ended, and stops when enough fit", () => {
  const scene = sceneOf();
  for (let i = 0; i < 1000; i++) scene.cluster.setNode(node(`n${i}`));
  const first = scene.schedule(pod("a"));
  assert.ok(first.outcome === "placed");
  assert.deepEqual([first.evaluated, first.feasible], [420, 420]);
  const { found } = (() => {
    const candidates = scene.cycles.candidates(scene.profile, podInfoOf(pod("b")), scene.now);
    assert.ok("found" in candidates);
    return candidates;
  })();
  assert.equal(found.feasible[0]?.name, "n420");
});

test("nodes are visited one of each zone in turn", () => {
  const { cluster } = sceneOf();
  for (const [name, zoneName] of [
    ["n1", "a"],
    ["n2", "a"],
    ["n3", "a"],
    ["n4", "b"],
    ["n5", "c"],
    ["n6", "c"],
  ] as const) {
    cluster.setNode(node(name, { labels: zone(zoneName) }));
  }
  assert.deepEqual(
    cluster.nodes.map(({ name }) => name),
    ["n1", "n4", "n5", "n2", "n6", "n3"],
  );
});

test("the nominated node is taken if it fits, whatever the scores", () => {
  const scene = sceneOf();
  for (const name of ["n1", "n2", "n3"]) scene.cluster.setNode(node(name));
  scene.cluster.setPod(on("n2", pod("a", { asks: { cpu: "2" } })));
  const decision = scene.schedule(pod("p", { asks: { cpu: "1" }, status: { nominatedNodeName: "n2" } }));
  assert.deepEqual(decision, { outcome: "placed", node: "n2", evaluated: 1, feasible: 1 });
});

test("room that was made for a pod is not given to one of lower priority", () => {
  const scene = sceneOf();
  scene.cluster.setNode(node("n1"));
  scene.cluster.nominations.set(podInfoOf(pod("high", { asks: { cpu: "4" }, spec: { priority: 5 } })), "n1");
  assert.equal(scene.schedule(pod("low", { asks: { cpu: "1" } })).outcome, "refused");
  assert.equal(scene.schedule(pod("higher", { asks: { cpu: "1" }, spec: { priority: 6 } })).outcome, "placed");
});

test("ties have equal chances, and nothing else does", () => {
  const scene = sceneOf({ random: Math.random });
  for (const name of ["n1", "n2", "n3"]) scene.cluster.setNode(node(name));
  scene.cluster.setPod(on("n3", pod("a", { asks: { cpu: "1", memory: "8Gi" } })));
  const seen = new Set<string>();
  for (let i = 0; i < 200; i++) {
    const decision = scene.schedule(pod("p", { asks: { cpu: "1" } }));
    if (decision.outcome === "placed") seen.add(decision.node);
  }
  assert.deepEqual([...seen].sort(), ["n1", "n2"]);
});

test("a weight changes who wins", () => {
  const packs = (weight: number): Parts => ({
    profile: { plugins: { score: { enabled: [{ name: "NodeResourcesBalancedAllocation", weight }] } } },
  });
  const winner = (parts: Parts): string => {
    const scene = sceneOf(parts);
    scene.cluster.setNode(node("empty"));
    scene.cluster.setNode(node("balanced"));
    scene.cluster.setPod(on("balanced", pod("a", { asks: { memory: "16Gi", cpu: "1m" } })));
    const decision = scene.schedule(pod("p", { asks: { cpu: "2", memory: "1Mi" } }));
    return decision.outcome === "placed" ? decision.node : decision.outcome;
  };
  assert.equal(winner(packs(1)), "empty");
  assert.equal(winner(packs(50)), "balanced");
});

test("a profile that packs fills one node after the other", () => {
  const scene = sceneOf({
    profile: {
      pluginConfig: [{ name: "NodeResourcesFit", args: { scoringStrategy: { type: "MostAllocated" } } }],
      plugins: { score: { disabled: [{ name: "NodeResourcesBalancedAllocation" }] } },
    },
  });
  for (const name of ["n1", "n2"]) scene.cluster.setNode(node(name));
  scene.cluster.setPod(on("n2", pod("a", { asks: { cpu: "1", memory: "1Gi" } })));
  const decision = scene.schedule(pod("p", { asks: { cpu: "1", memory: "1Gi" } }));
  assert.equal(decision.outcome === "placed" && decision.node, "n2");
});

const own = (plugin: Plugin): Parts => ({
  more: new Map([[plugin.name, () => plugin]]),
  profile: { plugins: { multiPoint: { enabled: [{ name: plugin.name }] } } },
});

test("a plugin of others filters and scores like the rest", () => {
  const filtering = sceneOf(
    own({
      name: "Mine",
      filter:
        () =>
        ({ name }) =>
          name === "n1" ? undefined : unschedulable("Mine", "not mine"),
    }),
  );
  for (const name of ["n1", "n2"]) filtering.cluster.setNode(node(name));
  assert.deepEqual(filtering.schedule(pod("p")), { outcome: "placed", node: "n1", evaluated: 2, feasible: 1 });
  const scoring = sceneOf(own({ name: "Mine", score: () => ({ score: () => 101 }) }));
  for (const name of ["n1", "n2"]) scoring.cluster.setNode(node(name));
  assert.deepEqual(scoring.schedule(pod("p")), {
    outcome: "failed",
    message: 'plugin "Mine" returns an invalid score 101, it should in the range of [0, 100] after normalizing',
  });
});

test("a filter without the preparation that the profile disables is a fault", () => {
  const scene = sceneOf({ profile: { plugins: { preFilter: { disabled: [{ name: "NodePorts" }] } } } });
  scene.cluster.setNode(node("n1"));
  assert.deepEqual(scene.schedule(pod("p")), {
    outcome: "failed",
    message: 'reading "PreFilterNodePorts" from cycleState: not found',
  });
});

test("the first pods of a series that want to be together may begin anywhere", () => {
  const scene = sceneOf();
  for (const [name, zoneName] of [
    ["n1", "a"],
    ["n2", "b"],
  ] as const)
    scene.cluster.setNode(node(name, { labels: zone(zoneName) }));
  const words: PodWords = { labels: { app: "a" }, spec: { affinity: { podAffinity: required } } };
  const first = scene.schedule(pod("p1", words));
  assert.ok(first.outcome === "placed");
  scene.cluster.assume(podInfoOf(pod("p1", words)), first.node);
  const second = scene.schedule(pod("p2", words));
  assert.ok(second.outcome === "placed");
  assert.equal(second.node, first.node);
});

test("answers are remembered for pods that ask for the same, and only for nodes that are the same", () => {
  let asked = 0;
  const counting: Plugin = {
    name: "Mine",
    filter: () =>
      localFilter(() => {
        asked += 1;
        return undefined;
      }),
  };
  const scene = sceneOf(own(counting));
  for (const name of ["n1", "n2", "n3"]) scene.cluster.setNode(node(name));
  const schedule = (name: string, words: PodWords = {}): number => {
    asked = 0;
    scene.schedule(pod(name, words));
    return asked;
  };
  assert.deepEqual([schedule("a"), schedule("b"), schedule("c")], [3, 3, 0]);
  scene.cluster.setPod(on("n2", pod("x")));
  assert.equal(schedule("d"), 1);
  assert.deepEqual(
    [1, 2, 3].map(() => schedule("d", { asks: { cpu: "1" } })),
    [3, 3, 0],
  );
  scene.cluster.removeNode("n1");
  assert.ok(schedule("e", { asks: { cpu: "1" } }) > 0);
  scene.cluster.nominations.set(podInfoOf(pod("high", { spec: { priority: 9 } })), "n2");
  assert.ok(schedule("f", { asks: { cpu: "1" } }) > 0);
});

test("what is remembered of a node does not outlast the pods that are nominated to it", () => {
  const scene = sceneOf();
  for (const name of ["n1", "n2"]) scene.cluster.setNode(node(name));
  const { nominations } = scene.cluster;
  const high = podInfoOf(pod("high", { asks: { cpu: "4" }, spec: { priority: 5 } }));
  const outcomes = (prefix: string) =>
    // Of one template: from the second on answers are remembered.
    [0, 1, 2].map((i) => scene.schedule(pod(`${prefix}${i}`, { asks: { cpu: "4" } })).outcome);
  nominations.set(high, "n1");
  nominations.set(podInfoOf(pod("higher", { asks: { cpu: "4" }, spec: { priority: 6 } })), "n2");
  assert.deepEqual(outcomes("a"), ["refused", "refused", "refused"]);
  nominations.clear("default/high");
  assert.deepEqual(outcomes("b"), ["placed", "placed", "placed"]);
  nominations.set(high, "n1");
  assert.deepEqual(outcomes("c"), ["refused", "refused", "refused"]);
});
