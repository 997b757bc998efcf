import { fileURLToPath } from "node:url";
import { startProcess } from "@orch/deploy/process.js";
import { residentBytes, startCpuMeter } from "../cpu.js";
import { once, sleep } from "../load/load.js";
import { startStandalone, type Target, type TargetOptions } from "../targets.js";
import { endpointOf, eventually, megabytes, nodesReady, numberIn } from "./cluster.js";

export interface WorkloadsBench {
  readonly options: TargetOptions;
  readonly nodes: number;
  /** Of thirty pods each. */
  readonly deployments: number;
  /** With which the manager's memory is measured. */
  readonly kept: number;
}

const script = fileURLToPath(new URL("../../../services/controller-manager/dist/main.js", import.meta.url));
const collection = "/apis/apps/v1/namespaces/default/deployments";
const each = 30;
const rolled = 500;
const idleMs = 30_000;
const pollMs = 200;
/** Where it is not measured how long it takes: a list of a thousand deployments is megabytes. */
const rarelyMs = 5_000;
const settleMs = 2_000;

/**
 * How long deployments take until their pods are ready, how long a rolling update of a large one takes, and what a controller
 * manager of its own takes of memory and, with nothing to do, of a processor. Pods run on simulated nodes.
 */
export async function benchWorkloads({
  options,
  nodes,
  deployments,
  kept,
}: WorkloadsBench): Promise<readonly string[]> {
  const flags = [`--simulate-nodes=${nodes}`, "--node-pods=250", "--node-lease-period=40s"];
  const notes: string[] = [];
  const target = await startStandalone({ ...options, controllers: true, flags });
  try {
    await nodesReady(target, nodes);
    const took = await seconds(async () => {
      await createAll(target, { prefix: "d", deployments, replicas: each });
      await allReady(target, { prefix: "d", deployments, replicas: each });
    });
    notes.push(`workloads: ${deployments} deployments of ${each} pods are ready ${took} s after they were asked for`);
    await createAll(target, { prefix: "large", deployments: 1, replicas: rolled });
    await allReady(target, { prefix: "large", deployments: 1, replicas: rolled });
    const rolling = await seconds(() => roll(target, "large-0"));
    notes.push(`workloads: a rolling update of ${rolled} pods takes ${rolling} s`);
  } finally {
    await target.stop();
  }
  return [...notes, ...(await managerAlone({ options, nodes, flags, deployments: Math.ceil(kept / each) }))];
}

interface Alone {
  readonly options: TargetOptions;
  readonly nodes: number;
  readonly flags: readonly string[];
  readonly deployments: number;
}

async function managerAlone({ options, nodes, flags, deployments }: Alone): Promise<readonly string[]> {
  const target = await startStandalone({ ...options, controllers: false, flags });
  try {
    const args = [`--orchconfig=${target.clientConfig}`, "--metrics-port=0", "--leader-elect=false"];
    const manager = await startProcess({ name: "controller-manager", script, args, sameAgain: () => [] });
    try {
      await nodesReady(target, nodes);
      await createAll(target, { prefix: "kept", deployments, replicas: each });
      await allReady(target, { prefix: "kept", deployments, replicas: each, everyMs: rarelyMs });
      await sleep(idleMs);
      const { anonymous } = residentBytes(manager.pid ?? 0);
      const meter = startCpuMeter(new Map([["manager", manager.pid ?? 0]]));
      await sleep(idleMs);
      const busy = (meter.read().get("manager") ?? 0) / 1000 / idleMs;
      const pods = deployments * each;
      const syncs = await syncsOf(target, manager.addresses["metrics"] ?? "", deployments);
      return [
        ...syncs,
        `workloads: a controller manager with ${pods} pods takes ${megabytes(anonymous)}, and ${(100 * busy).toFixed(1)} % of a processor while nothing happens`,
      ];
    } finally {
      await manager.stop();
    }
  } finally {
    await target.stop();
  }
}

/** What a sync of an owner that is right already takes: somebody annotates replica sets, and nothing else changes. */
async function syncsOf(target: Target, metrics: string, count: number): Promise<readonly string[]> {
  const path = "/apis/apps/v1/namespaces/default/replicasets";
  const { body } = await once(endpointOf(target), { method: "GET", path });
  const { items }: { readonly items: readonly { readonly metadata: { readonly name: string } }[] } = JSON.parse(
    body?.toString() ?? "{}",
  );
  const queues = ["replicaset", "deployment"];
  const worked = () => Promise.all(queues.map((queue) => workOf(metrics, queue)));
  const before = await worked();
  for (const { metadata } of items.slice(0, count)) {
    const patch = { metadata: { annotations: { "example.com/touched": "yes" } } };
    await once(endpointOf(target), {
      ...{ method: "PATCH", path: `${path}/${metadata.name}`, contentType: "application/merge-patch+json" },
      body: JSON.stringify(patch),
    });
  }
  await sleep(settleMs);
  const after = await worked();
  return queues.map((queue, at) => {
    const syncs = (after[at]?.count ?? 0) - (before[at]?.count ?? 0);
    const micros = (((after[at]?.seconds ?? 0) - (before[at]?.seconds ?? 0)) / syncs) * 1e6;
    return `workloads: a sync of a ${queue} that is right takes ${micros.toFixed(0)} µs, mean of ${syncs}`;
  });
}

/** What a controller's queue has worked so far. */
async function workOf(metrics: string, queue: string): Promise<{ readonly count: number; readonly seconds: number }> {
  const page = await (await fetch(`http://${metrics}/metrics`)).text();
  const of = (part: string): number =>
    numberIn(page, new RegExp(`^workqueue_work_duration_seconds_${part}\\{name="${queue}"[^}]*\\} (\\S+)$`, "m"));
  return { count: of("count"), seconds: of("sum") };
}

async function seconds(run: () => Promise<void>): Promise<string> {
  const began = performance.now();
  await run();
  return ((performance.now() - began) / 1000).toFixed(1);
}

interface Many {
  readonly prefix: string;
  readonly deployments: number;
  readonly replicas: number;
  /** How often to look. */
  readonly everyMs?: number;
}

async function createAll(target: Target, { prefix, deployments, replicas }: Many): Promise<void> {
  for (let i = 0; i < deployments; i++) {
    const labels = { app: `${prefix}-${i}` };
    const containers = [{ name: "c", image: "image:1", resources: { requests: { cpu: "1m", memory: "1Mi" } } }];
    const template = { metadata: { labels }, spec: { containers } };
    const spec = { replicas, selector: { matchLabels: labels }, template };
    const body = { metadata: { name: `${prefix}-${i}`, labels: { made: prefix } }, spec };
    const { code } = await once(endpointOf(target), { method: "POST", path: collection, body: JSON.stringify(body) });
    if (code !== 201) throw new Error(`a deployment was answered with ${code}`);
  }
}

async function allReady(target: Target, { prefix, deployments, replicas, everyMs = pollMs }: Many): Promise<void> {
  const path = `${collection}?resourceVersion=0&labelSelector=made=${prefix}`;
  const ready = new RegExp(`"readyReplicas":${replicas}[,}]`, "g");
  await eventually(`${deployments} deployments of ${replicas} pods`, everyMs, async () => {
    const { body } = await once(endpointOf(target), { method: "GET", path });
    return [...(body?.toString() ?? "").matchAll(ready)].length === deployments;
  });
}

async function roll(target: Target, name: string): Promise<void> {
  const endpoint = endpointOf(target);
  const patch = [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: "image:2" }];
  const path = `${collection}/${name}`;
  const contentType = "application/json-patch+json";
  const { code } = await once(endpoint, { method: "PATCH", path, contentType, body: JSON.stringify(patch) });
  if (code !== 200) throw new Error(`the update was answered with ${code}`);
  await eventually("the update is over", pollMs, async () => {
    const { body } = await once(endpoint, { method: "GET", path });
    const { status, metadata } = JSON.parse(body?.toString() ?? "{}");
    const { replicas, updatedReplicas, availableReplicas, observedGeneration } = status;
    const whole = [replicas, updatedReplicas, availableReplicas].every((count) => count === rolled);
    return whole && observedGeneration === metadata.generation;
  });
}
