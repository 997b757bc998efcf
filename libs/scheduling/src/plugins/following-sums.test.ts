import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Cluster } from "../cluster/cluster.js";
import type { KeySums } from "../cluster/sums.js";
import type { RawPod, RawPodTerm } from "../model/objects.js";
import { type PodInfo, podInfoOf } from "../model/pod-info.js";
import { type PodTerms, termMatches, type WeightedPodTerm } from "../model/pod-terms.js";
import { preferredTerms, requiredTerms } from "../model/term-list.js";
import { anySteps, nodeNames } from "../testing/arbitrary-cluster.js";
import { node, on, pod, sceneOf, zone } from "../testing/cluster-of.js";
import { createTermSums } from "./term-sums.js";

const [zoneKey = ""] = Object.keys(zone(""));
const [hostKey = ""] = Object.keys(node("").metadata?.labels ?? {});
const domains = [
  ...["1", "2", "3"].map((value) => [zoneKey, value] as const),
  ...nodeNames.map((name) => [hostKey, name] as const),
  ["disk", "ssd"] as const,
];

const term: fc.Arbitrary<RawPodTerm> = fc
  .record({
    topologyKey: fc.constantFrom(zoneKey, hostKey, "disk", "absent"),
    operator: fc.constantFrom("In", "NotIn"),
    values: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f"), { minLength: 1, maxLength: 3 }),
    namespaceSelector: fc.constantFrom(undefined, undefined, { matchLabels: { team: "y" } }),
  })
  .map(({ topologyKey, operator, values, namespaceSelector }) => ({
    topologyKey,
    labelSelector: { matchExpressions: [{ key: "app", operator, values }] },
    ...(namespaceSelector === undefined ? { namespaces: ["x", "y"] } : { namespaceSelector }),
  }));
const terms = fc.oneof(
  fc.array(term, { minLength: 33, maxLength: 40 }),
  fc.array(term, { minLength: 1, maxLength: 12 }),
);
const affinity = fc.record({ far: terms, liked: terms, disliked: terms, weight: fc.integer({ min: 1, max: 9 }) });

type Affinity = NonNullable<NonNullable<RawPod["spec"]>["affinity"]>;
const templates: fc.Arbitrary<readonly Affinity[]> = fc.array(
  affinity.map(({ far, liked, disliked, weight }) => {
    const weighted = (of: readonly RawPodTerm[]) =>
      of.map((podAffinityTerm, i) => ({ weight: weight + i, podAffinityTerm }));
    return {
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: weighted(liked) },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: far,
        preferredDuringSchedulingIgnoredDuringExecution: weighted(disliked),
      },
    };
  }),
  { minLength: 3, maxLength: 3 },
);

const required = ({ antiAffinity }: PodTerms): readonly WeightedPodTerm[] =>
  antiAffinity.map((each) => ({ term: each, weight: 1 }));

/** Of each domain: counted one by one, over all pods on nodes. */
function plainly(cluster: Cluster, weightOf: (other: PodInfo, key: string) => number): readonly number[] {
  return domains.map(([key, domain]) => {
    let sum = 0;
    for (const other of cluster.pods()) {
      if (cluster.node(other.nodeName)?.labels.get(key) === domain) sum += weightOf(other, key);
    }
    return sum;
  });
}

const told = (sums: readonly KeySums[]): readonly number[] =>
  domains.map(([key, domain]) =>
    sums.filter((each) => each.key === key).reduce((sum, each) => sum + each.of(domain), 0),
  );

test("sums over terms that are kept follow whatever comes and goes", () => {
  fc.assert(
    fc.property(anySteps, templates, (steps, affinities) => {
      const { cluster } = sceneOf();
      const labelsOf = cluster.namespaceLabels;
      const termSums = createTermSums(labelsOf);
      const like = (raw: RawPod, i: number): RawPod => {
        const own = affinities[i % affinities.length];
        return { ...raw, spec: { ...raw.spec, ...(own === undefined ? {} : { affinity: own }) } };
      };
      const weight = (from: PodInfo, to: PodInfo, key: string, of: (all: PodTerms) => readonly WeightedPodTerm[]) =>
        of(from.terms)
          .filter((each) => each.term.topologyKey === key && termMatches(each.term, to, labelsOf))
          .reduce((sum, each) => sum + each.weight, 0);
      const check = (asked: PodInfo): void => {
        for (const [list, of] of [
          [requiredTerms(asked.terms.antiAffinity), required],
          [preferredTerms(asked.terms.preferred), (all: PodTerms) => all.preferred],
        ] as const) {
          assert.deepEqual(
            told(termSums(list, cluster)),
            plainly(cluster, (other, key) => weight(asked, other, key, of)),
          );
        }
        for (const [index, of] of [
          [cluster.terms.antiAffinity, required],
          [cluster.terms.preferred, (all: PodTerms) => all.preferred],
          [cluster.terms.preferredAnti, (all: PodTerms) => all.preferredAnti],
        ] as const) {
          assert.deepEqual(
            told(index.matching(asked, labelsOf)),
            plainly(cluster, (other, key) => weight(other, asked, key, of)),
          );
        }
      };
      for (const [i, step] of steps.entries()) {
        if (step.do === "setNode") cluster.setNode(step.node);
        else if (step.do === "removeNode") cluster.removeNode(step.name);
        else if (step.do === "setPod") cluster.setPod(on(step.on, like(step.pod, i)));
        else if (step.do === "removePod") for (const from of ["x", "y"]) cluster.removePod(`${from}/${step.name}`);
        else if (step.do === "label") cluster.setNamespace(step.namespace, step.labels);
        // The same few again and again: what was found for them before is brought up to date.
        for (const app of ["a", "b"]) {
          check(podInfoOf(like(pod("asked", { namespace: i % 2 === 0 ? "x" : "y", labels: { app } }), i)));
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("a template that comes again is told what has changed, not all pods", () => {
  const { cluster } = sceneOf();
  for (const name of nodeNames) cluster.setNode(node(name));
  for (let i = 0; i < 100; i++) cluster.setPod(on("n1", pod(`p${i}`, { labels: { app: `a${i}` } })));
  let matched = 0;
  const far = Array.from({ length: 40 }, (_, i) => ({
    topologyKey: hostKey,
    labelSelector: { matchExpressions: [{ key: `label-${i}`, operator: "DoesNotExist" }] },
  }));
  const asked = podInfoOf(
    pod("asked", {
      spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: far } } },
    }),
  );
  // Each look at a pod begins with its namespace.
  const own = asked.terms.antiAffinity.map((each) => ({
    ...each,
    namespaces: {
      ...each.namespaces,
      has(name: string) {
        matched += 1;
        return each.namespaces.has(name);
      },
    },
  }));
  const list = { ...requiredTerms(asked.terms.antiAffinity), terms: own.map((each) => ({ term: each, weight: 1 })) };
  const termSums = createTermSums(cluster.namespaceLabels);
  const asks = (): number => {
    matched = 0;
    termSums(list, cluster);
    return matched;
  };
  assert.equal(asks(), 40 * 100);
  assert.equal(asks(), 0);
  cluster.setPod(on("n2", pod("one", { labels: { app: "more" } })));
  assert.equal(asks(), 40);
  // What came and went again leaves nothing to add.
  for (let i = 0; i < 50; i++) {
    cluster.setPod(on("n2", pod("short", { labels: { app: `short${i}` } })));
    cluster.removePod("default/short");
  }
  assert.equal(asks(), 0);
  assert.deepEqual(
    termSums(list, cluster).map(({ key, of }) => [key, of("n1"), of("n2")]),
    [[hostKey, 40 * 100, 40]],
  );
});
