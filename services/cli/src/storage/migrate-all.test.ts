import assert from "node:assert/strict";
import { test } from "node:test";
import type { RawRequest } from "@orch/client/client.js";
import type { ApiResource } from "@orch/client/discovery.js";
import type { ListOptions } from "@orch/client/http/http.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { migrateAll, resourcesToMigrate } from "./migrate-all.js";
import { type Progress, parseProgress } from "./progress.js";

const naming = createNaming("kubernetes");
const verbs = ["get", "list", "patch"];
const resource = (name: string, group = "", own: readonly string[] = verbs): ApiResource => ({
  ...{ group, version: "v1", resource: name, kind: name, namespaced: true, verbs: own },
});

const served = [
  resource("secrets"),
  resource("events"),
  resource("events", "events.k8s.io"),
  resource("componentstatuses", "", ["get", "list"]),
  resource("pods", "metrics.k8s.io"),
  resource("deployments", "apps"),
];

const apiService = (name: string, service?: object): ApiObject => ({
  metadata: { name },
  spec: service === undefined ? {} : { service },
});
const client = {
  list: async () => ({
    ...{ resourceVersion: "1", continue: "" },
    items: [apiService("v1.apps"), apiService("v1.metrics.k8s.io", { name: "metrics" })],
  }),
};

test("what is migrated is stored here, can be listed and patched, and stands there once", async () => {
  const chosen = async (...names: readonly string[]) => {
    const result = await resourcesToMigrate(served, { client, naming, names });
    return result.ok ? result.value.map(({ resource, group }) => `${resource}.${group}`) : result.problem;
  };
  assert.deepEqual(await chosen(), ["secrets.", "events.", "deployments.apps"]);
  assert.deepEqual(await chosen("deployments.apps"), ["deployments.apps"]);
  assert.equal(await chosen("pods.metrics.k8s.io"), "the server stores no pods.metrics.k8s.io");
});

test("a run tells what it did, and one that was broken off goes on from what it kept", async () => {
  const lists: string[] = [];
  const kept: Progress[] = [];
  const printed: string[] = [];
  let fails = true;
  const server = {
    async list({ resource }: Collection, options: ListOptions = {}) {
      lists.push(`${resource} ${options.continue ?? ""}`);
      if (resource === "deployments" && fails) throw new ApiError("InternalError", "a key is missing");
      const next = resource === "secrets" && options.continue === undefined ? "2" : "";
      const items = [{ metadata: { name: "a", uid: "u", resourceVersion: "1" } }];
      return { items, resourceVersion: "1", continue: next };
    },
    patch: async () => ({ metadata: { resourceVersion: "2" } }),
    async raw({ path, query }: RawRequest) {
      if (!path.startsWith("/api/v1/secrets/")) throw new ApiError("NotFound", "it has no history");
      lists.push(`secrets' past ${query?.["continue"]}`);
      const step = { records: 600, rewritten: 600, unreadable: 1 };
      const metadata = query?.["continue"] === "" ? { continue: "9" } : {};
      const document = { kind: "ObjectHistoryMigration", metadata, ...(metadata.continue ? step : {}) };
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(document)) };
    },
  };
  const deps = {
    client: server,
    naming,
    keep: (now: Progress) => void kept.push(now),
    print: (line: string) => void printed.push(line),
  };
  const all = [resource("secrets"), resource("deployments", "apps")];
  assert.equal(await migrateAll(all, { ...deps, progress: { done: [] } }), 1);
  assert.deepEqual(printed, [
    "secrets: 1 so far",
    "secrets: 2 objects, 2 written anew",
    "secrets: 600 records of their past so far",
    "secrets: 600 records of their past, 600 written anew, 1 cannot be read and stay as they are",
    "deployments.apps: failed: a key is missing",
    "1 resources, 2 objects and 600 records of their past written anew, 1 failed: run it again",
  ]);
  const [first, second, last] = [kept[0], kept[1], kept.at(-1)];
  assert.ok(first && second && last);
  assert.deepEqual(second, { done: [], now: { resource: "secrets", from: "9", of: "records" } });
  assert.deepEqual(first, { done: [], now: { resource: "secrets", from: "2" } });
  fails = false;
  lists.length = 0;
  assert.equal(await migrateAll(all, { ...deps, progress: parseProgress(JSON.stringify(first)) ?? { done: [] } }), 0);
  assert.deepEqual(lists, ["secrets 2", "secrets' past ", "secrets' past 9", "deployments "]);
  lists.length = 0;
  assert.equal(await migrateAll(all, { ...deps, progress: parseProgress(JSON.stringify(second)) ?? { done: [] } }), 0);
  assert.deepEqual(lists, ["secrets' past 9", "deployments "]);
  lists.length = 0;
  assert.equal(await migrateAll(all, { ...deps, progress: parseProgress(JSON.stringify(last)) ?? { done: [] } }), 0);
  assert.deepEqual(lists, ["deployments "]);
  for (const text of ["", "1", "{}", '{"done":[1]}']) assert.equal(parseProgress(text), undefined, text);
});
