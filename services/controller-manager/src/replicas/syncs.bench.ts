/**
 * What a sync of an owner that is right already takes: `node services/controller-manager/dist/replicas/syncs.bench.js`.
 * Replica sets of thirty pods and deployments over them, which somebody annotates again and again; the median of the
 * later half of the syncs, in µs, by the queue's own clock.
 */
import { setTimeout as pause } from "node:timers/promises";
import { createNaming } from "@orch/naming/naming.js";
import { createDeploymentController, deploymentKeys } from "../deployments/deployment-controller.js";
import { newSet } from "../deployments/new-set.js";
import { referenceTo } from "../rim/objects.js";
import { workloadKinds } from "../rim/workload-kinds.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { memoryTools } from "../testing/run-controller.js";
import { createReplicaSetController } from "./replicas-controller.js";

const pods = 30;
const rounds = 4_000;
const made = new Date(Date.UTC(2026, 0, 1)).toISOString();
const naming = createNaming("kubernetes");
const server = createMemoryServer();
const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "image:1" }] } };

const keys = deploymentKeys(naming);

const deployment = server.put("deployments/ns/web", {
  metadata: { generation: 1, labels, creationTimestamp: made },
  spec: { replicas: pods, selector: { matchLabels: labels }, template, strategy: { type: "RollingUpdate" } },
});
const { metadata, ...rest } = newSet(deployment, [], keys);
const place = `replicasets/ns/${metadata.name}`;
const set = server.put(place, { ...rest, metadata: { ...metadata, generation: 1, creationTimestamp: made } });
const ownerReferences = [referenceTo(workloadKinds.replicaSet, set)];
for (let i = 0; i < pods; i++) {
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: made }];
  server.put(`pods/ns/web-${i}`, {
    metadata: { labels: metadata.labels, ownerReferences, creationTimestamp: made },
    spec: { ...template.spec, nodeName: `node-${i % 5}` },
    status: { phase: "Running", conditions },
  });
}

const syncs = new Map<string, number[]>();
const tools = memoryTools(server, naming);
const queue = (name: string) => {
  const took: number[] = [];
  syncs.set(name, took);
  const began = () => {
    const at = performance.now();
    return () => void took.push((performance.now() - at) * 1000);
  };
  return { ...tools.telemetry.queue(name), began };
};
const measured = { ...tools, telemetry: { ...tools.telemetry, queue } };
const abort = new AbortController();
const running = [
  createReplicaSetController({ workers: 1 }, measured),
  createDeploymentController({ workers: 1 }, measured),
].map((controller) => controller.run(abort.signal));
await pause(500);
const before = server.writes.length;
for (let i = 0; i < rounds; i++) {
  const now = server.at(place) ?? set;
  server.put(place, {
    ...now,
    metadata: { ...now.metadata, annotations: { ...now.metadata.annotations, touched: `${i}` } },
  });
  await pause(0);
}
await pause(500);
abort.abort();
await Promise.all(running);

for (const [name, all] of syncs) {
  const later = all.slice(all.length / 2).sort((a, b) => a - b);
  process.stdout.write(`${name}: ${later[Math.floor(later.length / 2)]?.toFixed(1)} µs, ${later.length} syncs\n`);
}
process.stdout.write(`writes meanwhile: ${server.writes.length - before}; failures: ${tools.failures()}\n`);
