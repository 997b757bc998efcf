import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord } from "@orch/client/objects.js";
import type { Http } from "../harness/http.js";
import { freshNamespace, namesOf } from "../harness/manifests.js";
import { until } from "../harness/until.js";
import type { On } from "./scene.js";

/** Namespaces that are emptied, and the account that each of them has (rules: Object deletion). */
export function namespaceDeletionSuite(on: On): void {
  emptying(on);
  accounts(on);
}

const pathOf = (namespace: string): string => `/api/v1/namespaces/${namespace}`;

async function gone(http: Http, path: string): Promise<void> {
  await until(`${path} is gone`, async () => ((await http.get(path)).status === 404 ? true : undefined));
}

interface Condition {
  readonly status: unknown;
  readonly reason: unknown;
  readonly message: unknown;
}

async function conditionsOf(http: Http, namespace: string): Promise<ReadonlyMap<string, Condition>> {
  const list = (await http.get(pathOf(namespace))).at("status.conditions");
  const conditions: readonly unknown[] = Array.isArray(list) ? list : [];
  return new Map(
    conditions
      .filter(isRecord)
      .map(({ type, status, reason, message }) => [String(type), { status, reason, message }] as const),
  );
}

function emptying(on: On): void {
  test("a namespace with hundreds of objects of several kinds is emptied and goes", async () => {
    const { http, target } = on();
    const namespace = await freshNamespace(http);
    const core = pathOf(namespace);
    const slices = `/apis/${target.naming.group("discovery")}/v1/namespaces/${namespace}/endpointslices`;
    const kinds: readonly (readonly [string, (name: string) => object])[] = [
      [`${core}/configmaps`, (name) => ({ metadata: { name } })],
      [`${core}/secrets`, (name) => ({ metadata: { name } })],
      [`${core}/services`, (name) => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } })],
      [`${core}/pods`, (name) => ({ metadata: { name }, spec: { containers: [{ name: "c", image: "i" }] } })],
      [slices, (name) => ({ metadata: { name }, addressType: "IPv4", endpoints: [] })],
    ];
    await Promise.all(
      kinds.flatMap(([path, make]) =>
        Array.from({ length: 60 }, async (_, i) => {
          const answer = await http.post(path, make(`n${i}`));
          assert.equal(answer.status, 201, answer.text);
        }),
      ),
    );
    assert.equal((await http.delete(core)).at("status.phase"), "Terminating");
    await gone(http, core);
    for (const [path] of kinds) assert.equal((await http.get(path)).items().length, 0, path);
    // The name is free again, and nothing of before is in it.
    assert.equal((await http.post("/api/v1/namespaces", { metadata: { name: namespace } })).status, 201);
    assert.equal((await http.get(`${core}/configmaps`)).items().length, 0);
  });

  test("a namespace that is held up says by what, and goes when it is held no more", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const maps = `${pathOf(namespace)}/configmaps`;
    const finalizers = ["example.com/hold"];
    for (const name of ["a", "b"]) await http.post(maps, { metadata: { name, finalizers } });
    await http.post(maps, { metadata: { name: "free" } });
    await http.delete(pathOf(namespace));
    const conditions = await until("the conditions are there", async () => {
      const known = await conditionsOf(http, namespace);
      return known.size === 5 ? known : undefined;
    });
    assert.deepEqual(conditions.get("NamespaceContentRemaining"), {
      status: "True",
      reason: "SomeResourcesRemain",
      message: "Some resources are remaining: configmaps. has 2 resource instances",
    });
    assert.deepEqual(conditions.get("NamespaceFinalizersRemaining"), {
      status: "True",
      reason: "SomeFinalizersRemain",
      message: "Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances",
    });
    for (const [type, reason] of [
      ["NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered"],
      ["NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions"],
      ["NamespaceDeletionContentFailure", "ContentDeleted"],
    ] as const) {
      assert.equal(conditions.get(type)?.status, "False", type);
      assert.equal(conditions.get(type)?.reason, reason);
    }
    const held = (await http.get(maps)).items();
    assert.deepEqual(namesOf(held), ["a", "b"]);
    for (const object of held) {
      const answer = await http.put(`${maps}/${object.metadata.name}`, {
        ...object,
        metadata: { ...object.metadata, finalizers: [] },
      });
      assert.equal(answer.status, 200, answer.text);
    }
    await gone(http, pathOf(namespace));
  });

  test("a namespace stays for the finalizers of others when it is empty", async () => {
    const { http, target } = on();
    const { namespaceFinalizer } = target.naming;
    const created = await http.post("/api/v1/namespaces", {
      metadata: { generateName: "e2e-" },
      spec: { finalizers: [namespaceFinalizer, "example.com/mine"] },
    });
    assert.equal(created.status, 201, created.text);
    const path = pathOf(created.object().metadata.name ?? "");
    await http.delete(path);
    await until("only the other finalizer is left", async () => {
      const finalizers = (await http.get(path)).at("spec.finalizers");
      return Array.isArray(finalizers) && finalizers.join() === "example.com/mine" ? true : undefined;
    });
    const object = (await http.get(path)).object();
    assert.equal((await http.put(`${path}/finalize`, { ...object, spec: { finalizers: [] } })).status, 200);
    await gone(http, path);
  });

  test("a pod that runs is given its time before its namespace goes", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const pods = `${pathOf(namespace)}/pods`;
    const spec = { containers: [{ name: "c", image: "i" }], nodeName: "n1", terminationGracePeriodSeconds: 600 };
    await http.post(pods, { metadata: { name: "runs" }, spec });
    await http.delete(pathOf(namespace));
    await until("the pod is said to remain", async () => {
      const remaining = (await conditionsOf(http, namespace)).get("NamespaceContentRemaining");
      return remaining?.message === "Some resources are remaining: pods. has 1 resource instances" ? true : undefined;
    });
    const pod = await http.get(`${pods}/runs`);
    assert.equal(pod.at("metadata.deletionGracePeriodSeconds"), 600, pod.text);
    // What still runs is no failure.
    assert.equal((await conditionsOf(http, namespace)).get("NamespaceDeletionContentFailure")?.status, "False");
    assert.equal((await http.delete(`${pods}/runs`, { gracePeriodSeconds: 0 })).status, 200);
  });
}

function accounts(on: On): void {
  const accountOf = (namespace: string): string => `${pathOf(namespace)}/serviceaccounts/default`;
  const there = (http: Http, namespace: string) =>
    until("the account is there", async () => {
      const answer = await http.get(accountOf(namespace));
      return answer.status === 200 ? answer.object().metadata.uid : undefined;
    });

  test("every namespace gets a service account, and gets it back when it is deleted", async () => {
    const { http } = on();
    await there(http, "default");
    const namespace = await freshNamespace(http);
    const first = await there(http, namespace);
    assert.equal((await http.delete(accountOf(namespace))).status, 200);
    await until("another account is there", async () => {
      const uid = await there(http, namespace);
      return uid === first ? undefined : uid;
    });
  });
}
