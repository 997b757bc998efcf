import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { createReflector } from "@orch/client/reflector.js";
import { type Process, startProcess } from "@orch/deploy/process.js";
import { createNaming } from "@orch/naming/naming.js";
import { orch } from "./command-line-program.js";
import { clock } from "./harness/clients.js";
import { startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

const naming = createNaming("kubernetes");
const nodes: Collection = { group: "", version: "v1", resource: "nodes" };
const pods: Collection = { group: "", version: "v1", resource: "pods", namespace: "default" };
const strategic = "application/strategic-merge-patch+json";
const merge = "application/merge-patch+json";

const example = (file: string): string =>
  fileURLToPath(new URL(`../../services/scheduler/examples/${file}`, import.meta.url));

const configuration = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
- schedulerName: packer
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
  plugins:
    score: {enabled: [{name: NodeResourcesFit, weight: 100}]}
- schedulerName: quiet
  plugins:
    multiPoint: {enabled: [{name: QuietNodes, weight: 100000}]}
  pluginConfig: [{name: QuietNodes, args: {label: topology.kubernetes.io/loud}}]
- schedulerName: ganged
  plugins:
    multiPoint: {enabled: [{name: Gangs}]}
- schedulerName: bare
  plugins:
    multiPoint:
      disabled: [{name: "*"}]
      enabled: [{name: PrioritySort}, {name: DefaultBinder}]
- schedulerName: lover-of-zone-b
  pluginConfig:
  - name: NodeAffinity
    args:
      addedAffinity:
        preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: 1, preference: {matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [b]}]}}
  plugins:
    score: {enabled: [{name: NodeAffinity, weight: 100000}]}
`;

const fieldOf = (object: ApiObject, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);
const nodeOf = (pod: ApiObject): string => String(fieldOf(pod, "spec.nodeName") ?? "");
function conditionOf(pod: ApiObject, type: string): Readonly<Record<string, unknown>> {
  const conditions = fieldOf(pod, "status.conditions");
  const found: unknown = Array.isArray(conditions) ? conditions.find((each) => each.type === type) : undefined;
  return isRecord(found) ? found : {};
}

interface PodWords {
  readonly cpu?: string;
  readonly scheduler?: string;
  readonly metadata?: object;
  readonly spec?: object;
}

/** What a user does with a cluster. */
function userOf(client: Client) {
  const create = (name: string, { cpu = "100m", scheduler, metadata = {}, spec = {} }: PodWords = {}) =>
    client.create(pods, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, ...metadata },
      spec: {
        containers: [{ name: "c", image: "image:1", resources: { requests: { cpu } } }],
        ...(scheduler === undefined ? {} : { schedulerName: scheduler }),
        ...spec,
      },
    });
  const podThat = (name: string, what: string, holds: (pod: ApiObject) => boolean): Promise<ApiObject> =>
    until(`pod ${name} ${what}`, async () => {
      const pod = await client.get(pods, name);
      return holds(pod) ? pod : undefined;
    });
  const placed = async (name: string, words?: PodWords): Promise<string> => {
    await create(name, words);
    return nodeOf(await podThat(name, "has a node", (pod) => nodeOf(pod) !== ""));
  };
  const clear = async (): Promise<void> => {
    await client.deleteCollection(pods, { gracePeriodSeconds: 0 });
    await until("no pod is left", async () => ((await client.list(pods)).items.length === 0 ? true : undefined));
  };
  return { create, podThat, placed, clear };
}

describe("a server that schedules and simulates nodes", () => {
  let target: Target | undefined;
  let running: Client | undefined;
  let folder = "";
  const on = () => {
    if (running === undefined) throw new Error("not running");
    return { client: running, ...userOf(running) };
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-scheduler-"));
    const file = join(folder, "scheduler.yaml");
    await writeFile(file, configuration);
    const args = [
      "--simulate-nodes=3",
      "--node-zones=a,b,c",
      "--node-cpu=4",
      "--pod-grace=0s",
      `--scheduler-config=${file}`,
      `--scheduler-plugin=${["quiet-nodes.js", "gangs.js"].map(example).join(",")}`,
    ];
    target = await startStandalone({ args });
    const client = createClient(await readClientConfig(target.clientConfig));
    running = client;
    await until("nodes that take pods", async () => {
      const { items } = await client.list(nodes);
      return items.length === 3 && items.every((node) => fieldOf(node, "spec.taints") === undefined) ? true : undefined;
    });
    await until("accounts of pods", () =>
      client.get({ ...pods, resource: "serviceaccounts" }, "default").catch(() => undefined),
    );
  });
  after(async () => {
    await running?.close();
    await target?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("gives a pod a node, on which it runs, and says so", async () => {
    const { client, create, podThat, clear } = on();
    await create("runs");
    const pod = await podThat("runs", "runs", (each) => fieldOf(each, "status.phase") === "Running");
    assert.equal(conditionOf(pod, "PodScheduled")["status"], "True");
    const events: Collection = { ...pods, resource: "events" };
    const event = await until("an event", async () => {
      const { items } = await client.list(events, { fieldSelector: "involvedObject.name=runs" });
      return items.find((each) => each["reason"] === "Scheduled");
    });
    assert.equal(event["message"], `Successfully assigned default/runs to ${nodeOf(pod)}`);
    await clear();
  });

  test("controllers, scheduler and simulated nodes follow pods over one watch, each with rights of its own", async () => {
    const { client } = on();
    const watching = (page: string, resource: string): readonly string[] =>
      [...page.matchAll(/^apiserver_longrunning_requests\{(.*)\} (\d+)$/gm)]
        .filter(([, labels = ""]) => labels.includes('verb="WATCH"') && labels.includes(`resource="${resource}"`))
        .map(([, , count = ""]) => count);
    // One that has ended is counted a moment longer, one that begins a moment later.
    await until("one watch of each", async () => {
      const page = (await client.raw({ method: "GET", path: "/metrics" })).body.toString();
      return [watching(page, "pods"), watching(page, "nodes")].every((all) => all.join() === "1") || undefined;
    });
    const subject = { user: `system:${naming.systemName("scheduler")}`, groups: ["system:authenticated"] };
    const review = async (resource: string): Promise<unknown> => {
      const reviews = { group: naming.group("authorization"), version: "v1", resource: "subjectaccessreviews" };
      const spec = { ...subject, resourceAttributes: { verb: "list", version: "v1", resource } };
      return fieldOf(await client.create(reviews, { metadata: {}, spec }), "status.allowed");
    };
    assert.deepEqual([await review("pods"), await review("secrets")], [true, false]);
  });

  test("says exactly why a pod has no node, and tries again when that changes", async () => {
    const { client, create, podThat, clear } = on();
    await create("large", { cpu: "100" });
    const refused = await podThat(
      "large",
      "is refused",
      (each) => conditionOf(each, "PodScheduled")["reason"] === "Unschedulable",
    );
    assert.equal(
      conditionOf(refused, "PodScheduled")["message"],
      "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
    );
    const larger = { capacity: { cpu: "200" }, allocatable: { cpu: "200" } };
    await client.patch(nodes, "node-1", { type: strategic, body: { status: larger }, subresource: "status" });
    assert.equal(nodeOf(await podThat("large", "has a node", (each) => nodeOf(each) !== "")), "node-1");
    const before = { capacity: { cpu: "4" }, allocatable: { cpu: "4" } };
    await clear();
    await client.patch(nodes, "node-1", { type: strategic, body: { status: before }, subresource: "status" });
  });

  test("a profile of its own packs nodes", async () => {
    const { placed, clear } = on();
    const first = await placed("packed-0", { cpu: "1", scheduler: "packer" });
    for (const i of [1, 2, 3]) assert.equal(await placed(`packed-${i}`, { cpu: "1", scheduler: "packer" }), first);
    assert.notEqual(await placed("packed-4", { cpu: "1", scheduler: "packer" }), first, "it is full");
    await clear();
  });

  test("all plugins but two: what does not fit is bound all the same", async () => {
    const { placed, clear } = on();
    assert.match(await placed("anywhere", { cpu: "100", scheduler: "bare" }), /^node-\d$/);
    await clear();
  });

  test("a weight decides who wins", async () => {
    const { placed, clear } = on();
    for (const i of [0, 1, 2]) assert.equal(await placed(`zoned-${i}`, { scheduler: "lover-of-zone-b" }), "node-1");
    await clear();
  });

  test("a plugin of a user's own refuses and scores", async () => {
    const { client, create, placed, podThat, clear } = on();
    const loud = (value: string | null) => ({ metadata: { labels: { "topology.kubernetes.io/loud": value } } });
    for (const name of ["node-0", "node-1"]) await client.patch(nodes, name, { type: merge, body: loud("yes") });
    for (const i of [0, 1]) assert.equal(await placed(`rests-${i}`, { scheduler: "quiet" }), "node-2");
    await client.patch(nodes, "node-2", { type: merge, body: loud("yes") });
    await create("sleeps", { scheduler: "quiet", metadata: { labels: { "example.com/sleeps": "yes" } } });
    const refused = await podThat(
      "sleeps",
      "is refused",
      (pod) => conditionOf(pod, "PodScheduled")["status"] === "False",
    );
    assert.match(
      String(conditionOf(refused, "PodScheduled")["message"]),
      /^0\/3 nodes are available: 3 node\(s\) were too loud\./,
    );
    await client.patch(nodes, "node-1", { type: merge, body: loud(null) });
    assert.equal(nodeOf(await podThat("sleeps", "has a node", (pod) => nodeOf(pod) !== "")), "node-1");
    for (const name of ["node-0", "node-2"]) await client.patch(nodes, name, { type: merge, body: loud(null) });
    await clear();
  });

  test("a plugin of a user's own makes pods wait for each other: none is bound before the last has its node", async () => {
    const { client, create, podThat, clear } = on();
    const labels = { "example.com/gang": "train", "example.com/gang-size": "3" };
    for (const i of [0, 1]) await create(`gang-${i}`, { scheduler: "ganged", metadata: { labels } });
    // Others do not wait for them.
    await create("alone", { scheduler: "ganged" });
    await podThat("alone", "has a node", (pod) => nodeOf(pod) !== "");
    const { items } = await client.list(pods, { labelSelector: "example.com/gang=train" });
    assert.deepEqual(items.map(nodeOf), ["", ""]);
    await create("gang-2", { scheduler: "ganged", metadata: { labels } });
    for (const i of [0, 1, 2]) await podThat(`gang-${i}`, "has a node", (pod) => nodeOf(pod) !== "");
    await clear();
  });

  test("a scheduler that nobody is leaves its pods alone", async () => {
    const { client, create, placed, clear } = on();
    await create("foreign", { scheduler: "somebody-else" });
    await placed("after");
    assert.equal(nodeOf(await client.get(pods, "foreign")), "");
    await clear();
  });

  test("gates hold a pod until they are taken away", async () => {
    const { client, create, placed, podThat, clear } = on();
    await create("gated", { spec: { schedulingGates: [{ name: "example.com/wait" }] } });
    await placed("meanwhile");
    const held = await podThat("gated", "is held", (each) => conditionOf(each, "PodScheduled")["reason"] !== undefined);
    const known = [`--orchconfig=${target?.clientConfig}`, "--api-dialect=kubernetes"];
    const told = await orch("explain-schedule", ...known, "gated");
    assert.match(
      told.out,
      /^is not tried yet: SchedulingGates: waiting for scheduling gates: \[example\.com\/wait\]\nwould go to node-/,
    );
    assert.deepEqual([nodeOf(held), conditionOf(held, "PodScheduled")["reason"]], ["", "SchedulingGated"]);
    await client.patch(pods, "gated", { type: merge, body: { spec: { schedulingGates: null } } });
    await podThat("gated", "has a node", (pod) => nodeOf(pod) !== "");
    await clear();
  });

  test("a higher priority makes room: the victim that no budget keeps goes, and the pod lands where it was", async () => {
    const { client, create, placed, podThat, clear } = on();
    const classes: Collection = { group: "scheduling.k8s.io", version: "v1", resource: "priorityclasses" };
    const kind = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass" };
    await client.create(classes, { ...kind, metadata: { name: "high" }, value: 1000 });
    const where = new Map<string, string>();
    for (const name of ["kept-0", "kept-1", "loose"]) {
      const labels = name === "loose" ? {} : { kept: "yes" };
      where.set(name, await placed(name, { cpu: "3", metadata: { labels } }));
    }
    assert.equal(new Set(where.values()).size, 3);
    const budgets: Collection = {
      group: "policy",
      version: "v1",
      resource: "poddisruptionbudgets",
      namespace: "default",
    };
    await client.create(budgets, {
      ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "kept" } },
      spec: { minAvailable: 2, selector: { matchLabels: { kept: "yes" } } },
    });
    await create("important", { cpu: "2", spec: { priorityClassName: "high" } });
    const pod = await podThat("important", "has a node", (each) => nodeOf(each) !== "");
    assert.equal(nodeOf(pod), where.get("loose"));
    const names = (await client.list(pods)).items.map(({ metadata }) => metadata.name);
    assert.deepEqual(names, ["important", "kept-0", "kept-1"]);
    await client.delete(budgets, "kept");
    await clear();
  });

  test("a claim that waits for its first pod is bound to a volume that reaches the pod's node", async () => {
    const { client, create, podThat, clear } = on();
    const storage: Collection = { group: "storage.k8s.io", version: "v1", resource: "storageclasses" };
    await client.create(storage, {
      ...{ apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "local" } },
      ...{ provisioner: "kubernetes.io/no-provisioner", volumeBindingMode: "WaitForFirstConsumer" },
    });
    const volumes: Collection = { group: "", version: "v1", resource: "persistentvolumes" };
    const hostname = { key: "kubernetes.io/hostname", operator: "In", values: ["node-2"] };
    await client.create(volumes, {
      ...{ apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "on-node-2" } },
      spec: {
        ...{ capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], storageClassName: "local" },
        local: { path: "/data" },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [hostname] }] } },
      },
    });
    const claims: Collection = { ...pods, resource: "persistentvolumeclaims" };
    const resources = { requests: { storage: "1Gi" } };
    await client.create(claims, {
      ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" } },
      spec: { storageClassName: "local", accessModes: ["ReadWriteOnce"], resources },
    });
    // No controller binds volumes here: the test does.
    await client.patch(volumes, "on-node-2", {
      type: merge,
      body: { status: { phase: "Available" } },
      subresource: "status",
    });
    await create("with-data", { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] } });
    await until("the volume is the claim's", async () => {
      const volume = await client.get(volumes, "on-node-2");
      return fieldOf(volume, "spec.claimRef.name") === "data" ? true : undefined;
    });
    await client.patch(claims, "data", { type: merge, body: { spec: { volumeName: "on-node-2" } } });
    await client.patch(claims, "data", { type: merge, body: { status: { phase: "Bound" } }, subresource: "status" });
    assert.equal(nodeOf(await podThat("with-data", "has a node", (pod) => nodeOf(pod) !== "")), "node-2");
    await clear();
  });

  test("orch explain-schedule and orch schedule --dry-run tell why and where, and change nothing", async () => {
    const { client, create, podThat, clear } = on();
    await create("explained", { cpu: "3" });
    const pod = await podThat("explained", "has a node", (each) => nodeOf(each) !== "");
    const file = join(folder, "pod.json");
    const spec = { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "2" } } }] };
    await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "draft" }, spec }));
    const known = [`--orchconfig=${target?.clientConfig}`, "--api-dialect=kubernetes"];
    const explained = await orch("explain-schedule", ...known, "pod/explained");
    assert.match(
      explained.out,
      /^would go to node-\d: 3 of 3 nodes that were looked at fit\n\nNODE {4}FITS {2}WHY\nnode-\d {2}yes/,
    );
    assert.match(explained.out, /NodeResourcesFit \d+×1/);
    const drafted = await orch("schedule", "--dry-run", ...known, "-f", file);
    assert.match(drafted.out, /^would go to node-\d: 2 of 3 nodes/);
    assert.match(drafted.out, new RegExp(`^${nodeOf(pod)} {2}no {4}NodeResourcesFit: Insufficient cpu$`, "m"));
    const told = await orch("explain-schedule", ...known, "--output=json", "explained");
    assert.equal(JSON.parse(told.out).explanation.nodes.length, 3);
    assert.deepEqual(
      (await client.list(pods)).items.map(({ metadata }) => metadata.name),
      ["explained"],
    );
    const wrong = await orch("schedule", ...known, "-f", file);
    assert.deepEqual(
      [wrong.code, wrong.out.trim()],
      [2, "orch schedule: --dry-run is needed: this command gives no pod a node"],
    );
    await clear();
  });

  test("a configuration that is wrong is refused with the place, before anything is opened", async () => {
    const file = join(folder, "wrong.yaml");
    await writeFile(file, configuration.replace("MostAllocated", "Fullest"));
    await assert.rejects(startStandalone({ args: ["--scheduler", `--scheduler-config=${file}`] }), (error) =>
      /--scheduler-config: .*wrong\.yaml: profiles\[1\]\.pluginConfig\[0\]\.args\.scoringStrategy\.type: /.test(
        String(error),
      ),
    );
  });
});

const python = spawnSync("python3", ["--version"]).error === undefined;

describe("an extender, written in Python", { skip: python ? false : "there is no python3 here" }, () => {
  const extenderScript = fileURLToPath(new URL("../clients/python/scheduler_extender.py", import.meta.url));
  let target: Target | undefined;
  let client: Client | undefined;
  let extender: ChildProcess | undefined;
  let scheduler: Process | undefined;
  let folder = "";
  let said = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-extender-"));
    target = await startStandalone({ args: ["--simulate-nodes=3", "--scheduler=false", "--pod-grace=0s"] });
    client = createClient(await readClientConfig(target.clientConfig));
    const [server = ""] = target.urls;
    const started = spawn("python3", [extenderScript, server, target.pki.adminToken], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    extender = started;
    started.stdout.on("data", (bytes: Buffer) => {
      said += bytes.toString();
    });
    const port = await until("the extender serves", () => /^\d+$/m.exec(said)?.[0]);
    const file = join(folder, "scheduler.yaml");
    await writeFile(
      file,
      `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
podInitialBackoffSeconds: 1
extenders:
- urlPrefix: http://127.0.0.1:${port}/scheduler
  filterVerb: filter
  prioritizeVerb: prioritize
  bindVerb: bind
  weight: 100
  nodeCacheCapable: true
  managedResources: [{name: example.com/thing, ignoredByScheduler: true}]
- urlPrefix: http://127.0.0.1:1/nobody
  filterVerb: filter
  ignorable: true
  nodeCacheCapable: true
`,
    );
    const script = fileURLToPath(new URL("../../services/scheduler/dist/main.js", import.meta.url));
    const args = [`--orchconfig=${target.clientConfig}`, "--api-dialect=kubernetes", `--config=${file}`];
    scheduler = await startProcess({ name: "scheduler", script, args, sameAgain: () => [] });
    const running = client;
    await until("accounts of pods", () =>
      running.get({ ...pods, resource: "serviceaccounts" }, "default").catch(() => undefined),
    );
  });
  after(async () => {
    await scheduler?.stop();
    extender?.kill();
    await client?.close();
    await target?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const managed = {
    spec: { containers: [{ name: "c", image: "i", resources: { limits: { "example.com/thing": "1" } } }] },
  };

  test("is asked about pods that it manages: it refuses, prefers and binds; one that is away may be passed over", async () => {
    assert.ok(client);
    const { placed } = userOf(client);
    for (const i of [0, 1]) assert.equal(await placed(`managed-${i}`, managed), "node-2");
    // What it says comes by another way than its answers.
    await until("both bindings were told of", () =>
      said.match(/^\/scheduler\/bind$/gm)?.length === 2 ? true : undefined,
    );
    for (const verb of ["filter", "prioritize", "bind"]) assert.match(said, new RegExp(`^/scheduler/${verb}$`, "m"));
    said = "";
    assert.match(await placed("plain"), /^node-\d$/);
    assert.equal(said, "", "it is not asked about others");
  });

  test("says what is wrong with it: the pod waits, with the sentence", async () => {
    assert.ok(client);
    const { create, podThat } = userOf(client);
    await create("breaks", managed);
    const pod = await podThat(
      "breaks",
      "is told of",
      (each) => conditionOf(each, "PodScheduled")["status"] === "False",
    );
    const { reason, message } = conditionOf(pod, "PodScheduled");
    assert.deepEqual([reason, message], ["SchedulerError", "the extender is out of order"]);
  });
});

describe("claims of devices, behind their gate", () => {
  let target: Target | undefined;
  let client: Client | undefined;
  const group = naming.group("resource");
  const at = (resource: string): Collection => ({ group, version: "v1beta1", resource });
  const claims: Collection = { ...at("resourceclaims"), namespace: "default" };
  const apiVersion = `${group}/v1beta1`;
  before(async () => {
    target = await startStandalone({
      args: [
        ...["--simulate-nodes=2", "--feature-gates=DynamicResourceAllocation=true"],
        `--runtime-config=${apiVersion}=true`,
      ],
    });
    client = createClient(await readClientConfig(target.clientConfig));
  });
  after(async () => {
    await client?.close();
    await target?.stop();
  });

  test("a pod goes where the device is that its claim selects; the claim says which and for whom; the next has none", async () => {
    assert.ok(client);
    const running = client;
    const { create, podThat } = userOf(running);
    await until("accounts of pods", () =>
      running.get({ ...pods, resource: "serviceaccounts" }, "default").catch(() => undefined),
    );
    const model = (string: string) => ({ basic: { attributes: { model: { string } } } });
    await running.create(at("deviceclasses"), { apiVersion, kind: "DeviceClass", metadata: { name: "gpu" }, spec: {} });
    for (const [i, names] of [["small"], ["small", "large"]].entries()) {
      const nodeName = `node-${i}`;
      const devices = names.map((name) => ({ name, ...model(name) }));
      const pool = { name: nodeName, generation: 1, resourceSliceCount: 1 };
      const spec = { driver: "gpu.example.com", nodeName, pool, devices };
      await running.create(at("resourceslices"), {
        apiVersion,
        kind: "ResourceSlice",
        metadata: { name: nodeName },
        spec,
      });
    }
    const expression = 'device.attributes["gpu.example.com"].model == "large"';
    const requests = [{ name: "r", deviceClassName: "gpu", selectors: [{ cel: { expression } }] }];
    const claimed = async (name: string): Promise<void> => {
      const spec = { devices: { requests } };
      await running.create(claims, { apiVersion, kind: "ResourceClaim", metadata: { name }, spec });
      await create(name, { spec: { resourceClaims: [{ name: "device", resourceClaimName: name }] } });
    };
    await claimed("first");
    const pod = await podThat("first", "has a node", (each) => nodeOf(each) !== "");
    assert.equal(nodeOf(pod), "node-1");
    const claim = await running.get(claims, "first");
    assert.deepEqual(claim.metadata["finalizers"], [`resource.${naming.key("delete-protection")}`]);
    assert.deepEqual(fieldOf(claim, "status.reservedFor"), [
      { resource: "pods", name: "first", uid: pod.metadata.uid },
    ]);
    assert.deepEqual(fieldOf(claim, "status.allocation.devices.results"), [
      { request: "r", driver: "gpu.example.com", pool: "node-1", device: "large", adminAccess: null },
    ]);
    await claimed("second");
    const refused = await podThat(
      "second",
      "is refused",
      (each) => conditionOf(each, "PodScheduled")["reason"] === "Unschedulable",
    );
    assert.match(
      String(conditionOf(refused, "PodScheduled")["message"]),
      /^0\/2 nodes are available: 2 cannot allocate all claims\./,
    );
  });
});

/** Of half a processor on nodes of four. */
const perNode = 8;
const room = 5 * perNode;
/** `ORCH_TEST_KILLS=60` takes five minutes. */
const kills = Number(process.env["ORCH_TEST_KILLS"] ?? 3);
const killEveryMs = kills > 3 ? 5_000 : 0;
const loadPauseMs = 50;

/** Follows which pod has which node, and whatever must not be. */
function followBindings(client: Client) {
  const abort = new AbortController();
  const bound = new Map<string, string>();
  const onNodes = new Map<string, Set<string>>();
  const wrongs: string[] = [];
  const state = { most: 0 };
  const gone = ({ metadata }: ApiObject): void => {
    const { uid = "" } = metadata;
    onNodes.get(bound.get(uid) ?? "")?.delete(uid);
  };
  const seen = (pod: ApiObject): void => {
    const { uid = "", name = "" } = pod.metadata;
    const [node, before] = [nodeOf(pod), bound.get(uid)];
    if (before !== undefined && before !== node) wrongs.push(`${name} was on ${before} and is on ${node}`);
    if (node === "" || before !== undefined) return;
    bound.set(uid, node);
    const on = onNodes.get(node) ?? new Set<string>();
    onNodes.set(node, on.add(uid));
    state.most = Math.max(state.most, on.size);
  };
  const reflector = createReflector({
    ...{ client, collection: pods, clock, random: Math.random },
    handlers: { added: seen, modified: seen, deleted: gone },
  });
  const run = reflector.run(abort.signal);
  return {
    bound,
    wrongs,
    get most() {
      return state.most;
    },
    async stop() {
      abort.abort();
      await run;
    },
  };
}

/** The place of the scheduler that leads. Of one that was killed nobody answers. */
async function leaderAmong(schedulers: readonly Process[]): Promise<number | undefined> {
  for (const [place, { addresses }] of schedulers.entries()) {
    const page = await fetch(`http://${addresses["metrics"]}/metrics`).then((answer) => answer.text());
    if (/^leader_election_master_status\{.*\} 1$/m.test(page)) return place;
  }
  return undefined;
}

describe("two schedulers", () => {
  const script = fileURLToPath(new URL("../../services/scheduler/dist/main.js", import.meta.url));
  let target: Target | undefined;
  let client: Client | undefined;
  let schedulers: readonly Process[] = [];
  before(async () => {
    target = await startStandalone({ args: ["--simulate-nodes=5", "--scheduler=false", "--node-cpu=4"] });
    client = createClient(await readClientConfig(target.clientConfig));
    const args = [
      ...[`--orchconfig=${target.clientConfig}`, "--api-dialect=kubernetes"],
      ...["--leader-elect-lease-duration=3s", "--leader-elect-renew-deadline=2s", "--leader-elect-retry-period=500ms"],
    ];
    schedulers = await Promise.all(
      [0, 1].map((i) => startProcess({ name: `scheduler-${i}`, script, args, sameAgain: () => [] })),
    );
  });
  after(async () => {
    for (const scheduler of schedulers) await scheduler.stop();
    await client?.close();
    await target?.stop();
  });

  test("each tells what pods ask for, and why one has no node", async () => {
    assert.ok(client);
    const { create, podThat, clear } = userOf(client);
    await until("accounts of pods", () =>
      client?.get({ ...pods, resource: "serviceaccounts" }, "default").catch(() => undefined),
    );
    await create("large", { cpu: "100" });
    await podThat("large", "is refused", (pod) => conditionOf(pod, "PodScheduled")["status"] === "False");
    for (const { addresses } of schedulers) {
      const at = `http://${addresses["metrics"]}`;
      await until("the pod is there", async () => {
        const page = await (await fetch(`${at}/metrics/resources`)).text();
        return /kube_pod_resource_request\{.*pod="large".*unit="cores"\} 100$/m.test(page) ? true : undefined;
      });
      const explained: unknown = await (await fetch(`${at}/debug/explain-schedule?namespace=default&pod=large`)).json();
      assert.match(JSON.stringify(explained), /"reasons":\["Insufficient cpu"\]/);
    }
    await clear();
  });

  test("whoever leads is killed again and again under load: no pod is lost or bound twice, no node gets more than it has", async (t) => {
    assert.ok(client);
    const running = client;
    const { create } = userOf(running);
    await until("accounts of pods", () =>
      running.get({ ...pods, resource: "serviceaccounts" }, "default").catch(() => undefined),
    );
    const seen = followBindings(running);
    t.after(() => seen.stop());
    // More than the nodes have: who is left must be refused until others go.
    const made: string[] = [];
    const load = { goesOn: true };
    const loading = (async () => {
      for (let i = 0; load.goesOn; i++) {
        const name = `p-${i}`;
        await create(name, { cpu: "500m" });
        made.push(name);
        // Those that are to be left are the last ones.
        const old = made[made.length - room - 1];
        if (old !== undefined && i % 2 === 0)
          await running.delete(pods, old, { gracePeriodSeconds: 0 }).catch(unlessPast);
        await delay(loadPauseMs);
      }
    })();
    for (let kill = 0; kill < kills; kill++) {
      const place = await until("somebody leads", () => leaderAmong(schedulers), 60_000);
      const before = seen.bound.size;
      await until("pods are bound", () => (seen.bound.size > before || made.length > room ? true : undefined), 60_000);
      if (kill > 0) await delay(killEveryMs);
      const scheduler = schedulers[place];
      await scheduler?.kill();
      await scheduler?.restart();
    }
    load.goesOn = false;
    await loading;
    // Room for all that is left.
    for (const name of made.slice(0, -room)) {
      await running.delete(pods, name, { gracePeriodSeconds: 0 }).catch(unlessPast);
    }
    const left = await until(
      "all have nodes",
      async () => {
        const { items } = await running.list(pods);
        return items.length <= room && items.every((pod) => nodeOf(pod) !== "") ? items : undefined;
      },
      60_000,
    );
    assert.ok(
      made.slice(-room).every((name) => left.some(({ metadata }) => metadata.name === name)),
      "a pod is lost",
    );
    assert.deepEqual(seen.wrongs, []);
    assert.ok(seen.most <= perNode, `a node had ${seen.most} pods`);
  });
});
