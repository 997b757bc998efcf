import assert from "node:assert/strict";
import { test } from "node:test";
import { podInfoOf } from "@orch/scheduling/model/pod-info.js";
import { resourcesPage } from "./resources-page.js";

test("pods tell what they ask for and may use: cores, bytes and counts, the hungriest moment of their lives", () => {
  const container = (requests: Record<string, string>, limits: Record<string, string> = {}) => ({
    resources: { requests, limits },
  });
  const busy = podInfoOf({
    metadata: { name: "b", namespace: "x", uid: "1" },
    spec: {
      ...{ nodeName: "n1", schedulerName: "s", priority: 5 },
      containers: [container({ cpu: "250m", memory: "1Mi", "example.com/gpu": "2" }, { cpu: "1" })],
      initContainers: [container({ cpu: "1500m" })],
    },
  });
  const idle = podInfoOf({ metadata: { name: "a", namespace: "x", uid: "2" }, spec: { schedulerName: "s" } });
  const of = 'namespace="x",pod="b",node="n1",scheduler="s",priority="5"';
  assert.deepEqual(
    resourcesPage({ pods: [busy, idle] })
      .split("\n")
      .filter((line) => !line.startsWith("#") && line !== ""),
    [
      `kube_pod_resource_limit{${of},resource="cpu",unit="cores"} 1`,
      `kube_pod_resource_request{${of},resource="cpu",unit="cores"} 1.5`,
      `kube_pod_resource_request{${of},resource="example.com/gpu",unit="integer"} 2`,
      `kube_pod_resource_request{${of},resource="memory",unit="bytes"} 1048576`,
    ],
  );
});
