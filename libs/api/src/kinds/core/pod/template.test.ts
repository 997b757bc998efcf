import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { type PodTemplate, validatePodTemplate } from "./template.js";

const naming = createNaming("kubernetes");
const placed = (template: PodTemplate, at: string) =>
  validatePodTemplate(template, at, naming).map(({ field }) => field);
const sound: PodTemplate = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };

test("a template that is broken is so however often it is judged, wherever it stands", () => {
  const broken: PodTemplate = { ...sound, metadata: { labels: { a: "-" } } };
  assert.deepEqual(placed(broken, "spec.template"), ["spec.template.labels"]);
  assert.deepEqual(placed(broken, "spec.jobTemplate.spec.template"), ["spec.jobTemplate.spec.template.labels"]);
});

test("a template that was sound is, and says nothing of one that shares most of it", () => {
  assert.deepEqual(placed(sound, "spec.template"), []);
  assert.deepEqual(placed(sound, "spec.template"), []);
  const containers = [{ name: "c", image: "i", volumeMounts: [{ name: "none", mountPath: "/x" }] }];
  assert.deepEqual(placed({ ...sound, spec: { containers } }, "t"), ["t.spec.containers[0].volumeMounts[0].name"]);
});
