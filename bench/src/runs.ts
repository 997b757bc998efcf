import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startCpuMeter } from "./cpu.js";
import { type Endpoint, httpRequest, once, runLoad } from "./load/load.js";
import { runFanOut } from "./load/watch-load.js";
import type { Row } from "./table.js";
import type { Target } from "./targets.js";

export interface Timing {
  readonly warmupMs: number;
  readonly durationMs: number;
}

export interface RequestRun {
  readonly operation: string;
  readonly connections: number;
  readonly request: (endpoint: Endpoint) => Buffer;
  readonly success: (code: number) => boolean;
  /** Ratio of requests, or of bytes for lists. */
  readonly unit: "op/s" | "B/s";
  readonly mostPerSecond?: number | undefined;
  /** Goes on until so many were answered. */
  readonly least?: number | undefined;
}

/** A floor's figure, by the unit that ratios are made in. */
export interface Floor {
  readonly name: string;
  readonly value: number;
}

export async function measureRequests(
  target: Target,
  run: RequestRun,
  options: { readonly timing: Timing; readonly floor: Floor | undefined },
): Promise<Row> {
  let meter = startCpuMeter(target.pids);
  const load = { ...run, ...options.timing, endpoints: target.endpoints };
  const measured = await runLoad(load, () => {
    meter = startCpuMeter(target.pids);
  });
  const used = meter.read();
  const perSecond = run.unit === "B/s" ? measured.bytesPerSecond : measured.perSecond;
  return {
    operation: run.operation,
    mode: target.name,
    connections: run.connections,
    perSecond,
    unit: run.unit,
    p50: measured.p50,
    p99: measured.p99,
    cpu: new Map([...used].map(([name, us]) => [name, us / Math.max(1, measured.requests)])),
    ratio: options.floor === undefined ? undefined : perSecond / options.floor.value,
    floor: options.floor?.name ?? "",
    failures: measured.failures,
  };
}

export interface FanOutRun {
  readonly operation: string;
  readonly watchers: number;
  readonly watchPath: string;
  readonly event: (endpoint: Endpoint, index: number) => Buffer;
}

export async function measureFanOut(
  target: Target,
  run: FanOutRun,
  options: { readonly timing: Timing; readonly floor: Floor | undefined },
): Promise<Row> {
  let meter = startCpuMeter(target.pids);
  const load = { ...run, ...options.timing, endpoints: target.endpoints, window: 16 };
  const measured = await runFanOut(load, () => {
    meter = startCpuMeter(target.pids);
  });
  const used = meter.read();
  const delivered = Math.max(1, measured.deliveredPerSecond * (options.timing.durationMs / 1000));
  return {
    operation: run.operation,
    mode: target.name,
    connections: run.watchers,
    perSecond: measured.deliveredPerSecond,
    unit: "events/s",
    p50: measured.p50,
    p99: measured.p99,
    cpu: new Map([...used].map(([name, us]) => [name, us / delivered])),
    ratio: options.floor === undefined ? undefined : measured.deliveredPerSecond / options.floor.value,
    floor: options.floor?.name ?? "",
    failures: 0,
  };
}

/** Bare transactions in a process of their own: floor (b). */
export function measureStoreFloor(
  kind: "lmdb" | "etcd3",
  options: {
    readonly inFlight: number;
    readonly bytes: number;
    readonly timing: Timing;
    readonly endpoints: readonly string[];
  },
): Floor & { readonly cpu: number } {
  const script = fileURLToPath(new URL("./store-floor.js", import.meta.url));
  const { inFlight, bytes, timing, endpoints } = options;
  const args = [script, kind, String(inFlight), String(bytes), String(timing.durationMs), ...endpoints];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`the floor of ${kind} failed: ${stderr}`);
  const result: { perSecond: number; cpuPerOperation: number } = JSON.parse(stdout);
  return {
    name: kind === "lmdb" ? "bare LMDB puts" : "bare etcd3 transactions",
    value: result.perSecond,
    cpu: result.cpuPerOperation,
  };
}

/** Objects of one kind to be made. */
export interface Filling {
  /** `/api/v1/namespaces/n/configmaps`. */
  readonly pathIn: (namespace: string) => string;
  readonly body: (name: string, picked?: boolean) => string;
}

const configMaps: Filling = { pathIn: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`, body: configMap };

/** Creates `count` objects (ConfigMaps) of about 1 KiB, none more, 32 at a time; every hundredth carries the label `pick=me`. */
export async function fill(target: Target, namespace: string, count: number, of = configMaps): Promise<void> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) throw new TypeError("no endpoint");
  await once(endpoint, {
    method: "POST",
    path: "/api/v1/namespaces",
    body: JSON.stringify({ metadata: { name: namespace } }),
  });
  const path = of.pathIn(namespace);
  let index = 0;
  let left = count;
  const done = new AbortController();
  const progress = process.stderr.isTTY;
  const counted = (code: number): boolean => {
    left -= 1;
    if (progress && left % 1000 === 0) process.stderr.write(`\rfilling ${namespace}: ${count - left} of ${count}   `);
    if (left === 0) done.abort();
    return code === 201;
  };
  const request = (): Buffer | undefined => {
    if (index === count) return undefined;
    const i = index++;
    const body = of.body(nameOf(i), i % 100 === 0);
    return httpRequest(endpoint, { method: "POST", path, body });
  };
  const load = { endpoints: [endpoint], connections: 32, warmupMs: 0, durationMs: 600_000, success: counted, request };
  const { failures } = await runLoad({ ...load, signal: done.signal }, () => {});
  if (failures > 0) throw new Error(`${failures} of ${count} objects could not be created`);
  if (progress) process.stderr.write("\r\x1b[K");
}

/** Of an object that {@link fill} makes. */
export function nameOf(index: number): string {
  return `cm-${String(index).padStart(6, "0")}`;
}

/** About 1 KiB in all. */
export function configMap(name: string, picked = false): string {
  const labels = picked ? { app: "bench", pick: "me" } : { app: "bench" };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels },
    data: { text: "x".repeat(800) },
  });
}
