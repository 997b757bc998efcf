import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "@orch/client/objects.js";
import type { Http } from "../harness/http.js";
import { freshNamespace, nameOf, namesOf } from "../harness/manifests.js";
import { until } from "../harness/until.js";
import type { On } from "./scene.js";

/** Objects whose owners go: collected, waited for, or set free (rules: Common object metadata). */
export function garbageCollectionSuite(on: On): void {
  policies(on);
  owners(on);
  namespaces(on);
}

interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion?: boolean;
}

function referenceTo({ apiVersion = "", kind = "", metadata }: ApiObject, blockOwnerDeletion = false): Reference {
  return { apiVersion, kind, name: metadata.name ?? "", uid: metadata.uid ?? "", blockOwnerDeletion };
}

/** Config maps that own each other: ownership asks for no more than metadata. */
async function family(http: Http) {
  const namespace = await freshNamespace(http);
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const at = (name: string): string => `${path}/${name}`;
  return {
    namespace,
    at,
    async create(name: string, ownerReferences: readonly Reference[] = [], finalizers: readonly string[] = []) {
      const answer = await http.post(path, { metadata: { name, ownerReferences, finalizers } });
      assert.equal(answer.status, 201, answer.text);
      return answer.object();
    },
    async change(name: string, change: (metadata: ApiObject["metadata"]) => object): Promise<void> {
      await until(`${name} can be changed`, async () => {
        const object = (await http.get(at(name))).object();
        const answer = await http.put(at(name), { ...object, metadata: change(object.metadata) });
        return answer.status === 200 ? true : undefined;
      });
    },
    gone: (name: string) =>
      until(`${name} is gone`, async () => ((await http.get(at(name))).status === 404 ? true : undefined)),
    get: async (name: string): Promise<ApiObject> => (await http.get(at(name))).object(),
    async names(): Promise<readonly string[]> {
      return namesOf((await http.get(path)).items());
    },
  };
}

interface Chain {
  readonly namespace: string;
  readonly deployment: string;
  readonly replicaSet: string;
  readonly pods: string;
}

/** Deployment → ReplicaSet → two Pods, made by hand. */
async function deploymentChain(http: Http): Promise<Chain> {
  const namespace = await freshNamespace(http);
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "example.com/c:1" }] } };
  const create = async (path: string, body: object): Promise<ApiObject> => {
    const answer = await http.post(path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.object();
  };
  const spec = { selector: { matchLabels: labels }, template };
  const deployment = await create(`${apps}/deployments`, { metadata: { name: "web" }, spec });
  const replicaSet = await create(`${apps}/replicasets`, {
    metadata: { name: "web-1", ownerReferences: [referenceTo(deployment, true)] },
    spec,
  });
  for (const name of ["web-1-a", "web-1-b"]) {
    await create(`/api/v1/namespaces/${namespace}/pods`, {
      metadata: { name, labels, ownerReferences: [referenceTo(replicaSet, true)] },
      spec: template.spec,
    });
  }
  return {
    namespace,
    deployment: `${apps}/deployments/web`,
    replicaSet: `${apps}/replicasets/web-1`,
    pods: `/api/v1/namespaces/${namespace}/pods`,
  };
}

/** Settles when the collector has heard of the chain: each kind has a watch, where what comes later comes after it. */
async function heardOf(http: Http, { namespace, pods }: Chain): Promise<void> {
  const never = { apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "00000000-0000-4000-8000-000000000004" };
  const metadata = { name: "heard", ownerReferences: [never] };
  const containers = [{ name: "c", image: "example.com/c:1" }];
  const selector = { matchLabels: { app: "heard" } };
  const template = { metadata: { labels: selector.matchLabels }, spec: { containers } };
  const made: readonly (readonly [path: string, body: object])[] = [
    [`/apis/apps/v1/namespaces/${namespace}/replicasets`, { metadata, spec: { replicas: 0, selector, template } }],
    [pods, { metadata, spec: { containers } }],
  ];
  for (const [path, body] of made) {
    const answer = await http.post(path, body);
    assert.equal(answer.status, 201, answer.text);
  }
  for (const [path] of made) {
    await until(`${path}/heard is gone`, async () =>
      (await http.get(`${path}/heard`)).status === 404 ? true : undefined,
    );
  }
}

function policies(on: On): void {
  const gone = (http: Http, path: string) =>
    until(`${path} is gone`, async () => ((await http.get(path)).status === 404 ? true : undefined));
  const podsGone = (http: Http, { pods }: Chain) =>
    until("the pods are gone", async () => ((await http.get(pods)).items().length === 0 ? true : undefined));

  test("a deployment that is deleted in the background goes at once, what it owns follows", async () => {
    const { http } = on();
    const chain = await deploymentChain(http);
    assert.equal((await http.delete(chain.deployment, { propagationPolicy: "Background" })).status, 200);
    assert.equal((await http.get(chain.deployment)).status, 404);
    await gone(http, chain.replicaSet);
    await podsGone(http, chain);
  });

  test("a deployment that is deleted in the foreground goes after all that it owns", async () => {
    const { http } = on();
    const chain = await deploymentChain(http);
    await heardOf(http, chain);
    const watch = await http.watch(chain.pods, { resourceVersion: "0" });
    const answer = await http.delete(chain.deployment, {}, { propagationPolicy: "Foreground" });
    assert.deepEqual(answer.at("metadata.finalizers"), ["foregroundDeletion"], answer.text);
    await gone(http, chain.deployment);
    assert.equal((await http.get(chain.replicaSet)).status, 404);
    assert.equal((await http.get(chain.pods)).items().length, 0);
    watch.close();
  });

  test("a deployment that is deleted as an orphan's parent leaves what it owns, without the reference", async () => {
    const { http } = on();
    const chain = await deploymentChain(http);
    const answer = await http.delete(chain.deployment, { propagationPolicy: "Orphan" });
    assert.deepEqual(answer.at("metadata.finalizers"), ["orphan"], answer.text);
    await gone(http, chain.deployment);
    // The collector may hear of the owner before the dependent: that one is set free a little later.
    await until("the reference is gone", async () => {
      const replicaSet = await http.get(chain.replicaSet);
      assert.equal(replicaSet.status, 200);
      return replicaSet.at("metadata.ownerReferences") === undefined ? true : undefined;
    });
    assert.equal((await http.get(chain.pods)).items().length, 2);
  });
}

function owners(on: On): void {
  test("only a dependent that blocks is waited for in the foreground", async () => {
    const { http } = on();
    const f = await family(http);
    const owner = await f.create("owner");
    await f.create("blocks", [referenceTo(owner, true)], ["example.com/hold"]);
    await f.create("does-not", [referenceTo(owner)], ["example.com/hold"]);
    await http.delete(f.at("owner"), { propagationPolicy: "Foreground" });
    const held = (name: string) =>
      until(`${name} is being deleted`, async () => (await f.get(name)).metadata["deletionTimestamp"]);
    await held("blocks");
    await held("does-not");
    assert.equal((await http.get(f.at("owner"))).status, 200);
    await f.change("blocks", (metadata) => ({ ...metadata, finalizers: [] }));
    await f.gone("owner");
    assert.deepEqual(await f.names(), ["does-not"]);
    await f.change("does-not", (metadata) => ({ ...metadata, finalizers: [] }));
  });

  test("an object stays for the owner that is left, without those that are gone", async () => {
    const { http } = on();
    const f = await family(http);
    const [one, two] = [await f.create("one"), await f.create("two")];
    await f.create("child", [referenceTo(one), referenceTo(two)]);
    await http.delete(f.at("one"), { propagationPolicy: "Background" });
    const left = await until("the reference is gone", async () => {
      const list = (await f.get("child")).metadata["ownerReferences"];
      return Array.isArray(list) && list.length === 1 ? list : undefined;
    });
    assert.equal(left[0].uid, two.metadata.uid);
    await http.delete(f.at("two"), { propagationPolicy: "Background" });
    await f.gone("child");
  });

  test("an owner that waits for its dependents is taken out of one that another owner keeps", async () => {
    const { http } = on();
    const f = await family(http);
    const [stays, goes] = [await f.create("stays"), await f.create("goes")];
    await f.create("child", [referenceTo(stays, true), referenceTo(goes, true)]);
    await http.delete(f.at("goes"), { propagationPolicy: "Foreground" });
    await f.gone("goes");
    const list = (await f.get("child")).metadata["ownerReferences"];
    assert.deepEqual(list, [referenceTo(stays, true)]);
  });

  test("an object whose owner never was is collected, as is one whose owner is another by now", async () => {
    const { http } = on();
    const f = await family(http);
    const made = await f.create("made");
    const never = { apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "00000000-0000-4000-8000-000000000001" };
    await f.create("of-never", [never]);
    await f.create("of-another", [{ ...never, name: nameOf(made), uid: "00000000-0000-4000-8000-000000000002" }]);
    await f.gone("of-never");
    await f.gone("of-another");
    assert.deepEqual(await f.names(), ["made"]);
  });

  test("an object whose owner is of an unknown kind stays", async () => {
    const { http } = on();
    const f = await family(http);
    const uid = "00000000-0000-4000-8000-000000000003";
    await f.create("of-widget", [{ apiVersion: "example.com/v1", kind: "Widget", name: "w", uid }]);
    const owner = await f.create("owner");
    await f.create("child", [referenceTo(owner)]);
    await http.delete(f.at("owner"));
    // Later than this one, and collected: the other was looked at as well.
    await f.gone("child");
    assert.deepEqual(await f.names(), ["of-widget"]);
  });

  test("two that own each other go together, whichever is deleted and however", async () => {
    const { http } = on();
    for (const propagationPolicy of ["Background", "Foreground"]) {
      const f = await family(http);
      const a = await f.create("a");
      const b = await f.create("b", [referenceTo(a, true)]);
      await f.change("a", (metadata) => ({ ...metadata, ownerReferences: [referenceTo(b, true)] }));
      assert.equal((await http.delete(f.at("a"), { propagationPolicy })).status, 200);
      await f.gone("a");
      await f.gone("b");
    }
  });
}

function namespaces(on: On): void {
  test("an owner in another namespace counts as absent, and an event says so", async () => {
    const { http } = on();
    const [here, there] = [await family(http), await family(http)];
    const owner = await there.create("owner");
    await until("the owner is known to the collector", async () => {
      const probe = await there.create(`probe-${Math.random().toString(36).slice(2)}`, [
        { ...referenceTo(owner), uid: "00000000-0000-4000-8000-000000000004" },
      ]);
      await there.gone(nameOf(probe));
      return true;
    });
    await here.create("child", [referenceTo(owner)]);
    await here.gone("child");
    const events = `/api/v1/namespaces/${here.namespace}/events`;
    const warning = await until("the event is there", async () => (await http.get(events)).items()[0]);
    assert.equal(warning["reason"], "OwnerRefInvalidNamespace");
    assert.equal(warning["type"], "Warning");
    const text = `[v1/ConfigMap, namespace: ${here.namespace}, name: owner, uid: ${owner.metadata.uid}]`;
    assert.equal(warning["message"], `ownerRef ${text} does not exist in namespace "${here.namespace}"`);
    assert.equal((await http.get(there.at("owner"))).status, 200);
  });

  test("an object in a namespace may have an owner that has none", async () => {
    const { http } = on();
    const f = await family(http);
    const created = await http.post("/api/v1/nodes", { metadata: { generateName: "owner-" } });
    assert.equal(created.status, 201, created.text);
    const node = created.object();
    await f.create("child", [referenceTo(node)]);
    await http.delete(`/api/v1/nodes/${nameOf(node)}`);
    await f.gone("child");
  });

  test("an object without a namespace whose owner has one is never collected", async () => {
    const { http } = on();
    const f = await family(http);
    const owner = await f.create("owner");
    const made = await http.post("/api/v1/nodes", {
      metadata: { generateName: "wrong-", ownerReferences: [referenceTo(owner)] },
    });
    assert.equal(made.status, 201, made.text);
    const path = `/api/v1/nodes/${nameOf(made.object())}`;
    const fieldSelector = `involvedObject.name=${nameOf(made.object())}`;
    const events = "/api/v1/namespaces/default/events";
    // Of an owner that is gone before the collector has seen it nothing is told.
    const warning = await until(
      "the event is there",
      async () => (await http.get(events, { fieldSelector })).items()[0],
    );
    assert.equal(warning["reason"], "OwnerRefInvalidNamespace");
    await f.create("child", [referenceTo(owner)]);
    await http.delete(f.at("owner"));
    await f.gone("child");
    assert.equal((await http.get(path)).status, 200);
    await http.delete(path);
  });
}
