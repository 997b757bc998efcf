import assert from "node:assert/strict";
import { test } from "node:test";
import type { RawContainer, RawPod } from "./objects.js";
import { podRequests } from "./requests.js";

const c = (cpu: string, memory?: string): RawContainer => ({
  resources: { requests: { cpu, ...(memory === undefined ? {} : { memory }) } },
});
const sidecar = (cpu: string, memory: string): RawContainer => ({ ...c(cpu, memory), restartPolicy: "Always" });
const mebi = 1024 * 1024;

const rows: readonly (readonly [rule: string, spec: RawPod["spec"], cpu: number, memory: number])[] = [
  [
    "an init container runs alone",
    { containers: [c("100m", "100Mi"), c("200m", "50Mi")], initContainers: [c("500m", "10Mi")] },
    500,
    150,
  ],
  [
    "one after a sidecar runs beside it",
    { containers: [c("100m", "100Mi")], initContainers: [sidecar("50m", "20Mi"), c("300m", "10Mi")] },
    350,
    120,
  ],
  [
    "one before a sidecar does not",
    { containers: [c("100m", "100Mi")], initContainers: [c("300m", "10Mi"), sidecar("50m", "20Mi")] },
    300,
    120,
  ],
  ["overhead is added", { containers: [c("100m")], overhead: { cpu: "10m", memory: "5Mi" } }, 110, 5],
  ["less than a thousandth is one", { containers: [c("100u")] }, 1, 0],
];
for (const [rule, spec, cpu, memory] of rows) {
  test(`requests of a pod: ${rule}`, () => {
    const requests = podRequests(spec);
    assert.deepEqual([requests.cpu, requests.memory], [cpu, memory * mebi]);
  });
}
