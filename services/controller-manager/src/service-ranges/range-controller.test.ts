import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { finalizersOf } from "../garbage/references.js";
import { conditionOf, type SeenCondition } from "../seen/conditions.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { createRangeController } from "./range-controller.js";

const deletionTimestamp = "2025-01-01T00:00:00Z";
const other = "example.com/other";
const own = "networking.k8s.io/service-cidr-finalizer";

function setup() {
  const server = createMemoryServer();
  const at = (name: string) => server.at(`servicecidrs/${name}`);
  const finalizers = (name: string): string => {
    const object = at(name);
    return object === undefined ? "" : finalizersOf(object).join();
  };
  const ready = (name: string): SeenCondition | undefined => {
    const status = at(name)?.["status"];
    return isRecord(status) ? conditionOf({ status }, "Ready") : undefined;
  };
  return { ...server, finalizers, ready, tools: memoryTools(server, createNaming("kubernetes")) };
}

test("a range is protected and ready; one that goes stays for as long as an address of it alone is taken", async (t) => {
  const { put, remove, tools, finalizers, ready, writes } = setup();
  const labels = { "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" };
  put("ipaddresses/10.0.0.9", { metadata: { labels } });
  put("servicecidrs/a", { spec: { cidrs: ["10.0.0.0/24"] }, metadata: { finalizers: [other] } });
  runController(t, createRangeController(tools));
  await until(() => ready("a")?.status === "True", "it is ready");
  assert.equal(finalizers("a"), `${other},${own}`);
  put("servicecidrs/a", {
    spec: { cidrs: ["10.0.0.0/24"] },
    metadata: { deletionTimestamp, finalizers: [other, own] },
    status: { conditions: [ready("a")] },
  });
  await until(() => ready("a")?.status === "False", "it tells that it cannot go");
  assert.equal(ready("a")?.reason, "Terminating");
  assert.equal(finalizers("a"), `${other},${own}`);
  remove("ipaddresses/10.0.0.9");
  await until(() => finalizers("a") === other, "it is let go");
  assert.deepEqual(writes, [
    "update servicecidrs/a",
    "patch servicecidrs/a",
    "patch servicecidrs/a",
    "update servicecidrs/a",
  ]);
});

test("another range that has its addresses frees one that goes", async (t) => {
  const { put, tools, finalizers, ready } = setup();
  put("ipaddresses/10.0.0.9", { metadata: { labels: { "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" } } });
  put("servicecidrs/a", { spec: { cidrs: ["10.0.0.0/24"] }, metadata: { deletionTimestamp, finalizers: [own] } });
  runController(t, createRangeController(tools));
  await until(() => ready("a")?.status === "False", "it tells that it cannot go");
  put("servicecidrs/b", { spec: { cidrs: ["10.0.0.0/16"] } });
  await until(() => finalizers("a") === "", "it is let go");
});
