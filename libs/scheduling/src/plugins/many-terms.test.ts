import assert from "node:assert/strict";
import { test } from "node:test";
import type { RawPod } from "../model/objects.js";
import { podInfoOf } from "../model/pod-info.js";
import { node, on, pod, sceneOf } from "../testing/cluster-of.js";

/** A cluster of some nodes that counts how long the names of its questions are together. */
function askedBy(spec: NonNullable<RawPod["spec"]>): { readonly questions: number; readonly characters: number } {
  const scene = sceneOf();
  for (const name of ["n1", "n2", "n3"]) scene.cluster.setNode(node(name));
  scene.cluster.setPod(on("n1", pod("there", { labels: { a: "b" } })));
  let [questions, characters] = [0, 0];
  const cluster: typeof scene.cluster = Object.create(scene.cluster, {
    domains: {
      value(question: Parameters<typeof scene.cluster.domains>[0]) {
        questions += 1;
        characters += question.text.length;
        return scene.cluster.domains(question);
      },
    },
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
  const { questions } = askedBy({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  });
  assert.equal(questions, 1);
});

test("affinity of many terms and keys: the questions grow with the terms, not with their square", () => {
  const terms = each((i) => ({ ...selecting(i), topologyKey: `key-${i}` }));
  const { questions, characters } = askedBy({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  });
  assert.equal(questions, many);
  assert.ok(characters < many * 200, `${characters} characters`);
});

test("many constraints of spread: the questions grow with the constraints, not with their square", () => {
  const { questions, characters } = askedBy({
    tolerations: each((i) => ({ key: `toleration-${i}`, operator: "Exists" })),
    nodeSelector: Object.fromEntries(each((i) => [`selected-${i}`, "yes"])),
    topologySpreadConstraints: each((i) => ({
      ...selecting(i),
      ...{ topologyKey: `key-${i}`, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", nodeTaintsPolicy: "Honor" },
    })),
  });
  assert.equal(questions, many);
  assert.ok(characters < many * 400, `${characters} characters`);
});
