/**
 * What a sync of an owner that is right already takes: `node services/controller-manager/dist/rim/syncs.bench.js`. An owner
 * of each kind with thirty pods that somebody labels again and again, by itself in a server in memory; the median of
 * the later half of the syncs, in µs, by the queue's own clock.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { ApiObject } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import type { Controller } from "../controller.js";
import { createDaemonSetController } from "../daemonsets/daemonset-controller.js";
import { nodeOf } from "../daemonsets/placement.js";
import { createDeploymentController } from "../deployments/deployment-controller.js";
import { createJobController } from "../jobs/job-controller.js";
import { createReplicaSetController } from "../replicas/replicas-controller.js";
import { createStatefulSetController } from "../statefulsets/statefulset-controller.js";
import { createMemoryServer, type MemoryServer } from "../testing/memory-client.js";
import { memoryTools } from "../testing/run-controller.js";
import type { ControllerTools } from "../tools.js";

const pods = 30;
const rounds = Number(process.argv[2] ?? 4_000);
const made = new Date(Date.UTC(2026, 0, 1)).toISOString();
const naming = createNaming("kubernetes");
const labels = { app: "web" };
const selector = { matchLabels: labels };
const template = {
  metadata: { labels },
  spec: {
    containers: [
      {
        ...{ name: "c", image: "image:1", imagePullPolicy: "IfNotPresent" },
        ports: [{ containerPort: 80, protocol: "TCP" }],
        resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "1", memory: "128Mi" } },
        env: [{ name: "A", value: "1" }],
      },
    ],
    ...{ restartPolicy: "Always", terminationGracePeriodSeconds: 30, dnsPolicy: "ClusterFirst", securityContext: {} },
  },
};
const oneWorker = { workers: 1 };

interface Case {
  readonly queue: string;
  /** Its path in the server, and what is there of it. */
  readonly place: string;
  readonly spec: object;
  /** All that has to do with it. */
  readonly controllers: (tools: ControllerTools) => readonly Controller[];
}

const cases: readonly Case[] = [
  {
    ...{ queue: "replicaset", place: "replicasets/ns/web", spec: { replicas: pods, selector, template } },
    controllers: (tools) => [createReplicaSetController(oneWorker, tools)],
  },
  {
    ...{ queue: "deployment", place: "deployments/ns/web" },
    spec: {
      ...{ replicas: pods, selector, template, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
    },
    controllers: (tools) => [
      createDeploymentController(oneWorker, tools),
      createReplicaSetController(oneWorker, tools),
    ],
  },
  {
    ...{ queue: "statefulset", place: "statefulsets/ns/web" },
    spec: {
      ...{ replicas: pods, selector, template, serviceName: "web", podManagementPolicy: "OrderedReady" },
      ...{ revisionHistoryLimit: 10, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } } },
    },
    controllers: (tools) => [createStatefulSetController(oneWorker, tools)],
  },
  {
    ...{ queue: "daemonset", place: "daemonsets/ns/web" },
    spec: {
      ...{ selector, template, revisionHistoryLimit: 10 },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    },
    controllers: (tools) => [createDaemonSetController(oneWorker, tools)],
  },
  {
    ...{ queue: "job", place: "jobs/ns/web" },
    spec: {
      ...{
        completions: pods,
        parallelism: pods,
        backoffLimit: 6,
        completionMode: "NonIndexed",
        suspend: false,
        selector,
      },
      template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } },
    },
    controllers: (tools) => [createJobController(oneWorker, tools)],
  },
];

/** Gives the pods that were made a node and lets them become ready. */
function startPods(server: MemoryServer, from: number): void {
  for (const write of server.writes.slice(from)) {
    const [verb, place = ""] = write.split(" ");
    const pod = verb === "create" && place.startsWith("pods/") ? server.at(place) : undefined;
    if (pod === undefined) continue;
    const condition = (type: string) => ({ type, status: "True", lastTransitionTime: made });
    const conditions = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
    server.put(place, {
      ...pod,
      spec: { ...Object(pod["spec"]), nodeName: nodeOf(pod) || "node-0" },
      status: { phase: "Running", conditions: conditions.map(condition) },
    });
  }
}

/** Until `holds`, or nothing comes of it for long. */
async function until(holds: () => boolean, what: string): Promise<void> {
  for (let turns = 0; turns < 100_000; turns++) {
    if (holds()) return;
    await turn();
  }
  throw new Error(`did not come true: ${what}`);
}

async function measure({ queue, place, spec, controllers }: Case): Promise<void> {
  const server = createMemoryServer();
  for (let i = 0; i < pods; i++) {
    server.put(`nodes/node-${i}`, { metadata: { labels: { name: `node-${i}` }, creationTimestamp: made } });
  }
  const took: number[] = [];
  const tools = memoryTools(server, naming);
  const observe = (name: string) => {
    const began = () => {
      const at = performance.now();
      return () => void (name === queue && took.push((performance.now() - at) * 1000));
    };
    return { ...tools.telemetry.queue(name), began };
  };
  const measured = { ...tools, telemetry: { ...tools.telemetry, queue: observe } };
  const abort = new AbortController();
  const running = controllers(measured).map((controller) => controller.run(abort.signal));
  server.put(place, { metadata: { generation: 1, labels, creationTimestamp: made }, spec });
  let seen = 0;
  for (let quiet = 0; quiet < 100; quiet++) {
    if (server.writes.length > seen) quiet = 0;
    const from = seen;
    seen = server.writes.length;
    startPods(server, from);
    await turn();
  }
  const owner = (): ApiObject => server.at(place) ?? { metadata: {} };
  took.length = 0;
  for (let i = 0; i < rounds; i++) {
    const { metadata, ...rest } = owner();
    // Its annotations are a deployment's sets' as well.
    server.put(place, { ...rest, metadata: { ...metadata, labels: { ...metadata.labels, touched: `${i}` } } });
    await until(() => took.length > i, `a sync of a ${queue}`);
  }
  abort.abort();
  await Promise.all(running);
  const later = took.slice(took.length / 2).sort((a, b) => a - b);
  const there = server.writes.filter((write) => write.startsWith("create pods/")).length;
  const wrong = `${server.writes.length - seen} writes meanwhile, ${tools.failures()} failures`;
  process.stdout.write(
    `${queue}: ${later[Math.floor(later.length / 2)]?.toFixed(1)} µs, ${later.length} syncs, ${there} pods; ${wrong}\n`,
  );
}

for (const each of cases) await measure(each);
