/**
 * What a strategic merge of a Pod of 50 containers costs, beside parsing the Pod and copying it:
 * `node libs/patch/dist/strategic/strategic-merge-patch.bench.js`. Prints µs for each, the best of some rounds.
 */
import { applyJsonPatch } from "../json-patch.js";
import { applyMergePatch } from "../merge-patch.js";
import { podOf, podType } from "../testing/pod.js";
import { applyStrategicMergePatch } from "./strategic-merge-patch.js";

const rounds = 9;
const calls = 500;

function micros(work: () => unknown): number {
  for (let i = 0; i < calls; i++) work();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) work();
    best = Math.min(best, ((performance.now() - start) / calls) * 1000);
  }
  return best;
}

const pod = podOf(50);
const json = JSON.stringify(pod);
const one = { spec: { containers: [{ name: "c25", image: "new", env: [{ name: "VAR_3", value: "new" }] }] } };
const order = Array.from({ length: 50 }, (_, i) => ({ name: `c${49 - i}` }));
const all = {
  spec: {
    "$setElementOrder/containers": order,
    containers: order.map(({ name }) => ({ name, image: "new", env: [{ name: "VAR_3", value: "new" }] })),
  },
};

const measured = {
  "JSON.parse of the Pod": micros(() => JSON.parse(json)),
  structuredClone: micros(() => structuredClone(pod)),
  "strategic: one container": micros(() => applyStrategicMergePatch(podType, pod, one)),
  "strategic: all 50 and their order": micros(() => applyStrategicMergePatch(podType, pod, all)),
  "merge patch: a label": micros(() => applyMergePatch(pod, { metadata: { labels: { app: "new" } } })),
  "JSON patch: one image": micros(() =>
    applyJsonPatch(pod, [{ op: "replace", path: "/spec/containers/25/image", value: "new" }]),
  ),
};

process.stdout.write(`${json.length} bytes of JSON\n`);
for (const [name, time] of Object.entries(measured)) {
  process.stdout.write(`${name.padStart(34)} ${time.toFixed(1).padStart(7)} µs\n`);
}
