import assert from "node:assert/strict";
import { test } from "node:test";
import { type Collection, pathOf } from "@orch/client/objects.js";
import { conformanceCluster, hasCondition, isReady, type Space, templateOf } from "./conformance/cluster.js";

/** What one user asks for in numbers beyond reason costs nobody else anything. */
const cluster = conformanceCluster();

const labels = { app: "absurd" };
const template = templateOf(labels);
const selector = { matchLabels: labels };
const mostOf32 = 2_147_483_647;
/** More than a number of JavaScript holds exactly. */
const nearlyMostOf64 = "9000000000000000001";

/** Sends text: there is no number for what it says. */
async function createText(space: Space, group: string, resource: string, text: string): Promise<void> {
  const collection: Collection = { group, version: "v1", resource, namespace: space.namespace };
  await cluster.client().raw({ method: "POST", path: pathOf(collection), body: text });
}
const withLong = (object: object): string => JSON.stringify(object).replaceAll('"LONG"', nearlyMostOf64);

async function addedTo(queue: string): Promise<number> {
  const { body } = await cluster.client().raw({ method: "GET", path: "/metrics" });
  const line = new RegExp(`^workqueue_adds_total\\{name="${queue}"\\} (\\d+)$`, "m").exec(body.toString());
  return Number(line?.[1] ?? Number.NaN);
}

/** Others go on as ever. */
async function othersWork(): Promise<void> {
  const space = await cluster.space();
  const spec = { replicas: 2, selector, template };
  await space.create("deployments", "web", { spec });
  await space.pods("two are ready", (pods) => pods.filter(isReady).length === 2);
  const once = { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] };
  await space.create("jobs", "job", { spec: { suspend: true, template: { spec: once } } });
  await space.becomes("jobs", "job", "is suspended", (job) => hasCondition(job, "Suspended"));
}

test("billions of replicas are made as far as a quota goes", async () => {
  const space = await cluster.space();
  await space.create("resourcequotas", "few", { spec: { hard: { pods: "5" } } });
  await space.becomes("resourcequotas", "few", "is counted", ({ status }) => Object(status).used?.pods === "0");
  const replicas = mostOf32;
  await space.create("replicasets", "set", { spec: { replicas, selector, template } });
  const ordinals = { start: mostOf32 - 1 };
  for (const [name, more] of [
    ["ordered", { ordinals }],
    ["parallel", { podManagementPolicy: "Parallel" }],
  ] as const) {
    const own = { app: name };
    const spec = { replicas, serviceName: "s", selector: { matchLabels: own }, template: templateOf(own), ...more };
    await space.create("statefulsets", name, { spec });
  }
  const once = { ...template.spec, restartPolicy: "Never" };
  const job = { parallelism: 100_000, completions: 100_000, completionMode: "Indexed", template: { spec: once } };
  await space.create("jobs", "indexed", { spec: job });
  await space.counts("pods", 5);
  await othersWork();
  await space.counts("pods", 5);
});

test("what is due in a year is waited for once, and integers of 64 bits are taken", async () => {
  const space = await cluster.space();
  const once = { ...template.spec, restartPolicy: "Never", terminationGracePeriodSeconds: "LONG" };
  const inTime = { template: { metadata: { labels }, spec: once }, activeDeadlineSeconds: "LONG" };
  const inAYear = { spec: { schedule: "0 0 29 2 *", startingDeadlineSeconds: "LONG", jobTemplate: { spec: inTime } } };
  await createText(space, "batch", "cronjobs", withLong({ metadata: { name: "leap" }, ...inAYear }));
  await createText(space, "batch", "jobs", withLong({ metadata: { name: "long" }, spec: inTime }));
  const tolerations = [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: "LONG" }];
  const web = { selector, template: { ...template, spec: { ...template.spec, tolerations } } };
  const slow = { ...web, minReadySeconds: mostOf32 - 1, progressDeadlineSeconds: mostOf32 };
  await createText(space, "apps", "deployments", withLong({ metadata: { name: "slow" }, spec: slow }));
  const pods = await space.pods("of the job and the deployment are ready", (all) => {
    return all.length === 2 && all.every(isReady);
  });
  assert.equal(pods.length, 2);
  await othersWork();
  // A timer that is over at once would have added them thousands of times by now.
  for (const queue of ["cronjob", "job", "deployment", "replicaset"]) {
    const added = await addedTo(queue);
    assert.ok(added < 500, `${queue}: ${added}`);
  }
});
