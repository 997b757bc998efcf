import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { valueAt } from "@orch/api/object.js";
import type { ApiObject } from "@orch/client/objects.js";
import {
  conformanceCluster,
  controllerOf,
  countAt,
  endingTemplate,
  hasCondition,
  isLeaving,
  isReady,
  type Space,
} from "./cluster.js";

/** The behaviours that the public conformance list names for jobs and cron jobs, by its names. */
const cluster = conformanceCluster();

const job = (space: Space, spec: object, name = "sums") => space.create("jobs", name, { spec }, { made: "here" });
const completes = (space: Space, name = "sums") =>
  space.becomes("jobs", name, "is complete", (object) => hasCondition(object, "Complete"));
const fails = (space: Space, reason: string) =>
  space.becomes("jobs", "sums", `has failed of ${reason}`, (object) => hasCondition(object, "Failed", "True", reason));
const long = (restartPolicy = "Never") => endingTemplate("1h", 0, restartPolicy);

describe("[sig-apps] Job", { concurrency: 4 }, () => {
  test("should run a job to completion when tasks sometimes fail and are locally restarted", async () => {
    const space = await cluster.space();
    await job(space, { completions: 2, parallelism: 2, template: endingTemplate("100ms", 1, "OnFailure") });
    const restarts = (pod: ApiObject): number => {
      const [container] = Object(valueAt(pod, "status.containerStatuses") ?? []);
      return Number(container?.restartCount ?? 0);
    };
    const pods = await space.pods("were restarted", (all) => all.length === 2 && all.every((pod) => restarts(pod) > 0));
    for (const { metadata } of pods)
      await space.patch("pods", metadata.name ?? "", {
        metadata: { annotations: { "sim.kubernetes.io/exit-code": "0" } },
      });
    const { status } = await completes(space);
    assert.equal(Object(status).succeeded, 2);
    assert.equal(Object(status).failed ?? 0, 0);
  });

  test("should create pods for an Indexed job with completion indexes and specified hostname", async () => {
    const space = await cluster.space();
    const template = endingTemplate("100ms", 0);
    await job(space, { completions: 4, parallelism: 2, completionMode: "Indexed", template });
    assert.equal(valueAt(await completes(space), "status.completedIndexes"), "0-3");
    const pods = await space.list("pods");
    const indexes = pods
      .map(({ metadata }) => metadata.annotations?.["batch.kubernetes.io/job-completion-index"])
      .sort();
    assert.deepEqual(indexes, ["0", "1", "2", "3"]);
    for (const pod of pods) {
      const index = pod.metadata.annotations?.["batch.kubernetes.io/job-completion-index"];
      assert.equal(valueAt(pod, "spec.hostname"), `sums-${index}`);
      const [container] = Object(valueAt(pod, "spec.containers"));
      assert.ok(container.env.some(({ name }: { name: string }) => name === "JOB_COMPLETION_INDEX"));
    }
  });

  test("should adopt matching orphans and release non-matching pods", async () => {
    const space = await cluster.space();
    const { metadata } = await job(space, { parallelism: 2, completions: 2, template: long() });
    const [pod] = await space.pods("are two", (all) => all.length === 2 && all.every(isReady));
    const name = pod?.metadata.name ?? "";
    const owned = (uid: unknown) => (object: ApiObject) => controllerOf(object) === uid;
    await space.patch("pods", name, { metadata: { ownerReferences: null } });
    await space.becomes("pods", name, "is adopted again", owned(metadata.uid));
    const labels = Object.fromEntries(Object.keys(pod?.metadata.labels ?? {}).map((key) => [key, null]));
    await space.patch("pods", name, { metadata: { labels } });
    await space.becomes("pods", name, "is released", owned(undefined));
    await space.pods("have a successor", (all) => all.filter(owned(metadata.uid)).length === 2);
  });

  test("should allow to use the pod failure policy on exit code to fail the job early", async () => {
    const space = await cluster.space();
    const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }];
    await job(space, { backoffLimit: 6, podFailurePolicy: { rules }, template: endingTemplate("100ms", 42) });
    await fails(space, "PodFailurePolicy");
    assert.equal(countAt(await space.get("jobs", "sums"), "status.failed"), 1);
  });

  test("should allow to use a pod failure policy to ignore failure matching on DisruptionTarget condition", async () => {
    const space = await cluster.space();
    const ignored = { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] };
    const failing = { action: "FailJob", onExitCodes: { operator: "NotIn", values: [0] } };
    const podFailurePolicy = { rules: [ignored, failing] };
    await job(space, { backoffLimit: 0, podFailurePolicy, template: endingTemplate("2s", 0) });
    const [pod] = await space.pods("is one", (all) => all.length === 1 && all.every(isReady));
    const name = pod?.metadata.name ?? "";
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: space.namespace } };
    assert.equal(await space.post("pods", name, "eviction", eviction), 201);
    const { status } = await completes(space);
    assert.deepEqual([Object(status).succeeded, Object(status).failed ?? 0], [1, 0]);
  });

  test("should delete a job", async () => {
    const space = await cluster.space();
    await job(space, { parallelism: 2, completions: 4, template: long() });
    await space.pods("are as many as run at once", (all) => all.filter(isReady).length === 2);
    await space.remove("jobs", "sums", "Foreground");
    for (const resource of ["jobs", "pods"] as const) await space.counts(resource, 0);
  });

  test("should apply changes to a job status", async () => {
    const space = await cluster.space();
    await job(space, { parallelism: 1, template: long() });
    await space.becomes("jobs", "sums", "is active", (object) => countAt(object, "status.ready") === 1);
    await space.patch("jobs", "sums", { metadata: { annotations: { seen: "yes" } } }, "status");
    const before = valueAt(await space.get("jobs", "sums", "status"), "status.startTime");
    assert.notEqual(before, undefined);
    await space.update("jobs", "sums", (object) => object, "status");
    const { metadata, status } = await space.get("jobs", "sums", "status");
    assert.deepEqual([metadata.annotations?.["seen"], Object(status).startTime], ["yes", before]);
  });

  test("should manage the lifecycle of a job", async () => {
    const space = await cluster.space();
    await job(space, { suspend: true, parallelism: 2, template: long() });
    await space.becomes("jobs", "sums", "is suspended", (object) => hasCondition(object, "Suspended"));
    await space.counts("pods", 0);
    await space.patch("jobs", "sums", { metadata: { labels: { more: "yes" } }, spec: { suspend: false } });
    await space.pods("run", (all) => all.filter(isReady).length === 2);
    await space.becomes("jobs", "sums", "goes on", (object) => hasCondition(object, "Suspended", "False"));
    await space.patch("jobs", "sums", { spec: { suspend: true } });
    await space.pods("are stopped", (all) => all.every(isLeaving) || all.length === 0);
    assert.equal((await space.list("jobs", "more=yes")).length, 1);
    await space.removeAll("jobs", "more=yes");
    for (const resource of ["jobs", "pods"] as const) await space.counts(resource, 0);
  });
});

const everySecond = (space: Space, spec: object, template: object = long()) =>
  space.create("cronjobs", "often", { spec: { schedule: "@every 1s", ...spec, jobTemplate: { spec: { template } } } });
const active = (count: number) => (object: ApiObject) => {
  const references = valueAt(object, "status.active");
  return (Array.isArray(references) ? references.length : 0) === count;
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("[sig-apps] CronJob", { concurrency: 4 }, () => {
  test("should schedule multiple jobs concurrently", async () => {
    const space = await cluster.space();
    await everySecond(space, { concurrencyPolicy: "Allow" });
    await space.becomes("cronjobs", "often", "has two jobs", active(2));
    await space.remove("cronjobs", "often");
    for (const resource of ["jobs", "pods"] as const) await space.counts(resource, 0);
  });

  test("should not schedule jobs when suspended", async () => {
    const space = await cluster.space();
    await everySecond(space, { suspend: true });
    await pause(3000);
    assert.deepEqual(await space.list("jobs"), []);
    await space.patch("cronjobs", "often", { spec: { suspend: false } });
    await space.becomes("cronjobs", "often", "has a job", (object) => !active(0)(object));
  });

  test("should not schedule new jobs when ForbidConcurrent", async () => {
    const space = await cluster.space();
    await everySecond(space, { concurrencyPolicy: "Forbid" });
    await space.becomes("cronjobs", "often", "has a job", active(1));
    const [first] = await space.list("jobs");
    await pause(3000);
    const jobs = await space.list("jobs");
    assert.deepEqual(
      jobs.map(({ metadata }) => metadata.uid),
      [first?.metadata.uid],
    );
  });

  test("should replace jobs when ReplaceConcurrent", async () => {
    const space = await cluster.space();
    await everySecond(space, { concurrencyPolicy: "Replace" });
    const first = await space.becomes("cronjobs", "often", "has a job", active(1));
    const [{ name }] = Object(valueAt(first, "status.active"));
    await space.becomes("cronjobs", "often", "has another job", (object) => {
      const [reference, ...others] = Object(valueAt(object, "status.active") ?? []);
      return reference !== undefined && others.length === 0 && reference.name !== name;
    });
    assert.equal(await space.find("jobs", name), undefined);
  });

  test("should support CronJob API operations", async () => {
    const space = await cluster.space();
    await everySecond(space, { suspend: true });
    await space.patch("cronjobs", "often", { metadata: { labels: { more: "yes" } } });
    await space.update("cronjobs", "often", (object) => ({
      ...object,
      spec: { ...Object(object["spec"]), startingDeadlineSeconds: 30 },
    }));
    const now = "2024-01-01T00:00:00Z";
    await space.patch("cronjobs", "often", { status: { lastScheduleTime: now } }, "status");
    const changed = await space.get("cronjobs", "often", "status");
    assert.deepEqual(
      [valueAt(changed, "spec.startingDeadlineSeconds"), valueAt(changed, "status.lastScheduleTime")],
      [30, now],
    );
    assert.equal((await space.list("cronjobs", "more=yes")).length, 1);
    await space.removeAll("cronjobs", "more=yes");
    await space.counts("cronjobs", 0);
  });
});
