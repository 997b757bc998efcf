import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import { valueAt } from "@orch/api/object.js";
import { createNaming } from "@orch/naming/naming.js";
import { createManualClock } from "@orch/runtime/clock.js";
import { ApiError } from "@orch/status/api-error.js";
import { createApiServices } from "./api-services.js";
import { createRegistration } from "./registration.js";
import { createTestCluster } from "./testing/cluster.js";

const builtIn = loadCatalog(createNaming("kubernetes"));
const label = "kube-aggregator.kubernetes.io/automanaged";
const versions = builtIn.groups().flatMap(({ versions: all }) => all).length - 1;

const definition = (group: string, resourceVersion: string) => ({
  metadata: { name: `things.${group}`, uid: "u", resourceVersion },
  spec: {
    ...{
      group,
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing", singular: "thing", listKind: "ThingList" },
    },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
  status: {
    acceptedNames: { plural: "things", kind: "Thing", singular: "thing", listKind: "ThingList" },
    conditions: [{ type: "Established", status: "True" }],
    storedVersions: ["v1"],
  },
});

function setup(t: TestContext) {
  const cluster = createTestCluster();
  const services = createApiServices();
  const catalog = createLiveCatalog(builtIn);
  const clock = createManualClock();
  let completed = 0;
  const registration = createRegistration({
    ...{ catalog, services, clock, naming: builtIn.naming, write: cluster.write },
    completed: () => void completed++,
    failed: () => {},
  });
  t.after(() => registration.stop());
  return {
    ...{ cluster, catalog, clock },
    completed: () => completed,
    /** From the start to what is done at once. */
    async begin() {
      registration.start();
      catalog.replaced([], 1);
      cluster.objects.follow({ group: "", version: "v1", resource: "apiservices" }, services.follower);
      await clock.pass(100);
    },
  };
}

test("each group-version has its APIService soon after the start", async (t) => {
  const { cluster, begin, completed } = setup(t);
  await begin();
  assert.equal(cluster.writes.length, versions);
  assert.equal(completed(), 1);
  const apps = cluster.get("apiservices", "v1.apps");
  assert.deepEqual(apps?.["spec"], { group: "apps", version: "v1", groupPriorityMinimum: 17800, versionPriority: 15 });
  assert.deepEqual(apps?.metadata.labels, { [label]: "onstart" });
});

test("what a user deletes comes back, and what he changes becomes what it was", async (t) => {
  const { cluster, begin, clock } = setup(t);
  await begin();
  cluster.remove("apiservices", "v1.apps");
  await clock.pass(100);
  assert.notEqual(cluster.get("apiservices", "v1.apps"), undefined);
  const batch = cluster.get("apiservices", "v1.batch");
  cluster.put("apiservices", {
    ...batch,
    spec: { group: "batch", version: "v1", service: { name: "s", namespace: "n" } },
  });
  await clock.pass(100);
  assert.equal(valueAt(cluster.get("apiservices", "v1.batch") ?? {}, "spec.service"), undefined);
});

test("gateways that disagree about an object write it seldom", async (t) => {
  const { cluster, begin, clock } = setup(t);
  await begin();
  const before = cluster.writes.length;
  for (let i = 0; i < 50; i++) {
    const batch = cluster.get("apiservices", "v1.batch");
    cluster.put("apiservices", { ...batch, spec: { group: "batch", version: "v1", groupPriorityMinimum: 1 } });
    await clock.pass(100);
  }
  assert.ok(cluster.writes.length - before <= 2, `${cluster.writes.length - before} writes in 5 s`);
});

test("the APIService of a custom group comes and goes with its definition", async (t) => {
  const { cluster, begin, catalog, clock } = setup(t);
  await begin();
  catalog.changed(definition("a.example.com", "2"));
  await clock.pass(100);
  assert.deepEqual(cluster.get("apiservices", "v1.a.example.com")?.metadata.labels, { [label]: "true" });
  catalog.deleted("things.a.example.com", 3);
  await clock.pass(100);
  assert.notEqual(cluster.get("apiservices", "v1.a.example.com"), undefined, "another gateway may know it longer");
  await clock.pass(2_000);
  assert.equal(cluster.get("apiservices", "v1.a.example.com"), undefined);
});

test("an APIService of a user is left alone, whatever it is of", async (t) => {
  const { cluster, begin, catalog, clock } = setup(t);
  const spec = { group: "a.example.com", version: "v1", service: { name: "s", namespace: "n" } };
  cluster.put("apiservices", { metadata: { name: "v1.a.example.com" }, spec });
  await begin();
  catalog.changed(definition("a.example.com", "2"));
  catalog.deleted("things.a.example.com", 3);
  await clock.pass(5_000);
  assert.deepEqual(cluster.get("apiservices", "v1.a.example.com")?.["spec"], spec);
});

test("a write that fails is tried again, and one that was overtaken is not", async (t) => {
  const { cluster, begin, clock, completed } = setup(t);
  cluster.fail = new ApiError("ServiceUnavailable", "away");
  await begin();
  assert.equal(completed(), 0);
  cluster.fail = new ApiError("AlreadyExists", "another gateway was faster");
  await clock.pass(2_000);
  assert.equal(completed(), 1);
  assert.equal(cluster.writes.filter((write) => write.startsWith("create")).length, versions + 1);
});
