import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@orch/client/client.js";
import { createNaming } from "@orch/naming/naming.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { createTaintEvictionController } from "./eviction-controller.js";

test("a pod is made to go once, though its condition is seen before its deletion", async (t) => {
  const server = createMemoryServer();
  let deletions = 0;
  const client: Client = {
    ...server.client,
    // Its deletion is not seen for now.
    async delete(collection, name) {
      deletions++;
      return await server.client.get(collection, name);
    },
  };
  const tools = memoryTools({ ...server, client }, createNaming("kubernetes"));
  server.put("nodes/n", { metadata: { name: "n" }, spec: { taints: [{ key: "a", effect: "NoExecute" }] } });
  server.put("pods/ns/p", { metadata: { name: "p", namespace: "ns", uid: "u" }, spec: { nodeName: "n" } });
  runController(t, createTaintEvictionController(tools));
  const hasCondition = (): boolean => server.at("pods/ns/p")?.["status"] !== undefined;
  await until(() => deletions > 0 && hasCondition(), "the pod is to go");
  const pod = server.at("pods/ns/p");
  server.put("pods/ns/p", { ...pod, metadata: { ...pod?.metadata, name: "p", labels: { seen: "again" } } });
  // A look at another pod comes after all that were asked for before.
  server.put("pods/ns/q", { metadata: { name: "q", namespace: "ns", uid: "v" }, spec: { nodeName: "n" } });
  await until(() => server.at("pods/ns/q")?.["status"] !== undefined, "the other pod is to go");
  await until(() => deletions > 1, "the other pod is deleted");
  assert.equal(deletions, 2);
});
