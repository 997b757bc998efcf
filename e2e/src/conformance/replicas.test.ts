import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { valueAt } from "@orch/api/object.js";
import {
  conformanceCluster,
  controllerOf,
  countAt,
  gatedTemplateOf,
  hasCondition,
  imageOf,
  isReady,
  type Labels,
  type Resource,
  type Space,
  templateOf,
} from "./cluster.js";

/** The behaviours that the public conformance list names for replicas, by its names; what needs a real container is left out. */
const cluster = conformanceCluster();

const app = { app: "web" };
const isRolledOut = (count: number) => (object: Parameters<typeof countAt>[0]) =>
  valueAt(object, "status.observedGeneration") === object.metadata.generation &&
  ["replicas", "updatedReplicas", "availableReplicas"].every((field) => countAt(object, `status.${field}`) === count);

function deploy(space: Space, fields: object, name = "web", labels: Labels = app) {
  const usual = { replicas: 3, selector: { matchLabels: labels }, template: templateOf(labels) };
  return space.create("deployments", name, { spec: { ...usual, ...fields } }, labels);
}

const setImage = (space: Space, image: string, template: (labels: Labels, image: string) => object = templateOf) =>
  space.update("deployments", "web", (object) => ({
    ...object,
    spec: { ...Object(object["spec"]), template: template(app, image) },
  }));

describe("[sig-apps] Deployment", { concurrency: 4 }, () => {
  test("RecreateDeployment should delete old pods and create new ones", async (t) => {
    const space = await cluster.space();
    await deploy(space, { strategy: { type: "Recreate" } });
    await space.becomes("deployments", "web", "runs", isRolledOut(3));
    let mixed = 0;
    await space.watchPods(t, (pods) => {
      const alive = pods.filter((pod) => valueAt(pod, "status.phase") !== "Succeeded");
      if (new Set(alive.map(imageOf)).size > 1) mixed++;
    });
    await setImage(space, "image:2");
    await space.becomes("deployments", "web", "runs anew", isRolledOut(3));
    await space.pods("are new", (pods) => pods.length === 3 && pods.every((pod) => imageOf(pod) === "image:2"));
    assert.equal(mixed, 0, "old and new pods beside each other");
  });

  test("RollingUpdateDeployment should delete old pods and create new ones", async () => {
    const space = await cluster.space();
    const first = { replicas: 1, selector: { matchLabels: app }, template: templateOf(app) };
    const { metadata } = await space.create("replicasets", "before", { spec: first }, app);
    await space.pods("are one", (pods) => pods.filter(isReady).length === 1);
    await deploy(space, { replicas: 1, template: templateOf(app, "image:2") });
    await space.becomes("deployments", "web", "runs", isRolledOut(1));
    const sets = await space.list("replicasets");
    assert.deepEqual(
      sets.map((set) => [set.metadata.uid === metadata.uid, valueAt(set, "spec.replicas")]).sort(),
      [
        [false, 1],
        [true, 0],
      ],
      "the set that was there is adopted and taken down",
    );
    const owner = (await space.get("deployments", "web")).metadata.uid;
    assert.ok(sets.every((set) => controllerOf(set) === owner));
  });

  test("deployment should delete old replica sets", async () => {
    const space = await cluster.space();
    await deploy(space, { replicas: 1, revisionHistoryLimit: 0 });
    await space.becomes("deployments", "web", "runs", isRolledOut(1));
    await setImage(space, "image:2");
    await space.becomes("deployments", "web", "runs anew", isRolledOut(1));
    await space.counts("replicasets", 1);
  });

  test("deployment should support rollover", async () => {
    const space = await cluster.space();
    await deploy(space, { replicas: 4, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
    await space.becomes("deployments", "web", "runs", isRolledOut(4));
    await setImage(space, "image:2", gatedTemplateOf);
    await space.pods("are partly new", (pods) => pods.some((pod) => imageOf(pod) === "image:2"));
    await setImage(space, "image:3");
    await space.becomes("deployments", "web", "runs the last", isRolledOut(4));
    const pods = await space.pods("are the last", (all) => all.length === 4);
    assert.deepEqual(new Set(pods.map(imageOf)), new Set(["image:3"]));
    const sizes = (await space.list("replicasets")).map((set) => countAt(set, "spec.replicas")).sort();
    assert.deepEqual(sizes, [0, 0, 4]);
  });

  test("deployment should support proportional scaling", async () => {
    const space = await cluster.space();
    await deploy(space, { replicas: 10, strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } });
    await space.becomes("deployments", "web", "runs", isRolledOut(10));
    await setImage(space, "image:2", gatedTemplateOf);
    const sizesAre = (old: number, fresh: number) =>
      space.becomes("deployments", "web", `has ${old} old and ${fresh} new pods`, (object) => {
        const updated = countAt(object, "status.updatedReplicas");
        return updated === fresh && countAt(object, "status.replicas") === old + fresh;
      });
    await sizesAre(8, 5);
    await space.patch("deployments", "web", { spec: { replicas: 30 } });
    await sizesAre(20, 13);
  });

  test("should run the lifecycle of a Deployment", async () => {
    const space = await cluster.space();
    await deploy(space, { replicas: 1 });
    await space.becomes("deployments", "web", "runs", isRolledOut(1));
    await space.patch("deployments", "web", { metadata: { labels: { more: "yes" } }, spec: { replicas: 2 } });
    await space.becomes("deployments", "web", "runs twice", isRolledOut(2));
    assert.deepEqual((await space.list("deployments", "more=yes")).length, 1);
    assert.equal(countAt(await space.get("deployments", "web", "status"), "status.readyReplicas"), 2);
    await space.removeAll("deployments", "more=yes");
    for (const resource of ["deployments", "replicasets", "pods"] as const) await space.counts(resource, 0);
  });

  test("Deployment should have a working scale subresource", async () => {
    const space = await cluster.space();
    await deploy(space, { replicas: 1 });
    await scales(space, "deployments", "web");
  });

  test("should validate Deployment Status endpoints", async () => {
    const space = await cluster.space();
    await deploy(space, { replicas: 1 });
    await space.becomes("deployments", "web", "runs", isRolledOut(1));
    await keepsStatus(space, "deployments", "web");
  });
});

for (const resource of ["replicasets", "replicationcontrollers"] as const) {
  const isSet = resource === "replicasets";
  const made = (space: Space, name: string, replicas: number, labels: Labels = app) => {
    const selector = isSet ? { matchLabels: labels } : labels;
    return space.create(resource, name, { spec: { replicas, selector, template: templateOf(labels) } }, labels);
  };
  describe(`[sig-apps] ${isSet ? "ReplicaSet" : "ReplicationController"}`, { concurrency: 4 }, () => {
    test(`should adopt matching pods on creation`, async () => {
      const space = await cluster.space();
      const { metadata } = await space.create("pods", "alone", { spec: templateOf(app).spec }, app);
      await space.becomes("pods", "alone", "is ready", isReady);
      const owner = await made(space, "web", 1);
      await space.becomes("pods", "alone", "is adopted", (pod) => controllerOf(pod) === owner.metadata.uid);
      const [only, ...others] = await space.list("pods");
      assert.equal(only?.metadata.uid, metadata.uid);
      assert.deepEqual(others, []);
    });

    test("should release no longer matching pods", async () => {
      const space = await cluster.space();
      const owner = await made(space, "web", 1);
      const [pod] = await space.pods("is one", (pods) => pods.length === 1 && pods.every(isReady));
      const name = pod?.metadata.name ?? "";
      await space.patch("pods", name, { metadata: { labels: { app: "other" } } });
      await space.becomes("pods", name, "is released", (object) => controllerOf(object) === undefined);
      await space.pods("has a successor", (pods) => pods.some((each) => controllerOf(each) === owner.metadata.uid));
    });

    test("should have a working scale subresource", async () => {
      const space = await cluster.space();
      await made(space, "web", 1);
      await scales(space, resource, "web");
    });

    test("Replace and Patch tests", async () => {
      const space = await cluster.space();
      await made(space, "web", 1);
      await space.update(resource, "web", (object) => ({
        ...object,
        spec: { ...Object(object["spec"]), replicas: 2 },
      }));
      await space.pods("are two", (pods) => pods.filter(isReady).length === 2);
      const patched = {
        metadata: { labels: { more: "yes" } },
        spec: { replicas: 3, template: templateOf(app, "image:9") },
      };
      await space.patch(resource, "web", patched);
      const pods = await space.pods("are three", (all) => all.filter(isReady).length === 3);
      assert.deepEqual(
        pods.map(imageOf).sort(),
        ["image:1", "image:1", "image:9"],
        "only new pods are of the template",
      );
    });

    test("should validate its Status endpoints", async () => {
      const space = await cluster.space();
      await made(space, "web", 1);
      await space.becomes(resource, "web", "runs", (object) => countAt(object, "status.availableReplicas") === 1);
      await keepsStatus(space, resource, "web");
    });

    test("should list and delete a collection", async () => {
      const space = await cluster.space();
      for (const name of ["a", "b", "c"]) await made(space, name, 1, { ...app, name });
      assert.equal((await space.list(resource, "app=web")).length, 3);
      await space.removeAll(resource, "app=web");
      for (const each of [resource, "pods"] as const) await space.counts(each, 0);
    });

    test("should surface a failure condition on a common issue like exceeded quota", async () => {
      const space = await cluster.space();
      await space.create("resourcequotas", "few", { spec: { hard: { pods: "2" } } });
      await space.becomes("resourcequotas", "few", "is counted", (quota) => valueAt(quota, "status.hard.pods") === "2");
      await made(space, "web", 3);
      await space.becomes(resource, "web", "says so", (object) =>
        hasCondition(object, "ReplicaFailure", "True", "FailedCreate"),
      );
      await space.patch(resource, "web", { spec: { replicas: 2 } });
      await space.becomes(resource, "web", "is content", (object) => !hasCondition(object, "ReplicaFailure"));
    });
  });
}

async function scales(space: Space, resource: Resource, name: string): Promise<void> {
  assert.equal(countAt(await space.get(resource, name, "scale"), "spec.replicas"), 1);
  await space.update(resource, name, (scale) => ({ ...scale, spec: { replicas: 2 } }), "scale");
  await space.pods("are two", (pods) => pods.filter(isReady).length === 2);
  await space.patch(resource, name, { spec: { replicas: 4 } }, "scale");
  await space.pods("are four", (pods) => pods.filter(isReady).length === 4);
  assert.equal(countAt(await space.get(resource, name), "spec.replicas"), 4);
}

/** A condition of somebody else's stays, whatever the controller writes beside it. */
async function keepsStatus(space: Space, resource: Resource, name: string): Promise<void> {
  const foreign = { type: "StatusUpdate", status: "True", reason: "E2E", message: "set by a test" };
  await space.update(
    resource,
    name,
    (object) => {
      const conditions = valueAt(object, "status.conditions");
      const others = Array.isArray(conditions) ? conditions : [];
      return { ...object, status: { ...Object(object["status"]), conditions: [...others, foreign] } };
    },
    "status",
  );
  assert.ok(hasCondition(await space.get(resource, name, "status"), "StatusUpdate"));
  await space.patch(resource, name, { metadata: { annotations: { seen: "yes" } } }, "status");
  const { metadata } = await space.get(resource, name);
  assert.equal(metadata.annotations?.["seen"], "yes");
  await space.patch(resource, name, { spec: { replicas: 2 } });
  await space.becomes(resource, name, "goes on", (object) => countAt(object, "status.readyReplicas") === 2);
  assert.ok(hasCondition(await space.get(resource, name), "StatusUpdate"));
}
