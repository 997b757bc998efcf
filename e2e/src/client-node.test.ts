import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  ApiException,
  CoreV1Api,
  DiscoveryV1Api,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  type V1ConfigMap,
  VersionApi,
  Watch,
} from "@kubernetes/client-node";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

let target: StandaloneTarget;
let config: KubeConfig;
let core: CoreV1Api;

before(async () => {
  target = await startStandalone({ dialect: "kubernetes" });
  config = new KubeConfig();
  config.loadFromFile(target.clientConfig);
  core = config.makeApiClient(CoreV1Api);
});
after(() => target.stop());

const newNamespace = async (): Promise<string> => {
  const { metadata } = await core.createNamespace({ body: { metadata: { generateName: "client-" } } });
  return metadata?.name ?? "";
};

test("the JavaScript client creates, reads, replaces, lists and deletes", async () => {
  const namespace = await newNamespace();
  const body: V1ConfigMap = { metadata: { name: "a", labels: { app: "x" } }, data: { k: "v" } };
  const made = await core.createNamespacedConfigMap({ namespace, body });
  assert.ok(made.metadata?.creationTimestamp instanceof Date);
  const read = await core.readNamespacedConfigMap({ namespace, name: "a" });
  assert.deepEqual(read, made);
  const replaced = await core.replaceNamespacedConfigMap({ namespace, name: "a", body: { ...read, data: { k: "w" } } });
  assert.equal(replaced.data?.["k"], "w");
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "b" } } });
  const chosen = await core.listNamespacedConfigMap({ namespace, labelSelector: "app=x" });
  assert.deepEqual(
    chosen.items.map((o) => o.metadata?.name),
    ["a"],
  );
  const page = await core.listNamespacedConfigMap({ namespace, limit: 1 });
  assert.equal(page.metadata?.remainingItemCount, 1);
  const rest = await core.listNamespacedConfigMap({ namespace, limit: 1, _continue: page.metadata?._continue ?? "" });
  assert.deepEqual(
    rest.items.map((o) => o.metadata?.name),
    ["b"],
  );
  const status = await core.deleteNamespacedConfigMap({ namespace, name: "a" });
  assert.equal(status.status, "Success");
  await core.deleteCollectionNamespacedConfigMap({ namespace });
  assert.equal((await core.listNamespacedConfigMap({ namespace })).items.length, 0);
});

test("typed and untyped calls of other kinds work: pods, services, secrets, endpoint slices", async () => {
  const namespace = await newNamespace();
  const spec = { containers: [{ name: "c", image: "i" }] };
  const pod = await core.createNamespacedPod({ namespace, body: { metadata: { name: "p" }, spec } });
  assert.equal(pod.spec?.restartPolicy, "Always");
  const service = { metadata: { name: "s" }, spec: { ports: [{ port: 80, targetPort: "web" }] } };
  assert.equal((await core.createNamespacedService({ namespace, body: service })).spec?.ports?.[0]?.targetPort, "web");
  const secret = { metadata: { name: "t" }, stringData: { k: "v" } };
  assert.equal((await core.createNamespacedSecret({ namespace, body: secret })).data?.["k"], "dg==");
  const slices = config.makeApiClient(DiscoveryV1Api);
  const slice = { metadata: { name: "e" }, addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }] };
  const made = await slices.createNamespacedEndpointSlice({ namespace, body: slice });
  assert.deepEqual(made.endpoints[0]?.addresses, ["10.0.0.1"]);
  // This one finds the path by discovery.
  const untyped = KubernetesObjectApi.makeApiClient(config);
  const object = await untyped.read({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "e", namespace },
  });
  assert.equal(object.metadata?.uid, made.metadata?.uid);
  assert.match((await config.makeApiClient(VersionApi).getCode()).gitVersion, /^v/);
});

test("errors arrive as exceptions with code and Status", async () => {
  const namespace = await newNamespace();
  const expected = (code: number, reason: string) => (error: unknown) =>
    error instanceof ApiException && error.code === code && reasonOf(error) === reason;
  const create = (body: V1ConfigMap) => core.createNamespacedConfigMap({ namespace, body });
  await assert.rejects(core.readNamespacedConfigMap({ namespace, name: "none" }), expected(404, "NotFound"));
  await assert.rejects(create({ metadata: { name: "A_b" } }), expected(422, "Invalid"));
  const first = await create({ metadata: { name: "a" } });
  await assert.rejects(create({ metadata: { name: "a" } }), expected(409, "AlreadyExists"));
  await core.replaceNamespacedConfigMap({ namespace, name: "a", body: { ...first, data: { k: "v" } } });
  const stale = core.replaceNamespacedConfigMap({ namespace, name: "a", body: { ...first, data: { k: "w" } } });
  await assert.rejects(stale, expected(409, "Conflict"));
});

function reasonOf(error: ApiException<unknown>): unknown {
  const body: unknown = typeof error.body === "string" ? JSON.parse(error.body) : error.body;
  return typeof body === "object" && body !== null && "reason" in body ? body.reason : undefined;
}

test("the client's watch tells changes in order", async () => {
  const namespace = await newNamespace();
  const { metadata } = await core.listNamespacedConfigMap({ namespace });
  const seen: string[] = [];
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const request = await new Watch(config).watch(
    path,
    { resourceVersion: metadata?.resourceVersion },
    (phase, object: V1ConfigMap) => void seen.push(`${phase} ${object.metadata?.name}`),
    () => {},
  );
  const made = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "a" } } });
  await core.replaceNamespacedConfigMap({ namespace, name: "a", body: { ...made, data: { k: "v" } } });
  await core.deleteNamespacedConfigMap({ namespace, name: "a" });
  await until("three events", () => (seen.length >= 3 ? true : undefined));
  assert.deepEqual(seen, ["ADDED a", "MODIFIED a", "DELETED a"]);
  request.abort();
});

test("the client's informer follows through a crash and a restart of the server", async () => {
  const namespace = await newNamespace();
  const list = () => core.listNamespacedConfigMap({ namespace });
  const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, list);
  const seen = new Map<string, string>();
  let outages = 0;
  const note = (object: V1ConfigMap): void =>
    void seen.set(object.metadata?.name ?? "", object.metadata?.resourceVersion ?? "");
  informer.on("add", note);
  informer.on("update", note);
  informer.on("delete", (object) => void seen.delete(object.metadata?.name ?? ""));
  // What the client's documentation asks for: start again after an error.
  let stopped = false;
  informer.on("error", () => {
    outages += 1;
    if (!stopped) setTimeout(() => void informer.start(), 50);
  });
  await informer.start();
  const write = async (from: number, to: number): Promise<void> => {
    for (let i = from; i < to; i++) {
      await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: `m-${i}` } } });
      if (i % 3 === 2) await core.deleteNamespacedConfigMap({ namespace, name: `m-${i - 1}` });
    }
  };
  const isMirror = async (): Promise<true | undefined> => {
    const { items } = await list();
    const expected = items.map((o) => `${o.metadata?.name}@${o.metadata?.resourceVersion}`).sort();
    const found = [...seen].map(([name, version]) => `${name}@${version}`).sort();
    return found.join() === expected.join() ? true : undefined;
  };
  await write(0, 60);
  await until("the informer has the first sixty", isMirror);
  await target.process.kill();
  await target.process.restart();
  await write(60, 120);
  await until("the informer has all after the crash", isMirror);
  assert.equal(informer.list().length, seen.size);
  assert.ok(outages > 0, "the crash went by unnoticed");
  stopped = true;
  await informer.stop();
});
