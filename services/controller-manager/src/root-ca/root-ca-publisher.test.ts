import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createNaming, type Dialect } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { createMemoryServer, type MemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { createRootCaPublisher } from "./root-ca-publisher.js";

const rootCa = "-----BEGIN CERTIFICATE-----\n";

function start(t: TestContext, server: MemoryServer, dialect: Dialect = "kubernetes"): void {
  runController(t, createRootCaPublisher({ rootCa }, memoryTools(server, createNaming(dialect))));
}

const isPublished =
  (server: MemoryServer, namespace: string, name = "kube-root-ca.crt") =>
  (): boolean =>
    Object(server.at(`configmaps/${namespace}/${name}`)?.["data"])["ca.crt"] === rootCa;

for (const [dialect, name, annotation] of [
  ["orch", "orch-root-ca.crt", "orch/description"],
  ["kubernetes", "kube-root-ca.crt", "kubernetes.io/description"],
] as const) {
  test(`every namespace has the root CA, old ones and new ones, in ${dialect}`, async (t) => {
    const server = createMemoryServer();
    server.put("namespaces/old");
    start(t, server, dialect);
    await until(isPublished(server, "old", name), "old has it");
    server.put("namespaces/new");
    await until(isPublished(server, "new", name), "new has it");
    assert.notEqual(server.at(`configmaps/new/${name}`)?.metadata.annotations?.[annotation] ?? "", "");
  });
}

test("one that is changed or deleted is righted, what else is on it stays", async (t) => {
  const server = createMemoryServer();
  server.put("namespaces/a");
  server.put("configmaps/a/kube-root-ca.crt", {
    metadata: { labels: { mine: "yes" } },
    data: { "ca.crt": "other", more: "x" },
    binaryData: { "ca.crt": "AAAA" },
  });
  start(t, server);
  await until(isPublished(server, "a"), "it is righted");
  const righted = server.at("configmaps/a/kube-root-ca.crt");
  assert.deepEqual([righted?.["data"], righted?.["binaryData"]], [{ "ca.crt": rootCa }, undefined]);
  assert.deepEqual(righted?.metadata.labels, { mine: "yes" });
  server.put("configmaps/a/kube-root-ca.crt", { ...righted, data: {} });
  await until(isPublished(server, "a"), "it is righted again");
  server.remove("configmaps/a/kube-root-ca.crt");
  await until(isPublished(server, "a"), "it is made again");
});

test("what is right is not written, other config maps are left alone, and an ending namespace gets none", async (t) => {
  const server = createMemoryServer();
  const annotations = { "kubernetes.io/description": "mine" };
  server.put("namespaces/right");
  server.put("configmaps/right/kube-root-ca.crt", { metadata: { annotations }, data: { "ca.crt": rootCa } });
  server.put("configmaps/right/other", { data: { "ca.crt": "other" } });
  server.put("namespaces/ends", { metadata: { deletionTimestamp: "2025-01-01T00:00:00Z" } });
  start(t, server);
  server.put("namespaces/z");
  await until(isPublished(server, "z"), "the last has it");
  assert.deepEqual(server.writes, ["create configmaps/z/kube-root-ca.crt"]);
});

test("failures are tried again; one that is there already, or a namespace that ends, is none", async (t) => {
  const server = createMemoryServer();
  for (const name of ["a", "b", "c"]) server.put(`namespaces/${name}`);
  server.failOnce("create configmaps/a/kube-root-ca.crt", new ApiError("ServiceUnavailable", "away"));
  server.failOnce("create configmaps/b/kube-root-ca.crt", new ApiError("AlreadyExists", "there"));
  const details = { causes: [{ reason: "NamespaceTerminating", message: "", field: "" }] } as const;
  server.failOnce("create configmaps/c/kube-root-ca.crt", new ApiError("Forbidden", "ends", { details }));
  const tools = memoryTools(server, createNaming("kubernetes"));
  runController(t, createRootCaPublisher({ rootCa }, tools));
  await until(isPublished(server, "a"), "a has it after all");
  assert.equal(tools.failures(), 1);
});
