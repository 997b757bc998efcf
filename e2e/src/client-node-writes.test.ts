import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  ApiException,
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  setHeaderOptions,
  type V1Deployment,
} from "@kubernetes/client-node";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

/** Patches, applies and deletions by the JavaScript client's typed and untyped methods. */
let target: StandaloneTarget;
let config: KubeConfig;
let core: CoreV1Api;
let apps: AppsV1Api;

before(async () => {
  target = await startStandalone({ dialect: "kubernetes" });
  config = new KubeConfig();
  config.loadFromFile(target.clientConfig);
  core = config.makeApiClient(CoreV1Api);
  apps = config.makeApiClient(AppsV1Api);
});
after(() => target.stop());

const newNamespace = async (): Promise<string> => {
  const { metadata } = await core.createNamespace({ body: { metadata: { generateName: "writes-" } } });
  return metadata?.name ?? "";
};

const labels = { app: "web" };
const deployment = (image: string): V1Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", labels },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image }] } },
  },
});

const as = (type: (typeof PatchStrategy)[keyof typeof PatchStrategy]) => setHeaderOptions("Content-Type", type);

const refused = (code: number, text: RegExp) => (error: unknown) =>
  error instanceof ApiException && error.code === code && text.test(JSON.stringify(error.body));

test("typed methods apply, conflict, force and share", async () => {
  const namespace = await newNamespace();
  const apply = (image: string, fieldManager: string, force = false) =>
    apps.patchNamespacedDeployment(
      { namespace, name: "web", body: deployment(image), fieldManager, ...(force ? { force } : {}) },
      as(PatchStrategy.ServerSideApply),
    );
  const made = await apply("example.com/c:1", "one");
  assert.equal(made.metadata?.managedFields?.[0]?.operation, "Apply");
  assert.deepEqual(await apply("example.com/c:1", "one"), made);
  await assert.rejects(apply("example.com/c:2", "two"), refused(409, /conflict with .*one.*image/));
  const forced = await apply("example.com/c:2", "two", true);
  assert.equal(forced.spec?.template.spec?.containers[0]?.image, "example.com/c:2");
  assert.equal(forced.metadata?.managedFields?.length, 2);
  const status = { ...deployment("x"), status: { replicas: 1 } };
  const written = await apps.patchNamespacedDeploymentStatus(
    { namespace, name: "web", body: status, fieldManager: "controller" },
    as(PatchStrategy.ServerSideApply),
  );
  assert.equal(written.status?.replicas, 1);
  assert.equal(written.spec?.template.spec?.containers[0]?.image, "example.com/c:2");
});

test("typed methods patch in the three other ways, and scale", async () => {
  const namespace = await newNamespace();
  await apps.createNamespacedDeployment({ namespace, body: deployment("example.com/c:1") });
  const patch = (body: unknown, type: (typeof PatchStrategy)[keyof typeof PatchStrategy], more = {}) =>
    apps.patchNamespacedDeployment({ namespace, name: "web", body, ...more }, as(type));
  const json = [{ op: "replace", path: "/spec/replicas", value: 3 }];
  assert.equal((await patch(json, PatchStrategy.JsonPatch)).spec?.replicas, 3);
  assert.equal((await patch({ spec: { paused: true } }, PatchStrategy.MergePatch)).spec?.paused, true);
  const spec = { template: { spec: { containers: [{ name: "d", image: "i" }] } } };
  const merged = await patch({ spec }, PatchStrategy.StrategicMergePatch);
  assert.deepEqual(
    merged.spec?.template.spec?.containers.map(({ name }) => name),
    ["d", "c"],
  );
  const strict = { fieldValidation: "Strict" };
  await assert.rejects(
    patch({ spec: { surplus: 1 } }, PatchStrategy.MergePatch, strict),
    refused(400, /unknown field .*spec\.surplus/),
  );
  const dry = await patch({ spec: { replicas: 9 } }, PatchStrategy.MergePatch, { dryRun: "All" });
  assert.equal(dry.spec?.replicas, 9);
  const scale = await apps.patchNamespacedDeploymentScale(
    { namespace, name: "web", body: { spec: { replicas: 5 } } },
    as(PatchStrategy.MergePatch),
  );
  assert.equal(scale.spec?.replicas, 5);
  assert.equal((await apps.readNamespacedDeployment({ namespace, name: "web" })).spec?.replicas, 5);
});

test("untyped methods apply, patch and delete what they find by discovery", async () => {
  const namespace = await newNamespace();
  const untyped = KubernetesObjectApi.makeApiClient(config);
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m", namespace } };
  const data = (value: string) => ({ ...object, data: { k: value } });
  await untyped.patch(data("1"), undefined, undefined, "one", undefined, PatchStrategy.ServerSideApply);
  await assert.rejects(
    untyped.patch(data("2"), undefined, undefined, "two", undefined, PatchStrategy.ServerSideApply),
    refused(409, /conflict/),
  );
  await untyped.patch(data("3"), undefined, undefined, undefined, undefined, PatchStrategy.MergePatch);
  assert.deepEqual((await core.readNamespacedConfigMap({ namespace, name: "m" })).data, { k: "3" });
  await untyped.delete(object, undefined, "All");
  await untyped.delete(object);
  await assert.rejects(untyped.read(object), refused(404, /NotFound/));
});

test("deletions hold to preconditions, policies and selectors", async () => {
  const namespace = await newNamespace();
  const owner = await apps.createNamespacedDeployment({ namespace, body: deployment("example.com/c:1") });
  const { uid = "" } = owner.metadata ?? {};
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", uid }];
  for (const name of ["a", "b"]) {
    await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name, labels: { name }, ownerReferences } },
    });
  }
  const remove = (body: object) => apps.deleteNamespacedDeployment({ namespace, name: "web", body });
  await assert.rejects(remove({ preconditions: { uid: "another" } }), refused(409, /UID in the precondition/));
  await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "name=b" });
  await remove({ preconditions: { uid }, propagationPolicy: "Orphan" });
  const gone = () =>
    apps.readNamespacedDeployment({ namespace, name: "web" }).then(
      () => undefined,
      () => true as const,
    );
  await until("the owner is gone", gone);
  const { items } = await core.listNamespacedConfigMap({ namespace });
  assert.deepEqual(
    items.map(({ metadata }) => [metadata?.name, metadata?.ownerReferences]),
    [["a", undefined]],
  );
});
