import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { valueAt } from "@orch/api/object.js";
import type { Client } from "@orch/client/http/http.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { clientOf } from "../harness/clients.js";
import { type StandaloneTarget, startStandalone } from "../harness/target.js";
import { until } from "../harness/until.js";
import { buildHelm, type Helm, helmIn } from "./helm.js";

/** Helm's own starter chart, as `helm create` writes it: deployment, service, account, autoscaler and ingress. */
let folder: string;
let target: StandaloneTarget;
let client: Client;
let helm: Helm;
let missing: string | undefined;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-starter-"));
  const program = join(folder, "helm3");
  missing = await buildHelm(3, program);
  if (missing !== undefined) return;
  target = await startStandalone({ args: ["--controllers=*", "--simulate-nodes=2", "--pod-grace=100ms"] });
  client = await clientOf(target);
  helm = helmIn({ major: 3, program, folder, clientConfig: target.clientConfig });
});
after(async () => {
  await client?.close();
  await target?.stop();
  await rm(folder, { recursive: true, force: true });
});

const namespace = "starter";
const core = (resource: string): Collection => ({ group: "", version: "v1", resource, namespace });
const deployments: Collection = { group: "apps", version: "v1", resource: "deployments", namespace };
const isReady = (pod: ApiObject): boolean => {
  const conditions = valueAt(pod, "status.conditions");
  return Array.isArray(conditions) && conditions.some(({ type, status }) => type === "Ready" && status === "True");
};
const readyPods = async () => (await client.list(core("pods"), web)).items.filter(isReady);
const web = { labelSelector: "app.kubernetes.io/name=web" };
const imageOf = (pod: ApiObject | undefined): unknown => {
  const [container] = Object(valueAt(pod ?? {}, "spec.containers"));
  return container?.image;
};

test("the pods of a public chart become ready, and helm waits for them through its whole life", async (t) => {
  if (missing !== undefined) return t.skip(missing);
  const release = [`--namespace=${namespace}`, "--timeout=60s"];
  await helm(["create", "web"]);
  const chart = join(folder, "web");
  const all = "--set=replicaCount=3,ingress.enabled=true,image.tag=1";
  await helm(["install", "web", chart, ...release, "--create-namespace", "--wait", all]);
  const pods = await readyPods();
  assert.equal(pods.length, 3, "it waited");
  const addresses = pods.map((pod) => valueAt(pod, "status.podIP")).sort();
  const endpoints = await until("the service's endpoints", async () => {
    const [subset] = Object((await client.get(core("endpoints"), "web"))["subsets"] ?? []);
    const ready = (subset?.addresses ?? []).map(({ ip }: { ip: string }) => ip).sort();
    return ready.length === 3 ? ready : undefined;
  });
  assert.deepEqual(endpoints, addresses);

  await helm(["upgrade", "web", chart, ...release, "--wait", "--set=replicaCount=2,image.tag=2"]);
  const second = await until("two new pods", async () => {
    const ready = await readyPods();
    return ready.length === 2 && ready.every((pod) => imageOf(pod) === "nginx:2") ? ready : undefined;
  });
  assert.equal(second.length, 2);

  await helm([
    "upgrade",
    "web",
    chart,
    ...release,
    "--wait",
    "--set=autoscaling.enabled=true,autoscaling.minReplicas=4",
  ]);
  await until("as many as the autoscaler wants at least", async () => {
    const { spec } = await client.get(deployments, "web");
    return Object(spec).replicas === 4 && (await readyPods()).length === 4 ? true : undefined;
  });

  await helm(["rollback", "web", "1", ...release, "--wait"]);
  await until("the first ones again", async () => {
    const ready = await readyPods();
    return ready.length === 3 && ready.every((pod) => imageOf(pod) === "nginx:1") ? true : undefined;
  });
  await helm(["uninstall", "web", ...release, "--wait", "--cascade=foreground"]);
  const left = [(await client.list(core("pods"), web)).items, (await client.list(deployments)).items];
  assert.deepEqual(left, [[], []]);
});
