import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { forgetServers, type StorageVersion } from "./forget-servers.js";
import { createVersionCollector } from "./version-collector.js";

const now = "2026-01-01T00:00:00Z";
const of = (...servers: readonly (readonly [id: string, version: string])[]): StorageVersion => ({
  metadata: {},
  status: { storageVersions: servers.map(([apiServerID, encodingVersion]) => ({ apiServerID, encodingVersion })) },
});

const rows: readonly (readonly [what: string, version: StorageVersion, gone: string, is: string])[] = [
  ["nobody is gone", of(["a", "v1"], ["b", "v2"]), "c", "same"],
  ["nobody is left", of(["a", "v1"]), "a", "unset"],
  ["the others agree", of(["a", "v1"], ["b", "v2"], ["c", "v2"]), "a", "b c v2 CommonEncodingVersionSet True"],
  ["the others do not agree", of(["a", "v1"], ["b", "v2"], ["c", "v3"]), "a", "b c - CommonEncodingVersionUnset False"],
  ["there was nobody", of(), "a", "same"],
];
for (const [what, version, gone, is] of rows) {
  test(`the storage version of servers: ${what}`, () => {
    const left = forgetServers(version, (server) => server !== gone, now);
    if (typeof left === "string") return assert.equal(left, is);
    const { storageVersions = [], commonEncodingVersion = "-", conditions = [] } = left.status;
    const [condition, ...others] = conditions;
    assert.deepEqual(others, []);
    const servers = storageVersions.map(({ apiServerID }) => apiServerID).join(" ");
    assert.equal(`${servers} ${commonEncodingVersion} ${condition?.reason} ${condition?.status}`, is);
  });
}

test("what the others agree on already keeps its time", () => {
  const before = { type: "AllEncodingVersionsEqual", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" };
  const { status } = of(["a", "v1"], ["b", "v1"]);
  const left = forgetServers({ metadata: {}, status: { ...status, conditions: [before] } }, (id) => id !== "a", now);
  assert.ok(typeof left !== "string");
  assert.equal(left.status.conditions?.[0]?.lastTransitionTime, before.lastTransitionTime);
});

test("servers without a lease are taken out of storage versions, at the start and when their leases go", async (t) => {
  const naming = createNaming("kubernetes");
  const server = createMemoryServer();
  const lease = (name: string, labels: object = { "apiserver.kubernetes.io/identity": "kube-apiserver" }) =>
    server.put(`leases/kube-system/${name}`, { metadata: { labels } });
  lease("a");
  lease("b");
  lease("other", {});
  const put = (name: string, ...ids: readonly string[]) => {
    const { status } = of(...ids.map((id) => [id, "v1"] as const));
    server.put(`storageversions/${name}`, { status });
  };
  put("apps.deployments", "a", "gone", "b", "other");
  put("core.pods", "gone");
  const tools = memoryTools(server, naming);
  runController(t, createVersionCollector(tools));
  const left = (name: string): string => {
    const seen: StorageVersion | undefined = server.at(`storageversions/${name}`);
    return (seen?.status?.storageVersions ?? []).map(({ apiServerID }) => apiServerID).join(" ");
  };
  await until(() => left("apps.deployments") === "a b", "those without leases are out");
  await until(() => server.at("storageversions/core.pods") === undefined, "a version of nobody is gone");
  server.remove("leases/kube-system/a");
  await until(() => left("apps.deployments") === "b", "whose lease went is out");
  assert.equal(tools.failures(), 0);
});
