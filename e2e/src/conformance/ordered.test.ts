import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { valueAt } from "@orch/api/object.js";
import type { ApiObject } from "@orch/client/objects.js";
import {
  conformanceCluster,
  countAt,
  gatedTemplateOf,
  hasCondition,
  imageOf,
  isLeaving,
  isReady,
  openGate,
  type Space,
  templateOf,
} from "./cluster.js";

/** The behaviours that the public conformance list names for stateful and daemon sets, by its names. */
const cluster = conformanceCluster();

const app = { app: "set" };
const namesOf = (pods: readonly ApiObject[]): readonly string[] =>
  pods.map(({ metadata }) => metadata.name ?? "").sort();
const uidsOf = (pods: readonly ApiObject[]): readonly unknown[] => pods.map(({ metadata }) => metadata.uid).sort();
const named =
  (...names: readonly string[]) =>
  (pods: readonly ApiObject[]) => {
    return namesOf(pods).join() === names.join() && !pods.some(isLeaving);
  };

function stateful(space: Space, fields: object = {}, name = "db") {
  const usual = { replicas: 3, serviceName: "db", selector: { matchLabels: app }, template: templateOf(app) };
  return space.create("statefulsets", name, { spec: { ...usual, ...fields } }, app);
}

const settles = (space: Space, count: number) =>
  space.becomes("statefulsets", "db", `has ${count} ready pods of one revision`, (set) => {
    const { updateRevision, currentRevision } = Object(set["status"]);
    return (
      valueAt(set, "status.observedGeneration") === set.metadata.generation &&
      countAt(set, "status.readyReplicas") === count &&
      countAt(set, "status.replicas") === count &&
      updateRevision === currentRevision
    );
  });

const setTemplate = (space: Space, template: object) =>
  space.update("statefulsets", "db", (set) => ({ ...set, spec: { ...Object(set["spec"]), template } }));

const settle = () => new Promise((resolve) => setTimeout(resolve, 700));

describe("[sig-apps] StatefulSet Basic StatefulSet functionality", { concurrency: 4 }, () => {
  test("Scaling should happen in predictable order and halt if any stateful pod is unhealthy", async (t) => {
    const space = await cluster.space();
    const steps: string[] = [];
    await space.watchPods(t, (pods) => {
      const now = namesOf(pods.filter((pod) => !isLeaving(pod))).join();
      if (steps.at(-1) !== now) steps.push(now);
    });
    await stateful(space, { template: gatedTemplateOf(app) });
    await space.pods("are one", named("db-0"));
    await settle();
    assert.deepEqual(namesOf(await space.list("pods")), ["db-0"], "the first is not ready: no second one");
    await openGate(space, "db-0", true);
    await space.pods("are two", named("db-0", "db-1"));
    await openGate(space, "db-1", true);
    await space.pods("are three", named("db-0", "db-1", "db-2"));
    await openGate(space, "db-2", true);
    await settles(space, 3);
    await openGate(space, "db-0", false);
    await space.becomes(
      "statefulsets",
      "db",
      "has one that is not ready",
      (set) => countAt(set, "status.readyReplicas") === 2,
    );
    await space.patch("statefulsets", "db", { spec: { replicas: 1 } });
    await settle();
    assert.equal(
      (await space.list("pods")).filter((pod) => !isLeaving(pod)).length,
      3,
      "nothing goes while one is unhealthy",
    );
    await openGate(space, "db-0", true);
    await space.pods("are one again", named("db-0"));
    const up = ["db-0", "db-0,db-1", "db-0,db-1,db-2"];
    assert.deepEqual(
      steps.filter((step) => step !== ""),
      [...up, "db-0,db-1", "db-0"],
    );
  });

  test("Burst scaling should run to completion even with unhealthy pods", async () => {
    const space = await cluster.space();
    await stateful(space, { podManagementPolicy: "Parallel", template: gatedTemplateOf(app) });
    await space.pods("are three that are not ready", named("db-0", "db-1", "db-2"));
    await space.patch("statefulsets", "db", { spec: { replicas: 5 } });
    await space.pods("are five", named("db-0", "db-1", "db-2", "db-3", "db-4"));
    await space.patch("statefulsets", "db", { spec: { replicas: 0 } });
    await space.counts("pods", 0);
  });

  test("Should recreate evicted statefulset", async () => {
    const space = await cluster.space();
    await stateful(space, { replicas: 1 });
    await settles(space, 1);
    const { metadata } = await space.get("pods", "db-0");
    await space.patch("pods", "db-0", { status: { phase: "Failed", reason: "Evicted" } }, "status");
    await space.pods("have a successor", (pods) =>
      pods.some((pod) => pod.metadata.uid !== metadata.uid && isReady(pod)),
    );
    assert.deepEqual(namesOf(await space.list("pods")), ["db-0"]);
  });

  test("should have a working scale subresource", async () => {
    const space = await cluster.space();
    await stateful(space, { replicas: 1 });
    assert.equal(countAt(await space.get("statefulsets", "db", "scale"), "spec.replicas"), 1);
    await space.update("statefulsets", "db", (scale) => ({ ...scale, spec: { replicas: 2 } }), "scale");
    await settles(space, 2);
    await space.patch("statefulsets", "db", { spec: { replicas: 4 } }, "scale");
    await settles(space, 4);
  });

  test("should perform canary updates and phased rolling updates of template modifications", async () => {
    const space = await cluster.space();
    const partitionAt = (partition: number) => ({ type: "RollingUpdate", rollingUpdate: { partition } });
    await stateful(space, { updateStrategy: partitionAt(3) });
    await settles(space, 3);
    await setTemplate(space, templateOf(app, "image:2"));
    const imagesAre = (...images: readonly string[]) =>
      space.pods(`have ${images}`, (pods) => {
        const ordered = [...pods].sort((a, b) => String(a.metadata.name).localeCompare(String(b.metadata.name)));
        return ordered.length === 3 && ordered.every(isReady) && ordered.map(imageOf).join() === images.join();
      });
    await space.becomes("statefulsets", "db", "knows the new revision", (set) => {
      const { updateRevision, currentRevision } = Object(set["status"]);
      return updateRevision !== currentRevision;
    });
    await settle();
    await imagesAre("image:1", "image:1", "image:1");
    await space.patch("statefulsets", "db", { spec: { updateStrategy: partitionAt(2) } });
    await imagesAre("image:1", "image:1", "image:2");
    await space.remove("pods", "db-0");
    await space.remove("pods", "db-2");
    await imagesAre("image:1", "image:1", "image:2");
    await space.patch("statefulsets", "db", { spec: { updateStrategy: partitionAt(0) } });
    await imagesAre("image:2", "image:2", "image:2");
    await settles(space, 3);
  });

  test("should perform rolling updates and roll backs of template modifications", async () => {
    const space = await cluster.space();
    await stateful(space);
    const before = valueAt(await settles(space, 3), "status.currentRevision");
    await setTemplate(space, templateOf(app, "image:2"));
    assert.notEqual(valueAt(await settles(space, 3), "status.currentRevision"), before);
    await setTemplate(space, templateOf(app));
    await space.becomes(
      "statefulsets",
      "db",
      "is taken back",
      (set) => valueAt(set, "status.currentRevision") === before,
    );
    await settles(space, 3);
    const pods = await space.list("pods");
    assert.deepEqual(new Set(pods.map(imageOf)), new Set(["image:1"]));
    assert.ok(pods.every(({ metadata }) => metadata.labels?.["controller-revision-hash"] === before));
  });

  test("should list, patch and delete a collection of StatefulSets", async () => {
    const space = await cluster.space();
    await stateful(space, { replicas: 1 });
    await space.patch("statefulsets", "db", { metadata: { labels: { more: "yes" } } });
    assert.equal((await space.list("statefulsets", "more=yes")).length, 1);
    await space.removeAll("statefulsets", "more=yes");
    for (const resource of ["statefulsets", "pods", "controllerrevisions"] as const) await space.counts(resource, 0);
  });

  test("should validate Statefulset Status endpoints", async () => {
    const space = await cluster.space();
    await stateful(space, { replicas: 1 });
    await settles(space, 1);
    const conditions = [{ type: "StatusUpdate", status: "True", reason: "E2E", message: "set by a test" }];
    await space.patch("statefulsets", "db", { status: { conditions } }, "status");
    assert.ok(hasCondition(await space.get("statefulsets", "db", "status"), "StatusUpdate"));
  });
});

function daemons(space: Space, fields: object = {}) {
  const usual = { selector: { matchLabels: app }, template: templateOf(app) };
  return space.create("daemonsets", "agent", { spec: { ...usual, ...fields } }, app);
}

const onEachNode = (space: Space, what: string, are: (pods: readonly ApiObject[]) => boolean = () => true) =>
  space.pods(`of each node ${what}`, (pods) => {
    const nodes = new Set(pods.map((pod) => valueAt(pod, "spec.nodeName")));
    return pods.length === 3 && nodes.size === 3 && pods.every(isReady) && !pods.some(isLeaving) && are(pods);
  });

const withTemplate = (space: Space, template: object) =>
  space.update("daemonsets", "agent", (set) => ({ ...set, spec: { ...Object(set["spec"]), template } }));

describe("[sig-apps] Daemon set", { concurrency: 4 }, () => {
  test("should run and stop simple daemon", async () => {
    const space = await cluster.space();
    await daemons(space);
    const [one] = await onEachNode(space, "run");
    await space.remove("pods", one?.metadata.name ?? "");
    await onEachNode(space, "run again", (pods) => pods.every(({ metadata }) => metadata.uid !== one?.metadata.uid));
    await space.remove("daemonsets", "agent");
    await space.counts("pods", 0);
  });

  test("should run and stop complex daemon", async () => {
    const space = await cluster.space();
    const color = `color-${space.namespace}`;
    await daemons(space, {
      template: { ...templateOf(app), spec: { ...templateOf(app).spec, nodeSelector: { [color]: "blue" } } },
    });
    await settle();
    await space.counts("pods", 0);
    const paint = (value: string | null) =>
      space.patch("nodes", "node-1", { metadata: { labels: { [color]: value } } });
    await paint("blue");
    const [only] = await space.pods("are one", (pods) => pods.length === 1 && pods.every(isReady));
    assert.equal(valueAt(only ?? {}, "spec.nodeName"), "node-1");
    await paint("green");
    await space.counts("pods", 0);
    await withTemplate(space, {
      ...templateOf(app),
      spec: { ...templateOf(app).spec, nodeSelector: { [color]: "green" } },
    });
    await space.pods("are one again", (pods) => pods.length === 1 && pods.every(isReady));
    await paint(null);
    await space.counts("pods", 0);
  });

  test("should retry creating failed daemon pods", async () => {
    const space = await cluster.space();
    await daemons(space);
    const [one] = await onEachNode(space, "run");
    await space.patch("pods", one?.metadata.name ?? "", { status: { phase: "Failed" } }, "status");
    await onEachNode(space, "run again", (pods) => pods.every(({ metadata }) => metadata.uid !== one?.metadata.uid));
  });

  test("should update pod when spec was updated and update strategy is RollingUpdate", async () => {
    const space = await cluster.space();
    await daemons(space);
    await onEachNode(space, "run");
    await withTemplate(space, templateOf(app, "image:2"));
    await onEachNode(space, "are new", (pods) => pods.every((pod) => imageOf(pod) === "image:2"));
  });

  test("should rollback without unnecessary restarts", async () => {
    const space = await cluster.space();
    await daemons(space, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } } });
    const before = await onEachNode(space, "run");
    await withTemplate(space, gatedTemplateOf(app, "bad"));
    const mixed = await space.pods("are stuck at the first", (pods) => pods.some((pod) => imageOf(pod) === "bad"));
    await settle();
    const kept = mixed.filter((pod) => imageOf(pod) !== "bad" && !isLeaving(pod));
    assert.equal(kept.length, 2, "no more than one at a time");
    await withTemplate(space, templateOf(app));
    const after = await onEachNode(space, "are as they were", (pods) =>
      pods.every((pod) => imageOf(pod) === "image:1"),
    );
    const restarted = uidsOf(before).filter((uid) => !uidsOf(after).includes(uid));
    assert.equal(restarted.length, 1, "only what was new is replaced");
  });

  test("should verify changes to a daemon set status", async () => {
    const space = await cluster.space();
    await daemons(space);
    await onEachNode(space, "run");
    const conditions = [{ type: "StatusUpdate", status: "True", reason: "E2E", message: "set by a test" }];
    await space.patch("daemonsets", "agent", { status: { conditions } }, "status");
    await withTemplate(space, templateOf(app, "image:2"));
    const counted = await space.becomes(
      "daemonsets",
      "agent",
      "is counted anew",
      ({ metadata, status }) => valueAt({ status }, "status.observedGeneration") === metadata.generation,
    );
    assert.ok(hasCondition(counted, "StatusUpdate"), "the controller keeps what it did not write");
  });

  test("should list and delete a collection of DaemonSets", async () => {
    const space = await cluster.space();
    await daemons(space);
    await onEachNode(space, "run");
    assert.equal((await space.list("daemonsets", "app=set")).length, 1);
    await space.removeAll("daemonsets", "app=set");
    for (const resource of ["daemonsets", "pods"] as const) await space.counts(resource, 0);
  });
});

test("[sig-apps] ControllerRevision should manage the lifecycle of a ControllerRevision", async () => {
  const space = await cluster.space();
  await daemons(space);
  await onEachNode(space, "run");
  await space.counts("controllerrevisions", 1);
  const [first] = await space.list("controllerrevisions", "app=set");
  const { name = "", ownerReferences } = first?.metadata ?? {};
  await space.patch("controllerrevisions", name, { metadata: { labels: { more: "yes" } } });
  assert.equal((await space.list("controllerrevisions", "more=yes")).length, 1);
  // Of another template: of two that say the same the controller keeps the newer one alone, some time.
  const data: unknown = JSON.parse(JSON.stringify(first?.["data"]).replaceAll("image:1", "image:0"));
  await space.create("controllerrevisions", `${name}-more`, { revision: 2, data });
  await space.patch("controllerrevisions", `${name}-more`, { metadata: { labels: app, ownerReferences } });
  await space.remove("controllerrevisions", `${name}-more`);
  await space.counts("controllerrevisions", 1);
  await withTemplate(space, templateOf(app, "image:2"));
  await space.counts("controllerrevisions", 2);
  await onEachNode(space, "are new", (pods) => pods.every((pod) => imageOf(pod) === "image:2"));
  await space.removeAll("controllerrevisions", "more=yes");
  await space.counts("controllerrevisions", 1);
});
