/**
 * What a table of pods costs beside their JSON: `node libs/api/dist/table/table.bench.js [pods]`. The floor is what a
 * list of kept bytes does: their sizes are added up and they are copied into one buffer.
 */
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../catalog.js";
import { type AnyObject, withMetadata } from "../object.js";
import { partialMetadata } from "./partial-metadata.js";
import { printedUntil, printRow, type RowText, rowText } from "./row-text.js";

const naming = createNaming("kubernetes");
const pods = loadCatalog(naming).resource("", "v1", "pods");
if (pods === undefined) throw new Error("no pods in the catalog");
const { table } = pods;
const now = Date.parse("2026-01-02T03:04:05Z");
const time = (secondsAgo: number): string => `${new Date(now - secondsAgo * 1000).toISOString().slice(0, 19)}Z`;

function podOf(i: number): AnyObject {
  const name = `web-${(i * 7919).toString(36)}-${i}`;
  const created = time(i * 1000);
  const container = (which: string) => ({
    name: which,
    image: `registry.example/team/${which}:1.2.3`,
    ports: [{ containerPort: 8080, protocol: "TCP" }],
    env: [{ name: "MODE", value: "production" }],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    volumeMounts: [{ name: "token", readOnly: true, mountPath: "/var/run/secrets/token" }],
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: "IfNotPresent",
  });
  const status = (which: string) => ({
    name: which,
    state: { running: { startedAt: created } },
    lastState: i % 5 === 0 ? { terminated: { exitCode: 1, reason: "Error", finishedAt: time(i * 100) } } : {},
    ready: true,
    restartCount: i % 5 === 0 ? 3 : 0,
    image: `registry.example/team/${which}:1.2.3`,
    imageID: `registry.example/team/${which}@sha256:${"0123456789abcdef".repeat(4)}`,
    containerID: `containerd://${"fedcba9876543210".repeat(4)}`,
    started: true,
  });
  const condition = (type: string) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime: created });
  return withMetadata({
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name,
      generateName: "web-",
      namespace: "production",
      uid: `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`,
      resourceVersion: String(100_000 + i),
      creationTimestamp: created,
      labels: { app: "web", tier: "frontend", "pod-template-hash": "5d4f8c7b9" },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true }],
      managedFields: [
        {
          manager: "controller",
          operation: "Update",
          apiVersion: "v1",
          time: created,
          fieldsType: "FieldsV1",
          fieldsV1: { "f:metadata": { "f:labels": { "f:app": {}, "f:tier": {} } }, "f:spec": { "f:containers": {} } },
        },
      ],
    },
    spec: {
      volumes: [{ name: "token", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } }],
      containers: [container("web"), container("proxy")],
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      serviceAccountName: "default",
      nodeName: `node-${i % 20}`,
      schedulerName: "default-scheduler",
      tolerations: [{ key: "not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }],
    },
    status: {
      phase: "Running",
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition),
      podIP: `10.0.${i >> 8}.${i & 255}`,
      podIPs: [{ ip: `10.0.${i >> 8}.${i & 255}` }],
      startTime: created,
      containerStatuses: [status("web"), status("proxy")],
      qosClass: "Burstable",
    },
  });
}

const count = Number(process.argv[2] ?? 500);
const objects = Array.from({ length: count }, (_, i) => podOf(i));
const documents = objects.map((object) => JSON.stringify(object));
const bytes = documents.map((text) => Buffer.from(text));
const metadata = objects.map((object) => Buffer.from(`${JSON.stringify(partialMetadata(object, naming))}},`));
const wholes = documents.map((text) => Buffer.from(`${text}},`));
const texts = objects.map((object) => rowText(table.row(object)));

/** A row printed, and the instant until which it is good. */
interface Kept {
  readonly text: RowText;
  readonly bytes: Buffer;
  readonly until: number;
}
const printed = (text: RowText, at: number): Kept => ({
  text,
  bytes: Buffer.from(printRow(text, at)),
  until: printedUntil(text, at),
});
const kept = texts.map((text) => printed(text, now));
const spliced = (): readonly Buffer[] => texts.map((text) => Buffer.from(printRow(text, now)));
const stillGood = (): readonly Buffer[] => kept.map((row) => (now < row.until ? row : printed(row.text, now)).bytes);

const sizeOf = (parts: readonly Buffer[]): number => parts.reduce((sum, part) => sum + part.length, 0);
function joined(parts: readonly Buffer[], other: readonly Buffer[] = []): Buffer {
  const into = Buffer.allocUnsafe(sizeOf(parts) + sizeOf(other));
  let at = 0;
  for (let i = 0; i < parts.length; i++) {
    at += parts[i]?.copy(into, at) ?? 0;
    at += other[i]?.copy(into, at) ?? 0;
  }
  return into;
}

const runs: readonly (readonly [name: string, run: () => unknown])[] = [
  ["list of kept bytes (floor)", () => joined(bytes)],
  ["JSON.stringify of the pods", () => objects.map((object) => JSON.stringify(object)).join(",")],
  ["rows, cold, from bytes", () => bytes.map((b) => rowText(table.row(withMetadata(JSON.parse(b.toString())))))],
  ["rows, cold, from objects", () => objects.map((object) => rowText(table.row(object)))],
  ["table with metadata, ages spliced", () => joined(spliced(), metadata)],
  ["table with metadata, rows kept", () => joined(stillGood(), metadata)],
  ["table with objects, ages spliced", () => joined(spliced(), wholes)],
  ["table with objects, rows kept", () => joined(stillGood(), wholes)],
];

const microsOf = new Map<string, number>();
for (const [name, run] of runs) {
  for (let i = 0; i < 50; i++) run();
  const samples = Array.from({ length: 300 }, () => {
    const start = performance.now();
    run();
    return (performance.now() - start) * 1000;
  }).sort((a, b) => a - b);
  microsOf.set(name, samples[samples.length >> 1] ?? 0);
}

const floor = microsOf.get("list of kept bytes (floor)") ?? 1;
const stringify = microsOf.get("JSON.stringify of the pods") ?? 1;
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
print(`${count} pods, ${Math.round(sizeOf(bytes) / count)} bytes each; medians of 300`);
for (const [name, micros] of microsOf) {
  const rate = `${Math.round((count / micros) * 1000)} k rows/s`.padStart(15);
  const ratios = [`${(micros / floor).toFixed(2)} x floor`, `${(micros / stringify).toFixed(2)} x stringify`];
  print(`${name.padEnd(36)}${micros.toFixed(0).padStart(6)} µs${rate}   ${ratios.join("   ")}`);
}
