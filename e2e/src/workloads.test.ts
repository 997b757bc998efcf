import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { createMirror, type View } from "@orch/client/mirror.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { systemClock } from "@orch/runtime/clock.js";
import { type Kubectl, kubectlIn, kubectlMissing } from "./harness/kubectl.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

/** Workloads become pods on simulated nodes, as people watch it with kubectl. */
let folder: string;
let target: StandaloneTarget;
let client: Client;
let missing: string | undefined;
let spaces = 0;

before(async () => {
  missing = await kubectlMissing();
  folder = await mkdtemp(join(tmpdir(), "orch-workloads-"));
  const args = ["--controllers=*", "--simulate-nodes=3", "--pod-grace=100ms"];
  target = await startStandalone({ dialect: "kubernetes", args });
  client = createClient(await readClientConfig(target.clientConfig), { multiplexed: true });
  await until("three nodes", async () => ((await client.list(nodes)).items.length === 3 ? true : undefined));
});
after(async () => {
  await client.close();
  await target.stop();
  await rm(folder, { recursive: true, force: true });
});

const nodes: Collection = { group: "", version: "v1", resource: "nodes" };
const podsIn = (namespace: string): Collection => ({ group: "", version: "v1", resource: "pods", namespace });
const appsIn = (namespace: string, resource: string): Collection => ({
  group: "apps",
  version: "v1",
  resource,
  namespace,
});

async function inNamespace(t: TestContext): Promise<Kubectl | undefined> {
  const namespace = `w${++spaces}`;
  if (missing === undefined) return await kubectlIn({ target, folder, namespace });
  t.skip(missing);
  return undefined;
}

const fieldOf = (object: ApiObject, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);
const isReady = (pod: ApiObject): boolean => {
  const conditions = fieldOf(pod, "status.conditions");
  return Array.isArray(conditions) && conditions.some(({ type, status }) => type === "Ready" && status === "True");
};
const imageOf = (pod: ApiObject): unknown => {
  const [container] = Object(fieldOf(pod, "spec.containers"));
  return container?.image;
};
const podsThat = (namespace: string, what: string, holds: (pods: readonly ApiObject[]) => boolean) =>
  until(
    `pods of ${namespace} ${what}`,
    async () => {
      const { items } = await client.list(podsIn(namespace));
      return holds(items) ? items : undefined;
    },
    60_000,
  );

/** Every state of a namespace's pods, as one watcher sees them. */
async function watchPods(t: TestContext, namespace: string, look: (pods: readonly ApiObject[]) => void) {
  const mirror = createMirror({ client, naming: target.naming, clock: systemClock, random: () => 0 });
  const changed = () => look([...pods.store.values()]);
  const pods: View<ApiObject> = mirror.view({
    ...{ collection: podsIn(namespace), sees: "objects", keep: (object: ApiObject) => object, onError: () => {} },
    handlers: { added: changed, modified: changed, deleted: changed },
  });
  const abort = new AbortController();
  const running = pods.run(abort.signal);
  t.after(async () => {
    abort.abort();
    await running;
  });
  await pods.synced;
}

describe("a deployment", () => {
  test("becomes pods that run, is scaled, rolled out within its bounds, taken back, and goes with its pods", async (t) => {
    const kubectl = await inNamespace(t);
    if (kubectl === undefined) return;
    const { namespace } = kubectl;
    await kubectl(["create", "deployment", "web", "--image=nginx:1", "--replicas=3"]);
    assert.match(await kubectl(["rollout", "status", "deployment/web", "--timeout=60s"]), /successfully rolled out/);
    const first = await podsThat(namespace, "are three that are ready", (all) => all.filter(isReady).length === 3);
    for (const { metadata } of first)
      assert.match(metadata.name ?? "", /^web-[bcdfghjklmnpqrstvwxz2456789]{8,10}-\w{5}$/);

    await kubectl(["scale", "deployment/web", "--replicas=4"]);
    await podsThat(namespace, "are four", (all) => all.filter(isReady).length === 4);

    const seen = { most: 0, least: Number.POSITIVE_INFINITY };
    await watchPods(t, namespace, (all) => {
      const there = all.filter(({ metadata }) => metadata["deletionTimestamp"] === undefined);
      seen.most = Math.max(seen.most, there.length);
      seen.least = Math.min(seen.least, there.filter(isReady).length);
    });
    seen.least = Number.POSITIVE_INFINITY;
    await kubectl(["set", "image", "deployment/web", "nginx=nginx:2"]);
    await kubectl(["rollout", "status", "deployment/web", "--timeout=60s"]);
    assert.ok(seen.most <= 5, `${seen.most} pods of 4 with a surge of 1`);
    assert.ok(seen.least >= 3, `${seen.least} ready of 4 of which 1 may not be`);
    const second = await podsThat(namespace, "are new", (all) => all.length === 4 && all.every(isReady));
    assert.deepEqual(new Set(second.map(imageOf)), new Set(["nginx:2"]));

    assert.match(await kubectl(["rollout", "history", "deployment/web"]), /1\s+<none>\n2\s+<none>/);
    await kubectl(["rollout", "undo", "deployment/web"]);
    await kubectl(["rollout", "status", "deployment/web", "--timeout=60s"]);
    await podsThat(
      namespace,
      "are old again",
      (all) => all.length === 4 && all.every((pod) => imageOf(pod) === "nginx:1"),
    );
    assert.match(await kubectl(["rollout", "history", "deployment/web"]), /2\s+<none>\n3\s+<none>/);

    await kubectl(["delete", "deployment/web"]);
    await podsThat(namespace, "are gone", (all) => all.length === 0);
    const { items } = await client.list(appsIn(namespace, "replicasets"));
    assert.deepEqual(items, []);
  });

  test("replaces a pod that was deleted", async (t) => {
    const kubectl = await inNamespace(t);
    if (kubectl === undefined) return;
    await kubectl(["create", "deployment", "web", "--image=nginx:1", "--replicas=2"]);
    const [pod] = await podsThat(kubectl.namespace, "are two", (all) => all.filter(isReady).length === 2);
    await kubectl(["delete", "pod", pod?.metadata.name ?? "", "--wait=false"]);
    await podsThat(kubectl.namespace, "are two again", (all) => {
      return all.filter(isReady).length === 2 && all.every(({ metadata }) => metadata.uid !== pod?.metadata.uid);
    });
    for (const told of [
      /SuccessfulCreate\s+replicaset\/web-\w+\s+Created pod: web-/,
      /ScalingReplicaSet\s+deployment\/web\s+Scaled up replica set web-\w+ from 0 to 2/,
    ]) {
      // Events are written beside what they tell of, and may come after it.
      await until(`an event tells ${told}`, async () => told.test(await kubectl(["get", "events"])) || undefined);
    }
  });

  test("killed in mid-rollout, replicas are right again", async (t) => {
    const kubectl = await inNamespace(t);
    if (kubectl === undefined) return;
    await kubectl(["create", "deployment", "web", "--image=nginx:1", "--replicas=6"]);
    await kubectl(["rollout", "status", "deployment/web", "--timeout=60s"]);
    await kubectl(["set", "image", "deployment/web", "nginx=nginx:2"]);
    await podsThat(kubectl.namespace, "are partly new", (all) => all.some((pod) => imageOf(pod) === "nginx:2"));
    await target.process.kill();
    await target.process.restart();
    await kubectl(["rollout", "status", "deployment/web", "--timeout=60s"]);
    await podsThat(kubectl.namespace, "are six new ones", (all) => {
      return all.length === 6 && all.every((pod) => isReady(pod) && imageOf(pod) === "nginx:2");
    });
  });
});

const batchIn = (namespace: string, resource: string): Collection => ({
  group: "batch",
  version: "v1",
  resource,
  namespace,
});
const isTrue = (object: ApiObject, type: string): boolean => {
  const conditions = fieldOf(object, "status.conditions");
  return Array.isArray(conditions) && conditions.some((each) => each.type === type && each.status === "True");
};
/** A template whose pods end by themselves, with this exit code. */
const ending = (code: number) => ({
  metadata: { annotations: { "sim.kubernetes.io/run-for": "200ms", "sim.kubernetes.io/exit-code": String(code) } },
  spec: { restartPolicy: "Never", containers: [{ name: "c", image: "image:1" }] },
});
const running = (labels: object) => ({
  metadata: { labels },
  spec: { containers: [{ name: "c", image: "image:1" }] },
});

describe("a job", () => {
  test("completes, with each of its pods counted once", async (t) => {
    const kubectl = await inNamespace(t);
    if (kubectl === undefined) return;
    const jobs = batchIn(kubectl.namespace, "jobs");
    await client.create(jobs, {
      metadata: { name: "sums" },
      spec: { completions: 5, parallelism: 2, completionMode: "Indexed", template: ending(0) },
    });
    await kubectl(["wait", "--for=condition=complete", "job/sums", "--timeout=60s"]);
    const { status } = await client.get(jobs, "sums");
    assert.deepEqual(
      [
        fieldOf({ metadata: {}, status }, "status.succeeded"),
        fieldOf({ metadata: {}, status }, "status.completedIndexes"),
      ],
      [5, "0-4"],
    );
    const { items } = await client.list(podsIn(kubectl.namespace));
    assert.equal(items.length, 5);
    assert.ok(
      items.every(({ metadata }) => metadata["finalizers"] === undefined),
      "none is held any more",
    );
    await kubectl(["delete", "job/sums"]);
    await podsThat(kubectl.namespace, "are gone", (all) => all.length === 0);
  });

  test("fails beyond its limit", async (t) => {
    const kubectl = await inNamespace(t);
    if (kubectl === undefined) return;
    const jobs = batchIn(kubectl.namespace, "jobs");
    await client.create(jobs, {
      metadata: { name: "bad" },
      spec: { backoffLimit: 0, ttlSecondsAfterFinished: 1, template: ending(3) },
    });
    await until("it has failed", async () => (isTrue(await client.get(jobs, "bad"), "Failed") ? true : undefined));
    await until("it is deleted", async () => {
      const { items } = await client.list(jobs);
      return items.length === 0 ? true : undefined;
    });
  });
});

test("a cron job starts a job", async (t) => {
  const kubectl = await inNamespace(t);
  if (kubectl === undefined) return;
  const { namespace } = kubectl;
  await client.create(batchIn(namespace, "cronjobs"), {
    metadata: { name: "often" },
    spec: { schedule: "@every 1s", jobTemplate: { spec: { template: ending(0) } } },
  });
  await until("a job was made", async () => {
    const { items } = await client.list(batchIn(namespace, "jobs"));
    return items.some(({ metadata }) => /^often-\d+$/.test(metadata.name ?? "")) ? true : undefined;
  });
  await until(
    "its end is seen",
    async () => {
      const cron = await client.get(batchIn(namespace, "cronjobs"), "often");
      return fieldOf(cron, "status.lastSuccessfulTime") === undefined ? undefined : true;
    },
    60_000,
  );
});

test("a daemon set has a pod on each node, and rolls its template out", async (t) => {
  const kubectl = await inNamespace(t);
  if (kubectl === undefined) return;
  const labels = { app: "agent" };
  const sets = appsIn(kubectl.namespace, "daemonsets");
  await client.create(sets, {
    metadata: { name: "agent" },
    spec: { selector: { matchLabels: labels }, template: running(labels) },
  });
  await kubectl(["rollout", "status", "daemonset/agent", "--timeout=60s"]);
  const first = await podsThat(kubectl.namespace, "are on each node", (all) => all.length === 3 && all.every(isReady));
  assert.deepEqual(first.map((pod) => fieldOf(pod, "spec.nodeName")).sort(), ["node-0", "node-1", "node-2"]);
  await kubectl(["set", "image", "daemonset/agent", "c=image:2"]);
  await kubectl(["rollout", "status", "daemonset/agent", "--timeout=60s"]);
  await podsThat(
    kubectl.namespace,
    "are new",
    (all) => all.length === 3 && all.every((pod) => imageOf(pod) === "image:2"),
  );
  await kubectl(["rollout", "undo", "daemonset/agent"]);
  await podsThat(
    kubectl.namespace,
    "are old again",
    (all) => all.length === 3 && all.every((pod) => imageOf(pod) === "image:1"),
  );
});

test("a stateful set grows and shrinks in order, and keeps its pods' names", async (t) => {
  const kubectl = await inNamespace(t);
  if (kubectl === undefined) return;
  const labels = { app: "db" };
  const order: string[] = [];
  await watchPods(t, kubectl.namespace, (all) => {
    for (const { metadata } of all) if (!order.includes(metadata.name ?? "")) order.push(metadata.name ?? "");
  });
  await client.create(appsIn(kubectl.namespace, "statefulsets"), {
    metadata: { name: "db" },
    spec: { replicas: 3, serviceName: "db", selector: { matchLabels: labels }, template: running(labels) },
  });
  await kubectl(["rollout", "status", "statefulset/db", "--timeout=60s"]);
  assert.deepEqual(order, ["db-0", "db-1", "db-2"]);
  await kubectl(["set", "image", "statefulset/db", "c=image:2"]);
  await kubectl(["rollout", "status", "statefulset/db", "--timeout=60s"]);
  const all = await podsThat(kubectl.namespace, "are new", (each) => each.length === 3 && each.every(isReady));
  assert.deepEqual(new Set(all.map(imageOf)), new Set(["image:2"]));
  await kubectl(["scale", "statefulset/db", "--replicas=1"]);
  const left = await podsThat(kubectl.namespace, "are one", (each) => each.length === 1);
  assert.equal(left[0]?.metadata.name, "db-0");
});
