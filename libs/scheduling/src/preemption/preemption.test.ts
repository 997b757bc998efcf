import assert from "node:assert/strict";
import { test } from "node:test";
import type { OtherKinds } from "../cluster/objects.js";
import type { Nomination } from "../framework/plugin.js";
import { type PodInfo, podInfoOf } from "../model/pod-info.js";
import { node, on, type PodWords, pod, type Scene, sceneOf } from "../testing/cluster-of.js";
import { violators } from "./budgets.js";
import { bestCandidate } from "./choose.js";
import { candidatesWanted } from "./default-preemption.js";

const at = (minute: number): string => new Date(Date.UTC(2025, 0, 1, 0, minute)).toISOString();
const victim = (name: string, priority: number, minute = 0): PodInfo =>
  podInfoOf(pod(name, { spec: { priority }, status: { startTime: at(minute) } }));
const candidate = (name: string, violations: number, ...victims: readonly PodInfo[]): Nomination => ({
  node: name,
  violations,
  victims,
});

const choices: readonly (readonly [rule: string, candidates: readonly Nomination[], best: string])[] = [
  ["fewest broken budgets", [candidate("a", 1, victim("x", 1)), candidate("b", 0, victim("y", 9))], "b"],
  [
    "the lowest of the highest priorities",
    [candidate("a", 0, victim("x", 5)), candidate("b", 0, victim("y", 4), victim("z", 4))],
    "b",
  ],
  [
    "the smallest sum",
    [candidate("a", 0, victim("x", 5), victim("y", 3)), candidate("b", 0, victim("z", 5), victim("w", 2))],
    "b",
  ],
  [
    "fewer, even of negative priority",
    [candidate("a", 0, victim("x", -5), victim("y", -9)), candidate("b", 0, victim("z", -5))],
    "b",
  ],
  [
    "the latest start of the most important",
    [candidate("a", 0, victim("x", 5, 1)), candidate("b", 0, victim("y", 5, 2))],
    "b",
  ],
  [
    "the earliest of several counts",
    [candidate("a", 0, victim("x", 5, 3), victim("y", 5, 4)), candidate("b", 0, victim("z", 5, 9), victim("w", 5, 2))],
    "a",
  ],
  ["the first of equals", [candidate("a", 0, victim("x", 5)), candidate("b", 0, victim("y", 5))], "a"],
];
for (const [rule, candidates, best] of choices) {
  test(`which node to make room on: ${rule}`, () => {
    assert.equal(bestCandidate(candidates, 0)?.node, best);
  });
}

test("how many candidates are looked for", () => {
  const args = { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 };
  assert.deepEqual(
    [50, 100, 500, 5000].map((nodes) => candidatesWanted(nodes, args)),
    [50, 100, 100, 500],
  );
});

const budget = (app: string, disruptionsAllowed: number, disruptedPods: readonly string[] = []) => ({
  metadata: { name: app, namespace: "default" },
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed, disruptedPods: Object.fromEntries(disruptedPods.map((name) => [name, at(0)])) },
});
const labelled = (name: string, app: string): PodInfo => podInfoOf(pod(name, { labels: { app } }));

test("budgets are used up in the order of the pods; what is disrupted already uses nothing", () => {
  const pods = [labelled("a", "x"), labelled("b", "x"), labelled("c", "x"), labelled("d", "y"), podInfoOf(pod("e"))];
  const broken = (...budgets: readonly OtherKinds["PodDisruptionBudget"][]) =>
    [...violators(pods, () => budgets)].map(({ name }) => name);
  assert.deepEqual(broken(budget("x", 1)), ["b", "c"]);
  assert.deepEqual(broken(budget("x", 1, ["a"])), ["c"]);
  assert.deepEqual(broken(budget("x", 9), budget("y", 0)), ["d"]);
  assert.deepEqual(broken({ ...budget("x", 0), spec: { selector: { matchLabels: {} } } }), []);
});

interface Row {
  readonly rule: string;
  readonly held: readonly (readonly [node: string, name: string, words: PodWords])[];
  readonly pod: PodWords;
  readonly before?: (scene: Scene) => void;
  readonly node: string;
  readonly victims: readonly string[];
}
const holds = (cpu: string, priority: number, words: PodWords = {}): PodWords => ({
  ...words,
  asks: { cpu },
  spec: { ...words.spec, priority },
});

const rows: readonly Row[] = [
  {
    rule: "only as many go as have to, the least important",
    held: [
      ["n1", "a", holds("1", 1)],
      ["n1", "b", holds("2", 2)],
      ["n1", "c", holds("1", 3)],
      ["n2", "d", holds("4", 9)],
    ],
    pod: holds("2", 5),
    node: "n1",
    victims: ["b"],
  },
  {
    rule: "of two nodes the one with the less important victim",
    held: [
      ["n1", "a", holds("4", 3)],
      ["n2", "b", holds("4", 2)],
    ],
    pod: holds("4", 5),
    node: "n2",
    victims: ["b"],
  },
  {
    rule: "a budget is kept where another node breaks none",
    held: [
      ["n1", "a", holds("4", 1, { labels: { app: "x" } })],
      ["n2", "b", holds("4", 4)],
    ],
    pod: holds("4", 5),
    before: ({ cluster }) => cluster.objects.PodDisruptionBudget.set("default/x", budget("x", 0)),
    node: "n2",
    victims: ["b"],
  },
  {
    rule: "on one node the pod without a budget goes, though it is more important",
    held: [
      ["n1", "a", holds("2", 1, { labels: { app: "x" } })],
      ["n1", "b", holds("2", 2)],
      ["n2", "c", holds("4", 9)],
    ],
    pod: holds("2", 5),
    before: ({ cluster }) => cluster.objects.PodDisruptionBudget.set("default/x", budget("x", 0)),
    node: "n1",
    victims: ["b"],
  },
  {
    rule: "of equal importance the one that began last",
    held: [
      ["n1", "old", holds("2", 1, { status: { startTime: at(1) } })],
      ["n1", "new", holds("2", 1, { status: { startTime: at(2) } })],
      ["n2", "c", holds("4", 9)],
    ],
    pod: holds("2", 5),
    node: "n1",
    victims: ["new"],
  },
  {
    rule: "a port is made free",
    held: [
      ["n1", "a", { hostPort: 80, spec: { priority: 1 } }],
      ["n2", "b", { hostPort: 80, spec: { priority: 9 } }],
    ],
    pod: { hostPort: 80, spec: { priority: 5 } },
    node: "n1",
    victims: ["a"],
  },
  {
    rule: "a foe goes",
    held: [
      ["n1", "a", { labels: { app: "x" }, spec: { priority: 1 } }],
      ["n1", "friend", { spec: { priority: 1 } }],
      ["n2", "b", { labels: { app: "x" }, spec: { priority: 9 } }],
    ],
    pod: {
      spec: {
        priority: 5,
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                topologyKey: Object.keys(node("").metadata?.labels ?? {})[0] ?? "",
                labelSelector: { matchLabels: { app: "x" } },
              },
            ],
          },
        },
      },
    },
    node: "n1",
    victims: ["a"],
  },
];
for (const row of rows) {
  test(`room is made: ${row.rule}`, () => {
    const scene = sceneOf();
    for (const name of ["n1", "n2"]) scene.cluster.setNode(node(name));
    for (const [name, each, words] of row.held) scene.cluster.setPod(on(name, pod(each, words)));
    row.before?.(scene);
    const decision = scene.schedule(pod("p", row.pod));
    assert.ok(decision.outcome === "refused");
    assert.deepEqual(
      { node: decision.nomination?.node, victims: decision.nomination?.victims.map(({ name }) => name) },
      { node: row.node, victims: row.victims },
    );
  });
}

test("room that is made leaves no sentence of preemption", () => {
  const scene = sceneOf();
  scene.cluster.setNode(node("n1"));
  scene.cluster.setPod(on("n1", pod("a", holds("4", 1))));
  const decision = scene.schedule(pod("p", holds("4", 5)));
  assert.equal(decision.outcome === "refused" && decision.message, "0/1 nodes are available: 1 Insufficient cpu.");
});

test("a pod whose nominated node is of no use any more gives it up", () => {
  const scene = sceneOf();
  scene.cluster.setNode(node("n1", { unschedulable: true }));
  const decision = scene.schedule(pod("p", { status: { nominatedNodeName: "n1" } }));
  assert.equal(decision.outcome === "refused" && decision.clearNomination, true);
});
