import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  ApiException,
  ApiextensionsV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  KubernetesObjectApi,
  loadYaml,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1CustomResourceDefinition,
  Watch,
} from "@kubernetes/client-node";
import { type StandaloneTarget, startStandalone } from "../harness/target.js";
import { until } from "../harness/until.js";
import { boatsDefinition, plainDefinition, seaGroup } from "./boats.js";

interface Custom extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

const namespace = "default";

/** The JavaScript client and kinds of which it has no models. */
describe("custom kinds and the JavaScript client", { concurrency: 2 }, () => {
  let target: StandaloneTarget;
  let config: KubeConfig;
  let definitions: ApiextensionsV1Api;
  let custom: CustomObjectsApi;
  before(async () => {
    target = await startStandalone({ dialect: "kubernetes" });
    config = new KubeConfig();
    config.loadFromFile(target.clientConfig);
    definitions = config.makeApiClient(ApiextensionsV1Api);
    custom = config.makeApiClient(CustomObjectsApi);
  });
  after(() => target.stop());

  /** Settles when it is established. */
  async function define(text: string): Promise<string> {
    const body: V1CustomResourceDefinition = loadYaml(text);
    const { metadata } = await definitions.createCustomResourceDefinition({ body });
    const name = metadata?.name ?? "";
    await until(`${name} is established`, async () => {
      const { status } = await definitions.readCustomResourceDefinition({ name });
      return status?.conditions?.some((one) => one.type === "Established" && one.status === "True") || undefined;
    });
    return name;
  }

  async function undefine(name: string): Promise<void> {
    await definitions.deleteCustomResourceDefinition({ name });
    await until(`${name} is gone`, () =>
      definitions.readCustomResourceDefinition({ name }).then(
        () => undefined,
        (error: unknown) => is(404)(error) || undefined,
      ),
    );
  }

  const of = (kind: string, name: string, spec: object): Custom & { readonly spec: Record<string, unknown> } => ({
    ...{ apiVersion: `${seaGroup}/v1`, kind, metadata: { name, namespace }, spec: { ...spec } },
  });
  const place = (plural: string) => ({ group: seaGroup, version: "v1", namespace, plural });

  test("objects are written by discovery alone: create, read, patch in each way, apply, list, delete", async () => {
    await define(boatsDefinition);
    const untyped = KubernetesObjectApi.makeApiClient(config);
    const spec = { home: { port: "Kiel" }, crew: [{ name: "eve" }] };
    const made: Custom = await untyped.create(of("Boat", "ann", spec));
    assert.equal(made.spec?.["sails"], 1, "its default");
    const wanted = of("Boat", "ann", { sails: 2 });
    const merged: Custom = await untyped.patch(
      wanted,
      undefined,
      undefined,
      undefined,
      undefined,
      PatchStrategy.MergePatch,
    );
    assert.equal(merged.spec?.["sails"], 2);
    await assert.rejects(
      untyped.patch(wanted, undefined, undefined, undefined, undefined, PatchStrategy.StrategicMergePatch),
      is(415),
    );
    const configuration = of("Boat", "ann", { home: { port: "Kiel" }, crew: [{ name: "bob" }] });
    const applied: Custom = await untyped.patch(
      ...([configuration, undefined, undefined, "node", true, PatchStrategy.ServerSideApply] as const),
    );
    assert.deepEqual(applied.spec?.["crew"], [
      { name: "eve", rank: "hand" },
      { name: "bob", rank: "hand" },
    ]);
    const { items } = await untyped.list(`${seaGroup}/v1`, "Boat", namespace);
    assert.deepEqual(
      items.map(({ metadata }) => metadata?.name),
      ["ann"],
    );
    await assert.rejects(untyped.create(of("Boat", "bad", { home: {} })), is(422));
    const at = { ...place("boats"), name: "ann" };
    const scaled: unknown = await custom.patchNamespacedCustomObjectScale(
      { ...at, body: { spec: { replicas: 3 } } },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
    assert.ok(typeof scaled === "object" && scaled !== null && "kind" in scaled && scaled.kind === "Scale");
    const told: Custom = await custom.patchNamespacedCustomObjectStatus(
      { ...at, body: [{ op: "add", path: "/status", value: { sails: 3 } }] },
      setHeaderOptions("Content-Type", PatchStrategy.JsonPatch),
    );
    assert.deepEqual([told.status, told.spec?.["sails"]], [{ sails: 3 }, 3]);
    await untyped.delete(of("Boat", "ann", {}));
    await assert.rejects(untyped.read({ ...of("Boat", "ann", {}), metadata: { name: "ann", namespace } }), is(404));
  });

  test("pages hold together, and a watch goes on from the list", async () => {
    await define(plainDefinition("skiffs", "Skiff"));
    const at = place("skiffs");
    for (let i = 0; i < 5; i++)
      await custom.createNamespacedCustomObject({ ...at, body: of("Skiff", `s${i}`, { size: i }) });
    const names: string[] = [];
    let token: string | undefined;
    let version = "";
    do {
      const page: KubernetesListObject<Custom> = await custom.listNamespacedCustomObject({
        ...{ ...at, limit: 2 },
        ...(token === undefined ? {} : { _continue: token }),
      });
      names.push(...page.items.map(({ metadata }) => metadata?.name ?? ""));
      ({ _continue: token, resourceVersion: version = "" } = metadataOf(page));
    } while (token !== undefined && token !== "");
    assert.deepEqual(names, ["s0", "s1", "s2", "s3", "s4"]);
    const seen: string[] = [];
    const path = `/apis/${seaGroup}/v1/namespaces/${namespace}/skiffs`;
    const stream = await new Watch(config).watch(
      path,
      { resourceVersion: version, allowWatchBookmarks: true },
      (phase, object: Custom) => void seen.push(`${phase} ${object.metadata?.name}`),
      () => {},
    );
    await custom.deleteNamespacedCustomObject({ ...at, name: "s0" });
    await until("the deletion is told", () => seen.includes("DELETED s0") || undefined);
    assert.deepEqual(seen, ["DELETED s0"]);
    stream.abort();
  });

  test("an informer lives on where its definition is deleted and created anew", async () => {
    const definition = plainDefinition("kayaks", "Kayak");
    const name = await define(definition);
    const at = place("kayaks");
    const create = (object: string) =>
      custom.createNamespacedCustomObject({ ...at, body: of("Kayak", object, { size: 1 }) });
    await create("first");
    const list = (): Promise<KubernetesListObject<Custom>> => custom.listNamespacedCustomObject(at);
    const informer = makeInformer<Custom>(config, `/apis/${seaGroup}/v1/namespaces/${namespace}/kayaks`, list);
    const seen: string[] = [];
    for (const what of ["add", "update", "delete"] as const) {
      informer.on(what, (object) => void seen.push(`${what} ${object.metadata?.name}`));
    }
    let stopped = false;
    // What the client's documentation asks for: start again after an error.
    const again = (): void => {
      if (!stopped) setTimeout(() => void informer.start().catch(again), 50);
    };
    informer.on("error", again);
    await informer.start();
    assert.deepEqual(seen, ["add first"]);
    await undefine(name);
    await until("the deletion is told", () => seen.includes("delete first") || undefined);
    await define(definition);
    await create("second");
    await until("the new object is told", () => seen.includes("add second") || undefined);
    await custom.deleteNamespacedCustomObject({ ...at, name: "second" });
    await until("its deletion is told", () => seen.includes("delete second") || undefined);
    assert.deepEqual(seen, ["add first", "delete first", "add second", "delete second"]);
    stopped = true;
    await informer.stop();
  });
});

const is =
  (code: number) =>
  (error: unknown): boolean =>
    error instanceof ApiException && error.code === code;

/** The client has models for the metadata of its own kinds' lists alone. */
function metadataOf(list: object): { readonly _continue?: string; readonly resourceVersion?: string } {
  const { metadata } = Object(list);
  return { _continue: metadata?.continue, resourceVersion: metadata?.resourceVersion };
}
