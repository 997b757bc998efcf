import { startCpuMeter } from "../cpu.js";
import { httpRequest, open, sleep } from "../load/load.js";
import { createResponseReader } from "../load/response-reader.js";
import { startStandalone, type Target, type TargetOptions } from "../targets.js";
import {
  endpointOf,
  eventually,
  megabytes,
  metricsOf,
  namespace,
  nodesReady,
  numberIn,
  residentOf,
} from "./cluster.js";

export interface SchedulingBench {
  readonly options: TargetOptions;
  readonly nodes: number;
  readonly pods: number;
  /** Whose memory is measured. */
  readonly kept: number;
}

const connections = 32;
const pollMs = 100;
const settleMs = 20_000;

/**
 * Pods that a server with simulated nodes binds a second, beside what a bare client reaches that creates and binds them itself on
 * another such server; and what 50,000 pods and their scheduler take.
 */
export async function benchScheduling({ options, nodes, pods, kept }: SchedulingBench): Promise<readonly string[]> {
  const flags = [`--simulate-nodes=${nodes}`, "--node-pods=250", "--node-lease-period=40s"];
  const notes: string[] = [];
  const bare = await startStandalone({ ...options, flags: [...flags, "--scheduler=false"] });
  let floor: Measured;
  let bareBytes: number;
  try {
    await nodesReady(bare, nodes);
    await createAndBind(bare, { count: 500, nodes, prefix: "warm" });
    floor = await measured(bare, pods, () => createAndBind(bare, { count: pods, nodes, prefix: "p" }));
    notes.push(`scheduling: floor, a bare client creates and binds: ${textOf(floor)}`);
    bareBytes = await growth(bare, () => createAndBind(bare, { count: kept, nodes, prefix: "kept" }));
  } finally {
    await bare.stop();
  }
  const target = await startStandalone({ ...options, flags });
  try {
    await nodesReady(target, nodes);
    await createAll(target, 500, "warm");
    await bound(target, 500);
    const whole = await measured(target, pods, async () => {
      await createAll(target, pods, "p");
      await bound(target, 500 + pods);
    });
    const [wall, cpu] = [whole.perSecond / floor.perSecond, floor.cpuMicros / whole.cpuMicros];
    notes.push(
      `scheduling: the scheduler binds what the client creates: ${textOf(whole)}; ${percent(wall)} of the floor by the clock, ${percent(cpu)} by processor time`,
    );
    const bytes = await growth(target, async () => {
      await createAll(target, kept, "kept");
      await bound(target, 500 + pods + kept);
    });
    notes.push(
      `scheduling: ${kept} pods more on ${nodes} nodes: the server grows by ${megabytes(bytes)}, without a scheduler by ${megabytes(bareBytes)}`,
    );
  } finally {
    await target.stop();
  }
  return notes;
}

interface Measured {
  readonly perSecond: number;
  /** Of the server, for a pod. */
  readonly cpuMicros: number;
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
const textOf = ({ perSecond, cpuMicros }: Measured): string =>
  `${perSecond.toFixed(0)} pods/s, ${cpuMicros.toFixed(0)} µs of the server's processor time a pod`;
/** Of the server's own memory, all services together, once what was asked for has settled. */
async function growth(target: Target, run: () => Promise<void>): Promise<number> {
  const before = residentOf(target);
  await run();
  await sleep(settleMs);
  return residentOf(target) - before;
}

async function measured(target: Target, pods: number, run: () => Promise<void>): Promise<Measured> {
  const meter = startCpuMeter(target.pids);
  const began = performance.now();
  await run();
  const perSecond = (pods * 1000) / (performance.now() - began);
  const cpu = [...meter.read().values()].reduce((sum, micros) => sum + micros, 0);
  return { perSecond, cpuMicros: cpu / pods };
}

const podText = (name: string): string =>
  JSON.stringify({
    metadata: { name },
    spec: { containers: [{ name: "c", image: "image:1", resources: { requests: { cpu: "1m", memory: "1Mi" } } }] },
  });

const bindingText = (name: string, node: string): string =>
  JSON.stringify({ metadata: { name }, target: { apiVersion: "v1", kind: "Node", name: node } });

const createAll = (target: Target, count: number, prefix: string): Promise<void> =>
  sendAll(target, count, (i) => [{ path: `${namespace}/pods`, body: podText(`${prefix}-${i}`) }]);

interface Bound {
  readonly count: number;
  readonly nodes: number;
  readonly prefix: string;
}

const createAndBind = (target: Target, { count, nodes, prefix }: Bound): Promise<void> =>
  sendAll(target, count, (i) => {
    const name = `${prefix}-${i}`;
    const path = `${namespace}/pods/${name}/binding`;
    return [
      { path: `${namespace}/pods`, body: podText(name) },
      { path, body: bindingText(name, `node-${i % nodes}`) },
    ];
  });

interface Post {
  readonly path: string;
  readonly body: string;
}

/** Each of some connections takes the next number, and sends what belongs to it one after the other. @throws Error what was refused */
async function sendAll(target: Target, count: number, postsOf: (i: number) => readonly Post[]): Promise<void> {
  const endpoint = endpointOf(target);
  let next = 0;
  const lane = async (): Promise<void> => {
    const socket = await open(endpoint);
    let answered: (code: number) => void = () => {};
    const reader = createResponseReader((response) => answered(response.code));
    socket.on("data", (data) => reader.push(data));
    while (next < count) {
      for (const { path, body } of postsOf(next++)) {
        const code = await new Promise<number>((resolve) => {
          answered = resolve;
          socket.write(httpRequest(endpoint, { method: "POST", path, body }));
        });
        if (code !== 201) throw new Error(`POST ${path} was answered with ${code}`);
      }
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, lane));
}

/** Until the scheduler has bound so many pods since its start. */
async function bound(target: Target, count: number): Promise<void> {
  const endpoint = endpointOf(target);
  await eventually(`${count} pods bound`, pollMs, async () => {
    const page = await metricsOf(endpoint);
    return numberIn(page, /^scheduler_schedule_attempts_total\{[^}]*result="scheduled"[^}]*\} (\S+)$/m) >= count;
  });
}
