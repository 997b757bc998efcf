import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { DomainQuestion } from "../cluster/domain-counts.js";
import { explain } from "../cycle/explain.js";
import type { RawPod } from "../model/objects.js";
import { podInfoOf } from "../model/pod-info.js";
import { podTermOf } from "../model/pod-terms.js";
import { preferredTerms } from "../model/term-list.js";
import { node, on, pod, sceneOf, zone } from "../testing/cluster-of.js";
import { createTermSums } from "./term-sums.js";

/** A cluster of some nodes, with labels of these keys, that counts how long the names of its questions are together. */
function askedBy(
  spec: NonNullable<RawPod["spec"]>,
  keys: readonly string[],
): { readonly questions: number; readonly characters: number } {
  const scene = sceneOf();
  const labels = Object.fromEntries(keys.map((key) => [key, "value"]));
  for (const name of ["n1", "n2", "n3"]) scene.cluster.setNode(node(name, { labels }));
  scene.cluster.setPod(on("n1", pod("there", { labels: { a: "b" } })));
  let [questions, characters] = [0, 0];
  const counted = <A>(ask: (question: DomainQuestion) => A) => ({
    value(question: DomainQuestion) {
      questions += 1;
      characters += question.text.length;
      return ask(question);
    },
  });
  const cluster: typeof scene.cluster = Object.create(scene.cluster, {
    domains: counted(scene.cluster.domains),
    tally: counted(scene.cluster.tally),
  });
  const cycle = { pod: podInfoOf(pod("p", { spec })), cluster, now: 0 };
  for (const { name, preFilter } of scene.profile.preFilter) {
    if (name === "InterPodAffinity" || name === "PodTopologySpread") preFilter(cycle);
  }
  return { questions, characters };
}

const many = 400;
const each = <T>(make: (i: number) => T): T[] => Array.from({ length: many }, (_, i) => make(i));
const selecting = (i: number) => ({ labelSelector: { matchLabels: { [`label-${i}`]: "value" } } });

test("affinity of many terms over one key is one question", () => {
  const terms = each((i) => ({ ...selecting(i), topologyKey: "zone" }));
  const { questions } = askedBy(
    { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } },
    ["zone"],
  );
  assert.equal(questions, 1);
});

test("affinity of many terms and keys: the questions grow with the terms, not with their square", () => {
  const terms = each((i) => ({ ...selecting(i), topologyKey: `key-${i}` }));
  const { questions, characters } = askedBy(
    { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } },
    each((i) => `key-${i}`),
  );
  assert.equal(questions, many);
  assert.ok(characters < many * 200, `${characters} characters`);
});

const spreads = {
  tolerations: each((i) => ({ key: `toleration-${i}`, operator: "Exists" })),
  nodeSelector: Object.fromEntries(each((i) => [`selected-${i}`, "yes"])),
  topologySpreadConstraints: each((i) => ({
    ...selecting(i),
    ...{ topologyKey: `key-${i}`, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", nodeTaintsPolicy: "Honor" },
  })),
};

test("many constraints of spread: the questions grow with the constraints, not with their square", () => {
  const { questions, characters } = askedBy(
    spreads,
    each((i) => `key-${i}`),
  );
  assert.equal(questions, many);
  assert.ok(characters < many * 400, `${characters} characters`);
});

test("labels that no node has are not asked about, however many a pod names", () => {
  const terms = each((i) => ({ ...selecting(i), topologyKey: `key-${i}` }));
  const required = { requiredDuringSchedulingIgnoredDuringExecution: terms };
  assert.equal(askedBy(spreads, []).questions, 0);
  assert.equal(askedBy({ affinity: { podAffinity: required } }, []).questions, 0);
  assert.equal(askedBy({ affinity: { podAntiAffinity: required } }, []).questions, 0);
});

test("many terms are added up to what each of them counts", () => {
  const [zoneKey = ""] = Object.keys(zone(""));
  const hosts = ["n1", "n2", "n3", "n4"];
  const held = fc.array(fc.record({ app: fc.nat({ max: 9 }), on: fc.constantFrom(...hosts, "nowhere") }), {
    maxLength: 30,
  });
  const term = fc
    .record({
      key: fc.constantFrom(zoneKey, "host", "absent"),
      app: fc.nat({ max: 9 }),
      operator: fc.constantFrom("In", "NotIn"),
      weight: fc.integer({ min: -9, max: 9 }),
    })
    .map(({ key, app, operator, weight }) => {
      const labelSelector = { matchExpressions: [{ key: "app", operator, values: [String(app)] }] };
      return { weight, term: podTermOf({ topologyKey: key, labelSelector }, "default") };
    });
  fc.assert(
    fc.property(held, fc.array(term, { minLength: 33, maxLength: 60 }), (pods, terms) => {
      const { cluster } = sceneOf();
      for (const [i, name] of hosts.entries()) {
        cluster.setNode(node(name, { labels: { host: name, ...zone(`z${i % 2}`) } }));
      }
      for (const [i, { app, on: to }] of pods.entries()) {
        cluster.setPod(on(to, pod(`p${i}`, { labels: { app: String(app) } })));
      }
      const termSums = createTermSums(() => undefined);
      const sumsOf = (some: typeof terms, key: string, domain: string): number =>
        termSums(preferredTerms(some), cluster)
          .find((sums) => sums.key === key)
          ?.of(domain) ?? 0;
      const domains = [
        ...hosts.map((name) => ["host", name] as const),
        [zoneKey, "z0"] as const,
        [zoneKey, "z1"] as const,
      ];
      for (const [key, domain] of domains) {
        const alone = terms.reduce((sum, each) => sum + sumsOf([each], key, domain), 0);
        assert.equal(sumsOf(terms, key, domain), alone);
      }
    }),
    { numRuns: 100 },
  );
});

test("a pod with many terms on a node leaves others one question of each node and label", () => {
  const scene = sceneOf();
  for (const name of ["n1", "n2", "n3"]) scene.cluster.setNode(node(name, { labels: { zone: name } }));
  const terms = each((i) => ({
    topologyKey: "zone",
    labelSelector: { matchExpressions: [{ key: `label-${i}`, operator: "DoesNotExist" }] },
  }));
  const far = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
  scene.cluster.setPod(on("n1", pod("there", { spec: { affinity: far } })));
  const info = podInfoOf(pod("other"));
  const sums = scene.cluster.terms.antiAffinity.matching(info, () => undefined);
  assert.deepEqual(
    sums.map(({ key, of }) => [key, of("n1"), of("n2")]),
    [["zone", many, 0]],
  );
  // For pods alike nothing is added up again, until a term comes or goes.
  assert.equal(
    scene.cluster.terms.antiAffinity.matching(info, () => undefined),
    sums,
  );
  scene.cluster.removePod("default/there");
  assert.deepEqual(
    scene.cluster.terms.antiAffinity.matching(info, () => undefined),
    [],
  );
});

test("nodes that lack the same of many resources share one refusal, others have their own", () => {
  const scene = sceneOf();
  const resources = each((i) => `example.com/r${i}`);
  const has = Object.fromEntries(resources.map((name) => [name, "1"]));
  const [first = "", second = ""] = resources;
  scene.cluster.setNode(node("none1"));
  scene.cluster.setNode(node("none2"));
  scene.cluster.setNode(node("butOne", { has: { ...has, [first]: "0" } }));
  scene.cluster.setNode(node("butTwo", { has: { ...has, [first]: "0", [second]: "0" } }));
  scene.cluster.setNode(node("used", { has }));
  scene.cluster.setPod(on("used", pod("user", { asks: { [first]: "1" } })));
  const asking = podInfoOf(pod("p", { asks: has }));
  const { nodes } = explain(scene.profile, scene.cluster, asking, 0);
  const [none1, none2, butOne, butTwo, used] = nodes.map(({ rejection }) => rejection);
  assert.equal(none1, none2);
  assert.equal(none1?.reasons.length, many);
  assert.deepEqual(butOne?.reasons, [`Insufficient ${first}`]);
  assert.deepEqual(
    butTwo?.reasons,
    [first, second].map((name) => `Insufficient ${name}`),
  );
  assert.deepEqual(
    [none1, butOne, used].map((rejection) => rejection?.code),
    ["Unschedulable", "Unschedulable", "Unschedulable"],
  );
  assert.deepEqual(used?.reasons, [`Insufficient ${first}`]);
});
