import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { valueAt } from "@orch/api/object.js";
import type { ApiObject } from "@orch/client/objects.js";
import { untilSo } from "../harness/until.js";
import { conformanceCluster, countAt, isLeaving, isReady, type Resource, type Space, templateOf } from "./cluster.js";

/** The behaviours that the public conformance list names for garbage, quotas, budgets, endpoints and namespaces, by its names. */
const cluster = conformanceCluster();

const app = { app: "web" };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const podSpec = templateOf(app).spec;

function replicas(space: Space, name: string, count: number, labels = { app: name }) {
  return space.create("replicationcontrollers", name, {
    spec: { replicas: count, selector: labels, template: templateOf(labels) },
  });
}
const running = (space: Space, count: number) =>
  space.pods(`are ${count}`, (pods) => pods.length === count && pods.every(isReady));

async function deployment(space: Space): Promise<void> {
  const spec = { replicas: 2, selector: { matchLabels: app }, template: templateOf(app) };
  await space.create("deployments", "web", { spec });
  await running(space, 2);
}

const ownerOf = ({ apiVersion, kind, metadata }: ApiObject) => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
});

describe("[sig-api-machinery] Garbage collector", { concurrency: 4 }, () => {
  test("should delete pods created by rc when not orphaning", async () => {
    const space = await cluster.space();
    await replicas(space, "web", 2);
    await running(space, 2);
    await space.remove("replicationcontrollers", "web", "Background");
    await space.counts("pods", 0);
  });

  test("should orphan pods created by rc if delete options say so", async () => {
    const space = await cluster.space();
    await replicas(space, "web", 3);
    await running(space, 3);
    await space.remove("replicationcontrollers", "web", "Orphan");
    await space.counts("replicationcontrollers", 0);
    await pause(1500);
    const pods = await space.list("pods");
    assert.equal(pods.length, 3);
    assert.ok(pods.every((pod) => pod.metadata["ownerReferences"] === undefined && !isLeaving(pod)));
  });

  test("should delete RS created by deployment when not orphaning", async () => {
    const space = await cluster.space();
    await deployment(space);
    await space.remove("deployments", "web", "Background");
    for (const resource of ["deployments", "replicasets", "pods"] as const) await space.counts(resource, 0);
  });

  test("should orphan RS created by deployment when deleteOptions.PropagationPolicy is Orphan", async () => {
    const space = await cluster.space();
    await deployment(space);
    await space.remove("deployments", "web", "Orphan");
    await space.counts("deployments", 0);
    await pause(1500);
    const [set, ...others] = await space.list("replicasets");
    assert.deepEqual([set?.metadata["ownerReferences"], others], [undefined, []]);
    assert.equal((await space.list("pods")).length, 2);
  });

  test("should keep the rc around until all its pods are deleted if the deleteOptions says so", async () => {
    const space = await cluster.space();
    await replicas(space, "web", 3);
    const [held] = await running(space, 3);
    const name = held?.metadata.name ?? "";
    await space.patch("pods", name, { metadata: { finalizers: ["example.com/held"] } });
    await space.remove("replicationcontrollers", "web", "Foreground");
    await space.pods("are one that is held", (pods) => pods.length === 1);
    await pause(500);
    assert.ok(isLeaving(await space.get("replicationcontrollers", "web")));
    await space.patch("pods", name, { metadata: { finalizers: null } });
    for (const resource of ["pods", "replicationcontrollers"] as const) await space.counts(resource, 0);
  });

  test("should not delete dependents that have both valid owner and owner that's waiting for dependents to be deleted", async () => {
    const space = await cluster.space();
    await replicas(space, "first", 4);
    const stays = await replicas(space, "stays", 0);
    const pods = await running(space, 4);
    for (const pod of pods.slice(0, 2)) {
      const ownerReferences = [...Object(pod.metadata["ownerReferences"]), ownerOf(stays)];
      await space.patch("pods", pod.metadata.name ?? "", { metadata: { ownerReferences } });
    }
    await space.remove("replicationcontrollers", "first", "Foreground");
    await space.becomes("namespaces", space.namespace, "is there", () => true);
    await space.counts("replicationcontrollers", 1);
    await space.counts("pods", 2);
    for (const pod of await space.list("pods")) {
      assert.equal(isLeaving(pod), false);
      const [only, ...others] = Object(pod.metadata["ownerReferences"]);
      assert.deepEqual([only.uid, others], [stays.metadata.uid, []]);
    }
  });

  test("should not be blocked by dependency circle", async () => {
    const space = await cluster.space();
    const pods: ApiObject[] = [];
    for (const name of ["pod1", "pod2", "pod3"]) pods.push(await space.create("pods", name, { spec: podSpec }));
    for (const [i, { metadata }] of pods.entries()) {
      const owner = pods[(i + 2) % 3];
      if (owner === undefined) continue;
      const ownerReferences = [
        { ...ownerOf(owner), apiVersion: "v1", kind: "Pod", blockOwnerDeletion: true, controller: true },
      ];
      await space.patch("pods", metadata.name ?? "", { metadata: { ownerReferences } });
    }
    await space.remove("pods", "pod1", "Foreground");
    await space.counts("pods", 0);
  });
});

const quotaIs = (space: Space, name: string, used: Readonly<Record<string, string>>) =>
  space.becomes("resourcequotas", name, `uses ${JSON.stringify(used)}`, (quota) => {
    const counted = Object(valueAt(quota, "status.used"));
    return Object.entries(used).every(([key, value]) => counted[key] === value);
  });
const requests = { requests: { cpu: "500m", memory: "252Mi" }, limits: { cpu: "1", memory: "400Mi" } };
const podWith = (fields: object = {}, resources: object = requests) => ({
  spec: { ...fields, containers: [{ name: "c", image: "image:1", resources }] },
});

/** What a count of objects is captured for, and what is made of it. */
const lives: readonly (readonly [title: string, resource: Resource, key: string, fields: object])[] = [
  ["configMap", "configmaps", "count/configmaps", { data: { a: "b" } }],
  ["secret", "secrets", "secrets", { stringData: { a: "b" } }],
  ["service", "services", "services", { spec: { selector: app, ports: [{ port: 80 }] } }],
  [
    "replica set",
    "replicasets",
    "count/replicasets.apps",
    { spec: { replicas: 0, selector: { matchLabels: app }, template: templateOf(app) } },
  ],
  [
    "replication controller",
    "replicationcontrollers",
    "replicationcontrollers",
    { spec: { replicas: 0, selector: app, template: templateOf(app) } },
  ],
];

describe("[sig-api-machinery] ResourceQuota", { concurrency: 4 }, () => {
  test("should create a ResourceQuota and ensure its status is promptly calculated", async () => {
    const space = await cluster.space();
    await space.create("resourcequotas", "quota", {
      spec: { hard: { pods: "5", services: "2", "count/replicasets.apps": "5" } },
    });
    await quotaIs(space, "quota", { pods: "0", services: "0", "count/replicasets.apps": "0" });
  });

  for (const [title, resource, key, fields] of lives)
    test(`should create a ResourceQuota and capture the life of a ${title}`, async () => {
      const space = await cluster.space();
      const there = (await space.list(resource)).length;
      await space.create("resourcequotas", "quota", { spec: { hard: { [key]: String(there + 1) } } });
      await quotaIs(space, "quota", { [key]: String(there) });
      await space.create(resource, "one", fields);
      await quotaIs(space, "quota", { [key]: String(there + 1) });
      await assert.rejects(space.create(resource, "two", fields), /exceeded quota: quota/);
      await space.remove(resource, "one");
      await quotaIs(space, "quota", { [key]: String(there) });
      await space.create(resource, "two", fields);
    });

  test("should create a ResourceQuota and capture the life of a pod", async () => {
    const space = await cluster.space();
    const hard = { pods: "5", "requests.cpu": "1", "requests.memory": "500Mi", "requests.example.com/dongle": "3" };
    await space.create("resourcequotas", "quota", { spec: { hard } });
    await quotaIs(space, "quota", { pods: "0", "requests.cpu": "0" });
    const dongles = { ...requests.limits, "example.com/dongle": "2" };
    await space.create(
      "pods",
      "one",
      podWith({}, { requests: { ...requests.requests, "example.com/dongle": "2" }, limits: dongles }),
    );
    await quotaIs(space, "quota", {
      pods: "1",
      "requests.cpu": "500m",
      "requests.memory": "252Mi",
      "requests.example.com/dongle": "2",
    });
    const more = { requests: { cpu: "600m", memory: "100Mi" }, limits: { cpu: "1", memory: "400Mi" } };
    await assert.rejects(
      space.create("pods", "two", podWith({}, more)),
      /exceeded quota: quota, requested: requests\.cpu=600m, used: requests\.cpu=500m, limited: requests\.cpu=1/,
    );
    await space.remove("pods", "one");
    await quotaIs(space, "quota", {
      pods: "0",
      "requests.cpu": "0",
      "requests.memory": "0",
      "requests.example.com/dongle": "0",
    });
  });

  test("should verify ResourceQuota with terminating scopes", async () => {
    const space = await cluster.space();
    const hard = { pods: "5", "requests.cpu": "1", "limits.cpu": "2" };
    await space.create("resourcequotas", "ending", { spec: { hard, scopes: ["Terminating"] } });
    await space.create("resourcequotas", "lasting", { spec: { hard, scopes: ["NotTerminating"] } });
    for (const name of ["ending", "lasting"]) await quotaIs(space, name, { pods: "0" });
    await space.create("pods", "long", podWith());
    await quotaIs(space, "lasting", { pods: "1", "requests.cpu": "500m", "limits.cpu": "1" });
    await quotaIs(space, "ending", { pods: "0" });
    await space.remove("pods", "long");
    await quotaIs(space, "lasting", { pods: "0" });
    await space.create("pods", "short", podWith({ activeDeadlineSeconds: 3600 }));
    await quotaIs(space, "ending", { pods: "1", "requests.cpu": "500m", "limits.cpu": "1" });
    await quotaIs(space, "lasting", { pods: "0" });
    await space.remove("pods", "short");
    await quotaIs(space, "ending", { pods: "0" });
  });

  test("should verify ResourceQuota with best effort scope", async () => {
    const space = await cluster.space();
    for (const [name, scope] of [
      ["best", "BestEffort"],
      ["others", "NotBestEffort"],
    ] as const)
      await space.create("resourcequotas", name, { spec: { hard: { pods: "5" }, scopes: [scope] } });
    for (const name of ["best", "others"]) await quotaIs(space, name, { pods: "0" });
    await space.create("pods", "modest", podWith({}, {}));
    await quotaIs(space, "best", { pods: "1" });
    await quotaIs(space, "others", { pods: "0" });
    await space.remove("pods", "modest");
    await quotaIs(space, "best", { pods: "0" });
    await space.create("pods", "asking", podWith());
    await quotaIs(space, "others", { pods: "1" });
    await quotaIs(space, "best", { pods: "0" });
  });

  test("should be able to update and delete ResourceQuota", async () => {
    const space = await cluster.space();
    const hard = { cpu: "1", memory: "500Mi" };
    await space.create("resourcequotas", "quota", { spec: { hard } });
    await space.update("resourcequotas", "quota", (quota) => ({ ...quota, spec: { hard: { ...hard, cpu: "2" } } }));
    await space.becomes("resourcequotas", "quota", "is larger", (quota) => valueAt(quota, "status.hard.cpu") === "2");
    await space.remove("resourcequotas", "quota");
    assert.equal(await space.find("resourcequotas", "quota"), undefined);
  });

  test("should apply changes to a resourcequota status", async () => {
    const space = await cluster.space();
    await space.create("resourcequotas", "quota", { spec: { hard: { cpu: "500m", memory: "500Mi" } } });
    const hardIs = (cpu: string, memory: string) =>
      space.becomes("resourcequotas", "quota", `has ${cpu} and ${memory}`, (quota) => {
        const hard = Object(valueAt(quota, "status.hard"));
        return hard.cpu === cpu && hard.memory === memory;
      });
    await hardIs("500m", "500Mi");
    await space.patch("resourcequotas", "quota", { spec: { hard: { cpu: "1", memory: "1Gi" } } });
    await hardIs("1", "1Gi");
    await space.patch("resourcequotas", "quota", { status: { hard: { cpu: "2" } } }, "status");
    assert.equal(valueAt(await space.get("resourcequotas", "quota"), "spec.hard.cpu"), "1", "the spec stays");
    await hardIs("1", "1Gi");
  });
});

const budget = (space: Space, spec: object, name = "budget") =>
  space.create("poddisruptionbudgets", name, { spec: { selector: { matchLabels: app }, ...spec } }, app);
const allows = (space: Space, count: number) =>
  space.becomes("poddisruptionbudgets", "budget", `allows ${count}`, (object) => {
    const { observedGeneration, disruptionsAllowed } = Object(object["status"]);
    return observedGeneration === object.metadata.generation && disruptionsAllowed === count;
  });
const evicted = (space: Space, name: string) =>
  space.post("pods", name, "eviction", {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name, namespace: space.namespace },
  });

describe("[sig-apps] DisruptionController", { concurrency: 4 }, () => {
  test("should block an eviction until the PDB is updated to allow it", async () => {
    const space = await cluster.space();
    await replicas(space, "web", 3);
    const [pod] = await running(space, 3);
    const name = pod?.metadata.name ?? "";
    await budget(space, { minAvailable: 3 });
    await allows(space, 0);
    assert.equal(await evicted(space, name), 429);
    await space.patch("poddisruptionbudgets", "budget", { spec: { minAvailable: 2 } });
    await allows(space, 1);
    assert.equal(await evicted(space, name), 201);
    await space.patch("poddisruptionbudgets", "budget", { spec: { minAvailable: null, maxUnavailable: "34%" } });
    await allows(space, 2);
  });

  test("should observe PodDisruptionBudget status updated", async () => {
    const space = await cluster.space();
    await budget(space, { minAvailable: 1 });
    await replicas(space, "web", 3);
    await running(space, 3);
    await allows(space, 2);
  });

  test("should create a PodDisruptionBudget, update/patch its status, list and delete a collection", async () => {
    const space = await cluster.space();
    await budget(space, { minAvailable: "1%" });
    await space.update("poddisruptionbudgets", "budget", (object) => ({
      ...object,
      spec: { ...Object(object["spec"]), minAvailable: "2%" },
    }));
    await space.patch("poddisruptionbudgets", "budget", { spec: { minAvailable: "3%" } });
    const disruptedPods = { gone: "2024-01-01T00:00:00Z" };
    await space.patch(
      "poddisruptionbudgets",
      "budget",
      { metadata: { annotations: { seen: "yes" } }, status: { disruptedPods } },
      "status",
    );
    const changed = await space.get("poddisruptionbudgets", "budget", "status");
    assert.deepEqual([valueAt(changed, "spec.minAvailable"), changed.metadata.annotations?.["seen"]], ["3%", "yes"]);
    await budget(space, { minAvailable: 1 }, "second");
    assert.equal((await space.list("poddisruptionbudgets", "app=web")).length, 2);
    await space.removeAll("poddisruptionbudgets", "app=web");
    await space.counts("poddisruptionbudgets", 0);
  });
});

const addressesIn = (slices: readonly ApiObject[]): readonly string[] =>
  slices
    .flatMap((slice) => Object(slice["endpoints"] ?? []).flatMap(({ addresses }: { addresses: string[] }) => addresses))
    .sort();
const slicesOf = async (space: Space, service: string) =>
  await space.list("endpointslices", `kubernetes.io/service-name=${service}`);
/** Slices are written by another controller than Endpoints: neither says anything about the other. */
const slicesHold = (space: Space, service: string, addresses: readonly string[]) =>
  untilSo(`slices of ${service} hold ${addresses.join()}`, async () => {
    return addressesIn(await slicesOf(space, service)).join() === addresses.join();
  });

describe("[sig-network] EndpointSlice", { concurrency: 4 }, () => {
  test("should create and delete Endpoints and EndpointSlices for a Service with a selector specified", async () => {
    const space = await cluster.space();
    await space.create("services", "web", { spec: { selector: app, ports: [{ port: 80 }] } });
    await space.counts("endpoints", 1);
    await space.counts("endpointslices", 1);
    await space.remove("services", "web");
    await space.counts("endpoints", 0);
    await space.counts("endpointslices", 0);
  });

  test("should create Endpoints and EndpointSlices for Pods matching a Service", async () => {
    const space = await cluster.space();
    const ports = [{ name: "http", port: 80, targetPort: 8080 }];
    await space.create("services", "web", { spec: { selector: app, ports } });
    await replicas(space, "web", 3);
    const pods = await running(space, 3);
    const addresses = pods.map((pod) => String(valueAt(pod, "status.podIP"))).sort();
    await space.becomes("endpoints", "web", "has the pods' addresses", (object) => {
      const [subset] = Object(object["subsets"] ?? []);
      return (
        (subset?.addresses ?? [])
          .map(({ ip }: { ip: string }) => ip)
          .sort()
          .join() === addresses.join()
      );
    });
    await slicesHold(space, "web", addresses);
    await space.remove("replicationcontrollers", "web");
    await space.counts("pods", 0);
    await space.becomes("endpoints", "web", "is empty", (object) => object["subsets"] === undefined);
    await slicesHold(space, "web", []);
  });

  test("EndpointSliceMirroring should mirror a custom Endpoints resource through create update and delete", async () => {
    const space = await cluster.space();
    await space.create("services", "custom", { spec: { ports: [{ name: "http", port: 80 }] } });
    const subsets = (ip: string) => [{ addresses: [{ ip }], ports: [{ name: "http", port: 80, protocol: "TCP" }] }];
    const mirrored = (...ips: readonly string[]) => slicesHold(space, "custom", ips);
    await space.create("endpoints", "custom", { subsets: subsets("10.1.2.3") });
    await mirrored("10.1.2.3");
    await space.patch("endpoints", "custom", { subsets: subsets("10.2.3.4") });
    await mirrored("10.2.3.4");
    await space.remove("endpoints", "custom");
    await mirrored();
  });
});

describe("[sig-api-machinery] Namespaces", () => {
  test("should ensure that all pods and services are removed when a namespace is deleted", async () => {
    const space = await cluster.space();
    await replicas(space, "web", 2);
    await running(space, 2);
    await space.create("services", "web", { spec: { selector: app, ports: [{ port: 80 }] } });
    await space.remove("namespaces", space.namespace);
    await untilSo("its end", async () => (await space.find("namespaces", space.namespace)) === undefined, 60_000);
    for (const resource of ["pods", "services", "endpoints", "endpointslices"] as const)
      assert.deepEqual(await space.list(resource), []);
  });

  test("should apply a finalizer to a Namespace", async () => {
    const space = await cluster.space();
    const finalizers = ["e2e.example.com/held", "kubernetes"];
    await space.update("namespaces", space.namespace, (object) => ({ ...object, spec: { finalizers } }), "finalize");
    await space.remove("namespaces", space.namespace);
    const held = await space.becomes("namespaces", space.namespace, "waits for one", (object) => {
      return String(valueAt(object, "spec.finalizers")) === "e2e.example.com/held";
    });
    assert.equal(valueAt(held, "status.phase"), "Terminating");
    assert.equal(countAt(held, "metadata.generation"), 0);
    await space.update(
      "namespaces",
      space.namespace,
      (object) => ({ ...object, spec: { finalizers: [] } }),
      "finalize",
    );
    await untilSo("its end", async () => (await space.find("namespaces", space.namespace)) === undefined, 60_000);
  });
});
