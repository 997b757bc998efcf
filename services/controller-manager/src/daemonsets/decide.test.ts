import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { revisionLabel } from "../rim/history.js";
import type { Pod } from "../rim/pods.js";
import { boundsOf, decide } from "./decide.js";
import { nodeOf, placesOf, specForNode } from "./placement.js";
import type { DaemonSet, Node, TemplateSpec } from "./types.js";

const naming = createNaming("kubernetes");
const now = Date.UTC(2026, 0, 2);
const node = (
  name: string,
  more: { readonly taints?: NonNullable<Node["spec"]>["taints"]; readonly labels?: object } = {},
): Node => ({
  metadata: { name, labels: { disk: name, ...more.labels } },
  spec: { ...(more.taints === undefined ? {} : { taints: more.taints }) },
});
const taint = (key: string, effect: string) => ({ taints: [{ key, effect }] });
const set = (spec: object = {}, template: TemplateSpec = {}, metadata: object = {}): DaemonSet => ({
  metadata: { name: "d", namespace: "ns", uid: "u", generation: 1, ...metadata },
  spec: {
    template: { spec: template },
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    ...spec,
  },
});
interface Facts {
  readonly hash?: string;
  readonly phase?: string;
  readonly ready?: boolean;
  readonly age?: number;
}
const pod = (
  name: string,
  on: string,
  { hash = "new", phase = "Running", ready = true, age = 1 }: Facts = {},
): Pod => ({
  metadata: {
    ...{ name, uid: name, labels: { [revisionLabel]: hash } },
    creationTimestamp: new Date(now - age * 1000).toISOString(),
  },
  spec: { nodeName: on },
  status: {
    phase,
    conditions: ready ? [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }] : [],
  },
});
const planOf = (given: DaemonSet, nodes: readonly Node[], pods: readonly Pod[]) =>
  decide({ set: given, nodes, pods, hash: "new", naming }, now);
const told = (given: DaemonSet, nodes: readonly Node[], pods: readonly Pod[]) => {
  const { create, remove } = planOf(given, nodes, pods);
  return [...create.map((each) => `+${each}`), ...remove.map(({ metadata }) => `-${metadata.name}`)].join(" ");
};
const three = [node("a"), node("b"), node("c")];

describe("a node has a pod", () => {
  const tolerant: TemplateSpec = { tolerations: [{ key: "k", operator: "Exists" }] };
  const rows: readonly (readonly [what: string, given: Node, template: TemplateSpec, runs: boolean, stays: boolean])[] =
    [
      ["as a rule", node("a"), {}, true, true],
      ["where its name is asked for", node("a"), { nodeName: "a" }, true, true],
      ["not where another name is", node("a"), { nodeName: "b" }, false, false],
      ["where its labels are selected", node("a"), { nodeSelector: { disk: "a" } }, true, true],
      ["not where others are", node("a"), { nodeSelector: { disk: "b" } }, false, false],
      ["not with a taint, but one that runs stays", node("a", taint("k", "NoSchedule")), {}, false, true],
      ["not with a taint that drives pods out", node("a", taint("k", "NoExecute")), {}, false, false],
      ["with a taint that it tolerates", node("a", taint("k", "NoExecute")), tolerant, true, true],
      ["though it would rather not", node("a", taint("k", "PreferNoSchedule")), {}, true, true],
      ["though it is not ready", node("a", taint("node.kubernetes.io/not-ready", "NoExecute")), {}, true, true],
      [
        "though it is unschedulable",
        node("a", taint("node.kubernetes.io/unschedulable", "NoSchedule")),
        {},
        true,
        true,
      ],
      [
        "not without a network",
        node("a", taint("node.kubernetes.io/network-unavailable", "NoSchedule")),
        {},
        false,
        true,
      ],
      [
        "without a network if it needs none",
        node("a", taint("node.kubernetes.io/network-unavailable", "NoSchedule")),
        { hostNetwork: true },
        true,
        true,
      ],
    ];
  for (const [what, given, template, runs, stays] of rows) {
    test(what, () => assert.deepEqual(placesOf(template, naming)(given), { runs, stays }));
  }
});

test("a pod is for its node and no other", () => {
  const nodeSelectorTerms = [{ matchExpressions: [{ key: "x", operator: "Exists" }] }];
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  const spec = specForNode({ affinity: { nodeAffinity } }, "a", naming);
  assert.deepEqual(spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms, [
    { matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }] },
  ]);
  assert.equal(spec.tolerations.length, 6);
  assert.equal(nodeOf({ metadata: {}, spec }), "a");
});

const rows: readonly (readonly [what: string, got: string, expected: string])[] = [
  ["makes what is missing", told(set(), three, [pod("p", "a")]), "+b +c"],
  ["deletes the younger of two", told(set(), [node("a")], [pod("young", "a"), pod("old", "a", { age: 9 })]), "-young"],
  [
    "deletes what is not to be there",
    told(set({}, { nodeSelector: { disk: "b" } }), three, [pod("p", "a"), pod("q", "b")]),
    "-p",
  ],
  ["leaves what may stay", told(set(), [node("a", taint("k", "NoSchedule"))], [pod("p", "a")]), ""],
  ["does nothing once it is deleted", told(set({}, {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }), three, []), ""],
  [
    "replaces one at a time",
    told(
      set(),
      three,
      three.map(({ metadata }) => pod(metadata.name ?? "", metadata.name ?? "", { hash: "old" })),
    ),
    "-a",
  ],
  [
    "replaces first what is not available",
    told(set(), three, [pod("a", "a", { hash: "old" }), pod("b", "b", { hash: "old", ready: false }), pod("c", "c")]),
    "-b",
  ],
  [
    "waits for the new one",
    told(set(), three, [pod("a", "a", { ready: false }), pod("b", "b", { hash: "old" }), pod("c", "c")]),
    "",
  ],
  [
    "replaces nothing by itself on deletion",
    told(set({ updateStrategy: { type: "OnDelete" } }), [node("a")], [pod("a", "a", { hash: "old" })]),
    "",
  ],
];
for (const [what, got, expected] of rows) test(`a daemon set ${what}`, () => assert.equal(got, expected));

test("with a surge the new pod comes first", () => {
  const surging = set({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } });
  const old = ["a", "b", "c"].map((name) => pod(`old-${name}`, name, { hash: "old", age: 9 }));
  assert.equal(told(surging, three, old), "+a");
  assert.equal(told(surging, three, [...old, pod("new-a", "a", { ready: false })]), "");
  assert.equal(told(surging, three, [...old, pod("new-a", "a")]), "-old-a");
});

test("pods that have ended are deleted before others come", () => {
  const plan = planOf(set(), [node("a")], [pod("p", "a", { phase: "Failed", ready: false })]);
  assert.deepEqual([plan.create, plan.ended.map(({ metadata }) => metadata.name)], [[], ["p"]]);
});

test("a status counts nodes", () => {
  const nodes = [...three, node("d", taint("k", "NoSchedule"))];
  const pods = [pod("a", "a"), pod("b", "b", { hash: "old", ready: false }), pod("d", "d")];
  assert.deepEqual(planOf(set(), nodes, pods).status, {
    ...{ currentNumberScheduled: 2, numberMisscheduled: 1, desiredNumberScheduled: 3, numberReady: 1 },
    ...{ observedGeneration: 1, updatedNumberScheduled: 1, numberAvailable: 1, numberUnavailable: 2 },
  });
});

test("a status keeps what others put into it", () => {
  const conditions = [{ type: "Mine", status: "True" }];
  const given = { ...set(), status: { numberReady: 7, collisionCount: 2, conditions } };
  const { numberReady, ...kept } = planOf(given, [node("a")], [pod("a", "a")]).status;
  assert.deepEqual([numberReady, kept.collisionCount, kept.conditions], [1, 2, conditions]);
});

test("bounds are parts of the nodes, rounded up, and never both nothing", () => {
  const bounds = (maxUnavailable: number | string, maxSurge: number | string) =>
    boundsOf(set({ updateStrategy: { rollingUpdate: { maxUnavailable, maxSurge } } }), 10);
  assert.deepEqual(bounds("25%", 0), { unavailable: 3, surge: 0 });
  assert.deepEqual(bounds(0, "15%"), { unavailable: 0, surge: 2 });
  assert.deepEqual(bounds("0%", 0), { unavailable: 1, surge: 0 });
});
