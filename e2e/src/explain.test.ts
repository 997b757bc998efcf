import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { isRecord } from "@orch/client/objects.js";
import { execute } from "./clients/program.js";
import { type Answer, type Credentials, connect, type Http } from "./harness/http.js";
import { kubectlMissing, runKubectl } from "./harness/kubectl.js";
import { type Reaction, startWebhookServer, type WebhookServer } from "./harness/servers/webhook-server.js";
import { done } from "./harness/status.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly object: { readonly metadata: { readonly labels?: object } } };
}

const admissions = "/apis/admissionregistration.k8s.io";
const maps = "/api/v1/namespaces/default/configmaps";
const explain = { explain: true, dryRun: "All" } as const;
const orch = fileURLToPath(new URL("../../services/cli/dist/main.js", import.meta.url));

let target: StandaloneTarget;
let http: Http;
let webhook: WebhookServer<Review>;
let folder: string;

before(async () => {
  [target, webhook, folder] = await Promise.all([
    startStandalone({
      args: ["--feature-gates=MutatingAdmissionPolicy=true", `--runtime-config=${admissions.slice(6)}/v1alpha1=true`],
    }),
    startWebhookServer<Review>(),
    mkdtemp(join(tmpdir(), "explain-")),
  ]);
  http = connect(target);
  webhook.react(marking);
  await Promise.all([configureWebhook(), configurePolicies()]);
  await until("webhook and policies", async () => {
    const answer = await explained(
      http.post(maps, { metadata: { name: "probe", labels: { marked: "please" } } }, explain),
    );
    const told = stepsOf(answer).map(({ type }) => type);
    return (
      (told.includes("webhook") && told.includes("policy") && told.filter((one) => one === "policy").length > 1) ||
      undefined
    );
  });
});
after(async () => {
  http?.close();
  await webhook?.close();
  await target?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** Adds an annotation to what asks for it by a label. */
function marking({ body: { kind, apiVersion, request } }: { readonly body: Review }): Reaction {
  const patch = [{ op: "add", path: "/metadata/annotations", value: { by: "webhook" } }];
  const patched = { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
  return {
    json: { kind, apiVersion, response: { uid: request.uid, allowed: true, ...patched, warnings: ["marked"] } },
  };
}

const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] };
const marked = { objectSelector: { matchLabels: { marked: "please" } } };

async function configureWebhook(): Promise<void> {
  await done(
    http.post(`${admissions}/v1/mutatingwebhookconfigurations`, {
      metadata: { name: "marker" },
      webhooks: [
        {
          name: "m.example.com",
          clientConfig: { url: webhook.url("/mark"), caBundle: webhook.caBundle },
          ...{ rules: [rule], ...marked, admissionReviewVersions: ["v1"], sideEffects: "None" },
        },
      ],
    }),
  );
}

async function configurePolicies(): Promise<void> {
  const v1 = `${admissions}/v1`;
  const alpha = `${admissions}/v1alpha1`;
  const matchConstraints = { resourceRules: [rule], ...marked };
  const applyConfiguration = { expression: 'Object{data: {"by": "policy"}}' };
  await done(
    http.post(`${alpha}/mutatingadmissionpolicies`, {
      metadata: { name: "filler" },
      spec: {
        ...{ matchConstraints, failurePolicy: "Fail", reinvocationPolicy: "Never" },
        mutations: [{ patchType: "ApplyConfiguration", applyConfiguration }],
      },
    }),
  );
  await done(
    http.post(`${alpha}/mutatingadmissionpolicybindings`, {
      metadata: { name: "filling" },
      spec: { policyName: "filler" },
    }),
  );
  await done(
    http.post(`${v1}/validatingadmissionpolicies`, {
      metadata: { name: "judge" },
      spec: {
        matchConstraints,
        validations: [{ expression: '!("bad" in object.data)', message: "bad is bad" }],
      },
    }),
  );
  await done(
    http.post(`${v1}/validatingadmissionpolicybindings`, {
      metadata: { name: "judging" },
      spec: { policyName: "judge", validationActions: ["Deny"] },
    }),
  );
}

type Fields = Readonly<Record<string, unknown>>;
const fields = (value: unknown): Fields => (isRecord(value) ? value : {});
const items = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : []);

/** The explanation that an answer is. */
async function explained(answer: Promise<Answer>): Promise<Fields> {
  const { status, text } = await answer;
  assert.equal(status, 200, text);
  const document: unknown = JSON.parse(text);
  assert.equal(fields(document)["kind"], "WriteExplanation", text);
  return fields(document);
}

const stageOf = (document: Fields, name: string): Fields =>
  items(document["stages"]).find((stage) => stage["name"] === name) ?? {};
const stepsOf = (document: Fields): readonly Fields[] => items(document["stages"]).flatMap(({ asked }) => items(asked));
const pathsOf = ({ changes }: Fields): readonly unknown[] => items(changes).map(({ path }) => path);
const named = (document: Fields, name: string): Fields => stepsOf(document).find((step) => step["name"] === name) ?? {};

const user = (name: string): Credentials => ({ type: "user", name });

test("a create is told stage by stage: what defaults, policies and webhooks change, and nothing is written", async () => {
  const body = { metadata: { name: "told", labels: { marked: "please" } }, data: { a: "1" } };
  const answer = await http.post(maps, body, explain);
  assert.match(String(answer.headers["warning"]), /marked/);
  const document = await explained(Promise.resolve(answer));
  assert.equal(document["outcome"], "created");
  const { name: _policy, ...policy } = named(document, "filler");
  assert.deepEqual(policy, {
    ...{ type: "policy", binding: "filling", outcome: "changed" },
    changes: [{ path: ".data.by", operation: "added", after: "policy" }],
  });
  const hook = named(document, "m.example.com");
  assert.deepEqual(
    [hook["configuration"], hook["outcome"], pathsOf(hook)],
    ["marker", "changed", [".metadata.annotations.by"]],
  );
  assert.deepEqual(pathsOf(stageOf(document, "mutate")), [".metadata.annotations.by", ".data.by"]);
  assert.equal(named(document, "judge")["outcome"], "allowed");
  assert.deepEqual(document["warnings"], ["marked"]);
  assert.deepEqual(fields(fields(document)["object"])["data"], { a: "1", by: "policy" });
  assert.equal((await http.get(`${maps}/told`)).status, 404);
});

test("what a policy refuses is told with its stage, the policy, and what was done before", async () => {
  const body = { metadata: { name: "bad", labels: { marked: "please" } }, data: { bad: "1" } };
  const document = await explained(http.post(maps, body, explain));
  const { stage, by, status } = fields(document["refusal"]);
  assert.deepEqual(
    [document["outcome"], stage, by],
    ["refused", "admit", { type: "policy", name: "judge", binding: "judging" }],
  );
  assert.match(String(fields(status)["message"]), /bad is bad/);
  assert.equal(named(document, "filler")["outcome"], "changed");
  assert.equal(document["object"], undefined);
});

test("a webhook that cannot be called is who refuses", async () => {
  webhook.react(() => "close");
  const body = { metadata: { name: "told", labels: { marked: "please" } } };
  const document = await explained(http.post(maps, body, explain));
  webhook.react(marking);
  const { stage, by } = fields(document["refusal"]);
  assert.deepEqual([stage, fields(by)["name"]], ["mutate", "m.example.com"]);
});

test("an apply tells its conflicts, and who wins by force", async () => {
  const apply = (manager: string, data: object, query: object) =>
    http.patch(
      `${maps}/shared`,
      "apply",
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shared" }, data },
      {
        fieldManager: manager,
        ...query,
      },
    );
  await done(apply("one", { a: "1", b: "1" }, {}));
  const refused = await explained(apply("two", { a: "2" }, explain));
  const { stage, status } = fields(refused["refusal"]);
  assert.deepEqual([stage, fields(status)["reason"]], ["change", "Conflict"]);
  const forced = await explained(apply("two", { a: "2" }, { ...explain, force: true }));
  assert.deepEqual(stageOf(forced, "change")["changes"], [
    { path: ".data.a", operation: "changed", before: "1", after: "2" },
  ]);
  const [one, two] = ["one", "two"].map((manager) => [{ manager, operation: "Apply" }]);
  assert.deepEqual(forced["owners"], [{ path: ".data.a", outcome: "taken", before: one, after: two }]);
  const same = await explained(apply("two", { b: "1" }, explain));
  assert.deepEqual(
    items(same["owners"]).map(({ path, outcome }) => [path, outcome]),
    [[".data.b", "shared"]],
  );
  const nothing = await explained(apply("one", { a: "1", b: "1" }, explain));
  assert.equal(nothing["outcome"], "unchanged");
});

test("roles and bindings are named; who may not read an object is not told what is in it", async () => {
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["update"] }];
  await done(http.post(`${rbac}/roles`, { metadata: { name: "writer" }, rules }));
  const subjects = [{ kind: "User", name: "wanda", apiGroup: "rbac.authorization.k8s.io" }];
  const roleRef = { kind: "Role", name: "writer", apiGroup: "rbac.authorization.k8s.io" };
  await done(http.post(`${rbac}/rolebindings`, { metadata: { name: "writing" }, roleRef, subjects }));
  const secrets = "/api/v1/namespaces/default/secrets";
  await done(http.post(secrets, { metadata: { name: "s" }, stringData: { hidden: "treasure" } }));
  const put = (as: Credentials) =>
    http.call({
      ...{ method: "PUT", path: `${secrets}/s`, query: explain, as },
      body: { metadata: { name: "s" }, data: { own: "b3du" } },
    });
  const own = await until("wanda's right", async () => {
    const answer = await put(user("wanda"));
    return answer.status === 403 ? undefined : answer;
  });
  for (const secret of ["hidden", "treasure", Buffer.from("treasure").toString("base64")]) {
    assert.ok(!own.text.includes(secret), own.text);
  }
  const document = await explained(Promise.resolve(own));
  assert.deepEqual([stageOf(document, "change")["valuesLeftOut"], document["ownersLeftOut"]], [true, true]);
  const { allowed, reason, ...parts } = fields(document["authorization"]);
  assert.equal(allowed, true);
  assert.match(String(reason), /^RBAC: allowed by RoleBinding "writing\/default"/);
  assert.deepEqual(parts, {
    binding: { kind: "RoleBinding", name: "writing", namespace: "default" },
    role: { kind: "Role", name: "writer" },
    subject: { kind: "User", name: "wanda", namespace: "" },
  });
  const whole = await explained(put({ type: "admin" }));
  assert.deepEqual(pathsOf(stageOf(whole, "change")).includes(".data.hidden"), true);
  assert.equal((await put(user("nobody"))).status, 403);
});

test("what would be written, is no object, or is posted to be answered is not explained", async () => {
  const body = { metadata: { name: "no" } };
  const review = { spec: { resourceAttributes: { verb: "get", resource: "pods" } } };
  const refused: readonly Promise<Answer>[] = [
    http.post(maps, body, { explain: true }),
    http.post(maps, body, { explain: true, dryRun: "" }),
    http.delete(`${maps}/shared`, explain),
    http.delete(maps, explain),
    http.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review, explain),
    http.post("/api/v1/namespaces/default/serviceaccounts/default/token", { spec: {} }, explain),
  ];
  for (const answer of await Promise.all(refused)) assert.equal(answer.status, 400, answer.text);
  const invalid = await explained(http.post(maps, { metadata: { name: "No" } }, explain));
  assert.equal(fields(invalid["refusal"])["stage"], "validate");
  assert.equal((await http.get(`${maps}/no`)).status, 404);
});

test("a large object, another version of a custom resource, a status and a scale are told, too", async () => {
  // Webhooks and policies are about config maps: a large secret goes to a thread of its own.
  const large = { metadata: { name: "large" }, stringData: { a: "x".repeat(200_000) } };
  const inThread = async () => /^orch_large_jobs_total (\d+)/m.exec((await http.get("/metrics")).text)?.[1];
  const before = Number(await inThread());
  const told = await explained(http.post("/api/v1/namespaces/default/secrets", large, explain));
  assert.equal(Number(await inThread()), before + 1);
  assert.equal(fields(fields(told["object"])["data"])["a"], Buffer.from(large.stringData.a).toString("base64"));
  assert.deepEqual(
    items(stageOf(told, "admit")["asked"]).map(({ name }) => name),
    ["ResourceQuota"],
  );
  const apps = "/apis/apps/v1/namespaces/default/deployments";
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { replicas: 0, selector: { matchLabels: { a: "b" } }, template };
  await done(http.post(apps, { metadata: { name: "d" }, spec }));
  const scaled = await explained(http.patch(`${apps}/d/scale`, "merge", { spec: { replicas: 3 } }, explain));
  assert.deepEqual(pathsOf(stageOf(scaled, "change")), [".spec.replicas"]);
  const change = { status: { observedGeneration: 9 } };
  const status = await explained(http.patch(`${apps}/d/status`, "merge", change, explain));
  assert.equal(status["outcome"], "changed");
  await defineWidgets();
  const widgets = "/apis/example.com/v2/namespaces/default/widgets";
  const widget = { apiVersion: "example.com/v2", kind: "Widget", metadata: { name: "w" } };
  const custom = await explained(
    until("widgets", async () => {
      const answer = await http.post(widgets, widget, explain);
      return answer.status === 404 ? undefined : answer;
    }),
  );
  const { from, to } = stageOf(custom, "store");
  assert.deepEqual([from, to], ["example.com/v2", "example.com/v1"]);
  assert.deepEqual(pathsOf(stageOf(custom, "default")), [".size"]);
  const query = { headers: { accept: "application/yaml" }, query: explain };
  const yaml = await http.call({ method: "POST", path: maps, body: { metadata: { name: "y" } }, ...query });
  assert.match(yaml.text, /^kind: WriteExplanation\n/);
});

async function defineWidgets(): Promise<void> {
  const properties = { size: { type: "integer", default: 3 } };
  const version = { served: true, schema: { openAPIV3Schema: { type: "object", properties } } };
  await done(
    http.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: "widgets.example.com" },
      spec: {
        ...{ group: "example.com", scope: "Namespaced", names: { plural: "widgets", kind: "Widget" } },
        versions: [
          { ...version, name: "v1", storage: true },
          { ...version, name: "v2", storage: false },
        ],
      },
    }),
  );
}

/** Runs a command of ours; gives what it prints and how it ends. */
async function run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
  const env = { ORCHCONFIG: target.clientConfig };
  const { code, output, errors } = await execute([process.execPath, orch, ...args], { env, timeoutMs: 120_000 });
  return { code, text: output + errors };
}

test("orch explain-write tells of a file", async () => {
  const file = join(folder, "two.yaml");
  const map = (name: string, data: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, labels: {marked: please}}\ndata: ${data}\n`;
  await writeFile(file, `${map("fine", '{a: "1"}')}---\n${map("worse", '{bad: "1"}')}`);
  const told = await run("explain-write", "-f", file);
  assert.equal(told.code, 1, told.text);
  assert.match(told.text, /webhook m\.example\.com of marker changed\n {4}\+ \.metadata\.annotations\.by = "webhook"/);
  assert.match(told.text, /result {4}would be created/);
  assert.match(told.text, /result {4}refused in stage admit by policy judge with binding judging \(422\)/);
  const denied = await run("explain-write", "-f", file, "--as=nobody");
  assert.equal(denied.code, 1, denied.text);
  assert.match(denied.text, /refused in stage authorize \(403\)/);
});

test("orch can-i and who-can name role, binding and rule", async () => {
  const can = await run("can-i", "update", "secrets/s", "--explain", "--as=wanda");
  assert.equal(can.code, 0, can.text);
  assert.match(can.text, /^yes\nwanda .* may update secrets "s" in namespace default\n/);
  assert.match(
    can.text,
    /decided by\n {2}User wanda\n {4}by RoleBinding default\/writing of Role default\/writer\n {4}rule \{/,
  );
  const cannot = await run("can-i", "get", "secrets/s", "--explain", "--as=wanda");
  assert.deepEqual([cannot.code, cannot.text.split("\n")[0]], [1, "no"], cannot.text);
  const who = await run("who-can", "update", "secrets");
  assert.match(who.text, /User wanda\n {4}by RoleBinding default\/writing of Role default\/writer/);
  assert.match(who.text, /system:masters may do everything/);
  const blind = await run("who-can", "update", "secrets", "--as=wanda");
  assert.deepEqual([blind.code, blind.text], [2, "orch who-can: you may not list the bindings of roles\n"]);
});

test("orch why-not-deleted tells what a namespace waits for, and who should act", async () => {
  await done(http.post("/api/v1/namespaces", { metadata: { name: "stuck" } }));
  const map = { metadata: { name: "held", finalizers: ["example.com/hold"] } };
  await done(http.post("/api/v1/namespaces/stuck/configmaps", map, { fieldManager: "holder" }));
  assert.match((await run("why-not-deleted", "namespace/stuck")).text, /is not being deleted/);
  await done(http.delete("/api/v1/namespaces/stuck"));
  const text = await until("the namespace's controller", async () => {
    const told = await run("why-not-deleted", "namespace/stuck");
    assert.equal(told.code, 1, told.text);
    return /NamespaceFinalizersRemaining/.test(told.text) ? told.text : undefined;
  });
  assert.match(text, /^Namespace stuck waits for a finalizer\ndeleted at \d{4}-/);
  assert.match(text, /the namespace controller of the kube-controller-manager takes it away when nothing is left/);
  assert.match(text, /still there: ConfigMap stuck\/held \(being deleted, has the finalizers example\.com\/hold\)/);
  const held = await run("why-not-deleted", "configmap", "held", "-n", "stuck");
  assert.match(
    held.text,
    /finalizer example\.com\/hold\n {2}holder, who has set it at \S+ takes it away when its own work is done/,
  );
  assert.deepEqual(await run("why-not-deleted", "ns/nowhere"), { code: 0, text: "ns/nowhere is not there\n" });
});

test("the reference's command line asks for explanations as for any path", async (t) => {
  const missing = await kubectlMissing();
  if (missing !== undefined) return t.skip(missing);
  const kubectl = runKubectl({ target, folder, namespace: "default" });
  const file = join(folder, "raw.json");
  await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "raw" } }));
  const document: unknown = JSON.parse(await kubectl(["create", `--raw=${maps}?dryRun=All&explain=true`, "-f", file]));
  assert.deepEqual([fields(document)["kind"], fields(document)["outcome"]], ["WriteExplanation", "created"]);
});
