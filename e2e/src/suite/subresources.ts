import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Http } from "../harness/http.js";
import { freshNamespace, versionOf } from "../harness/manifests.js";
import { assertFailure, done } from "../harness/status.js";
import type { On } from "./scene.js";

const podSpec = { containers: [{ name: "c", image: "example.com/c:1" }] };
const labels = { app: "web" };

/** Scale, binding, eviction, status, and what only a node could answer (rules: Sub-resources). */
export function subresourceSuite(on: On): void {
  statuses(on);
  scales(on);
  bindings(on);
  evictions(on);
  nodeBound(on);
}

function statuses(on: On): void {
  test("a write to the object leaves its status, one to its status leaves the rest", async () => {
    const { http } = on();
    const path = `/apis/apps/v1/namespaces/${await freshNamespace(http)}/deployments`;
    const created = await done(http.post(path, { metadata: { name: "d" }, spec: deploymentSpec(1), status: ready(9) }));
    assert.deepEqual(created.at("status"), {}, "a create has no status");
    const status = await done(
      http.put(`${path}/d/status`, { metadata: { name: "d" }, spec: deploymentSpec(7), status: ready(1) }),
    );
    assert.equal(status.at("status.readyReplicas"), 1);
    assert.equal(status.at("spec.replicas"), 1);
    assert.equal(status.at("metadata.generation"), 1, "a status is no new generation");
    const spec = await done(http.put(`${path}/d`, { metadata: { name: "d" }, spec: deploymentSpec(7) }));
    assert.equal(spec.at("status.readyReplicas"), 1);
    assert.equal(spec.at("spec.replicas"), 7);
    assert.equal(spec.at("metadata.generation"), 2);
  });
}

function scales(on: On): void {
  test("a Scale reads and sets the size of what has replicas", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const owners: readonly (readonly [path: string, spec: object, selector: string])[] = [
      [`/apis/apps/v1/namespaces/${namespace}/deployments`, deploymentSpec(2), "app=web"],
      [`/apis/apps/v1/namespaces/${namespace}/replicasets`, deploymentSpec(2), "app=web"],
      [`/apis/apps/v1/namespaces/${namespace}/statefulsets`, deploymentSpec(2), "app=web"],
      [`/api/v1/namespaces/${namespace}/replicationcontrollers`, { ...deploymentSpec(2), selector: labels }, "app=web"],
    ];
    for (const [path, spec, selector] of owners) {
      const owner = await done(http.post(path, { metadata: { name: "web" }, spec }));
      const read = await done(http.get(`${path}/web/scale`));
      assert.equal(read.at("kind"), "Scale");
      assert.equal(read.at("apiVersion"), "autoscaling/v1");
      assert.equal(read.at("metadata.uid"), owner.at("metadata.uid"));
      assert.equal(read.at("metadata.resourceVersion"), versionOf(owner.object()));
      assert.deepEqual(read.at("spec"), { replicas: 2 });
      assert.deepEqual(read.at("status"), { replicas: 0, selector });
      const set = await done(http.put(`${path}/web/scale`, { ...read.object(), spec: { replicas: 5 } }));
      assert.equal(set.at("spec.replicas"), 5);
      assert.notEqual(set.at("metadata.resourceVersion"), versionOf(owner.object()));
      const after = await done(http.get(`${path}/web`));
      assert.equal(after.at("spec.replicas"), 5);
      assert.equal(after.at("metadata.generation"), 2);
      assertFailure(await http.put(`${path}/web/scale`, { ...read.object(), spec: { replicas: 6 } }), {
        code: 409,
        reason: "Conflict",
      });
    }
  });

  test("what a Scale may not say is refused with its causes", async () => {
    const { http } = on();
    const path = `/apis/apps/v1/namespaces/${await freshNamespace(http)}/deployments`;
    await done(http.post(path, { metadata: { name: "web" }, spec: deploymentSpec(2) }));
    const refused = await http.put(`${path}/web/scale`, { metadata: { name: "web" }, spec: { replicas: -1 } });
    assertFailure(refused, {
      code: 422,
      reason: "Invalid",
      message:
        /^Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0/,
    });
    const other = await http.put(`${path}/web/scale`, { kind: "Deployment", metadata: { name: "web" } });
    assertFailure(other, { code: 400, reason: "BadRequest" });
    const renamed = await http.put(`${path}/web/scale`, { metadata: { name: "other" }, spec: { replicas: 1 } });
    assertFailure(renamed, { code: 400, reason: "BadRequest", message: /does not match the name on the URL/ });
    const missing = await http.put(`${path}/none/scale`, { metadata: { name: "none" }, spec: { replicas: 1 } });
    assertFailure(missing, { code: 404, reason: "NotFound", message: 'deployments.apps "none" not found' });
    assert.equal((await http.get(`${path}/web`)).at("spec.replicas"), 2);
    const dry = await done(
      http.put(`${path}/web/scale`, { metadata: { name: "web" }, spec: { replicas: 9 } }, { dryRun: "All" }),
    );
    assert.equal(dry.at("spec.replicas"), 9);
    assert.equal((await http.get(`${path}/web`)).at("spec.replicas"), 2);
  });
}

function bindings(on: On): void {
  test("a pod is bound once, through its binding or the namespace's", async () => {
    const { http } = on();
    const namespace = `/api/v1/namespaces/${await freshNamespace(http)}`;
    for (const name of ["a", "b"]) await done(http.post(`${namespace}/pods`, { metadata: { name }, spec: podSpec }));
    const to = (name: string, node: string): object => ({ metadata: { name }, target: { kind: "Node", name: node } });
    const bound = await done(http.post(`${namespace}/pods/a/binding`, to("a", "n1")));
    assert.equal(bound.status, 201);
    assert.equal(bound.at("status"), "Success");
    assert.equal(bound.at("code"), 201);
    await done(http.post(`${namespace}/bindings`, to("b", "n2")));
    assert.equal((await http.get(`${namespace}/pods/a`)).at("spec.nodeName"), "n1");
    assert.equal((await http.get(`${namespace}/pods/b`)).at("spec.nodeName"), "n2");
    const again = await http.post(`${namespace}/pods/a/binding`, to("a", "n3"));
    assertFailure(again, { code: 409, reason: "Conflict", message: /pod a is already assigned to node "n1"/ });
    const unnamed = await http.post(`${namespace}/pods/a/binding`, to("a", ""));
    assertFailure(unnamed, { code: 422, reason: "Invalid", message: /target.name: Required value/ });
  });
}

function evictions(on: On): void {
  test("an eviction obeys the budget of the pod", async () => {
    const { http } = on();
    const { pods, budgets } = await guarded(http, ["p", "q"]);
    const evict = (name: string, query = {}): Promise<Answer> =>
      http.post(`${pods}/${name}/eviction`, { metadata: { name } }, query);
    assertFailure(await evict("p"), { code: 429, reason: "TooManyRequests" });
    assert.match(String((await evict("p")).at("details.causes.0.message")), /is still being processed by the server/);
    await allow(http, budgets, 0);
    const refused = await evict("p");
    assertFailure(refused, {
      code: 429,
      reason: "TooManyRequests",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
    });
    assert.equal(refused.at("details.causes.0.reason"), "DisruptionBudget");
    await allow(http, budgets, 1);
    await done(evict("p", { dryRun: "All" }));
    assert.equal((await http.get(`${budgets}/guard`)).at("status.disruptionsAllowed"), 1, "a dry run uses up nothing");
    const evicted = await done(evict("p"));
    assert.equal(evicted.status, 201);
    assert.equal(evicted.at("kind"), "Status");
    assertFailure(await http.get(`${pods}/p`), { code: 404, reason: "NotFound" });
    const budget = await http.get(`${budgets}/guard`);
    assert.equal(budget.at("status.disruptionsAllowed"), 0);
    assert.ok(typeof budget.at("status.disruptedPods.p") === "string", budget.text);
    assertFailure(await evict("q"), { code: 429, reason: "TooManyRequests" });
    assertFailure(await evict("none"), { code: 404, reason: "NotFound" });
    assertFailure(await http.post(`${pods}/q/eviction`, { metadata: { name: "other" } }), {
      code: 400,
      reason: "BadRequest",
    });
  });

  test("as many evictions at once pass as the budget allows", async () => {
    const { http } = on();
    const names = ["a", "b", "c", "d", "e", "f"];
    const { pods, budgets } = await guarded(http, names);
    await allow(http, budgets, 2);
    const answers = await Promise.all(
      names.map((name) => http.post(`${pods}/${name}/eviction`, { metadata: { name } })),
    );
    const codes = answers.map((answer) => answer.status);
    assert.deepEqual(codes.toSorted(), [201, 201, 429, 429, 429, 429], answers.map((a) => a.text).join("\n"));
    assert.equal((await http.get(pods)).items().length, 4);
  });

  test("who watches a pod sees why it ends before it does", async () => {
    const { http } = on();
    const pods = `/api/v1/namespaces/${await freshNamespace(http)}/pods`;
    const pod = await done(http.post(pods, { metadata: { name: "p" }, spec: podSpec }));
    const watch = await http.watch(pods, { resourceVersion: versionOf(pod.object()) });
    const body = { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name: "p" } };
    await done(http.post(`${pods}/p/eviction`, body));
    const events = await watch.take(2);
    watch.close();
    assert.deepEqual(
      events.map((event) => event.type),
      ["MODIFIED", "DELETED"],
    );
    assert.match(JSON.stringify(events[0]), /"type":"DisruptionTarget"/);
  });
}

function nodeBound(on: On): void {
  test("what only a node answers has no answer where there is no node", async () => {
    const { http } = on();
    const pods = `/api/v1/namespaces/${await freshNamespace(http)}/pods`;
    await done(http.post(pods, { metadata: { name: "p" }, spec: podSpec }));
    assert.equal((await http.get(`${pods}/p/log`)).status, 204);
    for (const path of ["exec", "attach", "portforward"]) {
      const answer = await http.get(`${pods}/p/${path}`);
      assertFailure(answer, { code: 400, reason: "BadRequest", message: /pod p does not have a host assigned/ });
    }
    for (const path of ["proxy", "proxy/some/path"]) {
      const answer = await http.get(`${pods}/p/${path}`);
      assertFailure(answer, { code: 400, reason: "BadRequest", message: /address not allowed/ });
    }
    assertFailure(await http.get(`${pods}/p/nonsense`), { code: 404, reason: "NotFound" });
  });
}

function deploymentSpec(replicas: number): object {
  return { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };
}

function ready(replicas: number): object {
  return { replicas, readyReplicas: replicas };
}

/** Running pods, ready, all guarded by one budget. */
async function guarded(http: Http, names: readonly string[]): Promise<{ pods: string; budgets: string }> {
  const namespace = await freshNamespace(http);
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  for (const name of names) {
    await done(http.post(pods, { metadata: { name, labels }, spec: podSpec }));
    await done(http.put(`${pods}/${name}/status`, { metadata: { name, labels }, status }));
  }
  const spec = { minAvailable: 1, selector: { matchLabels: labels } };
  await done(http.post(budgets, { metadata: { name: "guard" }, spec }));
  return { pods, budgets };
}

/** What the budget's controller does. */
async function allow(http: Http, budgets: string, disruptionsAllowed: number): Promise<void> {
  const budget = (await done(http.get(`${budgets}/guard`))).object();
  const status = { observedGeneration: 1, disruptionsAllowed, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };
  await done(http.put(`${budgets}/guard/status`, { ...budget, status }));
}
