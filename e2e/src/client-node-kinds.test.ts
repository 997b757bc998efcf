import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import * as client from "@kubernetes/client-node";
import { type Kind, loadCatalog } from "@orch/api/catalog.js";
import { type ApiObject, isApiObject, isRecord } from "@orch/client/objects.js";
import { printYaml } from "@orch/codec/yaml/yaml.js";
import { createNaming } from "@orch/naming/naming.js";
import { livingKinds, type Manifest, readManifests } from "./harness/manifest-files.js";
import { nameOf, versionOf } from "./harness/manifests.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

const everything = "api/all=true";
const naming = createNaming("kubernetes");
const catalog = loadCatalog(naming, { runtimeConfig: [everything] });
const served = catalog
  .groups()
  .flatMap((group) => group.versions.flatMap((version) => catalog.kindsOf(group.name, version)));
const { namespace, kinds } = readManifests();

let target: StandaloneTarget;
let config: client.KubeConfig;
before(async () => {
  target = await startStandalone({
    dialect: "kubernetes",
    // What is deleted is gone at once.
    args: [
      "--secure-port=0",
      `--runtime-config=${everything}`,
      "--disable-admission-plugins=StorageObjectInUseProtection",
    ],
  });
  config = new client.KubeConfig();
  config.loadFromFile(target.clientConfig);
  const core = config.makeApiClient(client.CoreV1Api);
  await core.createNamespace({ body: { metadata: { name: namespace } } });
});
after(() => target.stop());

/** Its models and methods are made from the reference's own description of the API. */
describe("the JavaScript client's typed methods", { concurrency: 4 }, () => {
  for (const manifest of kinds.filter(({ object }) => !livingKinds.has(object.kind))) {
    const { apiVersion, kind } = manifest.object;
    test(`${kind} ${apiVersion}: create, read, list, replace, delete`, () => lifeOf(manifest));
  }
});

test("the JavaScript client defines a resource, uses it and takes it away", async () => {
  const manifest = kinds.find(({ object }) => object.kind === "CustomResourceDefinition");
  const definition: client.V1CustomResourceDefinition = client.loadYaml(printYaml(manifest?.object ?? {}));
  const definitions = config.makeApiClient(client.ApiextensionsV1Api);
  const { name } = manifest?.object.metadata ?? { name: "" };
  await definitions.createCustomResourceDefinition({ body: definition });
  const established = await until("it is established", async () => {
    const read = await definitions.readCustomResourceDefinition({ name });
    const isThere = read.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True");
    return isThere === true ? read : undefined;
  });
  const { plural, kind } = definition.spec.names;
  assert.equal(established.status?.acceptedNames?.plural, plural);
  const custom = config.makeApiClient(client.CustomObjectsApi);
  const at = { group: definition.spec.group, version: definition.spec.versions[0]?.name ?? "", namespace, plural };
  const body = (of: string, spec: object) => ({
    apiVersion: `${at.group}/${at.version}`,
    kind,
    metadata: { name: of },
    spec,
  });
  const made: unknown = await custom.createNamespacedCustomObject({ ...at, body: body("a", {}) });
  assert.ok(isRecord(made) && isRecord(made["spec"]));
  assert.equal(made["spec"]["size"], 1, "its default");
  await assert.rejects(custom.createNamespacedCustomObject({ ...at, body: body("b", { size: 0 }) }), is(422));
  const list: unknown = await custom.listNamespacedCustomObject(at);
  assert.ok(isRecord(list) && Array.isArray(list["items"]) && list["items"].length === 1);
  await definitions.deleteCustomResourceDefinition({ name });
  await until("it is gone with its objects", async () => {
    const error: unknown = await definitions.readCustomResourceDefinition({ name }).then(
      () => undefined,
      (refused: unknown) => refused,
    );
    return is(404)(error) || undefined;
  });
  await assert.rejects(custom.listNamespacedCustomObject(at), is(404));
});

const is =
  (code: number) =>
  (error: unknown): boolean =>
    error instanceof client.ApiException && error.code === code;

async function lifeOf({ object, status }: Manifest): Promise<void> {
  const { name } = object.metadata;
  const kind = catalog.kind(object.apiVersion, object.kind);
  assert.ok(kind !== undefined);
  const typed: object = client.loadYaml(printYaml(object));
  const created = await ask("create", kind, { body: typed });
  assert.ok(created.metadata["creationTimestamp"] instanceof Date);
  const versions = served.filter((other) => other.hub === kind.hub && hasMethods(other));
  assert.ok(versions.includes(kind), `the client has no ${kind.apiVersion} ${kind.kind}`);
  for (const version of versions) await readAndReplace(version, name);
  if (status !== undefined) {
    const { metadata } = await ask("read", kind, { name });
    const withStatus = client.loadYaml<object>(printYaml({ ...object, status }));
    const body = { ...withStatus, metadata: { ...metadata } };
    const replaced = await ask("replace", kind, { name, body }, "Status");
    const written = replaced["status"];
    assert.ok(isRecord(written), "no status in the answer");
    for (const field of Object.keys(status)) assert.ok(written[field] !== undefined, `status.${field} is not there`);
  }
  await remove(kind, name);
}

/** What the client read it can send back: nothing that it knows of is lost or changed. */
async function readAndReplace(kind: Kind, name: string): Promise<void> {
  const read = await ask("read", kind, { name });
  const list = await call("list", kind, {});
  assert.ok(isRecord(list) && Array.isArray(list["items"]));
  const item: unknown = list["items"].find((o) => isApiObject(o) && nameOf(o) === name);
  // Items do not say of what kind they are.
  assert.ok(isApiObject(item));
  assert.deepEqual({ ...item, kind: read.kind, apiVersion: read.apiVersion }, { ...read });
  const replaced = await ask("replace", kind, { name, body: read });
  assert.deepEqual({ ...replaced, metadata: undefined }, { ...read, metadata: undefined }, kind.apiVersion);
  // Its times have no microseconds.
  if (!hasMicroTimes(read)) assert.equal(versionOf(replaced), versionOf(read), `${kind.apiVersion} was changed`);
  const { labels } = replaced.metadata;
  const metadata = { ...replaced.metadata, labels: { ...labels, by: kind.version } };
  const labelled = await ask("replace", kind, { name, body: { ...replaced, metadata } });
  assert.ok(isDeepStrictEqual(labelled.metadata.labels, metadata.labels));
}

function hasMicroTimes(value: unknown): boolean {
  if (value instanceof client.V1MicroTime) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasMicroTimes);
}

async function remove(kind: Kind, name: string): Promise<void> {
  // Of a few kinds dependents are let go of first, by somebody else, where nothing is said.
  await call("delete", kind, { name, propagationPolicy: "Background" });
  if (kind.kind === "Namespace") return;
  await assert.rejects(ask("read", kind, { name }), is(404));
}

type Verb = "create" | "read" | "list" | "replace" | "delete";

/** The methods of a group-version's class: `FlowcontrolApiserverV1Api`. */
function apiOf({ group, version }: Kind): object | undefined {
  const title = group === "" ? "Core" : group.replace(`.${naming.metaGroup.replace(/^meta\./, "")}`, "");
  const words = [...title.split("."), version].map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  const found: unknown = Reflect.get(client, `${words.join("")}Api`);
  return isApiClass(found) ? config.makeApiClient(found) : undefined;
}

function isApiClass(value: unknown): value is client.ApiConstructor<object> {
  return typeof value === "function" && value.prototype instanceof Object;
}

function methodName(verb: Verb, { namespaced, kind }: Kind): string {
  return `${verb}${namespaced ? "Namespaced" : ""}${kind}`;
}

function hasMethods(kind: Kind): boolean {
  const api = apiOf(kind);
  return api !== undefined && Reflect.has(api, methodName("read", kind));
}

async function call(verb: Verb, kind: Kind, parameters: object, part = ""): Promise<unknown> {
  const api = apiOf(kind);
  const name = `${methodName(verb, kind)}${part}`;
  const method: unknown = api === undefined ? undefined : Reflect.get(api, name);
  assert.ok(typeof method === "function", `the client has no ${kind.apiVersion} ${name}`);
  return Reflect.apply(method, api, [{ ...(kind.namespaced ? { namespace } : {}), ...parameters }]);
}

async function ask(verb: Verb, kind: Kind, parameters: object, part = ""): Promise<ApiObject> {
  const answer = await call(verb, kind, parameters, part);
  assert.ok(isApiObject(answer), JSON.stringify(answer));
  return answer;
}
