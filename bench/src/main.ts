import { cpus } from "node:os";
import { createNaming } from "@orch/naming/naming.js";
import { boolFlag, enumFlag, intFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import { startProgram } from "@orch/runtime/start-program.js";
import { benchAudit } from "./audit.js";
import { benchCel } from "./cel.js";
import { benchCatalog, benchCodecs } from "./codecs.js";
import { benchControllers } from "./controllers.js";
import { benchCrowd } from "./crowd/crowd.js";
import { benchCustomObjects } from "./custom-objects.js";
import { benchEncryption } from "./encryption.js";
import { benchFlood } from "./flood.js";
import { benchHistory } from "./history.js";
import { benchHop } from "./hop/hop.js";
import { benchLatency } from "./latency.js";
import { benchEncodings, encodingFlags } from "./lists/encodings.js";
import { benchPermitted } from "./lists/permitted.js";
import { httpRequest, once, sleep } from "./load/load.js";
import { benchMany } from "./many/many.js";
import { memoryAfterLoad } from "./memory/after-load.js";
import { memoryAtRest } from "./memory/at-rest.js";
import { benchNear } from "./near/near.js";
import { configMap, type Floor, fill, measureFanOut, measureRequests, measureStoreFloor, type Timing } from "./runs.js";
import { benchScale } from "./scale.js";
import { benchBinding } from "./simulated/binding.js";
import { benchScheduling } from "./simulated/scheduling.js";
import { benchWorkloads } from "./simulated/workloads.js";
import { printTable, type Row } from "./table.js";
import {
  type OrchTarget,
  ready,
  startDistributed,
  startEmpty,
  startFloor,
  startMetered,
  startStandalone,
  type Target,
} from "./targets.js";
import { benchTurns } from "./turns/turns.js";
import { benchCustomWrites } from "./writes/custom-writes.js";
import { benchPatches } from "./writes/patches.js";
import { benchPolicyWrites } from "./writes/policy-writes.js";
import { benchWebhookWrites } from "./writes/webhook-writes.js";

const operations = [
  "get",
  "write",
  "patch",
  "list",
  "watch",
  "latency",
  "encodings",
  "flood",
  "crowd",
  "memory",
  "start",
  "turns",
  "custom",
  "policies",
  "webhooks",
  "audit",
  "history",
  "controllers",
  "cel",
  "encryption",
  "scale",
  "load-memory",
  "many",
  "hop",
  "scheduling",
  "near",
  "permitted",
  "workloads",
  "binding",
] as const;

/** What has rows of its own and runs by itself: searches, and what needs a compiler that nothing else does. */
const searches = ["growth", "hostile", "peer"] as const;

const flags = {
  only: listFlag(operations, {
    help: `what to measure: ${operations.join(", ")}; or ${searches.join(", ")} by itself`,
  }),
  kinds: listFlag([], { help: "growth: parts of the names of kinds, or body, head, patch" }),
  row: stringFlag("", { help: "growth: a part of the names of rows" }),
  kib: intFlag(192, { min: 16, max: 3072, help: "growth: KiB of the largest bodies, where nothing looks wrong" }),
  bodies: intFlag(2000, { min: 1, help: "hostile: bodies of each identity" }),
  seed: intFlag(Date.now() % 1_000_000, { help: "hostile: repeats the bodies of another run" }),
  modes: listFlag(["standalone", "distributed"], { help: "what to measure it on" }),
  connections: listFlag(["1", "32", "128"], { help: "how many connections ask at once" }),
  watchers: listFlag(["100", "1000"], { help: "how many watchers an event goes to" }),
  seconds: intFlag(5, { min: 1, help: "how long each figure is measured, after a warm-up of a third of it" }),
  objects: intFlag(100_000, { min: 1000, help: "how many objects the memory figure is taken with" }),
  "peer-objects": intFlag(11_000, { min: 1000, help: "peer: how many objects of each kind there are" }),
  "custom-objects": intFlag(10_000, { min: 1000, help: "custom: of how many objects of each kind lists are" }),
  nodes: intFlag(1000, { min: 1, max: 20_000, help: "scheduling: how many nodes are simulated" }),
  pods: intFlag(5000, { min: 1, help: "scheduling: how many pods are bound for a figure" }),
  "kept-pods": intFlag(50_000, { min: 0, help: "scheduling: how many pods the memory figure is taken with" }),
  deployments: intFlag(100, { min: 1, help: "workloads: how many deployments of thirty pods become ready" }),
  "manager-pods": intFlag(30_000, { min: 30, help: "workloads: how many pods the manager's memory is measured with" }),
  claims: intFlag(1000, { min: 1, help: "binding: how many claims are bound to as many volumes" }),
  counts: listFlag(["10000", "100000"], { help: "many: of how many objects the cache is; 1000000 takes ten minutes" }),
  sizes: listFlag(["1", "3"], { help: "MiB of the bodies whose turns are measured" }),
  match: stringFlag("", { help: "measures only the turns of shapes and requests that this regular expression finds" }),
  "gateway-workers": intFlag(0, { min: 0, help: "gateway workers of standalone" }),
  "near-cache": boolFlag(false, { help: "gateways of separate services answer from copies of their own" }),
  gateways: intFlag(2, {
    min: 1,
    max: 16,
    help: "gateways of separate services, where not several counts are set beside each other",
  }),
  controllers: boolFlag(false, { help: "with controllers, which watch all that is written" }),
  profile: enumFlag(["no", "cpu"], "no", {
    help: "cpu writes a .cpuprofile of every process of ours into this folder",
  }),
} as const;

const { values } = await startProgram(
  { name: "bench", description: "Measures orch against floors of the same run.", flags },
  process.argv.slice(2),
);
if (values.only.includes("growth")) {
  const { benchGrowth } = await import("./growth/growth.js");
  process.exit((await benchGrowth(values)) ? 0 : 1);
}
if (values.only.includes("hostile")) {
  const { benchHostile } = await import("./hostile/hostile.js");
  process.exit((await benchHostile(values)) ? 0 : 1);
}
if (values.only.includes("peer")) {
  const { benchPeer } = await import("./peer/peer.js");
  const print = (text: string): boolean => process.stdout.write(text);
  process.exit((await benchPeer({ ...values, objects: values["peer-objects"], print })) ? 0 : 1);
}
const timing: Timing = { warmupMs: (values.seconds * 1000) / 3, durationMs: values.seconds * 1000 };
const connections = values.connections.map(Number);
const nodeArgs = values.profile === "cpu" ? ["--cpu-prof"] : [];
const options = {
  nodeArgs,
  workers: values["gateway-workers"],
  controllers: values.controllers,
  near: values["near-cache"],
  gateways: values.gateways,
  ...(values.only.includes("encodings") ? { flags: encodingFlags } : {}),
};
const rows: Row[] = [];
const wants = (what: (typeof operations)[number]): boolean => values.only.includes(what);
const ok = (code: number): boolean => code === 200;
/** Targets speak this dialect. */
const admission = `/apis/${createNaming("orch").group("admissionregistration")}/v1`;
const definitions = `/apis/${createNaming("orch").group("apiextensions")}/v1/customresourcedefinitions`;

function note(row: Row): Row {
  rows.push(row);
  process.stderr.write(
    `${row.mode} ${row.operation} ${row.connections}: ${row.perSecond.toFixed(0)} ${row.unit}, ratio ${row.ratio?.toFixed(2) ?? "-"}\n`,
  );
  return row;
}

async function bytesFloor(
  floor: Target,
  size: number,
  options: { connections: number; unit: "op/s" | "B/s" },
): Promise<Floor> {
  const request = (endpoint: Parameters<typeof httpRequest>[0]): Buffer =>
    httpRequest(endpoint, { method: "GET", path: `/bytes/${size}` });
  const run = { operation: `floor (a): ${size} bytes`, request, success: ok, ...options };
  const row = note(await measureRequests(floor, run, { timing, floor: undefined }));
  return { name: "(a) bare https", value: row.perSecond };
}

async function benchGets(target: Target, floor: Target): Promise<void> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) return;
  await fill(target, "gets", 1000);
  const path = "/api/v1/namespaces/gets/configmaps/cm-000500";
  const size = (await once(endpoint, { method: "GET", path })).bytes;
  for (const count of connections) {
    const against = await bytesFloor(floor, size, { connections: count, unit: "op/s" });
    for (const [operation, query] of [
      ["get Any", "?resourceVersion=0"],
      ["get Most Recent", ""],
    ] as const) {
      const request = (e: typeof endpoint): Buffer => httpRequest(e, { method: "GET", path: path + query });
      note(
        await measureRequests(
          target,
          { operation, connections: count, request, success: ok, unit: "op/s" },
          { timing, floor: against },
        ),
      );
    }
  }
}

async function benchLists(target: Target, floor: Target): Promise<void> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) return;
  await fill(target, "list-500", 500);
  await fill(target, "list-10000", 10_000);
  const lists = [
    ["list 500", "/api/v1/namespaces/list-500/configmaps"],
    ["list 10,000", "/api/v1/namespaces/list-10000/configmaps"],
    ["list 10,000, label 1 %", "/api/v1/namespaces/list-10000/configmaps?labelSelector=pick%3Dme"],
  ] as const;
  for (const [operation, path] of lists) {
    const size = (await once(endpoint, { method: "GET", path })).bytes;
    for (const count of connections) {
      const against = await bytesFloor(floor, size, { connections: count, unit: "B/s" });
      const request = (e: typeof endpoint): Buffer => httpRequest(e, { method: "GET", path });
      note(
        await measureRequests(
          target,
          { operation, connections: count, request, success: ok, unit: "B/s" },
          { timing, floor: against },
        ),
      );
    }
  }
}

async function benchWrites(target: Target, etcd: readonly string[]): Promise<void> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) return;
  await once(endpoint, {
    method: "POST",
    path: "/api/v1/namespaces",
    body: JSON.stringify({ metadata: { name: "writes" } }),
  });
  const path = "/api/v1/namespaces/writes/configmaps";
  for (const count of connections) {
    const kind = etcd.length === 0 ? "lmdb" : "etcd3";
    const floor = measureStoreFloor(kind, { inFlight: count, bytes: 1100, timing, endpoints: etcd });
    const none = { p50: 0, p99: 0, ratio: undefined, floor: "", failures: 0, unit: "op/s" };
    note({
      ...none,
      operation: `floor (b): ${floor.name}`,
      mode: "floor",
      connections: count,
      perSecond: floor.value,
      cpu: new Map([["floor", floor.cpu]]),
    });
    const against = { name: `(b) ${floor.name}`, value: floor.value };
    let created = 0;
    const create = (e: typeof endpoint): Buffer =>
      httpRequest(e, { method: "POST", path, body: configMap(`c${count}-${created++}`) });
    note(
      await measureRequests(
        target,
        { operation: "create", connections: count, request: create, success: (c) => c === 201, unit: "op/s" },
        { timing, floor: against },
      ),
    );
    let updated = 0;
    const change = (e: typeof endpoint): Buffer => {
      const i = updated++;
      const body = configMap(`c${count}-${i % created}`).replace("xxxxxxxx", String(i).padStart(8, "0"));
      return httpRequest(e, { method: "PUT", path: `${path}/c${count}-${i % created}`, body });
    };
    note(
      await measureRequests(
        target,
        { operation: "update", connections: count, request: change, success: ok, unit: "op/s" },
        { timing, floor: against },
      ),
    );
  }
}

/** Objects that the watched changes go around: more than are under way at once, so that none meets itself. */
const watched = 64;

async function benchWatches(target: Target, floor: Target): Promise<void> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) return;
  await once(endpoint, {
    method: "POST",
    path: "/api/v1/namespaces",
    body: JSON.stringify({ metadata: { name: "watch" } }),
  });
  const path = "/api/v1/namespaces/watch/configmaps";
  for (let i = 0; i < watched; i++) await once(endpoint, { method: "POST", path, body: configMap(`w${i}`) });
  const { bytes } = await once(endpoint, { method: "GET", path: `${path}/w0` });
  for (const watchers of values.watchers.map(Number)) {
    const prepared = {
      operation: `floor (c): ${bytes + 30} bytes to each`,
      watchers,
      watchPath: "/watch",
      event: (e: typeof endpoint) => httpRequest(e, { method: "POST", path: `/event/${bytes + 30}`, body: "" }),
    };
    const row = note(await measureFanOut(floor, prepared, { timing, floor: undefined }));
    const run = {
      operation: "watch fan-out",
      watchers,
      watchPath: `${path}?watch=1&resourceVersion=${await newest(endpoint, path)}`,
      event: (e: typeof endpoint, index: number) =>
        httpRequest(e, {
          method: "PUT",
          path: `${path}/w${index % watched}`,
          body: configMap(`w${index % watched}`).replace("xxxxxxxx", String(index).padStart(8, "0")),
        }),
    };
    note(
      await measureFanOut(target, run, { timing, floor: { name: "(c) bare chunked writer", value: row.perSecond } }),
    );
  }
}

async function newest(endpoint: Parameters<typeof once>[0], path: string): Promise<string> {
  const { body } = await once(endpoint, { method: "GET", path: `${path}?limit=1` });
  const list: { metadata: { resourceVersion: string } } = JSON.parse(body?.toString() ?? "");
  return list.metadata.resourceVersion;
}

/** The cache of a target that was filled, killed and started again: a few times, for the spread. */
async function benchWarmStart(target: OrchTarget): Promise<string> {
  const took: string[] = [];
  for (let i = 0; i < 3; i++) {
    const began = performance.now();
    await target.restartCache();
    took.push((performance.now() - began).toFixed(0));
    await sleep(1000);
  }
  return `${target.name}: ${took.join(", ")} ms from a kill to a cache that serves ${values.objects} ConfigMaps of 1 KiB`;
}

async function benchStart(): Promise<string> {
  const { endpoint, began, stop } = await startEmpty();
  await ready(endpoint);
  const took = performance.now() - began;
  await stop();
  return `standalone: ${took.toFixed(0)} ms from an empty directory to the first 200 on /readyz, certificates made on the way`;
}

async function benchLongTurns(): Promise<readonly string[]> {
  const target = await startMetered(options, "turns");
  const [endpoint] = target.endpoints;
  try {
    if (endpoint === undefined) return [];
    const sizes = values.sizes.map((mib) => Number(mib) * 2 ** 20);
    const { meter } = target;
    return await benchTurns({ endpoint, meter, sizes, rounds: 3, match: new RegExp(values.match) });
  } finally {
    await target.stop();
  }
}

/** With fewer objects than the memory at rest: what stays after load is looked for beside them. */
const loadedObjects = 20_000;

async function benchLoadMemory(): Promise<readonly string[]> {
  const target = await startMetered(options, "memory");
  try {
    return await memoryAfterLoad({ target, meter: target.meter, objects: loadedObjects, timing });
  } finally {
    await target.stop();
  }
}

const floor = await startFloor();
const notes: string[] = [];
const needNoTarget: readonly string[] = [
  ...[
    "load-memory",
    "many",
    "turns",
    "cel",
    "encryption",
    "audit",
    "history",
    "controllers",
    "scale",
    "hop",
    "scheduling",
    "near",
    "permitted",
    "workloads",
    "binding",
  ],
];
for (const mode of values.only.every((what) => needNoTarget.includes(what)) ? [] : values.modes) {
  const started =
    mode === "distributed" ? await startDistributed(options) : { ...(await startStandalone(options)), etcd: [] };
  try {
    if (wants("get")) await benchGets(started, floor);
    if (wants("list")) await benchLists(started, floor);
    if (wants("watch")) await benchWatches(started, floor);
    if (wants("latency")) notes.push(...(await benchLatency(started, { timing, note })));
    if (wants("encodings")) await benchEncodings(started, { timing, connections, note });
    if (wants("crowd")) notes.push(await benchCrowd(started, { timing, note }));
    if (wants("flood")) notes.push(await benchFlood(started, { timing, note }));
    if (wants("write")) await benchWrites(started, started.etcd);
    if (wants("custom")) {
      for await (const row of benchCustomWrites(started, { timing, connections, definitions })) note(row);
      const many = { timing, connections, definitions, objects: values["custom-objects"] };
      for await (const row of benchCustomObjects(started, many)) note(row);
    }
    if (wants("policies")) {
      for await (const row of benchPolicyWrites(started, { timing, connections, root: admission })) note(row);
    }
    if (wants("webhooks")) {
      for await (const row of benchWebhookWrites(started, { timing, connections, root: admission })) note(row);
    }
    if (wants("patch")) notes.push(...(await benchPatches(started, { timing, note })));
  } finally {
    await started.stop();
  }
  if (!wants("memory") && !wants("start")) continue;
  const unprofiled = { ...options, nodeArgs: [] };
  const fresh = mode === "distributed" ? await startDistributed(unprofiled) : await startStandalone(unprofiled);
  await fill(fresh, "memory", values.objects);
  if (wants("memory")) notes.push(...(await memoryAtRest(fresh, { namespace: "memory", objects: values.objects })));
  if (wants("start")) notes.push(await benchWarmStart(fresh));
  await fresh.stop();
}
if (wants("encodings")) notes.push(...benchCodecs(), await benchCatalog());
if (wants("start")) notes.push(await benchStart());
if (wants("audit")) notes.push(...(await benchAudit({ timing, note, options })));
if (wants("history")) notes.push(...(await benchHistory({ timing, note, options })));
if (wants("controllers")) notes.push(...(await benchControllers({ timing, connections, note, options })));
if (wants("scale")) notes.push(...(await benchScale({ timing, note, target: options })));
if (wants("hop")) notes.push(...(await benchHop({ timing, note, target: options })));
if (wants("scheduling")) {
  const { nodes, pods, "kept-pods": kept } = values;
  notes.push(...(await benchScheduling({ options: { ...options, controllers: true }, nodes, pods, kept })));
}
if (wants("workloads")) {
  const { nodes, deployments, "manager-pods": kept } = values;
  notes.push(...(await benchWorkloads({ options, nodes, deployments, kept })));
}
if (wants("binding")) notes.push(await benchBinding(options, values.claims));
if (wants("near")) {
  notes.push(...(await benchNear({ timing, note, target: options, objects: values.objects })));
}
if (wants("permitted")) await benchPermitted({ timing, note, target: options });
if (wants("cel")) notes.push(...benchCel());
if (wants("encryption")) notes.push(await benchEncryption(values.objects));
if (wants("many"))
  notes.push(...(await benchMany({ timing, note, target: options, counts: values.counts.map(Number) })));
if (wants("load-memory")) notes.push(...(await benchLoadMemory()));
if (wants("turns")) notes.push(...(await benchLongTurns()));
await floor.stop();

const [processor] = cpus();
process.stdout.write(
  `${cpus().length} × ${processor?.model ?? "?"}, node ${process.version}, ${values.seconds} s a figure, TLS, 1 KiB objects\n\n`,
);
process.stdout.write(`${printTable(rows)}\n\n${notes.join("\n")}\n`);
process.exit(rows.some((row) => row.failures > 0) ? 1 : 0);
