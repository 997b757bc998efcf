import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { type ApiObject, type Collection, isRecord, pathOf } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

const merge = "application/merge-patch+json";
const core = (resource: string, namespace?: string): Collection => ({
  ...{ group: "", version: "v1", resource },
  ...(namespace === undefined ? {} : { namespace }),
});
const nodes = core("nodes");
const pods = core("pods", "default");

const fieldOf = (object: ApiObject, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);
function listIn(object: ApiObject, path: string): readonly Readonly<Record<string, unknown>>[] {
  const list = fieldOf(object, path);
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
const conditionOf = (object: ApiObject, type: string) =>
  listIn(object, "status.conditions").find((condition) => condition["type"] === type);

/** Three nodes run, the fourth is made and never heard of. */
const flags = [
  ...["--simulate-nodes=4", "--node-zones=a,b", "--crash-nodes=node-3", "--node-lease-period=1s", "--pod-grace=100ms"],
  ...["--node-monitor-period=200ms", "--node-monitor-grace-period=10s", "--node-startup-grace-period=3s"],
  ...["--node-eviction-rate=100", "--controllers=*"],
];

describe("services, budgets and nodes", () => {
  let target: Target | undefined;
  let client: Client | undefined;
  const on = () => {
    if (target === undefined || client === undefined) throw new Error("not running");
    return { naming: target.naming, client };
  };
  before(async () => {
    target = await startStandalone({ args: flags });
    client = createClient(await readClientConfig(target.clientConfig));
    const { client: running } = on();
    await until("accounts of pods", () =>
      running.get(core("serviceaccounts", "default"), "default").catch(() => undefined),
    );
    await until("three ready nodes", async () => {
      const { items } = await running.list(nodes);
      return items.filter((node) => conditionOf(node, "Ready")?.["status"] === "True").length >= 3 || undefined;
    });
  });
  after(async () => {
    await client?.close();
    await target?.stop();
  });

  const createPod = (
    name: string,
    { labels = {}, spec = {} }: { readonly labels?: object; readonly spec?: object } = {},
  ) =>
    on().client.create(pods, {
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { name, namespace: "default", labels: { ...labels } },
      spec: {
        containers: [{ name: "c", image: "i", ports: [{ name: "http", containerPort: 8080 }] }],
        nodeName: "node-0",
        ...spec,
      },
    });
  const gone = (name: string) =>
    until(`${name} is gone`, async () => {
      const left = await on()
        .client.get(pods, name)
        .catch((error: unknown) => error);
      return left instanceof ApiError && left.reason === "NotFound" ? true : undefined;
    });
  const ready = (name: string) =>
    until(`${name} is ready`, async () => {
      const pod = await on().client.get(pods, name);
      return conditionOf(pod, "Ready")?.["status"] === "True" ? pod : undefined;
    });
  const slicesOf = async (service: string): Promise<readonly ApiObject[]> => {
    const { naming, client: running } = on();
    const slices = {
      group: naming.group("discovery"),
      version: "v1",
      resource: "endpointslices",
      namespace: "default",
    };
    const { items } = await running.list(slices, { labelSelector: `${naming.key("service-name")}=${service}` });
    return items;
  };
  const endpoints = async (service: string) => (await slicesOf(service)).flatMap((slice) => listIn(slice, "endpoints"));
  const readyNames = async (service: string): Promise<string> => {
    const all = await endpoints(service);
    const names = all.filter(({ conditions }) => isRecord(conditions) && conditions["ready"] === true);
    return names
      .map(({ targetRef }) => (isRecord(targetRef) ? targetRef["name"] : ""))
      .sort()
      .join();
  };
  const createService = (name: string, spec: object) =>
    on().client.create(core("services", "default"), {
      ...{ apiVersion: "v1", kind: "Service", metadata: { name, namespace: "default" } },
      spec: { ports: [{ port: 80, targetPort: "http" }], ...spec },
    });

  test("a service has slices and endpoints of its ready pods", async () => {
    const { client: running } = on();
    await createService("web", { selector: { app: "web" } });
    await until("a placeholder", async () => ((await slicesOf("web")).length === 1 ? true : undefined));
    const labels = { app: "web" };
    await createPod("web-1", { labels });
    await createPod("web-2", { labels });
    await createPod("web-3", { labels, spec: { readinessGates: [{ conditionType: "example.com/gate" }] } });
    await createPod("other", { labels: { app: "other" } });
    await until("both of them", async () => ((await readyNames("web")) === "web-1,web-2" ? true : undefined));
    // The third has an address, and is not ready.
    await until("the third", async () => ((await endpoints("web")).length === 3 ? true : undefined));
    const slice = (await slicesOf("web")).find((each) => listIn(each, "endpoints").length > 0);
    assert.ok(slice);
    assert.deepEqual(
      listIn(slice, "ports").map(({ port, protocol }) => [port, protocol]),
      [[8080, "TCP"]],
    );
    const zones = (await endpoints("web")).map(({ zone }) => zone);
    assert.ok(
      zones.every((zone) => zone === "a" || zone === "b"),
      String(zones),
    );
    const subsets = await until("its endpoints", async () => {
      const object = await running.get(core("endpoints", "default"), "web");
      const [subset] = listIn(object, "subsets");
      const { addresses, notReadyAddresses } = subset ?? {};
      const counts = [addresses, notReadyAddresses].map((list) => (Array.isArray(list) ? list.length : 0));
      return counts.join() === "2,1" ? subset : undefined;
    });
    assert.ok(Array.isArray(subsets["ports"]));
    await running.delete(pods, "web-1", { gracePeriodSeconds: 0 });
    await until("one less", async () => ((await readyNames("web")) === "web-2" ? true : undefined));
  });

  test("endpoints that are kept by hand are mirrored", async () => {
    await createService("by-hand", {});
    await on().client.create(core("endpoints", "default"), {
      ...{ apiVersion: "v1", kind: "Endpoints", metadata: { name: "by-hand", namespace: "default" } },
      subsets: [{ addresses: [{ ip: "192.0.2.7" }], ports: [{ port: 8080 }] }],
    });
    const [endpoint] = await until("a slice", async () => {
      const found = await endpoints("by-hand");
      return found.length === 1 ? found : undefined;
    });
    assert.deepEqual(endpoint?.["addresses"], ["192.0.2.7"]);
  });

  test("a budget lets as many evictions through as its status says", async () => {
    const { client: running } = on();
    const labels = { app: "db" };
    for (const name of ["db-1", "db-2"]) await createPod(name, { labels });
    for (const name of ["db-1", "db-2"]) await ready(name);
    const budgets = { group: "policy", version: "v1", resource: "poddisruptionbudgets", namespace: "default" };
    await running.create(budgets, {
      ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "db", namespace: "default" } },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    });
    const allowed = (count: number) =>
      until(`${count} allowed`, async () => {
        const budget = await running.get(budgets, "db");
        return fieldOf(budget, "status.disruptionsAllowed") === count ? budget : undefined;
      });
    const evict = (name: string) =>
      running.raw({
        method: "POST",
        path: pathOf(pods, name, "eviction"),
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: "default" } }),
      });
    const budget = await allowed(1);
    assert.equal(conditionOf(budget, "DisruptionAllowed")?.["reason"], "SufficientPods");
    await evict("db-1");
    await gone("db-1");
    await allowed(0);
    await assert.rejects(evict("db-2"), (error) => error instanceof ApiError && error.reason === "TooManyRequests");
  });

  const tainted = (name: string) =>
    until(`taints of ${name}`, async () => {
      const node = await on().client.get(nodes, name);
      const key = `node.${on().naming.key("unreachable")}`;
      const effects = listIn(node, "spec.taints").filter((taint) => taint["key"] === key);
      return effects.length === 2 ? node : undefined;
    });

  test("a node that falls silent is Unknown, and its pods go from it", async () => {
    const { naming, client: running } = on();
    const unreachable = `node.${naming.key("unreachable")}`;
    const tolerations = [{ key: unreachable, operator: "Exists", effect: "NoExecute", tolerationSeconds: 1 }];
    await createPod("lost", { spec: { nodeName: "node-3", tolerations } });
    await createPod("patient", { spec: { nodeName: "node-3", tolerations: [{ operator: "Exists" }] } });
    const node = await tainted("node-3");
    const ready = conditionOf(node, "Ready");
    assert.deepEqual([ready?.["status"], ready?.["reason"]], ["Unknown", "NodeStatusUnknown"]);
    const lost = await until("a pod that is to go", async () => {
      const pod = await running.get(pods, "lost");
      return pod.metadata["deletionTimestamp"] === undefined ? undefined : pod;
    });
    assert.equal(conditionOf(lost, "DisruptionTarget")?.["reason"], "DeletionByTaintManager");
    assert.equal((await running.get(pods, "patient")).metadata["deletionTimestamp"], undefined);
  });

  test("a node that nobody heard is Unknown, and its pods are taken away once it is gone", async () => {
    const { client: running } = on();
    await running.create(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "stray" } });
    await createPod("stray", { spec: { nodeName: "stray", tolerations: [{ operator: "Exists" }] } });
    const ready = conditionOf(await tainted("stray"), "Ready");
    assert.deepEqual([ready?.["status"], ready?.["reason"]], ["Unknown", "NodeStatusNeverUpdated"]);
    await running.delete(nodes, "stray");
    await gone("stray");
  });

  test("a node is told how long its agent may keep what it has read, and a cordon keeps pods away", async () => {
    const { naming, client: running } = on();
    const ttl = `node.alpha.${naming.key("ttl")}`;
    await until("its ttl", async () =>
      (await running.get(nodes, "node-0")).metadata.annotations?.[ttl] === "0" ? true : undefined,
    );
    await running.patch(nodes, "node-2", { type: merge, body: { spec: { unschedulable: true } } });
    const taints = await until("its taint", async () => {
      const found = listIn(await running.get(nodes, "node-2"), "spec.taints");
      return found.length > 0 ? found : undefined;
    });
    assert.deepEqual(
      taints.map(({ key, effect }) => [key, effect]),
      [[`node.${naming.key("unschedulable")}`, "NoSchedule"]],
    );
  });
});
