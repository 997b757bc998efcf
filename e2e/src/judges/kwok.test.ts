import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { valueAt } from "@orch/api/object.js";
import type { Client } from "@orch/client/http/http.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { clientOf } from "../harness/clients.js";
import { buildSaying, type ForeignProgram, startForeignProgram } from "../harness/foreign-program.js";
import { type Kubectl, kubectlIn, kubectlMissing } from "../harness/kubectl.js";
import { type StandaloneTarget, startStandalone } from "../harness/target.js";
import { until } from "../harness/until.js";

/** A simulator of nodes that others wrote, kwok, drives nodes and pods beside our own. */
let folder: string;
let target: StandaloneTarget;
let client: Client;
let missing: string | undefined;
let kwok: ForeignProgram | undefined;

const itsNodes = ["kwok-0", "kwok-1"];
const ourNodes = ["node-0", "node-1"];
const core = (resource: string, namespace?: string): Collection => ({
  ...{ group: "", version: "v1", resource },
  ...(namespace === undefined ? {} : { namespace }),
});

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-kwok-"));
  const to = join(folder, "kwok");
  const unbuilt = await buildSaying("kwok", { module: "kwok", package: "sigs.k8s.io/kwok/cmd/kwok", to });
  missing = (await kubectlMissing()) ?? (unbuilt === undefined ? undefined : `SKIPPED: ${unbuilt}`);
  if (missing !== undefined) return;
  target = await startStandalone({ args: ["--controllers=*", "--simulate-nodes=2", "--pod-grace=100ms"] });
  client = await clientOf(target);
  for (const name of itsNodes) await client.create(core("nodes"), nodeOf(name));
  // What lies in a home folder is none of this.
  await writeFile(join(folder, "kwok.yaml"), "");
  kwok = startForeignProgram(to, [
    `--kubeconfig=${target.clientConfig}`,
    `--config=${join(folder, "kwok.yaml")}`,
    ...["--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake", "--node-lease-duration-seconds=40"],
  ]);
});
after(async () => {
  await kwok?.stop();
  await client?.close();
  await target?.stop();
  await rm(folder, { recursive: true, force: true });
});

const nodeOf = (name: string) => ({
  metadata: {
    name,
    annotations: { "kwok.x-k8s.io/node": "fake" },
    labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", type: "kwok" },
  },
});

async function inNamespace(t: TestContext, namespace: string): Promise<Kubectl | undefined> {
  if (missing === undefined) return await kubectlIn({ target, folder, namespace });
  t.skip(missing);
  return undefined;
}

const hasCondition = (object: ApiObject, type: string): boolean => {
  const conditions = valueAt(object, "status.conditions");
  return Array.isArray(conditions) && conditions.some((each) => each.type === type && each.status === "True");
};
const eventually = <T>(what: string, ask: () => Promise<T | undefined>): Promise<T> =>
  until(what, ask, 60_000).catch((error: unknown) => assert.fail(`${String(error)}\n${kwok?.log().slice(-3000)}`));

describe("kwok", () => {
  test("keeps its nodes ready, with leases of its own, and leaves ours alone", async (t) => {
    const kubectl = await inNamespace(t, "nodes");
    if (kubectl === undefined) return;
    const nodes = await eventually("four ready nodes", async () => {
      const { items } = await client.list(core("nodes"));
      return items.length === 4 && items.every((node) => hasCondition(node, "Ready")) ? items : undefined;
    });
    assert.deepEqual(nodes.map(({ metadata }) => metadata.name).sort(), [...itsNodes, ...ourNodes]);
    const versions = new Map(
      nodes.map((node) => [node.metadata.name, valueAt(node, "status.nodeInfo.kubeletVersion")]),
    );
    for (const name of itsNodes) assert.match(String(versions.get(name)), /^kwok-/);
    for (const name of ourNodes) assert.doesNotMatch(String(versions.get(name)), /kwok/);
    const leases = { group: "coordination.k8s.io", version: "v1", resource: "leases", namespace: "kube-node-lease" };
    for (const name of itsNodes)
      await eventually(`a lease of ${name}`, async () => {
        const { items } = await client.list(leases);
        return items.find(({ metadata }) => metadata.name === name);
      });
    assert.match(await kubectl(["get", "nodes"]), /^kwok-0 +Ready /m);
  });

  test("runs deployments that our scheduler spreads over all nodes, and they are rolled out, scaled and deleted", async (t) => {
    const kubectl = await inNamespace(t, "web");
    if (kubectl === undefined) return;
    await kubectl(["create", "deployment", "web", "--image=nginx:1", "--replicas=8"]);
    await kubectl(["rollout", "status", "deployment/web", "--timeout=60s"]);
    const { items } = await client.list(core("pods", "web"));
    const places = new Set(items.map((pod) => valueAt(pod, "spec.nodeName")));
    assert.deepEqual([...places].sort(), [...itsNodes, ...ourNodes]);
    await kubectl(["set", "image", "deployment/web", "nginx=nginx:2"]);
    await kubectl(["rollout", "status", "deployment/web", "--timeout=60s"]);
    await kubectl(["scale", "deployment/web", "--replicas=2"]);
    await kubectl(["wait", "deployment/web", "--for=jsonpath={.status.replicas}=2", "--timeout=60s"]);
    await kubectl(["delete", "deployment/web", "--timeout=60s"]);
    await eventually("no pods", async () =>
      (await client.list(core("pods", "web"))).items.length === 0 ? true : undefined,
    );
  });

  test("ends jobs, whose pods are counted once, and runs daemons and stateful sets on its nodes", async (t) => {
    const kubectl = await inNamespace(t, "other");
    if (kubectl === undefined) return;
    const onItsNodes = { nodeSelector: { type: "kwok" } };
    const template = (more: object, labels: object = {}) => ({
      metadata: { labels },
      spec: { containers: [{ name: "c", image: "image:1" }], ...onItsNodes, ...more },
    });
    const jobs = { group: "batch", version: "v1", resource: "jobs", namespace: "other" };
    const spec = { completions: 4, parallelism: 2, template: template({ restartPolicy: "Never" }) };
    await client.create(jobs, { metadata: { name: "sums" }, spec });
    await kubectl(["wait", "job/sums", "--for=condition=Complete", "--timeout=60s"]);
    assert.equal(valueAt(await client.get(jobs, "sums"), "status.succeeded"), 4);
    for (const [resource, name, fields] of [
      ["daemonsets", "agent", {}],
      ["statefulsets", "db", { replicas: 2, serviceName: "db" }],
    ] as const) {
      const labels = { app: name };
      const sets = { group: "apps", version: "v1", resource, namespace: "other" };
      const set = { ...fields, selector: { matchLabels: labels }, template: template({}, labels) };
      await client.create(sets, { metadata: { name }, spec: set });
      await kubectl(["rollout", "status", `${resource}/${name}`, "--timeout=60s"]);
      const { items } = await client.list(core("pods", "other"), { labelSelector: `app=${name}` });
      assert.equal(items.length, 2);
    }
  });

  test("gives its pods up when a node is drained, and runs more where an autoscaler wants them", async (t) => {
    const kubectl = await inNamespace(t, "drained");
    if (kubectl === undefined) return;
    await kubectl(["create", "deployment", "web", "--image=nginx:1", "--replicas=4"]);
    await kubectl(["rollout", "status", "deployment/web", "--timeout=60s"]);
    await kubectl(["drain", "kwok-0", "--ignore-daemonsets", "--timeout=60s"]);
    await kubectl(["rollout", "status", "deployment/web", "--timeout=60s"]);
    const { items } = await client.list(core("pods", "drained"));
    assert.ok(items.every((pod) => valueAt(pod, "spec.nodeName") !== "kwok-0" || pod.metadata["deletionTimestamp"]));
    await kubectl(["autoscale", "deployment/web", "--min=5", "--max=6", "--cpu-percent=50"]);
    await kubectl(["wait", "deployment/web", "--for=jsonpath={.status.readyReplicas}=5", "--timeout=60s"]);
    await kubectl(["uncordon", "kwok-0"]);
    assert.match(await kubectl(["get", "node", "kwok-0"]), /^kwok-0 +Ready +/m);
  });
});
