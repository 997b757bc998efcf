import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { isRecord } from "@orch/client/objects.js";
import { eventsOf } from "./audit-bed.js";
import { execute } from "./clients/program.js";
import { type Answer, type Credentials, connect, type Http, valueAt } from "./harness/http.js";
import { kubectlIn, kubectlMissing } from "./harness/kubectl.js";
import { startWebhookServer } from "./harness/servers/webhook-server.js";
import { assertFailure } from "./harness/status.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { untilSo } from "./harness/until.js";

const group = "/apis/sets.orch/v1alpha1";
const markLabel = "sets.orch/part-of";

let folder: string;
let target: StandaloneTarget;
let http: Http;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-sets-"));
  const policy = join(folder, "policy.yaml");
  const rules = "rules: [{level: RequestResponse, resources: [{group: sets.orch}]}, {level: None}]";
  await writeFile(policy, `apiVersion: audit.k8s.io/v1\nkind: Policy\n${rules}\n`);
  target = await startStandalone({
    args: [
      ...["--runtime-config=sets.orch/v1alpha1=true", "--object-history=on"],
      ...[`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, "audit.log")}`],
    ],
  });
  http = connect(target);
});
after(async () => {
  http?.close();
  await target?.stop();
  await rm(folder, { recursive: true, force: true });
});

const map = (name: string, value = "v") => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name } },
  data: { k: value },
});
const secret = (name: string, password: string) => ({
  ...{ apiVersion: "v1", kind: "Secret", metadata: { name } },
  stringData: { password },
});

interface Spec {
  readonly objects?: readonly unknown[];
  readonly adopt?: boolean;
  readonly force?: boolean;
}
const set = (name: string, spec: Spec) => ({
  ...{ apiVersion: "sets.orch/v1alpha1", kind: "Set", metadata: { name } },
  spec,
});

async function namespace(name: string): Promise<string> {
  const made = await http.post("/api/v1/namespaces", { metadata: { name } });
  assert.equal(made.status, 201, made.text);
  return name;
}
const sets = (namespace: string): string => `${group}/namespaces/${namespace}/sets`;
const core = (namespace: string, resource = "configmaps"): string => `/api/v1/namespaces/${namespace}/${resource}`;

/** A PUT, which creates the set where there is none. */
function put(namespace: string, name: string, spec: Spec): Promise<Answer> {
  return http.put(`${sets(namespace)}/${name}`, set(name, spec));
}
async function applied(namespace: string, name: string, spec: Spec): Promise<Answer> {
  const answer = await put(namespace, name, spec);
  assert.ok(answer.status < 300, answer.text);
  assert.equal(answer.at("status.phase"), "Applied");
  return answer;
}

/** `k` of each config map that is there, by name; the one that every namespace has is left out. */
async function maps(namespace: string): Promise<Readonly<Record<string, unknown>>> {
  const items = (await http.get(core(namespace))).items();
  const own = items.filter(({ metadata: { name } }) => name !== "kube-root-ca.crt");
  return Object.fromEntries(own.map((item) => [item.metadata.name, valueAt(item, "data.k")]));
}

/** `Create a` of each member. */
function actions(answer: Answer): readonly string[] {
  const members = answer.at("status.members");
  assert.ok(Array.isArray(members), answer.text);
  return members.map((member) => `${valueAt(member, "action")} ${valueAt(member, "name")}`);
}

function causes(answer: Answer): readonly (readonly [unknown, unknown])[] {
  const list = answer.at("details.causes");
  assert.ok(Array.isArray(list), answer.text);
  return list.map((cause) => [valueAt(cause, "field"), valueAt(cause, "message")]);
}

test("a set is applied, shown, changed, pruned and deleted by kubectl", async (t) => {
  const missing = await kubectlMissing();
  if (missing !== undefined) return t.skip(missing);
  const kubectl = await kubectlIn({ target, folder, namespace: "by-kubectl" });
  const text = (objects: readonly string[]) =>
    `apiVersion: sets.orch/v1alpha1\nkind: Set\nmetadata: {name: web}\nspec: {objects: [${objects.join(", ")}]}\n`;
  const one = "{apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {k: before}}";
  const two = "{apiVersion: v1, kind: Secret, metadata: {name: two}, stringData: {password: hunter2}}";
  const file = await kubectl.file("set.yaml", text([one, two]));
  assert.match(
    await kubectl(["apply", "--dry-run=server", "-f", file]),
    /set.sets.orch\/web created \(server dry run\)/,
  );
  assert.match(await kubectl(["get", "sets"]), /No resources found/);
  assert.match(await kubectl(["apply", "-f", file]), /set.sets.orch\/web created/);
  assert.match(await kubectl(["get", "sets"]), /NAME +PHASE +MEMBERS +AGE\nweb +Applied +2 /);
  const shown = await kubectl(["get", "set", "web", "-o", "yaml"]);
  assert.match(shown, /state: Applied/);
  assert.ok(!shown.includes("hunter2"), shown);
  const next = await kubectl.file("set.yaml", text([one.replace("before", "behind")]));
  const diff = await kubectl([
    "apply",
    "--dry-run=server",
    "-f",
    next,
    "-o",
    "jsonpath={range .status.members[*]}{.action} {.name} {.changes[*].path} {.changes[*].before}>{.changes[*].after}{end}",
  ]);
  assert.equal(diff, 'Change one .data.k "before">"behind"Delete two  >');
  assert.match(await kubectl(["apply", "-f", next]), /set.sets.orch\/web configured/);
  assert.equal(await kubectl(["get", "cm", "one", "-o", "jsonpath={.data.k}"]), "behind");
  await kubectl(["get", "secret", "two"], 1);
  assert.match(await kubectl(["apply", "--server-side", "--force-conflicts", "-f", next]), /serverside-applied/);
  assert.match(await kubectl(["label", "set", "web", "a=b"]), /labeled/);
  assert.match(await kubectl(["get", "cm", "one", "-o", "jsonpath={.data.k}"]), /behind/);
  assert.match(await kubectl(["explain", "set.spec.objects"]), /applied and not kept/);
  assert.match(await kubectl(["delete", "set", "web"]), /deleted/);
  await kubectl(["get", "cm", "one"], 1);
});

const definition = (minimum: number) => ({
  ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
  metadata: { name: "gears.sets.example.com" },
  spec: {
    ...{ group: "sets.example.com", scope: "Namespaced", names: { plural: "gears", kind: "Gear" } },
    versions: [
      {
        ...{ name: "v1", served: true, storage: true },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { size: { type: "integer", minimum } } } },
          },
        },
      },
    ],
  },
});

test("a namespace, a definition and what needs them are one set, in whatever order they are listed", async () => {
  const at = { namespace: "brought" };
  const objects = (size: number) => [
    { apiVersion: "sets.example.com/v1", kind: "Gear", metadata: { name: "g", ...at }, spec: { size } },
    { ...map("m"), metadata: { name: "m", ...at } },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "brought" } },
    definition(2),
  ];
  const all = `${group}/clustersets/all`;
  const refused = await http.put(all, { metadata: { name: "all" }, spec: { objects: objects(1) } });
  assertFailure(refused, { code: 422, reason: "Invalid" });
  assert.deepEqual(causes(refused), [
    ["spec.objects[0].spec.size", "Invalid value: 1: spec.size in body should be greater than or equal to 2"],
  ]);
  for (const path of [all, "/api/v1/namespaces/brought"]) assert.equal((await http.get(path)).status, 404, path);
  const made = await http.put(all, { metadata: { name: "all" }, spec: { objects: objects(3) } });
  assert.equal(made.status, 201, made.text);
  const gear = "/apis/sets.example.com/v1/namespaces/brought/gears/g";
  assert.equal((await http.get(gear)).at("spec.size"), 3);
  assert.equal((await http.delete(all)).status, 200);
  await untilSo("the namespace goes", async () => (await http.get("/api/v1/namespaces/brought")).status === 404);
  assert.equal((await http.get(gear)).status, 404);
});

test("orch apply-set shows what changes, and applies it where it may", async () => {
  const ns = await namespace("by-orch");
  const objects = join(folder, "objects");
  await mkdir(objects, { recursive: true });
  const script = fileURLToPath(new URL("../../services/cli/dist/main.js", import.meta.url));
  const orch = async (...args: readonly string[]) => {
    const base = ["apply-set", "-f", objects, "--name=s", `--namespace=${ns}`, `--orchconfig=${target.clientConfig}`];
    const { code, output, errors } = await execute([process.execPath, script, ...base, ...args]);
    return { code, text: `${output}${errors}` };
  };
  await writeFile(join(objects, "a.yaml"), `${JSON.stringify(map("one"))}\n---\n${JSON.stringify(map("two"))}\n`);
  await writeFile(join(objects, "b.json"), JSON.stringify(secret("key", "hunter2")));
  const created = `+ configmaps ${ns}/one\n+ configmaps ${ns}/two\n+ secrets ${ns}/key\n3 to create\n`;
  assert.deepEqual(await orch("--dry-run"), { code: 0, text: created });
  const unasked = await orch();
  assert.deepEqual([unasked.code, unasked.text.includes("--yes")], [1, true]);
  assert.deepEqual(await maps(ns), {});
  assert.deepEqual(await orch("--yes"), { code: 0, text: `${created}set s: Applied\n` });
  await writeFile(join(objects, "a.yaml"), `${JSON.stringify(map("one", "w"))}\n`);
  const changed = `~ configmaps ${ns}/one\n    .data.k: "v" → "w"\n- configmaps ${ns}/two\n1 to change, 1 unchanged, 1 to delete\n`;
  assert.deepEqual(await orch("--yes"), { code: 0, text: `${changed}set s: Applied\n` });
  assert.deepEqual(await maps(ns), { one: "w" });
  await writeFile(join(objects, "a.yaml"), "kind: ConfigMap\n");
  const wrong = await orch("--yes");
  assert.deepEqual([wrong.code, wrong.text.includes("apiVersion and kind are needed")], [1, true]);
});

test("what one refuses keeps all others from being written, and every refusal is told at its place", async () => {
  const ns = await namespace("refusals");
  const webhook = await startWebhookServer<{ readonly request: { readonly uid: string; readonly name: string } }>();
  webhook.react(({ body: { request } }) => {
    const allowed = request.name !== "m4";
    const response = { uid: request.uid, allowed, ...(allowed ? {} : { status: { message: "not the fifth" } }) };
    return { json: { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response } };
  });
  const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const made = await http.post(configurations, {
    metadata: { name: "fifth" },
    webhooks: [
      {
        ...{ name: "fifth.example.com", sideEffects: "None", admissionReviewVersions: ["v1"], failurePolicy: "Fail" },
        clientConfig: { url: webhook.url("/"), caBundle: webhook.caBundle },
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": ns } },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] }],
      },
    ],
  });
  assert.equal(made.status, 201, made.text);
  try {
    const objects = [0, 1, 2, 3, 4, 5].map((i) => map(`m${i}`));
    const asks = async (): Promise<Answer> =>
      put(ns, "five", { objects: [...objects, { ...map("bad"), data: { k: 1 } }] });
    // Until the server knows of the webhook.
    await untilSo("it is asked", async () => (await http.post(core(ns), map("m4"), { dryRun: "All" })).status >= 400);
    const refused = await asks();
    assert.equal(refused.status, 422, refused.text);
    const [fifth, bad] = causes(refused);
    assert.equal(fifth?.[0], "spec.objects[4]");
    assert.match(String(fifth?.[1]), /not the fifth/);
    assert.equal(bad?.[0], "spec.objects[6]");
    assert.deepEqual(await maps(ns), {});
    assert.equal((await http.get(`${sets(ns)}/five`)).status, 404);
  } finally {
    await http.delete(`${configurations}/fifth`);
    await webhook.close();
  }
});

test("nothing of a set is done that its writer could not do alone", async () => {
  const ns = await namespace("rights");
  const ann: Credentials = { type: "user", name: "ann" };
  const rules = (verbs: readonly string[]) => [
    { apiGroups: ["sets.orch"], resources: ["sets"], verbs: ["*"] },
    { apiGroups: [""], resources: ["configmaps"], verbs },
  ];
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}`;
  await http.post(`${rbac}/roles`, { metadata: { name: "r" }, rules: rules(["get", "patch", "create"]) });
  await http.post(`${rbac}/rolebindings`, {
    metadata: { name: "r" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "ann" }],
  });
  const asAnn = (spec: Spec) =>
    http.call({ method: "PUT", path: `${sets(ns)}/hers`, body: set("hers", spec), as: ann });
  await untilSo("the role counts", async () => (await asAnn({ objects: [map("a")] })).status === 201);
  const reaching = await asAnn({
    objects: [map("a", "w"), secret("s", "x"), { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } }],
  });
  assertFailure(reaching, { code: 403, reason: "Forbidden" });
  assert.deepEqual(
    causes(reaching).map(([field]) => field),
    ["spec.objects[1]", "spec.objects[2]"],
  );
  assert.deepEqual(await maps(ns), { a: "v" });
  // Pruning is a deletion, and so is the deletion of the set.
  assertFailure(await asAnn({ objects: [] }), { code: 403, reason: "Forbidden" });
  assertFailure(await http.call({ method: "DELETE", path: `${sets(ns)}/hers`, as: ann }), {
    code: 403,
    reason: "Forbidden",
  });
  assert.deepEqual(await maps(ns), { a: "v" });
  // What is said of members decides what is deleted: nobody writes that by hand.
  const forged = {
    status: { members: [{ version: "v1", resource: "configmaps", kind: "ConfigMap", name: "kube-root-ca.crt" }] },
  };
  assertFailure(await http.patch(`${sets(ns)}/hers/status`, "merge", forged), {
    code: 405,
    reason: "MethodNotAllowed",
  });
  assert.equal((await http.patch(`${sets(ns)}/hers`, "merge", forged)).status, 200);
  assert.deepEqual(actions(await http.get(`${sets(ns)}/hers`)), ["Create a"]);
});

test("an object belongs to one set, and to none that it was not given to", async () => {
  const ns = await namespace("claims");
  await http.post(core(ns), map("m", "by hand"));
  assertFailure(await put(ns, "one", { objects: [map("m")] }), { code: 409, reason: "Conflict" });
  assert.deepEqual(await maps(ns), { m: "by hand" });
  // Its field belongs to whoever made it.
  assertFailure(await put(ns, "one", { adopt: true, objects: [map("m")] }), { code: 409, reason: "Conflict" });
  assert.deepEqual(actions(await applied(ns, "one", { adopt: true, force: true, objects: [map("m")] })), ["Adopt m"]);
  const claimed = await put(ns, "two", { adopt: true, force: true, objects: [map("m", "w")] });
  assertFailure(claimed, { code: 409, reason: "Conflict" });
  assert.match(claimed.text, /belongs to another set/);
  assert.deepEqual(await maps(ns), { m: "v" });
  // Whoever takes the mark away takes the object out of the set: it is not deleted with it.
  await http.patch(`${core(ns)}/m`, "merge", { metadata: { labels: { [markLabel]: null } } });
  await applied(ns, "one", { objects: [] });
  assert.deepEqual(await maps(ns), { m: "v" });
  // An object of the same name that somebody made anew is another one.
  await applied(ns, "three", { objects: [map("n")] });
  await http.delete(`${core(ns)}/n`);
  await http.post(core(ns), { ...map("n", "new"), metadata: { name: "n", labels: { [markLabel]: "somebody" } } });
  await applied(ns, "three", { objects: [] });
  assert.deepEqual(await maps(ns), { m: "v", n: "new" });
});

test("members stay where the set is deleted with the policy Orphan, and can be adopted", async () => {
  const ns = await namespace("orphans");
  await applied(ns, "one", { objects: [map("m")] });
  const kept = await http.delete(`${sets(ns)}/one`, { dryRun: "All" });
  assert.equal(kept.status, 200, kept.text);
  assert.equal((await http.get(`${sets(ns)}/one`)).status, 200);
  assert.equal((await http.delete(`${sets(ns)}/one`, { propagationPolicy: "Orphan" })).status, 200);
  assert.equal((await http.get(`${sets(ns)}/one`)).status, 404);
  assert.equal((await http.get(`${core(ns)}/m`)).at(`metadata.labels`), undefined);
  await applied(ns, "two", { adopt: true, force: true, objects: [map("m", "w")] });
  assert.deepEqual(await maps(ns), { m: "w" });
});

test("nothing that is in a secret can be read in its set", async () => {
  const ns = await namespace("secrets");
  const watch = await http.watch(sets(ns));
  const text = JSON.stringify(set("s", { objects: [secret("s", "hunter2")] }));
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": text };
  const made = await http.post(sets(ns), {
    ...{ metadata: { name: "s", annotations } },
    spec: { objects: [secret("s", "hunter2")] },
  });
  assert.equal(made.status, 201, made.text);
  const next = { metadata: { name: "s", annotations }, spec: { objects: [secret("s", "hunter3")] } };
  const changed = await http.put(`${sets(ns)}/s`, next, { dryRun: "All" });
  assert.deepEqual(actions(changed), ["Change s"]);
  const last = await applied(ns, "s", { objects: [secret("s", "hunter3")] });
  assert.equal(
    (await http.get(`${core(ns, "secrets")}/s`)).at("data.password"),
    Buffer.from("hunter3").toString("base64"),
  );
  const read = [
    await http.get(`${sets(ns)}/s`),
    await http.get(`${sets(ns)}/s/history`),
    await http.get(`${sets(ns)}/s`, { at: String(made.at("metadata.resourceVersion")) }),
    changed,
  ].map(({ text: body }) => body);
  read.push(JSON.stringify(await watch.take(2)), target.log());
  // An event is written after the answer.
  await eventsOf(join(folder, "audit.log"), String(last.headers["audit-id"]), 2);
  const audited = await readFile(join(folder, "audit.log"), "utf8");
  read.push(...audited.split("\n").filter((line) => line.includes('"resource":"sets"')));
  assert.ok(read.length > 8, "the writes of the set are recorded");
  watch.close();
  for (const body of read) assert.ok(!/hunter|aHVudGVy/.test(body), body);
});

const misfits: readonly (readonly [what: string, objects: readonly unknown[], problem: RegExp])[] = [
  ["no object", ["x"], /spec.objects\[0\]/],
  [
    "the same object twice",
    [map("a"), map("b"), map("a", "w")],
    /spec.objects\[2\] configmaps "misfits\/a": is the same object as spec.objects\[0\]/,
  ],
  [
    "the same object in two groups",
    [
      { apiVersion: "events.k8s.io/v1", kind: "Event", metadata: { name: "a" } },
      { apiVersion: "v1", kind: "Event", metadata: { name: "a" } },
    ],
    /is the same object as spec.objects\[0\]/,
  ],
  ["a set", [set("other", { objects: [] })], /a set has no sets in it/],
  [
    "no known kind",
    [{ apiVersion: "example.com/v1", kind: "Nothing", metadata: { name: "a" } }],
    /no kind .* is served/,
  ],
  ["a list", [{ apiVersion: "v1", kind: "List", items: [] }], /no kind .* is served/],
  [
    "a question",
    [{ apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", metadata: { name: "a" } }],
    /cannot be applied/,
  ],
  ["another namespace", [{ ...map("a"), metadata: { name: "a", namespace: "default" } }], /another namespace/],
  ["no namespace", [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } }], /belongs into a ClusterSet/],
  ["no name", [{ ...map("a"), metadata: { generateName: "a" } }], /metadata.name is needed/],
  [
    "a name that leads elsewhere",
    [{ ...map("a"), metadata: { name: "../../kube-system/configmaps/a" } }],
    /spec.objects\[0\]/,
  ],
  ["unknown fields", [{ ...map("a"), dada: { k: "v" } }], /dada/],
  ["a version", [{ ...map("a"), metadata: { name: "a", resourceVersion: "1" } }], /metadata.resourceVersion/],
  ["many", Array.from({ length: 1001 }, (_, i) => map(`m${i}`)), /must have at most 1000 items/],
];

test("what no set can have is refused with its place, and nothing is written", async (t) => {
  const ns = await namespace("misfits");
  for (const [what, objects, problem] of misfits) {
    await t.test(what, async () => {
      const refused = await put(ns, "odd", { objects });
      assert.ok(refused.status >= 400 && refused.status < 500, refused.text);
      assert.match(String(refused.at("message")), problem);
    });
  }
  const unnamed = await http.post(sets(ns), { metadata: { generateName: "x-" }, spec: { objects: [] } });
  assertFailure(unnamed, { code: 400, reason: "BadRequest" });
  assert.deepEqual(await maps(ns), {});
  assert.deepEqual((await http.get(sets(ns))).items(), []);
});

test("of two changes of a set at once one waits for the other, and what is there is what one of them said", async () => {
  const ns = await namespace("at-once");
  await applied(ns, "s", { objects: [map("first")] });
  const versions = Array.from({ length: 6 }, (_, i) => [map(`own-${i}`), map("shared", String(i))]);
  const answers = await Promise.all(versions.map((objects) => put(ns, "s", { objects })));
  const won = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []));
  assert.ok(won.length > 0);
  for (const { status, text } of answers) assert.ok([200, 409, 429].includes(status), text);
  const there = await maps(ns);
  const last = won.find((i) => there["shared"] === String(i));
  assert.deepEqual(there, { [`own-${last}`]: "v", shared: String(last) });
  assert.equal((await http.get(`${sets(ns)}/s`)).at("status.phase"), "Applied");
});

test("a set comes to what it says last, whatever is done to its members meanwhile", async () => {
  const ns = await namespace("model");
  let seed = 20_261_124;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 1;
    return (seed >>> 8) % below;
  };
  /** What is to be there; of it what the set may delete. */
  const there = new Map<string, string>();
  const owned = new Set<string>();
  for (let step = 0; step < 60; step++) {
    const name = `m${random(8)}`;
    switch (random(4)) {
      case 0:
        await http.delete(`${core(ns)}/${name}`);
        there.delete(name);
        owned.delete(name);
        break;
      case 1:
        if (!there.has(name)) {
          assert.equal((await http.post(core(ns), map(name, "by hand"))).status, 201);
          there.set(name, "by hand");
        } else if (owned.has(name)) {
          await http.patch(`${core(ns)}/${name}`, "merge", { metadata: { labels: { [markLabel]: null } } });
          owned.delete(name);
        }
        break;
      default: {
        const chosen = [0, 1, 2, 3, 4, 5, 6, 7]
          .filter(() => random(2) === 0)
          .map((i) => map(`m${i}`, String(random(3))));
        const adopt = random(2) === 0;
        const answer = await put(ns, "s", { adopt, force: true, objects: chosen });
        const foreign = chosen.filter(({ metadata }) => there.has(metadata.name) && !owned.has(metadata.name));
        if (foreign.length > 0 && !adopt) {
          assertFailure(answer, { code: 409, reason: "Conflict" });
          assert.equal(causes(answer).length, foreign.length);
          break;
        }
        assert.ok(answer.status < 300, answer.text);
        for (const gone of owned) there.delete(gone);
        owned.clear();
        for (const { metadata, data } of chosen) {
          there.set(metadata.name, data.k);
          owned.add(metadata.name);
        }
      }
    }
    assert.deepEqual(await maps(ns), Object.fromEntries([...there].sort()), `after step ${step}`);
  }
});

test("a set that is written object by object, and whose server was killed, goes on with the next request", async () => {
  const ns = await namespace("killed");
  const path = `${group}/clustersets/killed`;
  const killed = (objects: readonly object[]) => http.put(path, { metadata: { name: "killed" }, spec: { objects } });
  const names = Array.from({ length: 300 }, (_, i) => `m${String(i).padStart(3, "0")}`);
  const of = (name: string) => ({ ...map(name), metadata: { name, namespace: ns } });
  // A definition is laid before the others, which wait for it.
  const objects = [definition(2), ...names.map(of)];
  assert.equal((await killed([of("leaves")])).status, 201);
  const watch = await http.watch(core(ns));
  const broken = killed(objects).then(
    ({ status }) => status,
    () => 0,
  );
  await watch.take(20);
  await target.process.kill();
  watch.close();
  await broken;
  await target.process.restart();
  const left = await http.get(path);
  assert.ok(isRecord(left.at("status")), left.text);
  assert.equal(left.at("status.phase"), "Applying");
  const again = await killed(objects);
  assert.equal(again.at("status.phase"), "Applied", again.text);
  assert.deepEqual(await maps(ns), Object.fromEntries(names.map((name) => [name, "v"])));
  assert.equal((await killed([])).status, 200);
  assert.deepEqual(await maps(ns), {});
});

test("a namespace goes with the sets in it", async () => {
  const ns = await namespace("goes");
  await applied(ns, "s", { objects: [map("m")] });
  assert.equal((await http.delete(`/api/v1/namespaces/${ns}`)).status, 200);
  await untilSo("it goes", async () => (await http.get(`/api/v1/namespaces/${ns}`)).status === 404);
});
