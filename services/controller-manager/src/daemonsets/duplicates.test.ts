import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { createDaemonSetController } from "./daemonset-controller.js";

const label = "controller-revision-hash";
const template = { metadata: { labels: { app: "d" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const ownerReferences = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid: "uid-d", controller: true }];

test("revisions that say the same become the newest of them, and their pods stay", async (t) => {
  const server = createMemoryServer();
  const tools = memoryTools(server, createNaming("kubernetes"));
  const revision = (hash: string, number: number, of: object = template) =>
    server.put(`controllerrevisions/ns/d-${hash}`, {
      metadata: { labels: { app: "d", [label]: hash }, ownerReferences },
      data: { spec: { template: { ...of, $patch: "replace" } } },
      revision: number,
    });
  const pod = (node: string, hash: string) =>
    server.put(`pods/ns/d-${node}`, {
      metadata: { labels: { app: "d", [label]: hash }, ownerReferences },
      spec: { nodeName: node },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    });
  server.put("daemonsets/ns/d", {
    spec: { selector: { matchLabels: { app: "d" } }, template, updateStrategy: { type: "RollingUpdate" } },
  });
  revision("other", 1, { ...template, spec: {} });
  revision("a", 2);
  revision("b", 3);
  revision("c", 4);
  for (const [node, hash] of [
    ["n1", "a"],
    ["n2", "b"],
    ["n3", "c"],
  ] as const) {
    server.put(`nodes/${node}`, { status: { conditions: [{ type: "Ready", status: "True" }] } });
    pod(node, hash);
  }
  runController(t, createDaemonSetController({ workers: 1 }, tools));
  const gone = (hash: string): boolean => server.at(`controllerrevisions/ns/d-${hash}`) === undefined;
  await until(() => gone("a") && gone("b"), "the older ones are gone");
  await until(() => server.at("daemonsets/ns/d")?.["status"] !== undefined, "the set's status is written");
  assert.deepEqual(
    ["n1", "n2", "n3"].map((node) => server.at(`pods/ns/d-${node}`)?.metadata.labels?.[label]),
    ["c", "c", "c"],
  );
  assert.ok(!gone("c") && !gone("other"));
  assert.deepEqual(
    server.writes.filter((write) => /^(delete|create) pods/.test(write)),
    [],
  );
});
