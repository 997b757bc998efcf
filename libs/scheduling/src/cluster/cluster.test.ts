import assert from "node:assert/strict";
import { test } from "node:test";
import { explain } from "../cycle/explain.js";
import { nodeFactsOf } from "../model/node-info.js";
import { podInfoOf } from "../model/pod-info.js";
import { naming, node, on, type PodWords, pod, sceneOf, zone } from "../testing/cluster-of.js";
import { createDomainCounter } from "./domain-counts.js";

const [zoneKey = ""] = Object.keys(zone(""));

test("the emptiest domain is known without a look at all: the worked example", () => {
  const counter = createDomainCounter(
    {
      text: "",
      selector: undefined,
      counts: () => true,
      domainOf: ({ name }) => name,
    },
    { nodes: [], held: [] },
  );
  const facts = (name: string) => nodeFactsOf(node(name), naming);
  const held = (count: number) => Array.from({ length: count }, (_, i) => podInfoOf(pod(`p${i}`)));
  counter.nodeChanged(undefined, facts("a"), held(2));
  counter.nodeChanged(undefined, facts("b"), []);
  counter.nodeChanged(undefined, facts("c"), held(2));
  assert.deepEqual([counter.size, counter.total, counter.min], [3, 4, 0]);
  counter.podChanged(podInfoOf(pod("x")), facts("b"), 1);
  assert.equal(counter.min, 1);
  assert.deepEqual([counter.minWith("b", 5), counter.minWith("b", -1), counter.minWith("a", -2)], [2, 0, 0]);
  counter.nodeChanged(facts("b"), undefined, held(1));
  assert.deepEqual([counter.size, counter.total, counter.min], [2, 4, 2]);
});

test("pods of a node without a domain are in none, an empty name included", () => {
  const facts = (name: string, labels: Record<string, string>) => nodeFactsOf(node(name, { labels }), naming);
  const nodes = [facts("a", { rack: "" }), facts("b", {})];
  const counter = createDomainCounter(
    { text: "", selector: undefined, counts: () => true, domainOf: ({ labels }) => labels.get("rack") },
    { nodes, held: nodes.map((each) => [each, 3]) },
  );
  assert.deepEqual([counter.size, counter.total, counter.of("")], [1, 3, 3]);
});

test("a term by labels of namespaces follows their changes", () => {
  const scene = sceneOf();
  scene.cluster.setNode(node("n1", { labels: zone("a") }));
  scene.cluster.setPod(on("n1", pod("x", { namespace: "other", labels: { app: "a" } })));
  const words: PodWords = {
    spec: {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: zoneKey,
              labelSelector: { matchLabels: { app: "a" } },
              namespaceSelector: { matchLabels: { team: "y" } },
            },
          ],
        },
      },
    },
  };
  const outcome = () => scene.schedule(pod("p", words)).outcome;
  assert.equal(outcome(), "placed");
  scene.cluster.setNamespace("other", { team: "y" });
  assert.equal(outcome(), "refused");
  scene.cluster.setNamespace("other", { team: "z" });
  assert.equal(outcome(), "placed");
  scene.cluster.setNamespace("other", undefined);
  assert.equal(outcome(), "placed");
});

test("a pod whose node comes later counts there from then on", () => {
  const { cluster } = sceneOf();
  cluster.setPod(on("n1", pod("a", { asks: { cpu: "1" } })));
  cluster.setNode(node("n1"));
  assert.equal(cluster.node("n1")?.requested.cpu, 1000);
  cluster.removeNode("n1");
  assert.equal(cluster.nodes.length, 0);
  cluster.setNode(node("n1"));
  assert.equal(cluster.node("n1")?.requested.cpu, 1000);
  cluster.removePod("default/a");
  assert.deepEqual([cluster.node("n1")?.requested.cpu, cluster.sizes().pods], [0, 0]);
});

test("values that a cycle was given do not change under it", () => {
  const { cluster } = sceneOf();
  cluster.setNode(node("n1"));
  const before = cluster.node("n1");
  cluster.assume(podInfoOf(pod("a", { asks: { cpu: "1" } })), "n1");
  assert.deepEqual([before?.pods.length, before?.requested.cpu], [0, 0]);
  assert.equal(cluster.node("n1")?.pods[0]?.nodeName, "n1");
});

test("claims are counted by their users", () => {
  const { cluster } = sceneOf();
  const words: PodWords = { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] } };
  cluster.setPod(on("n1", pod("a", words)));
  cluster.setNode(node("n1"));
  cluster.setPod(on("n1", pod("b", words)));
  assert.equal(cluster.podsWithClaim("default/c"), 2);
  cluster.removePod("default/a");
  cluster.removePod("default/b");
  assert.equal(cluster.podsWithClaim("default/c"), 0);
});

test("what is explained: the first refusal of each node, and how the scores of the others come about", () => {
  const scene = sceneOf();
  scene.cluster.setNode(node("n1"));
  scene.cluster.setNode(node("n2", { unschedulable: true }));
  const { nodes, before } = explain(
    scene.profile,
    scene.cluster,
    podInfoOf(pod("p", { asks: { cpu: "1" } })),
    scene.now,
  );
  assert.equal(before, undefined);
  assert.deepEqual(nodes[1], {
    name: "n2",
    rejection: {
      code: "UnschedulableAndUnresolvable",
      plugin: "NodeUnschedulable",
      reasons: ["node(s) were unschedulable"],
    },
    scores: [],
  });
  const scores = nodes[0]?.scores ?? [];
  const total = scores.reduce((sum, { normalized, weight }) => sum + normalized * weight, 0);
  assert.equal(nodes[0]?.total, total);
  assert.deepEqual(
    scores.map(({ plugin }) => plugin),
    ["TaintToleration", "NodeResourcesFit", "NodeResourcesBalancedAllocation", "ImageLocality"],
  );
});

test("nodes that come, go and change their zone stand in the order once each, as they are", () => {
  const { cluster } = sceneOf();
  const there = new Map<string, string>();
  let seed = 7;
  const below = (n: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % n;
  };
  for (let step = 0; step < 2000; step++) {
    const name = `n${below(120)}`;
    if (there.has(name) && below(2) === 0) {
      cluster.removeNode(name);
      there.delete(name);
    } else {
      const label = `z${below(3)}`;
      cluster.setNode(node(name, { labels: { ...zone(label), step: String(step) } }));
      there.set(name, String(step));
    }
    if (below(4) > 0) continue;
    const seen = cluster.nodes.map((each) => [each.name, each.facts.labels.get("step") ?? ""] as const);
    assert.deepEqual(new Map(seen), there);
    assert.equal(seen.length, there.size);
  }
});

test("few changes leave the zones in turn, many put all in order again", () => {
  const { cluster } = sceneOf();
  for (let i = 0; i < 60; i++) cluster.setNode(node(`n${i}`, { labels: zone(`z${i < 20 ? 0 : i < 40 ? 1 : 2}`) }));
  const zones = () => cluster.nodes.slice(0, 30).map((each) => each.facts.labels.get(zoneKey));
  const inTurn = Array.from({ length: 30 }, (_, i) => `z${i % 3}`);
  assert.deepEqual(zones(), inTurn);
  cluster.removeNode("n59");
  cluster.setNode(node("late", { labels: zone("z0") }));
  assert.deepEqual(zones(), inTurn);
  assert.equal(cluster.nodes.at(-1)?.name, "late");
  for (let i = 0; i < 9; i++) cluster.setNode(node(`later${i}`, { labels: zone("z1") }));
  assert.notEqual(cluster.nodes.at(-1)?.name, "late");
  assert.deepEqual(zones(), inTurn);
});
