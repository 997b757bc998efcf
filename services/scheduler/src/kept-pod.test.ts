import assert from "node:assert/strict";
import { test } from "node:test";
import { podInfoOf } from "@orch/scheduling/model/pod-info.js";
import { createPodKeeper } from "./kept-pod.js";

const meta = { namespace: "default", labels: { app: "a" }, managedFields: [{ manager: "kubelet" }] };
const pod = (name: string, nodeName: string) => ({
  metadata: { ...meta, name, uid: `uid-${name}`, resourceVersion: "1" },
  spec: {
    nodeName,
    schedulerName: "default-scheduler",
    priority: 3,
    containers: [
      {
        ...{ name: "c", image: "image:1", env: [{ name: "E", value: "v" }] },
        resources: { requests: { cpu: "1" } },
        ports: [{ hostPort: 80 }, { containerPort: 81 }],
      },
    ],
    volumes: [
      { name: "token", projected: {} },
      { name: "data", persistentVolumeClaim: { claimName: name } },
    ],
    tolerations: [{ key: "k", operator: "Exists" }],
    nodeSelector: { disk: "ssd" },
  },
  status: { phase: "Running", startTime: "2026-01-01T00:00:00Z", conditions: [{ type: "Ready", status: "True" }] },
});

test("of a pod that has a node all is kept that decisions read, and of pods alike once", () => {
  const keep = createPodKeeper({ whole: false });
  const [first, second] = [keep(pod("a", "n1")), keep(pod("b", "n2"))];
  const { raw: _kept, volumes, ...read } = podInfoOf(first);
  const { raw: _whole, volumes: _all, ...wanted } = podInfoOf(pod("a", "n1"));
  assert.deepEqual(JSON.stringify(read), JSON.stringify(wanted));
  assert.deepEqual(volumes, [{ name: "data", persistentVolumeClaim: { claimName: "a" } }]);
  assert.equal(JSON.stringify(first).includes("env"), false);
  assert.equal(podInfoOf(first).raw.spec?.containers, podInfoOf(second).raw.spec?.containers);
  assert.equal(podInfoOf(first).labels, podInfoOf(second).labels);
});

test("a pod that waits, or that others are asked about, is kept whole without its managers", () => {
  const { managedFields: _fields, ...metadata } = pod("a", "").metadata;
  assert.deepEqual(createPodKeeper({ whole: false })(pod("a", "")), { ...pod("a", ""), metadata });
  assert.deepEqual(createPodKeeper({ whole: true })(pod("a", "n1")), { ...pod("a", "n1"), metadata });
});
