import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Answer, connect, type Http, valueAt } from "./harness/http.js";
import { type Reaction, startWebhookServer, type WebhookServer } from "./harness/servers/webhook-server.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { untilSo } from "./harness/until.js";
import type { WatchEvent } from "./harness/watch-stream.js";

/** Sets that are written by one transaction: all of it or nothing, whatever happens at the write. */
interface Review {
  readonly request: {
    readonly uid: string;
    readonly name: string;
    readonly operation: string;
    readonly dryRun?: boolean;
  };
}
type Asked = Review["request"];

let target: StandaloneTarget;
let http: Http;
let webhook: WebhookServer<Review>;
/** Of what is written, as opposed to tried. */
let judge: (asked: Asked) => Judgement;
const allowed: Judgement = {};

interface Judgement {
  readonly denied?: string;
  readonly warnings?: readonly string[];
  readonly after?: Promise<unknown>;
  readonly silent?: boolean;
}

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const switchOn = "--runtime-config=sets.orch/v1alpha1=true";

before(async () => {
  webhook = await startWebhookServer<Review>();
  webhook.react(({ body: { request } }) => reactionTo(request));
  judge = () => allowed;
  // Fewer seats than sets have members.
  const seats = ["--max-requests-inflight=12", "--max-mutating-requests-inflight=6"];
  target = await startStandalone({ args: [switchOn, "--object-history=on", ...seats] });
  http = connect(target);
  const made = await http.post(configurations, {
    metadata: { name: "at-writes" },
    webhooks: [
      {
        ...{ name: "at-writes.example.com", sideEffects: "None", admissionReviewVersions: ["v1"] },
        ...{ failurePolicy: "Fail", timeoutSeconds: 20 },
        clientConfig: { url: webhook.url("/"), caBundle: webhook.caBundle },
        namespaceSelector: { matchLabels: { judged: "yes" } },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps", "secrets"] }],
      },
    ],
  });
  assert.equal(made.status, 201, made.text);
  const ns = await namespace("ready");
  await untilSo("the webhook is asked", async () => {
    await http.post(core(ns), map("m"), { dryRun: "All" });
    return webhook.asked.length > 0;
  });
});
after(async () => {
  http?.close();
  await target?.stop();
  await webhook?.close();
});
beforeEach(() => {
  judge = () => allowed;
});

function reactionTo(asked: Asked): Reaction {
  const { denied, warnings, after, silent } = asked.dryRun === true ? allowed : judge(asked);
  if (silent === true) return "hang";
  const status = denied === undefined ? {} : { status: { message: denied } };
  const told = warnings === undefined ? {} : { warnings };
  const response = { uid: asked.uid, allowed: denied === undefined, ...status, ...told };
  const json = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
  return { json, ...(after === undefined ? {} : { after }) };
}

const map = (name: string, value = "v") => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name } },
  data: { k: value },
});
const secret = (name: string) => ({
  ...{ apiVersion: "v1", kind: "Secret", metadata: { name } },
  stringData: { password: "p" },
});
const manyMaps = (count: number, value: string) =>
  Array.from({ length: count }, (_, i) => map(`m${String(i).padStart(3, "0")}`, value));

async function namespace(name: string): Promise<string> {
  const made = await http.post("/api/v1/namespaces", { metadata: { name, labels: { judged: "yes" } } });
  assert.equal(made.status, 201, made.text);
  return name;
}
const setAt = (namespace: string): string => `/apis/sets.orch/v1alpha1/namespaces/${namespace}/sets/s`;
const core = (namespace: string, resource = "configmaps"): string => `/api/v1/namespaces/${namespace}/${resource}`;

function put(ns: string, objects: readonly object[], timeout?: string): Promise<Answer> {
  const body = { apiVersion: "sets.orch/v1alpha1", kind: "Set", metadata: { name: "s" }, spec: { objects } };
  return http.put(setAt(ns), body, timeout === undefined ? {} : { timeout });
}
async function applied(ns: string, objects: readonly object[]): Promise<Answer> {
  const answer = await put(ns, objects);
  assert.ok(answer.status < 300, answer.text);
  assert.equal(answer.at("status.phase"), "Applied");
  assert.equal(answer.at("status.message"), "written in one transaction");
  return answer;
}
async function maps(ns: string): Promise<Readonly<Record<string, unknown>>> {
  const items = (await http.get(core(ns))).items();
  return Object.fromEntries(items.map((item) => [item.metadata.name, valueAt(item, "data.k")]));
}
function causes(answer: Answer): readonly unknown[] {
  const list = answer.at("details.causes");
  assert.ok(Array.isArray(list), answer.text);
  return list.map((cause) => valueAt(cause, "field"));
}
const revisionsOf = (events: readonly WatchEvent[]): readonly number[] =>
  events.map(({ object }) => Number(object.metadata.resourceVersion));

test("what is refused at the write keeps all of the set from being written, and no watcher hears of it", async () => {
  const ns = await namespace("refused");
  const objects = [...manyMaps(40, "v"), secret("key"), map("late")];
  const watches = await Promise.all(
    [core(ns), core(ns, "secrets"), setAt(ns).slice(0, -2)].map((at) => http.watch(at)),
  );
  judge = ({ name }) => (name === "late" ? { denied: "not while it counts" } : allowed);
  const refused = await put(ns, objects);
  assert.deepEqual([refused.status, refused.at("reason")], [400, undefined], refused.text);
  assert.deepEqual(causes(refused), ["spec.objects[41]"]);
  assert.match(String(refused.at("message")), /nothing was written: .*configmaps "refused\/late".*not while it counts/);
  assert.deepEqual(await maps(ns), {});
  for (const at of [`${core(ns, "secrets")}/key`, setAt(ns)]) assert.equal((await http.get(at)).status, 404, at);
  // What watchers see next is what was written next.
  judge = () => allowed;
  await applied(ns, objects);
  const [ofMaps, ofSecrets, ofSets] = await Promise.all([41, 1, 1].map((count, i) => watches[i]?.take(count) ?? []));
  const all = [...(ofMaps ?? []), ...(ofSecrets ?? []), ...(ofSets ?? [])];
  assert.deepEqual([...new Set(all.map(({ type }) => type))], ["ADDED"]);
  const revisions = [...revisionsOf(all)].sort((a, b) => a - b);
  assert.equal(new Set(revisions).size, 43);
  assert.equal((revisions.at(-1) ?? 0) - (revisions[0] ?? 0), 42, "one commit");
  assert.equal(ofSets?.[0]?.object.metadata.resourceVersion, String(revisions.at(-1)));
  for (const watch of watches) watch.close();
  const members = (await http.get(setAt(ns))).at("status.members");
  assert.ok(Array.isArray(members) && members.length === 42);
  for (const member of members) assert.equal(String(valueAt(member, "uid")).length, 36, JSON.stringify(member));
});

test("a change, a prune and a deletion that are refused at the write leave all as it was; histories too", async () => {
  const ns = await namespace("changes");
  const first = await applied(ns, [map("a", "1"), map("b", "1"), map("c", "1")]);
  const version = first.at("metadata.resourceVersion");
  judge = ({ name }) => (name === "c" ? { denied: "not c" } : allowed);
  // c leaves the set, which is a deletion.
  const refused = await put(ns, [map("a", "2"), map("b", "2"), map("new", "2")]);
  assert.deepEqual(causes(refused), ["status.members"]);
  assert.deepEqual(await maps(ns), { a: "1", b: "1", c: "1" });
  const deletion = await http.delete(setAt(ns));
  assert.match(String(deletion.at("message")), /nothing was deleted: .*not c/);
  assert.deepEqual(await maps(ns), { a: "1", b: "1", c: "1" });
  const left = await http.get(setAt(ns));
  assert.deepEqual([left.at("metadata.resourceVersion"), left.at("status.phase")], [version, "Applied"]);
  judge = () => allowed;
  await applied(ns, [map("a", "2"), map("b", "2"), map("new", "2")]);
  assert.deepEqual(await maps(ns), { a: "2", b: "2", new: "2" });
  const history = await http.get(`${core(ns)}/a/history`);
  const changes = history.at("items");
  assert.equal(Array.isArray(changes) ? changes.length : 0, 2, history.text);
  assert.equal((await http.delete(setAt(ns))).status, 200);
  assert.deepEqual(await maps(ns), {});
  assert.equal((await http.get(setAt(ns))).status, 404);
});

test("what somebody changed between the judgement and the commit is a conflict, and nothing is written", async () => {
  const ns = await namespace("conflicts");
  await applied(ns, [map("a", "1"), secret("z")]);
  let changed: Promise<Answer> | undefined;
  const mapIsJudged = new EventEmitter();
  const judged = once(mapIsJudged, "judged");
  // While the secret is judged the map, which was judged before, waits.
  judge = ({ name, operation }) => {
    if (name === "a") mapIsJudged.emit("judged");
    if (name === "new") {
      changed ??= judged.then(() => http.patch(`${core(ns)}/a`, "merge", { data: { by: "hand" } }));
    }
    return operation === "CREATE" && changed !== undefined ? { after: changed } : allowed;
  };
  const refused = await put(ns, [map("a", "2"), secret("z"), secret("new")]);
  assert.equal((await changed)?.status, 200);
  assert.equal(refused.at("reason"), "Conflict", refused.text);
  assert.deepEqual(causes(refused), ["spec.objects[0]"]);
  assert.deepEqual(await maps(ns), { a: "1" });
  assert.equal((await http.get(`${core(ns, "secrets")}/new`)).status, 404);
  assert.equal((await http.get(setAt(ns))).at("status.phase"), "Applied");
});

test("a status that moves between the judgement and the commit is no conflict; members are of several groups", async () => {
  const ns = await namespace("moves");
  const labels = { app: "w" };
  const deployment = (replicas: number) => ({
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "w" } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  const at = `/apis/apps/v1/namespaces/${ns}/deployments/w`;
  const service = {
    ...{ apiVersion: "v1", kind: "Service", metadata: { name: "w" } },
    spec: { selector: labels, ports: [{ port: 80 }] },
  };
  await applied(ns, [deployment(1), service]);
  let moved = 0;
  judge = ({ name }) => {
    if (name !== "z" || moved > 1) return allowed;
    moved++;
    return { after: http.patch(`${at}/status`, "merge", { status: { observedGeneration: moved } }) };
  };
  await applied(ns, [deployment(2), service, secret("z")]);
  const live = await http.get(at);
  assert.deepEqual([moved, live.at("spec.replicas"), live.at("status.observedGeneration")], [2, 2, 2]);
  assert.ok(String((await http.get(`${core(ns, "services")}/w`)).at("spec.clusterIP")).length > 4);
  assert.equal((await http.delete(setAt(ns))).status, 200);
  for (const gone of [at, `${core(ns, "services")}/w`]) assert.equal((await http.get(gone)).status, 404, gone);
});

test("large members wait for each other as small ones do, and what changes nothing waits for nobody", async () => {
  const ns = await namespace("large");
  const text = "x".repeat(150_000);
  const large = (value: string) => Array.from({ length: 8 }, (_, i) => ({ ...map(`l${i}`), data: { k: value, text } }));
  await applied(ns, [...large("1"), map("same")]);
  judge = ({ name }) => (name === "l7" ? { denied: "not now" } : allowed);
  assert.deepEqual(causes(await put(ns, [...large("2"), map("same")])), ["spec.objects[7]"]);
  judge = () => allowed;
  const watch = await http.watch(core(ns), {
    resourceVersion: String((await http.get(core(ns))).at("metadata.resourceVersion")),
  });
  await applied(ns, [...large("2"), map("same")]);
  const events = await watch.take(8);
  watch.close();
  assert.deepEqual(
    events.map(({ type, object }) => `${type} ${object.metadata.name}`),
    Array.from({ length: 8 }, (_, i) => `MODIFIED l${i}`),
  );
  const [first = 0] = revisionsOf(events);
  assert.deepEqual(
    revisionsOf(events),
    Array.from({ length: 8 }, (_, i) => first + i),
  );
});

test("a set whose time is over while a member is judged is not written, and the next one finds everything free", async () => {
  const ns = await namespace("slow");
  judge = ({ name }) => ({ silent: name === "m099" });
  const late = await put(ns, manyMaps(100, "v"), "2s");
  assert.ok(late.status >= 500, late.text);
  assert.deepEqual(await maps(ns), {});
  assert.equal((await http.get(setAt(ns))).status, 404);
  judge = () => allowed;
  await applied(ns, manyMaps(100, "w"));
  assert.equal(Object.keys(await maps(ns)).length, 100);
});

test("what members use of a quota is counted, and what is over it is refused whole", async () => {
  const ns = await namespace("counted");
  const hard = { "count/configmaps": "3" };
  const made = await http.post(core(ns, "resourcequotas"), { metadata: { name: "q" }, spec: { hard } });
  assert.equal(made.status, 201, made.text);
  // As the controller would have it, of which there is none here.
  const status = { hard, used: { "count/configmaps": "0" } };
  await http.put(`${core(ns, "resourcequotas")}/q/status`, { ...made.object(), status });
  const used = async (): Promise<unknown> =>
    valueAt((await http.get(`${core(ns, "resourcequotas")}/q`)).object(), "status.used.count/configmaps");
  assert.equal(await used(), "0");
  await applied(ns, [map("a"), map("b")]);
  assert.deepEqual(Object.keys(await maps(ns)).sort(), ["a", "b"]);
  assert.equal(await used(), "2");
  const over = await put(ns, [map("a"), map("b"), map("c"), map("d")]);
  assert.equal(over.status, 403, over.text);
  assert.deepEqual(Object.keys(await maps(ns)).sort(), ["a", "b"]);
});

test("what members' writes warn of comes with the answer of the set's, each text once", async () => {
  const ns = await namespace("warned");
  judge = ({ name }) => ({ warnings: ["mind the gap: é", `of ${name}`] });
  const made = await applied(ns, [map("a"), map("b"), secret("c")]);
  const told = Buffer.from(String(made.headers["warning"]), "latin1").toString("utf8");
  assert.equal(told.split("mind the gap: é").length, 2, told);
  for (const name of ["a", "b", "c"]) assert.ok(told.includes(`299 - "of ${name}"`), told);
  // Of a deletion too.
  const gone = await http.delete(setAt(ns));
  assert.match(String(gone.headers["warning"]), /of a/);
});

test("a server that is killed in the middle leaves all of a set or nothing", async () => {
  const ns = await namespace("killed");
  await applied(ns, manyMaps(120, "0"));
  const seen: string[] = [];
  for (const [round, ms] of [80, 200, 400].entries()) {
    const value = String(round + 1);
    const broken = put(ns, manyMaps(120, value)).catch(() => undefined);
    await delay(ms);
    await target.process.kill();
    await broken;
    await target.process.restart();
    const values = new Set(Object.values(await maps(ns)));
    assert.equal(values.size, 1, `after ${ms} ms there are ${[...values].join()}`);
    seen.push(...[...values].map(String));
    assert.equal((await http.get(setAt(ns))).at("status.phase"), "Applied");
    assert.equal(Object.keys(await maps(ns)).length, 120);
  }
  await applied(ns, manyMaps(120, "end"));
  assert.deepEqual(new Set(Object.values(await maps(ns))), new Set(["end"]), seen.join());
});

test("gateways that are processes of their own write sets in one transaction too", async () => {
  const workers = await startStandalone({ args: [switchOn, "--gateway-workers=1"] });
  const other = connect(workers);
  try {
    const at = "/apis/sets.orch/v1alpha1/namespaces/default/sets/s";
    const write = (objects: readonly object[]) => other.put(at, { metadata: { name: "s" }, spec: { objects } });
    const watch = await other.watch("/api/v1/namespaces/default/configmaps");
    const made = await write(manyMaps(50, "v"));
    assert.equal(made.at("status.phase"), "Applied", made.text);
    const [first = 0, ...more] = revisionsOf(await watch.take(50));
    assert.deepEqual(
      more,
      more.map((_, i) => first + 1 + i),
    );
    watch.close();
    const wrong = { ...map("m000"), metadata: { name: "m000", labels: { a: "-" } } };
    assert.equal((await write([wrong, map("new")])).status, 422);
    assert.equal((await other.delete(at)).status, 200);
  } finally {
    other.close();
    await workers.stop();
  }
});
