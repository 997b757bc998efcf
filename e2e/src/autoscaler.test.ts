import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { type Answer, connect, type Http } from "./harness/http.js";
import { type AggregationFiles, aggregationFiles } from "./harness/servers/aggregated-server.js";
import { done } from "./harness/status.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

// An autoscaler by a metrics API that is aggregated, over simulated nodes: everything between a metric and a pod is real.

const metricsApi = "/apis/metrics.k8s.io/v1beta1";
const pods = "/api/v1/namespaces/default/pods";
const deployment = "/apis/apps/v1/namespaces/default/deployments/web";
const autoscalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
const labels = { app: "web" };

let files: AggregationFiles;
let target: StandaloneTarget;
let http: Http;
let metrics: Server;
/** What each pod uses of its core, in thousandths; undefined: the API fails. */
let usedMilli: number | undefined = 600;
const asked: string[] = [];

async function podMetrics(): Promise<object> {
  const items = (await http.get(pods, { labelSelector: "app=web" }))
    .items()
    .map(({ metadata: { name, namespace } }) => ({
      metadata: { name, namespace },
      ...{ timestamp: new Date().toISOString(), window: "30s" },
      containers: [{ name: "c", usage: { cpu: `${usedMilli}m` } }],
    }));
  return { kind: "PodMetricsList", apiVersion: "metrics.k8s.io/v1beta1", metadata: {}, items };
}

before(async () => {
  files = await aggregationFiles(["api.metrics.svc"]);
  const tls = { key: await readFile(files.servingKey), cert: await readFile(files.servingCert) };
  metrics = createServer(tls, (request, response) => {
    const answer = (code: number, body: object): void => {
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    const { pathname } = new URL(request.url ?? "/", "https://metrics");
    if (pathname === metricsApi) {
      const resource = { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] };
      const groupVersion = "metrics.k8s.io/v1beta1";
      return answer(200, { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: [resource] });
    }
    asked.push(request.url ?? "");
    if (usedMilli === undefined)
      return answer(503, { kind: "Status", message: "no metrics now", reason: "x", code: 503 });
    podMetrics().then(
      (list) => answer(200, list),
      () => answer(500, {}),
    );
  }).listen(0, "127.0.0.1");
  await once(metrics, "listening");
  const address = metrics.address();
  const port = isAddress(address) ? address.port : 0;
  target = await startStandalone({
    dialect: "kubernetes",
    args: [
      ...files.args,
      "--controllers=*",
      "--simulate-nodes=2",
      "--horizontal-pod-autoscaler-sync-period=200ms",
      "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
      "--horizontal-pod-autoscaler-downscale-stabilization=0s",
    ],
  });
  http = connect(target);
  await done(http.post("/api/v1/namespaces", { metadata: { name: "metrics" } }));
  const spec = { type: "ExternalName", externalName: "localhost" };
  await done(http.post("/api/v1/namespaces/metrics/services", { metadata: { name: "api" }, spec }));
  await done(
    http.post("/apis/apiregistration.k8s.io/v1/apiservices", {
      metadata: { name: "v1beta1.metrics.k8s.io" },
      spec: {
        ...{ group: "metrics.k8s.io", version: "v1beta1", groupPriorityMinimum: 100, versionPriority: 100 },
        service: { namespace: "metrics", name: "api", port },
        caBundle: Buffer.from(files.ca).toString("base64"),
      },
    }),
  );
  const container = { name: "c", image: "i", resources: { requests: { cpu: "1" } } };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const web = { selector: { matchLabels: labels }, replicas: 2, template };
  await done(http.post("/apis/apps/v1/namespaces/default/deployments", { metadata: { name: "web" }, spec: web }));
  await done(
    http.post(autoscalers, {
      metadata: { name: "web" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        ...{ minReplicas: 1, maxReplicas: 5 },
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
        ],
      },
    }),
  );
});
after(async () => {
  http?.close();
  await target?.stop();
  metrics?.close();
  await files?.remove();
});

const isAddress = (address: string | AddressInfo | null): address is AddressInfo =>
  typeof address === "object" && address !== null;

const autoscaler = (): Promise<Answer> => http.get(`${autoscalers}/web`);

/** Ready pods of the deployment, once they are so many. */
const untilReady = (count: number): Promise<true> =>
  until(`${count} pods are ready`, async () => {
    const { readyReplicas, replicas } = Object((await http.get(deployment)).at("status"));
    return (readyReplicas === count && replicas === count) || undefined;
  });

async function conditions(): Promise<ReadonlyMap<string, string>> {
  const all = (await autoscaler()).at("status.conditions");
  if (!Array.isArray(all)) return new Map();
  return new Map(all.map((each) => [String(each.type), `${each.status} ${each.reason}`]));
}

/** Events are written beside what they tell of, and may come after it. */
const told = (reason: string, message: RegExp): Promise<true> =>
  until(`an event tells of ${message}`, async () => {
    const events = (await http.get("/api/v1/namespaces/default/events")).items();
    return events.some((event) => event["reason"] === reason && message.test(String(event["message"]))) || undefined;
  });

test("pods come when they are busy and go when they are not, within the bounds", async () => {
  await untilReady(2);
  usedMilli = 900;
  await untilReady(5);
  await told(
    "SuccessfulRescale",
    /New size: \d; reason: cpu resource utilization \(percentage of request\) above target/,
  );
  await until(
    "the most is reached",
    async () => (await conditions()).get("ScalingLimited") === "True TooManyReplicas" || undefined,
  );
  assert.ok(asked.some((path) => path.includes("labelSelector=app%3Dweb")));
  assert.equal((await autoscaler()).at("status.currentMetrics.0.resource.current.averageUtilization"), 90);
  usedMilli = 1;
  await untilReady(1);
  await told("SuccessfulRescale", /New size: 1; reason: All metrics below target/);
});

test("without metrics nothing changes, and the status says so", async () => {
  usedMilli = undefined;
  await until(
    "the status tells of it",
    async () => (await conditions()).get("ScalingActive") === "False FailedGetResourceMetric" || undefined,
  );
  await told("FailedComputeMetricsReplicas", /invalid metrics \(1 invalid out of 1\)/);
  await untilReady(1);
  usedMilli = 600;
  await until(
    "it is active again",
    async () => (await conditions()).get("ScalingActive") === "True ValidMetricFound" || undefined,
  );
});

test("two autoscalers of the same pods do nothing, and say why", async () => {
  const { spec } = (await autoscaler()).object();
  await done(http.post(autoscalers, { metadata: { name: "rival" }, spec }));
  await until(
    "they tell",
    async () => (await conditions()).get("ScalingActive") === "False AmbiguousSelector" || undefined,
  );
  await done(http.delete(`${autoscalers}/rival`));
  await until(
    "one is left",
    async () => (await conditions()).get("ScalingActive") === "True ValidMetricFound" || undefined,
  );
});

test("a target that is nobody is told of", async () => {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "nobody" };
  await done(http.post(autoscalers, { metadata: { name: "lost" }, spec: { scaleTargetRef, maxReplicas: 2 } }));
  const seen = await until("it tells", async () => {
    const all = (await http.get(`${autoscalers}/lost`)).at("status.conditions");
    return Array.isArray(all) ? all : undefined;
  });
  assert.deepEqual(
    seen.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
    ["AbleToScale False FailedGetScale"],
  );
});
