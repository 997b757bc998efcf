import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, type Call, type Http, type PatchType, valueAt, withValueAt } from "../harness/http.js";
import { readManifests } from "../harness/manifest-files.js";
import { freshNamespace, nameOf, versionOf } from "../harness/manifests.js";
import { assertFailure, done } from "../harness/status.js";
import type { On } from "./scene.js";

/** Spec 1: Query parameters, dryRun: every verb and subresource goes its whole way, and stores nothing. */
export function dryRunSuite(on: On): void {
  everyVerb(on);
  sameErrors(on);
  numbers(on);
  values(on);
}

const labels = { app: "web" };
// A volume for a token would have a random name.
const podSpec = { containers: [{ name: "c", image: "example.com/c:1" }], automountServiceAccountToken: false };
const deploymentSpec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };

/** One request of every sort, in the order in which they can be made for real. */
interface Step {
  readonly title: string;
  readonly call: Call;
}

const patchTypes: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  "strategic-merge": "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

function patchOf(path: string, type: PatchType, body: object): Call {
  const query = type === "apply" ? { fieldManager: "one", force: true } : {};
  const headers = { "content-type": patchTypes[type] };
  return { method: "PATCH", path, query, headers, body: JSON.stringify(body) };
}

function stepsIn(namespace: string, coordination: string): readonly Step[] {
  const core = `/api/v1/namespaces/${namespace}`;
  const maps = `${core}/configmaps`;
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const leases = `/apis/${coordination}/v1/namespaces/${namespace}/leases`;
  const map = (name: string, data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
  const post = (path: string, body: object): Call => ({ method: "POST", path, body });
  const put = (path: string, body: object): Call => ({ method: "PUT", path, body });
  return [
    { title: "create", call: post(maps, map("a", { k: "1" })) },
    { title: "create of another", call: post(maps, { ...map("b", {}), metadata: { name: "b", labels } }) },
    { title: "create with generateName", call: post(maps, { metadata: { generateName: "made-", labels } }) },
    { title: "create by apply", call: patchOf(`${maps}/applied`, "apply", map("applied", { k: "1" })) },
    { title: "create by PUT", call: put(`${leases}/l`, { metadata: { name: "l" }, spec: { holderIdentity: "x" } }) },
    { title: "update", call: put(`${maps}/a`, map("a", { k: "2" })) },
    { title: "JSON patch", call: patchOf(`${maps}/a`, "json", [{ op: "add", path: "/data/j", value: "1" }]) },
    { title: "merge patch", call: patchOf(`${maps}/a`, "merge", { data: { m: "1" } }) },
    { title: "strategic merge patch", call: patchOf(`${maps}/a`, "strategic-merge", { data: { s: "1" } }) },
    { title: "apply", call: patchOf(`${maps}/a`, "apply", map("a", { k: "3" })) },
    { title: "create of a deployment", call: post(deployments, { metadata: { name: "d" }, spec: deploymentSpec }) },
    {
      title: "update of a status",
      call: put(`${deployments}/d/status`, { metadata: { name: "d" }, status: { replicas: 2 } }),
    },
    { title: "patch of a status", call: patchOf(`${deployments}/d/status`, "merge", { status: { replicas: 3 } }) },
    {
      title: "apply of a status",
      call: patchOf(`${deployments}/d/status`, "apply", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        status: { replicas: 4 },
      }),
    },
    {
      title: "update of a scale",
      call: put(`${deployments}/d/scale`, { metadata: { name: "d" }, spec: { replicas: 2 } }),
    },
    { title: "patch of a scale", call: patchOf(`${deployments}/d/scale`, "merge", { spec: { replicas: 3 } }) },
    { title: "create of a pod", call: post(`${core}/pods`, { metadata: { name: "p", labels }, spec: podSpec }) },
    { title: "create of a second pod", call: post(`${core}/pods`, { metadata: { name: "q", labels }, spec: podSpec }) },
    {
      title: "debugging a pod",
      call: patchOf(`${core}/pods/p/ephemeralcontainers`, "strategic-merge", {
        spec: { ephemeralContainers: [{ name: "debug", image: "example.com/d:1" }] },
      }),
    },
    {
      title: "binding a pod",
      call: post(`${core}/pods/p/binding`, { metadata: { name: "p" }, target: { kind: "Node", name: "n" } }),
    },
    { title: "deletion with time to end", call: { method: "DELETE", path: `${core}/pods/p` } },
    { title: "eviction of a pod", call: post(`${core}/pods/q/eviction`, { metadata: { name: "q" } }) },
    {
      title: "create of a service",
      call: post(`${core}/services`, { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } }),
    },
    { title: "deletion", call: { method: "DELETE", path: `${maps}/a` } },
    { title: "deletion of a collection", call: { method: "DELETE", path: maps, query: { labelSelector: "app=web" } } },
    // Last: the controllers end it some time.
    {
      title: "deletion that waits for dependents",
      call: { method: "DELETE", path: `${deployments}/d`, query: { propagationPolicy: "Foreground" } },
    },
  ];
}

/** The call as a trial. */
const asTrial = (call: Call): Call => ({ ...call, query: { ...call.query, dryRun: "All" } });

/** What differs from one time to the next. */
function lasting(answer: Answer): unknown {
  const passing = ["metadata.resourceVersion", "metadata.uid", "metadata.creationTimestamp", "metadata.managedFields"];
  const more = [
    "metadata.deletionTimestamp",
    "details.uid",
    "metadata.name",
    "items",
    "spec.clusterIP",
    "spec.clusterIPs",
  ];
  return [...passing, ...more].reduce<unknown>((json, path) => withValueAt(json, path, undefined), withStatus(answer));
}

/** Times in conditions pass, too. */
function withStatus(answer: Answer): unknown {
  return JSON.parse(answer.text.replace(/"last(Transition|Update|Probe)Time":"[^"]*"/g, '"time":""'));
}

async function versionOfCollections(http: Http, namespace: string): Promise<readonly unknown[]> {
  const paths = ["configmaps", "pods", "services"].map((resource) => `/api/v1/namespaces/${namespace}/${resource}`);
  const lists = await Promise.all(
    [...paths, `/apis/apps/v1/namespaces/${namespace}/deployments`].map((p) => http.get(p)),
  );
  return lists.map((list) => list.items());
}

function everyVerb(on: On): void {
  test("a dry run of every verb answers as the real request does, and nothing comes of it", async () => {
    const { http, target } = on();
    const namespace = await freshNamespace(http);
    const coordination = target.naming.group("coordination");
    const watch = await http.watch(`/api/v1/namespaces/${namespace}/configmaps`, { resourceVersion: "0" });
    const told: string[] = [];
    for (const { title, call } of stepsIn(namespace, coordination)) {
      const before = await versionOfCollections(http, namespace);
      const dry = await done(http.call(asTrial(call)));
      assert.deepEqual(await versionOfCollections(http, namespace), before, `${title} stored something`);
      const real = await done(http.call(call));
      assert.equal(dry.status, real.status, title);
      assert.deepEqual(lasting(dry), lasting(real), title);
      if (real.at("kind") !== "ConfigMap") continue;
      const object = real.object();
      told.push(`${real.status === 201 ? "ADDED" : "MODIFIED"} ${nameOf(object)}@${versionOf(object)}`);
    }
    const events = await watch.take(told.length);
    watch.close();
    assert.deepEqual(
      events.map((event) => event.text),
      told,
      "a watch hears of what was done for real, and of nothing else",
    );
  });

  test("a namespace's end and a certificate's approval have trials, too", async () => {
    const { http, target } = on();
    const namespace = await freshNamespace(http);
    const path = `/api/v1/namespaces/${namespace}`;
    const dry = await done(http.delete(path, { dryRun: "All" }));
    assert.equal(dry.at("status.phase"), "Terminating");
    const live = await done(http.get(path));
    assert.equal(live.at("status.phase"), "Active");
    const finalized = await done(
      http.put(`${path}/finalize`, { ...live.object(), spec: { finalizers: [] } }, { dryRun: "All" }),
    );
    assert.deepEqual(finalized.at("spec.finalizers") ?? [], []);
    assert.deepEqual((await http.get(path)).json(), live.json());
    const requests = `/apis/${target.naming.group("certificates")}/v1/certificatesigningrequests`;
    const spec = { request: requestText, signerName: "example.com/signer", usages: ["client auth"] };
    const made = await done(http.post(requests, { metadata: { generateName: "csr-" }, spec }));
    const name = nameOf(made.object());
    const condition = { type: "Approved", status: "True", reason: "Tested" };
    const approval = { ...made.object(), status: { conditions: [condition] } };
    const approved = await done(http.put(`${requests}/${name}/approval`, approval, { dryRun: "All" }));
    assert.equal(approved.at("status.conditions.0.type"), "Approved");
    assert.deepEqual((await http.get(`${requests}/${name}`)).json(), made.json());
    await done(http.delete(`${requests}/${name}`));
  });
}

/** A request for a certificate, as the manifests have one. */
const requestText = valueAt(
  readManifests().kinds.find(({ object }) => object.kind === "CertificateSigningRequest"),
  "object.spec.request",
);

function sameErrors(on: On): void {
  test("a dry run fails as the real request does", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await done(http.post(maps, { metadata: { name: "a" }, data: { k: "1" } }));
    await done(http.post(deployments, { metadata: { name: "d" }, spec: { ...deploymentSpec, replicas: 1 } }));
    const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "2" } };
    const rows: readonly (readonly [Call, number])[] = [
      [{ method: "POST", path: maps, body: { metadata: { name: "a" } } }, 409],
      [{ method: "POST", path: maps, body: { metadata: { name: "A_" } } }, 422],
      [{ method: "POST", path: "/api/v1/namespaces/none/configmaps", body: { metadata: { name: "a" } } }, 404],
      [{ method: "POST", path: maps, body: { metadata: { name: "b" }, data: { k: 1 } } }, 400],
      [{ method: "PUT", path: `${maps}/none`, body: { metadata: { name: "none" } } }, 404],
      [{ method: "PUT", path: `${maps}/a`, body: { metadata: { name: "a", resourceVersion: "1" } } }, 409],
      [patchOf(`${maps}/none`, "merge", {}), 404],
      [patchOf(`${maps}/a`, "json", [{ op: "test", path: "/data/k", value: "9" }]), 422],
      [patchOf(`${maps}/a`, "merge", { metadata: { resourceVersion: "1" } }), 409],
      [{ ...patchOf(`${maps}/a`, "apply", applied), query: { fieldManager: "one" } }, 409],
      [patchOf(`${deployments}/d/scale`, "merge", { spec: { replicas: -1 } }), 422],
      [{ method: "DELETE", path: `${maps}/none` }, 404],
      [{ method: "DELETE", path: `${maps}/a`, body: { preconditions: { uid: "other" } } }, 409],
    ];
    for (const [call, code] of rows) {
      const dry = await http.call(asTrial(call));
      const real = await http.call(call);
      assert.equal(real.status, code, real.text);
      assert.deepEqual(withStatus(dry), withStatus(real), `${call.method} ${call.path}`);
    }
  });
}

function numbers(on: On): void {
  test("a dry run of a service takes no address and no port from others", async () => {
    const { http } = on();
    const services = `/api/v1/namespaces/${await freshNamespace(http)}/services`;
    const spec = { type: "NodePort", ports: [{ port: 80 }] };
    const dry = await done(http.post(services, { metadata: { name: "s" }, spec }, { dryRun: "All" }));
    assert.ok(dry.at("spec.clusterIP") !== undefined && dry.at("spec.ports.0.nodePort") !== undefined, dry.text);
    // Whoever asks for one twice gets it twice, since nobody has it.
    const nodePort = 32_001;
    const wanted = { ...spec, ports: [{ port: 80, nodePort }] };
    const trial = (name: string) => http.post(services, { metadata: { name }, spec: wanted }, { dryRun: "All" });
    await done(trial("a"));
    await done(trial("b"));
    const real = await done(http.post(services, { metadata: { name: "real" }, spec: wanted }));
    assertFailure(await trial("c"), { code: 422, reason: "Invalid", message: /nodePort/ });
    // A trial of its deletion gives nothing back.
    await done(http.delete(`${services}/real`, { dryRun: "All" }));
    assertFailure(await trial("c"), { code: 422, reason: "Invalid" });
    const changed = await done(
      http.patch(`${services}/real`, "merge", { spec: { type: "ClusterIP" } }, { dryRun: "All" }),
    );
    assert.equal(changed.at("spec.type"), "ClusterIP");
    assertFailure(await trial("c"), { code: 422, reason: "Invalid" });
    assert.deepEqual((await http.get(`${services}/real`)).json(), real.json());
    await done(http.delete(`${services}/real`));
    await done(trial("c"));
  });
}

function values(on: On): void {
  test("whatever is not All is refused, in a query or in options, and nothing is done", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    const made = await done(http.post(maps, { metadata: { name: "a" } }));
    const calls: readonly (readonly [Call, string])[] = [
      [{ method: "POST", path: maps, body: { metadata: { name: "b" } } }, "CreateOptions"],
      [{ method: "PUT", path: `${maps}/a`, body: { metadata: { name: "a" }, data: { k: "v" } } }, "UpdateOptions"],
      [patchOf(`${maps}/a`, "merge", { data: { k: "v" } }), "PatchOptions"],
      [{ method: "DELETE", path: `${maps}/a` }, "DeleteOptions"],
      [{ method: "DELETE", path: maps }, "DeleteOptions"],
    ];
    const queries: readonly (readonly [string, string])[] = [
      ["dryRun=", '[""]'],
      ["dryRun=all", '["all"]'],
      ["dryRun=All,All", '["All,All"]'],
      ["dryRun=All&dryRun=None", '["All","None"]'],
    ];
    for (const [call, kind] of calls) {
      for (const [query, shown] of queries) {
        const refused = await http.call({ ...call, query: {}, path: `${call.path}?${query}` });
        assertFailure(refused, { code: 422, reason: "Invalid" });
        assert.ok(String(refused.at("message")).startsWith(kind), refused.text);
        assert.ok(String(refused.at("message")).includes(`dryRun: Unsupported value: ${shown}`), refused.text);
      }
      await done(http.call({ ...call, query: {}, path: `${call.path}?dryRun=All&dryRun=All` }));
    }
    for (const dryRun of [["None"], ["All", ""]]) {
      assertFailure(await http.delete(`${maps}/a`, {}, { dryRun }), { code: 422, reason: "Invalid" });
    }
    await done(http.delete(`${maps}/a`, {}, { dryRun: ["All"] }));
    await done(http.delete(`${maps}/a`, { dryRun: "All" }, { gracePeriodSeconds: 0 }));
    assert.deepEqual((await http.get(maps)).items().map(versionOf), [versionOf(made.object())]);
  });
}
