import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, type Call, type Credentials, connect, type Http } from "./harness/http.js";
import { freshNamespace } from "./harness/manifests.js";
import { assertFailure, done } from "./harness/status.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

/** What a node that was taken over may do: nothing to others, and all that an agent on it has to. */
let target: StandaloneTarget;
let http: Http;

before(async () => {
  target = await startStandalone({ args: ["--secure-port=0", "--enable-admission-plugins=NodeRestriction"] });
  http = connect(target);
  await done(http.post(nodes, { metadata: { name: "two" } }));
});
after(async () => {
  http?.close();
  await target?.stop();
});

const nodes = "/api/v1/nodes";
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const csiNodes = "/apis/storage.k8s.io/v1/csinodes";

const nodeUser = (name: string): Credentials => ({
  ...{ type: "user", name: `system:node:${name}` },
  groups: ["system:nodes", "system:authenticated"],
});

const callAs = (node: string, method: string, path: string, body?: object): Promise<Answer> => {
  const patched = method === "PATCH" ? { headers: { "content-type": "application/strategic-merge-patch+json" } } : {};
  const call: Call = { method, path, as: nodeUser(node), ...patched, ...(body === undefined ? {} : { body }) };
  return http.call(call);
};

async function refused(answer: Promise<Answer>, message: RegExp): Promise<void> {
  assertFailure(await answer, { code: 403, reason: "Forbidden", message });
}

/** A node of a test's own, that has registered itself. */
async function registered(name: string): Promise<string> {
  const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "topology.kubernetes.io/zone": "a" };
  const taints = [{ key: "example.com/new", effect: "NoSchedule" }];
  const made = await done(callAs(name, "POST", nodes, { metadata: { name, labels }, spec: { taints } }));
  return made.object().metadata.uid ?? "";
}

const containers = [{ name: "c", image: "example.com/c:1" }];

/** A pod that was given a node, of an account with the pod's name. */
async function podOn(node: string, namespace: string, name: string): Promise<string> {
  const base = `/api/v1/namespaces/${namespace}`;
  await done(http.post(`${base}/serviceaccounts`, { metadata: { name } }));
  const spec = { nodeName: node, serviceAccountName: name, containers };
  const made = await done(http.post(`${base}/pods`, { metadata: { name }, spec }));
  return made.object().metadata.uid ?? "";
}

const mirrorOf = (node: string, uid: string, spec: object = {}) => ({
  metadata: {
    name: `mirror-${node}`,
    annotations: { "kubernetes.io/config.mirror": "1", "kubernetes.io/config.source": "file" },
    ownerReferences: [{ apiVersion: "v1", kind: "Node", name: node, uid, controller: true }],
  },
  spec: { nodeName: node, containers, ...spec },
});

const boundTo = (name: string, uid: string) => ({
  spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid } },
});

describe("what nodes write", { concurrency: 4 }, () => {
  test("a node does what an agent has to: itself, its lease, its pods and their tokens", async () => {
    const uid = await registered("agent");
    const namespace = await freshNamespace(http);
    const base = `/api/v1/namespaces/${namespace}`;
    const ready = { status: { conditions: [{ type: "Ready", status: "True", reason: "r", message: "m" }] } };
    await done(callAs("agent", "PATCH", `${nodes}/agent/status`, ready));
    await done(
      callAs("agent", "PATCH", `${nodes}/agent`, { metadata: { labels: { "kubelet.kubernetes.io/a": "b" } } }),
    );
    await done(callAs("agent", "POST", leases, { metadata: { name: "agent" }, spec: { holderIdentity: "agent" } }));
    const lease = (await done(callAs("agent", "GET", `${leases}/agent`))).object();
    await done(callAs("agent", "PUT", `${leases}/agent`, { ...lease, spec: { leaseDurationSeconds: 40 } }));
    await done(callAs("agent", "POST", csiNodes, { metadata: { name: "agent" }, spec: { drivers: [] } }));
    await done(callAs("agent", "POST", `${base}/pods`, mirrorOf("agent", uid)));
    const pod = await podOn("agent", namespace, "work");
    await done(callAs("agent", "PATCH", `${base}/pods/work/status`, { status: { phase: "Running" } }));
    const path = `${base}/serviceaccounts/work/token`;
    const token = await until("the node knows its pod", async () => {
      const answer = await callAs("agent", "POST", path, boundTo("work", pod));
      return answer.status === 403 ? undefined : answer;
    });
    assert.equal(token.status, 201, token.text);
    const who = await http.call({
      ...{ method: "POST", path: "/apis/authentication.k8s.io/v1/selfsubjectreviews", body: {} },
      as: { type: "token", token: String(token.at("status.token")) },
    });
    assert.equal(who.at("status.userInfo.username"), `system:serviceaccount:${namespace}:work`, who.text);
    const atOnce = { gracePeriodSeconds: 0, preconditions: { uid: pod } };
    await done(callAs("agent", "DELETE", `${base}/pods/work`, atOnce));
    await done(callAs("agent", "DELETE", `${base}/pods/mirror-agent`, { gracePeriodSeconds: 0 }));
    assert.deepEqual((await http.get(`${base}/pods`)).items(), []);
  });

  test("a node writes no other node, nor what others say of it", async () => {
    await registered("one");
    const labels = { metadata: { labels: { steered: "here" } } };
    const other = /node "one" is not allowed to modify node "two"$/;
    await refused(callAs("one", "PATCH", `${nodes}/two`, labels), other);
    await refused(callAs("one", "PATCH", `${nodes}/two/status`, { status: { conditions: [] } }), other);
    await refused(callAs("one", "POST", nodes, { metadata: { name: "three" } }), /not allowed to modify node "three"$/);
    await refused(callAs("one", "PATCH", `${nodes}/one`, { spec: { taints: null } }), /not allowed to modify taints$/);
    const trusted = "node-restriction.kubernetes.io/trusted";
    await refused(
      callAs("one", "PATCH", `${nodes}/one/status`, { metadata: { labels: { [trusted]: "yes" } } }),
      /is not allowed to modify labels: node-restriction.kubernetes.io\/trusted$/,
    );
    await refused(callAs("one", "POST", csiNodes, { metadata: { name: "two" }, spec: { drivers: [] } }), /same name/);
    await refused(callAs("one", "POST", leases, { metadata: { name: "two" } }), /same name/);
    const two = await http.get(`${nodes}/two`);
    assert.equal(two.at("metadata.labels"), undefined, two.text);
  });

  test("a node neither deletes nor evicts a pod of another, nor writes its status", async () => {
    await registered("thief");
    const namespace = await freshNamespace(http);
    const pod = `/api/v1/namespaces/${namespace}/pods/far`;
    await podOn("two", namespace, "far");
    const deletion = /node "thief" can only delete pods with spec.nodeName set to itself$/;
    await refused(callAs("thief", "DELETE", pod), deletion);
    await refused(callAs("thief", "DELETE", `${pod}?dryRun=All`), deletion);
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "far" } };
    await refused(callAs("thief", "POST", `${pod}/eviction`, eviction), /node thief can only evict pods/);
    await refused(
      callAs("thief", "PATCH", `${pod}/status`, { status: { phase: "Failed" } }),
      /can only update pod status/,
    );
    const after = await http.get(pod);
    assert.deepEqual([after.at("metadata.deletionTimestamp"), after.at("status.phase")], [undefined, "Pending"]);
  });

  test("a node comes to no secret by a pod that it makes", async () => {
    const uid = await registered("reader");
    const namespace = await freshNamespace(http);
    const base = `/api/v1/namespaces/${namespace}`;
    await done(http.post(`${base}/secrets`, { metadata: { name: "wanted" }, stringData: { k: "v" } }));
    const named = { volumes: [{ name: "v", secret: { secretName: "wanted" } }] };
    const { metadata, spec } = mirrorOf("reader", uid, named);
    await refused(
      callAs("reader", "POST", `${base}/pods`, { metadata, spec }),
      /mirror pod may not reference secrets$/,
    );
    const plain = { metadata: { name: "plain" }, spec };
    await refused(callAs("reader", "POST", `${base}/pods`, plain), /node "reader" can only create mirror pods$/);
    const map = mirrorOf("reader", uid, { volumes: [{ name: "v", configMap: { name: "m" } }] });
    await refused(callAs("reader", "POST", `${base}/pods`, map), /can not create pods that reference configmaps$/);
    await refused(callAs("reader", "GET", `${base}/secrets/wanted`), /no relationship found between node 'reader'/);
    assert.deepEqual((await http.get(`${base}/pods`)).items(), []);
  });

  test("a node is given no token but those of its pods, bound to them", async () => {
    await registered("asker");
    const namespace = await freshNamespace(http);
    const base = `/api/v1/namespaces/${namespace}`;
    const [own, far] = [await podOn("asker", namespace, "near"), await podOn("two", namespace, "far")];
    // Of the account of its own pod, too, where it is bound to what is elsewhere.
    const spec = { nodeName: "two", serviceAccountName: "near", containers };
    const made = await done(http.post(`${base}/pods`, { metadata: { name: "also" }, spec }));
    const ask = (account: string, body: object): Promise<Answer> =>
      callAs("asker", "POST", `${base}/serviceaccounts/${account}/token`, body);
    await until("the node knows its pod", async () =>
      (await ask("near", boundTo("near", own))).status === 201 ? true : undefined,
    );
    await refused(ask("far", boundTo("far", far)), /no relationship found between node 'asker' and this object$/);
    await refused(ask("far", {}), /no relationship found between node 'asker' and this object$/);
    await refused(ask("near", {}), /node requested token not bound to a pod$/);
    await refused(ask("near", boundTo("near", far)), /does not match the UID in record/);
    await refused(ask("near", boundTo("also", made.object().metadata.uid ?? "")), /scheduled on a different node$/);
  });
});
