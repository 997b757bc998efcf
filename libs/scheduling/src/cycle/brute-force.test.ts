import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { RawNode, RawPod } from "../model/objects.js";
import { podInfoOf } from "../model/pod-info.js";
import { anyNode, anyPod, anySteps, nodeNames, type Step } from "../testing/arbitrary-cluster.js";
import { on, type Scene, sceneOf } from "../testing/cluster-of.js";
import { type PlainCluster, plainAffinityScore, plainlyFeasible, plainSpreadScore } from "../testing/plain-model.js";
import { explain } from "./explain.js";
import { filtersOn, prepareFilters } from "./filters.js";

const feasibleIn = ({ profile, cluster, now }: Scene, pod: RawPod): readonly string[] =>
  explain(profile, cluster, podInfoOf(pod), now)
    .nodes.filter(({ rejection }) => rejection === undefined)
    .map(({ name }) => name)
    .sort();

const keyOf = ({ metadata }: RawPod): string => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;

/** Does the same to a cluster and to plain lists. */
function follow(steps: readonly Step[], check: (scene: Scene, pod: RawPod, plain: PlainCluster) => void): void {
  const scene = sceneOf();
  const namespaces = new Map<string, Readonly<Record<string, string>>>();
  const nodes = new Map<string, RawNode>();
  const pods = new Map<string, RawPod>();
  for (const step of steps) {
    switch (step.do) {
      case "setNode":
        nodes.set(step.node.metadata?.name ?? "", step.node);
        scene.cluster.setNode(step.node);
        break;
      case "removeNode":
        nodes.delete(step.name);
        scene.cluster.removeNode(step.name);
        break;
      case "setPod":
        pods.set(keyOf(step.pod), { ...step.pod, spec: { ...step.pod.spec, nodeName: step.on } });
        scene.cluster.setPod(on(step.on, step.pod));
        break;
      case "removePod":
        for (const namespace of ["x", "y"]) {
          pods.delete(`${namespace}/${step.name}`);
          scene.cluster.removePod(`${namespace}/${step.name}`);
        }
        break;
      case "label":
        scene.cluster.setNamespace(step.namespace, step.labels);
        namespaces.delete(step.namespace);
        if (step.labels !== undefined) namespaces.set(step.namespace, step.labels);
        break;
      case "ask":
        check(scene, step.pod, {
          namespaces: Object.fromEntries(namespaces),
          nodes: [...nodes.values()],
          pods: [...pods.values()],
        });
    }
  }
}

test("the nodes that fit are those of the plain rules, whatever has happened to the cluster before", () => {
  fc.assert(
    fc.property(anySteps, (steps) => {
      follow(steps, (scene, pod, plain) => assert.deepEqual(feasibleIn(scene, pod), plainlyFeasible(pod, plain)));
    }),
    { numRuns: 1000 },
  );
});

test("scores by what stands elsewhere are those of the plain rules", () => {
  fc.assert(
    fc.property(anySteps, (steps) => {
      follow(steps, ({ profile, cluster, now }, pod, plain) => {
        const { nodes } = explain(profile, cluster, podInfoOf(pod), now);
        const rawOf = (name: string): RawNode => plain.nodes.find(({ metadata }) => metadata?.name === name) ?? {};
        const scored = nodes.filter(({ rejection }) => rejection === undefined).map(({ name }) => rawOf(name));
        for (const { name, scores } of nodes) {
          for (const { plugin, raw } of scores) {
            if (plugin === "InterPodAffinity") assert.equal(raw, plainAffinityScore(pod, rawOf(name), plain));
            if (plugin === "PodTopologySpread") {
              assert.equal(raw, plainSpreadScore(pod, rawOf(name), { scored, cluster: plain }));
            }
          }
        }
      });
    }),
    { numRuns: 1000 },
  );
});

test("pods that are assumed one after the other break no rule", () => {
  const clusters = fc.tuple(...nodeNames.map(anyNode));
  const pods = fc.tuple(...["p1", "p2", "p3", "p4", "p5", "p6"].map(anyPod));
  fc.assert(
    fc.property(clusters, pods, (nodes, waiting) => {
      const scene = sceneOf({ random: () => 0 });
      for (const node of nodes) scene.cluster.setNode(node);
      const placed: RawPod[] = [];
      for (const pod of waiting) {
        const plain = plainlyFeasible(pod, { nodes, namespaces: {}, pods: placed });
        const decision = scene.schedule(pod);
        assert.equal(decision.outcome === "placed", plain.length > 0);
        if (decision.outcome !== "placed") continue;
        assert.ok(plain.includes(decision.node));
        scene.cluster.assume(podInfoOf(pod), decision.node);
        placed.push({ ...pod, spec: { ...pod.spec, nodeName: decision.node } });
      }
    }),
    { numRuns: 300 },
  );
});

test("a filter told what changes on a node says what it would say of a cluster that had changed", () => {
  const clusters = fc.tuple(...nodeNames.slice(0, 4).map(anyNode));
  const names = ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"];
  const held = fc.tuple(...names.map((name) => fc.tuple(anyPod(name), fc.constantFrom(...nodeNames.slice(0, 4)))));
  const constrained = anyPod("new").filter(
    ({ spec = {} }) => spec.topologySpreadConstraints !== undefined || Object.keys(spec.affinity ?? {}).length > 0,
  );
  fc.assert(
    fc.property(clusters, held, constrained, anyPod("come"), fc.nat(), (nodes, pods, pod, come, seed) => {
      const { cluster, profile, now } = sceneOf();
      for (const node of nodes) cluster.setNode(node);
      for (const [each, name] of pods) cluster.setPod(on(name, each));
      // Pods that come are those that wait for a node.
      cluster.nominations.set(podInfoOf(come), "elsewhere");
      const raws = pods.map(([each, name]) => ({ ...each, spec: { ...each.spec, nodeName: name } }));
      const whatIf = filtersOn(prepareFilters(profile, { pod: podInfoOf(pod), cluster, now }));
      for (const node of cluster.nodes) {
        const gone = node.pods.filter((_, i) => (seed >> i) % 2 === 0);
        const [back, ...away] = gone;
        const keys = new Set(away.map(({ key }) => key));
        const left = raws.filter((each) => !keys.has(keyOf(each)));
        const without = whatIf(node).without(gone);
        const changed = back === undefined ? without : without.with(back);
        const isFeasible = (of: readonly RawPod[]) =>
          plainlyFeasible(pod, { nodes, namespaces: {}, pods: of }).includes(node.name);
        assert.equal(changed.rejection() === undefined, isFeasible(left));
        const withCome = [...raws, { ...come, spec: { ...come.spec, nodeName: node.name } }];
        assert.equal(whatIf(node).with(podInfoOf(come)).rejection() === undefined, isFeasible(withCome));
      }
    }),
    { numRuns: 1000 },
  );
});

test("what preemption makes go is enough, and nobody of it could stay", () => {
  const clusters = fc.tuple(...nodeNames.slice(0, 3).map(anyNode));
  const names = ["p1", "p2", "p3", "p4", "p5"];
  const held = fc.tuple(...names.map((name) => fc.tuple(anyPod(name), fc.constantFrom(...nodeNames.slice(0, 3)))));
  fc.assert(
    fc.property(clusters, held, anyPod("new"), (nodes, pods, pod) => {
      const scene = sceneOf({ random: () => 0 });
      for (const node of nodes) scene.cluster.setNode(node);
      for (const [each, name] of pods) scene.cluster.setPod(on(name, each));
      const decision = scene.schedule(pod);
      if (decision.outcome !== "refused" || decision.nomination === undefined) return;
      const { node, victims } = decision.nomination;
      const raws = pods.map(([each, name]) => ({ ...each, spec: { ...each.spec, nodeName: name } }));
      const fitsWithout = (gone: ReadonlySet<string>): boolean =>
        plainlyFeasible(pod, { nodes, namespaces: {}, pods: raws.filter((each) => !gone.has(keyOf(each))) }).includes(
          node,
        );
      const keys = victims.map(({ key }) => key);
      assert.ok(victims.every(({ priority }) => priority < (pod.spec?.priority ?? 0)));
      assert.ok(fitsWithout(new Set(keys)));
      // The least important is looked at last: it goes only because it must.
      const least = keys.at(-1);
      assert.ok(!fitsWithout(new Set(keys.filter((key) => key !== least))));
    }),
    { numRuns: 500 },
  );
});
