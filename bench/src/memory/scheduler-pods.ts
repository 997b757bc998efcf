/**
 * What a scheduler's own process takes that keeps so many pods on so many nodes, each of them as a kubelet leaves it:
 * `node bench/dist/memory/scheduler-pods.js [pods] [nodes]`. The process is the service as it is started; the server it lists from
 * is a stand-in that answers lists page by page, and watches with silence.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttp1, type ServerResponse } from "node:http";
import { createServer as createHttp2 } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { residentBytes } from "../cpu.js";
import { sleep } from "../load/load.js";
import { askMeter } from "./after-load.js";

const [pods = 50_000, nodes = 5000] = process.argv.slice(2).map(Number);
const apps = 500;
const settleMs = 3000;
let isKept = false;
const time = "2026-01-01T00:00:00Z";

const managed = (manager: string, path: readonly string[], names: number) => ({
  ...{ manager, operation: "Update", apiVersion: "v1", time, fieldsType: "FieldsV1" },
  fieldsV1: path.reduceRight<object>(
    (inner, name) => ({ [`f:${name}`]: inner }),
    Object.fromEntries(Array.from({ length: names }, (_, i) => [`f:some-field-${i}`, {}])),
  ),
});

const node = (i: number): object => ({
  metadata: {
    ...{ name: `node-${i}`, uid: uid(i, 1), resourceVersion: String(i + 1), creationTimestamp: time },
    labels: {
      ...{ "orch/hostname": `node-${i}`, "orch/os": "linux", "orch/arch": "amd64" },
      ...{ "topology.orch/zone": `z${i % 3}`, "node.orch/instance-type": "large" },
    },
    managedFields: [managed("kubelet", ["status"], 60)],
  },
  spec: { podCIDR: `10.${i >> 8}.${i & 255}.0/24` },
  status: {
    capacity: { cpu: "8", memory: "32Gi", pods: "110", "ephemeral-storage": "100Gi" },
    allocatable: { cpu: "8", memory: "31Gi", pods: "110", "ephemeral-storage": "90Gi" },
    conditions: ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({
      ...{ type, status: type === "Ready" ? "True" : "False", reason: "Kubelet", message: "the kubelet has said so" },
      ...{ lastHeartbeatTime: time, lastTransitionTime: time },
    })),
    addresses: [{ type: "InternalIP", address: `10.0.${i >> 8}.${i & 255}` }],
    images: Array.from({ length: 20 }, (_, k) => ({
      names: [
        `registry.example.com/app-${(i + k) % apps}:1.0`,
        `registry.example.com/app-${(i + k) % apps}@sha256:${"0".repeat(64)}`,
      ],
      sizeBytes: 100_000_000 + k,
    })),
  },
});

const container = (name: string, image: string, token: string): object => ({
  ...{ name, image, command: ["/bin/server"], args: ["--port=8080", "--log=info"] },
  env: Array.from({ length: 6 }, (_, k) => ({ name: `SETTING_${k}`, value: `value-${k}` })),
  ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
  resources: { requests: { cpu: "50m", memory: "64Mi" }, limits: { memory: "128Mi" } },
  readinessProbe: { httpGet: { path: "/ready", port: 8080, scheme: "HTTP" }, periodSeconds: 10, failureThreshold: 3 },
  livenessProbe: { httpGet: { path: "/live", port: 8080, scheme: "HTTP" }, periodSeconds: 10, failureThreshold: 3 },
  volumeMounts: ["config", "tmp", token].map((volume) => ({ name: volume, mountPath: `/etc/${volume}` })),
  ...{ terminationMessagePath: "/dev/termination-log", imagePullPolicy: "IfNotPresent" },
});

function pod(i: number): object {
  const app = `app-${i % apps}`;
  const set = `${app}-5d8f7c${i % apps}`;
  const image = `registry.example.com/${app}:1.0`;
  const token = `orch-api-access-${i.toString(36)}`;
  const address = `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
  const term = { topologyKey: "orch/hostname", labelSelector: { matchLabels: { app } } };
  return {
    metadata: {
      ...{ name: `${set}-${i.toString(36)}`, generateName: `${set}-`, namespace: "default", uid: uid(i, 2) },
      ...{ resourceVersion: String(100_000 + i), creationTimestamp: time },
      labels: { app, "pod-template-hash": `5d8f7c${i % apps}`, tier: "backend" },
      annotations: { "example.com/config": `sha256:${"a".repeat(64)}` },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: set, uid: uid(i % apps, 3), controller: true },
      ],
      managedFields: [
        managed("controllers", ["spec", "containers", 'k:{"name":"main"}'], 100),
        managed("kubelet", ["status", "conditions"], 60),
      ],
    },
    spec: {
      nodeName: `node-${i % nodes}`,
      containers: [container("main", image, token), container("sidecar", image, token)],
      volumes: [
        { name: "config", configMap: { name: app, defaultMode: 420 } },
        { name: "tmp", emptyDir: {} },
        { name: token, projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: "token" } }] } },
      ],
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, podAffinityTerm: term }],
        },
      },
      ...{
        restartPolicy: "Always",
        dnsPolicy: "ClusterFirst",
        securityContext: {},
        schedulerName: "default-scheduler",
      },
      ...{ serviceAccountName: "default", priority: 0, preemptionPolicy: "PreemptLowerPriority" },
      tolerations: ["not-ready", "unreachable"].map((key) => ({
        ...{ key: `node.orch/${key}`, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      })),
    },
    status: {
      ...{ phase: "Running", qosClass: "Burstable", hostIP: "10.0.0.1", podIP: address, podIPs: [{ ip: address }] },
      startTime: time,
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
        ...{ type, status: "True", lastProbeTime: null, lastTransitionTime: time },
      })),
      containerStatuses: ["main", "sidecar"].map((name) => ({
        ...{ name, ready: true, started: true, restartCount: 0, image, imageID: `${image}@sha256:${"b".repeat(64)}` },
        ...{ containerID: `containerd://${i.toString(16).padStart(64, "0")}`, state: { running: { startedAt: time } } },
      })),
    },
  };
}

function uid(i: number, of: number): string {
  return `${i.toString(16).padStart(8, "0")}-0000-4000-8000-00000000000${of}`;
}

const collections = new Map([
  ["/api/v1/nodes", { count: nodes, make: node }],
  ["/api/v1/pods", { count: pods, make: pod }],
]);

function answer(target: string, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(target, "http://server");
  response.setHeader("content-type", "application/json");
  const { count, make } = collections.get(pathname) ?? { count: 0, make: node };
  const first = Number(searchParams.get("continue") ?? 0);
  const end = Math.min(count, first + Number(searchParams.get("limit") ?? count));
  const items = Array.from({ length: end - first }, (_, i) => make(first + i));
  const metadata = { resourceVersion: "1000000", ...(end < count ? { continue: String(end) } : {}) };
  response.end(JSON.stringify({ kind: "List", apiVersion: "v1", metadata, items }));
}

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

async function measure(folder: string, server: Server): Promise<void> {
  const port = await listening(server);
  const config = join(folder, "scheduler.orchconfig");
  const named = {
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: "u", user: {} }],
  };
  const context = { contexts: [{ name: "c", context: { cluster: "c", user: "u" } }], "current-context": "c" };
  await writeFile(config, JSON.stringify({ apiVersion: "orchconfig.orch/v1", kind: "Config", ...named, ...context }));
  const meter = join(folder, "meter");
  const main = fileURLToPath(new URL("../../../services/scheduler/dist/main.js", import.meta.url));
  const own = fileURLToPath(new URL("meter.js", import.meta.url));
  const flags = [`--orchconfig=${config}`, "--leader-elect=false", "--metrics-port=0"];
  const child = spawn(process.execPath, ["--import", own, main, ...flags], {
    env: { ...process.env, BENCH_METER: meter },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const pid = child.pid ?? 0;
  try {
    let most = 0;
    // It watches once it has taken the list.
    while (!isKept) {
      await sleep(100);
      if (child.exitCode !== null) throw new Error("the scheduler has ended");
      most = Math.max(most, residentBytes(pid).anonymous);
    }
    await sleep(settleMs);
    const asked = residentBytes(pid).anonymous;
    const told: NodeJS.MemoryUsage = JSON.parse(await askMeter(meter, "/gc"));
    const after = residentBytes(pid);
    const { heapUsed, heapTotal, external } = told;
    process.stdout.write(
      `${pods} pods, ${nodes} nodes: heap ${megabytes(heapUsed)} of ${megabytes(heapTotal)}, outside of it ${megabytes(external)}; resident ${megabytes(after.anonymous)} and ${megabytes(after.file)} of files after a full collection, ${megabytes(asked)} before it, ${megabytes(most)} at most\n`,
    );
  } finally {
    child.kill();
    if (child.exitCode === null) await once(child, "exit");
  }
}

const lists = createHttp1(({ url = "" }, response) => answer(url, response));
const watches = createHttp2();
watches.on("stream", (stream, headers) => {
  // Its end comes with that of the scheduler.
  stream.on("error", () => {});
  stream.respond({ ":status": 200, "content-type": "application/json" });
  if (headers[":path"]?.startsWith("/api/v1/pods?") === true) isKept = true;
});
const sockets = new Set<Socket>();
/** Watches come over HTTP/2, everything else over HTTP/1.1: the first bytes tell. */
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on("error", () => {});
  socket.once("close", () => sockets.delete(socket));
  socket.once("readable", () => {
    const first: unknown = socket.read();
    if (!(first instanceof Buffer)) return;
    socket.unshift(first);
    (first.toString("latin1").startsWith("PRI ") ? watches : lists).emit("connection", socket);
  });
});
const folder = await mkdtemp(join(tmpdir(), "orch-scheduler-memory-"));
try {
  await measure(folder, server);
} finally {
  for (const socket of sockets) socket.destroy();
  server.close();
  await rm(folder, { recursive: true, force: true });
}
