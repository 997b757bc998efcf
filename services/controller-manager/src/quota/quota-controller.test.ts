import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { QuotaStatus } from "@orch/api/quota/types.js";
import type { ApiResource } from "@orch/client/discovery.js";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { createMemoryServer, type MemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { createQuotaController } from "./quota-controller.js";
import { usedBy, withRaised } from "./recount.js";

const resource = (group: string, name: string): ApiResource => ({
  ...{ group, version: "v1", resource: name, kind: name, namespaced: true },
  verbs: ["list", "watch"],
});
const served = [
  ...["configmaps", "pods", "services", "resourcequotas"].map((name) => resource("", name)),
  resource("example.com", "widgets"),
];

function start(t: TestContext, server: MemoryServer, settleMs = 0): void {
  const tools = memoryTools(server, createNaming("kubernetes"));
  const discovery = { read: async () => ({ all: served, preferred: served, stale: [] }) };
  const config = { workers: 2, syncPeriodMs: 300_000, settleMs };
  runController(t, createQuotaController(config, { ...tools, discovery }));
}

const statusOf = (server: MemoryServer, name: string): QuotaStatus => Object(server.at(name)?.["status"]);
const says = (server: MemoryServer, used: object) => (): boolean =>
  JSON.stringify(statusOf(server, "resourcequotas/ns/q").used) === JSON.stringify(used);

test("a new quota is counted: what is in its namespace, custom objects too, and what is not served as none", async (t) => {
  const server = createMemoryServer();
  server.put("configmaps/ns/a");
  server.put("configmaps/other/a");
  server.put("widgets/ns/w");
  const hard = { "count/configmaps": "3", "count/widgets.example.com": "1", "count/nope.example.com": "1" };
  server.put("resourcequotas/ns/q", { spec: { hard } });
  start(t, server);
  const used = { "count/configmaps": "1", "count/widgets.example.com": "1", "count/nope.example.com": "0" };
  await until(says(server, used), "it is counted");
  assert.deepEqual(statusOf(server, "resourcequotas/ns/q").hard, hard);
});

test("what is deleted is free again, and a pod that has ended uses nothing", async (t) => {
  const server = createMemoryServer();
  for (const name of ["a", "b"]) server.put(`configmaps/ns/${name}`);
  server.put("pods/ns/p", { spec: { containers: [] } });
  server.put("resourcequotas/ns/q", { spec: { hard: { configmaps: "5", pods: "5" } } });
  start(t, server);
  await until(says(server, { configmaps: "2", pods: "1" }), "it is counted");
  server.remove("configmaps/ns/a");
  await until(says(server, { configmaps: "1", pods: "1" }), "one is free again");
  server.put("pods/ns/p", { spec: { containers: [] }, status: { phase: "Succeeded" } });
  await until(says(server, { configmaps: "1", pods: "0" }), "the pod has ended");
});

test("what is deleted is free at once, however long a count has to wait", async (t) => {
  const server = createMemoryServer();
  for (const name of ["a", "b", "c"]) server.put(`configmaps/ns/${name}`);
  server.put("pods/ns/p", { spec: { containers: [{ name: "c", resources: { requests: { cpu: "300m" } } }] } });
  const hard = { configmaps: "5", "requests.cpu": "2" };
  server.put("resourcequotas/ns/q", { spec: { hard } });
  start(t, server, 300_000);
  await until(says(server, { configmaps: "3", "requests.cpu": "300m" }), "it is counted");
  server.remove("configmaps/ns/a");
  server.remove("configmaps/ns/b");
  await until(says(server, { configmaps: "1", "requests.cpu": "300m" }), "two are free again");
  server.remove("pods/ns/p");
  await until(says(server, { configmaps: "1", "requests.cpu": "0" }), "its requests are free again");
});

test("a quota that changes is counted anew; one that somebody else changed meanwhile, again", async (t) => {
  const server = createMemoryServer();
  server.put("configmaps/ns/a");
  server.put("resourcequotas/ns/q", { spec: { hard: { configmaps: "5" } } });
  server.failOnce("update resourcequotas/ns/q", new ApiError("Conflict", "somebody was faster"));
  start(t, server);
  await until(says(server, { configmaps: "1" }), "it is counted after all");
  server.put("resourcequotas/ns/q", { ...server.at("resourcequotas/ns/q"), spec: { hard: { services: "1" } } });
  await until(says(server, { services: "0" }), "it is counted anew");
});

test("what is known to be incomplete is not counted as nothing", async (t) => {
  const server = createMemoryServer();
  const status = { hard: { "count/widgets.example.com": "5" }, used: { "count/widgets.example.com": "4" } };
  server.put("resourcequotas/ns/q", { spec: { hard: status.hard }, status });
  server.put("resourcequotas/ns/r", { spec: { hard: { "count/configmaps": "1" } } });
  const tools = memoryTools(server, createNaming("kubernetes"));
  const known = served.filter(({ group }) => group === "");
  const discovery = { read: async () => ({ all: known, preferred: known, stale: ["example.com/v1"] }) };
  runController(t, createQuotaController({ workers: 2, syncPeriodMs: 300_000, settleMs: 0 }, { ...tools, discovery }));
  await until(() => tools.failures() > 1, "it is tried again and again");
  assert.deepEqual(statusOf(server, "resourcequotas/ns/q"), status);
  assert.deepEqual(statusOf(server, "resourcequotas/ns/r").used, { "count/configmaps": "0" });
});

test("a count begins with a state of the quota and waits: what is raised meanwhile is not lost", async (t) => {
  const server = createMemoryServer();
  const status = (configmaps: string) => ({ hard: { configmaps: "9" }, used: { configmaps } });
  server.put("resourcequotas/ns/q", { spec: { hard: { configmaps: "9" } }, status: status("3") });
  server.put("configmaps/ns/a");
  const raise = (): void => {
    server.put("resourcequotas/ns/q", { spec: { hard: { configmaps: "9" } }, status: status("4") });
  };
  let raised = false;
  const list: MemoryServer["client"]["list"] = async (collection, options) => {
    const found = await server.client.list(collection, options);
    // As admission does it, before its object is written: right after the quota was read for the first time.
    if (options?.fieldSelector !== undefined && !raised) setImmediate(raise);
    raised ||= options?.fieldSelector !== undefined;
    return found;
  };
  start(t, { ...server, client: { ...server.client, list } }, 20);
  await until(says(server, { configmaps: "2" }), "one object, and one that is on its way");
});

test("objects of scopes that a quota does not name are not counted", () => {
  const quota = { metadata: {}, spec: { hard: { pods: "5" }, scopes: ["Terminating"] } };
  const evaluator = {
    ...{ countsUpdates: false, missing: () => undefined, usage: () => ({ pods: "1", cpu: "1" }) },
    matching: (names: readonly string[]) => names.filter((name) => name === "pods"),
    isIn: (_: object, { metadata }: { readonly metadata: { readonly name?: string } }) => metadata.name === "a",
  };
  const objects = [{ metadata: { name: "a" } }, { metadata: { name: "b" } }];
  assert.deepEqual(usedBy(quota, [{ evaluator, objects }], 0), { pods: "1" });
});

test("what was admitted during a count is not lost by it", () => {
  const rows: readonly (readonly [counted: string, before: string, since: string, used: string])[] = [
    ["3", "5", "5", "3"],
    ["3", "5", "7", "5"],
    ["3", "5", "4", "3"],
  ];
  for (const [counted, before, since, used] of rows) {
    assert.deepEqual(withRaised({ pods: counted }, { pods: before }, { pods: since }), { pods: used });
  }
  assert.deepEqual(withRaised({ pods: "3" }, {}, { pods: "7" }), { pods: "3" }, "it was not admitted by anything");
});
