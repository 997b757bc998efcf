import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { type Process, startProcess } from "@orch/deploy/process.js";
import { startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

const nodes: Collection = { group: "", version: "v1", resource: "nodes" };
const pods: Collection = { group: "", version: "v1", resource: "pods", namespace: "default" };
const script = fileURLToPath(new URL("../../services/node-simulator/dist/main.js", import.meta.url));

const stages = `
apiVersion: nodesimulator.config.k8s.io/v1alpha1
kind: NodeSimulatorConfiguration
stages:
- {name: jobs-end, at: Ready, to: Ended, after: 100ms, jitter: 100ms, selector: {matchLabels: {job: "yes"}}}
- {name: probes-fail, at: Ready, to: Unready, after: 100ms, selector: {matchLabels: {flaps: "yes"}}}
`;

const startSimulator = (target: Target, args: readonly string[] = []): Promise<Process> =>
  startProcess({
    name: "node-simulator",
    script,
    args: [
      ...[`--orchconfig=${target.clientConfig}`, `--api-dialect=${target.naming.dialect}`, "--metrics-port=0"],
      ...["--node-lease-period=1s", "--pod-grace=100ms", ...args],
    ],
    sameAgain: () => [],
  });

const fieldOf = (object: ApiObject, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);
const conditionOf = (object: ApiObject, type: string): string | undefined => {
  const conditions = fieldOf(object, "status.conditions");
  const found: unknown = Array.isArray(conditions) ? conditions.find((each) => each.type === type) : undefined;
  return isRecord(found) ? String(found["status"]) : undefined;
};

describe("a node simulator", () => {
  let target: Awaited<ReturnType<typeof startStandalone>> | undefined;
  let client: Client | undefined;
  let simulator: Process | undefined;
  let folder = "";
  const on = () => {
    if (target === undefined || client === undefined || simulator === undefined) throw new Error("not running");
    return { target, client, simulator };
  };
  before(async () => {
    target = await startStandalone();
    client = createClient(await readClientConfig(target.clientConfig));
    folder = await mkdtemp(join(tmpdir(), "orch-simulated-"));
    const file = join(folder, "stages.yaml");
    await writeFile(file, stages);
    const parts = ["--nodes=3", "--node-zones=a,b", "--crash-nodes=node-2", `--pod-stages=${file}`];
    simulator = await startSimulator(target, parts);
    const { client: running } = on();
    await until("accounts of pods", () =>
      running.get({ ...pods, resource: "serviceaccounts" }, "default").catch(() => undefined),
    );
  });
  after(async () => {
    await simulator?.stop();
    await client?.close();
    await target?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const create = (
    name: string,
    { metadata = {}, spec = {} }: { readonly metadata?: object; readonly spec?: object } = {},
  ) =>
    on().client.create(pods, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, ...metadata },
      spec: { nodeName: "node-0", containers: [{ name: "c", image: "image:1" }], ...spec },
    });
  const podThat = (name: string, what: string, holds: (pod: ApiObject) => boolean): Promise<ApiObject> =>
    until(`pod ${name} ${what}`, async () => {
      const pod = await on().client.get(pods, name);
      return holds(pod) ? pod : undefined;
    });
  const isReady = (pod: ApiObject): boolean => conditionOf(pod, "Ready") === "True";

  test("registers its nodes, which say that they are simulated, report ready and hold their leases", async () => {
    const { client } = on();
    const found = await until("three nodes that take pods", async () => {
      const { items } = await client.list(nodes);
      const takesPods = (node: ApiObject): boolean =>
        conditionOf(node, "Ready") === "True" && fieldOf(node, "spec.taints") === undefined;
      return items.length === 3 && items.every(takesPods) ? items : undefined;
    });
    for (const [i, node] of found.entries()) {
      assert.equal(node.metadata.name, `node-${i}`);
      assert.equal(node.metadata.labels?.["sim.kubernetes.io/simulated"], "true");
      assert.equal(node.metadata.labels?.["topology.kubernetes.io/zone"], ["a", "b", "a"][i]);
    }
    const leases = { ...nodes, group: "coordination.k8s.io", resource: "leases", namespace: "kube-node-lease" };
    const renewed = async () => fieldOf(await client.get(leases, "node-1"), "spec.renewTime");
    const first = await until("a lease", () => renewed().catch(() => undefined));
    await until("it is renewed", async () => ((await renewed()) === first ? undefined : true));
    await assert.rejects(
      client.get(leases, "node-2"),
      { reason: "NotFound" },
      "one that has crashed is never heard of",
    );
  });

  test("a node that is deleted is registered again", async () => {
    const { client } = on();
    const before = await client.get(nodes, "node-1");
    await client.delete(nodes, "node-1");
    const again = await until("it is there", () => client.get(nodes, "node-1").catch(() => undefined));
    assert.notEqual(again.metadata.uid, before.metadata.uid);
  });

  test("a pod that is bound runs, with addresses and a status for each container, and goes when it is deleted", async () => {
    await create("runs", { spec: { initContainers: [{ name: "i", image: "init:1" }] } });
    const pod = await podThat("runs", "is ready", isReady);
    assert.equal(fieldOf(pod, "status.phase"), "Running");
    assert.equal(fieldOf(pod, "status.hostIP"), "10.128.0.1");
    assert.match(String(fieldOf(pod, "status.podIP")), /^10\.\d+\.\d+\.\d+$/);
    assert.equal(fieldOf(pod, "status.qosClass"), "BestEffort", "what the server knows of it stays");
    for (const list of ["initContainerStatuses", "containerStatuses"]) {
      const statuses = fieldOf(pod, `status.${list}`);
      assert.ok(Array.isArray(statuses) && statuses.length === 1 && statuses[0].ready === true, list);
    }
    await on().client.delete(pods, "runs");
    await until("it is gone", () =>
      on()
        .client.get(pods, "runs")
        .then(() => undefined)
        .catch(() => true),
    );
  });

  for (const [code, policy, phase] of [
    ["0", "Never", "Succeeded"],
    ["3", "Never", "Failed"],
    ["0", "OnFailure", "Succeeded"],
  ] as const) {
    test(`a pod that ends with ${code} under ${policy} has ${phase}`, async () => {
      const annotations = { "sim.kubernetes.io/run-for": "200ms", "sim.kubernetes.io/exit-code": code };
      const name = `ends-${policy.toLowerCase()}-${code}`;
      await create(name, { metadata: { annotations }, spec: { restartPolicy: policy } });
      const pod = await podThat(name, "has ended", (each) => fieldOf(each, "status.phase") === phase);
      const [status] = Object(fieldOf(pod, "status.containerStatuses"));
      assert.equal(status.state.terminated.exitCode, Number(code));
    });
  }

  test("one that is to run always waits to be started again", async () => {
    const annotations = { "sim.kubernetes.io/run-for": "100ms", "sim.kubernetes.io/exit-code": "1" };
    await create("crashes", { metadata: { annotations } });
    const pod = await podThat("crashes", "waits", (each) => {
      const [status] = Object(fieldOf(each, "status.containerStatuses") ?? []);
      return status?.state?.waiting?.reason === "CrashLoopBackOff";
    });
    const [status] = Object(fieldOf(pod, "status.containerStatuses"));
    assert.deepEqual([status.restartCount, status.lastState.terminated.exitCode], [1, 1]);
  });

  test("stages of the file lead pods that they select", async () => {
    await create("job", { metadata: { labels: { job: "yes" } }, spec: { restartPolicy: "Never" } });
    await podThat("job", "has succeeded", (each) => fieldOf(each, "status.phase") === "Succeeded");
    await create("flaps", { metadata: { labels: { flaps: "yes" } } });
    await podThat("flaps", "was ready and is not", (each) => {
      const started = fieldOf(each, "status.startTime") !== undefined;
      return started && conditionOf(each, "Ready") === "False" && fieldOf(each, "status.phase") === "Running";
    });
  });

  test("a gate that somebody else opens makes a pod ready", async () => {
    const { client } = on();
    await create("gated", { spec: { readinessGates: [{ conditionType: "example.com/open" }] } });
    await podThat("gated", "has running containers", (each) => conditionOf(each, "ContainersReady") === "True");
    assert.equal(isReady(await client.get(pods, "gated")), false);
    const status = { conditions: [{ type: "example.com/open", status: "True" }] };
    await client.patch(pods, "gated", {
      type: "application/strategic-merge-patch+json",
      body: { status },
      subresource: "status",
    });
    await podThat("gated", "is ready", isReady);
  });

  test("pods of a node that has crashed, and of nodes of others, are left alone", async () => {
    await create("lost", { spec: { nodeName: "node-2" } });
    await create("foreign", { spec: { nodeName: "somebody-elses" } });
    await create("last");
    await podThat("last", "is ready", isReady);
    for (const name of ["lost", "foreign"])
      assert.equal(fieldOf(await on().client.get(pods, name), "status.phase"), "Pending");
  });

  test("killed and started again, it goes on where pods stand", async () => {
    const { client, simulator } = on();
    await create("stays");
    const before = await podThat("stays", "is ready", isReady);
    await simulator.kill();
    await create("meanwhile");
    await simulator.restart();
    await podThat("meanwhile", "is ready", isReady);
    const after = await client.get(pods, "stays");
    assert.deepEqual(after["status"], before["status"]);
    const first = await client.get(pods, "meanwhile");
    assert.notEqual(fieldOf(first, "status.podIP"), fieldOf(after, "status.podIP"));
  });
});

test("a server plays nodes by itself: --simulate-nodes", async (t) => {
  const target = await startStandalone({ args: ["--simulate-nodes=2", "--pod-grace=100ms"] });
  const client = createClient(await readClientConfig(target.clientConfig));
  t.after(async () => {
    await client.close();
    await target.stop();
  });
  await until("two nodes", async () => ((await client.list(nodes)).items.length === 2 ? true : undefined));
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } };
  const spec = { nodeName: "node-1", containers: [{ name: "c", image: "image:1" }] };
  await until("a pod is taken", () => client.create(pods, { ...object, spec }).catch(() => undefined));
  await until("it is ready", async () =>
    conditionOf(await client.get(pods, "p"), "Ready") === "True" ? true : undefined,
  );
});
