import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { temporaryFolder } from "./command-line-program.js";
import { type Call, type Credentials, connect, type Http } from "./harness/http.js";
import {
  type AccessWebhook,
  allow,
  configuration,
  deny,
  hook,
  type Reply,
  silent,
  startAccessWebhook,
} from "./harness/servers/access-webhook.js";
import { assertFailure, done } from "./harness/status.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";
import { writeWhole } from "./harness/whole-file.js";

const naming = createNaming("kubernetes");
const configMaps = "/api/v1/namespaces/default/configmaps";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const group = "rbac.authorization.k8s.io";
const hour = "1h";
const moment = "200ms";

const user = (name: string, ...groups: string[]): Credentials => ({ type: "user", name, groups });

/** The value of a series, 0 where it is not there yet. */
async function series(http: Http, text: string): Promise<number> {
  const { text: metrics } = await done(http.get("/metrics"));
  const line = metrics.split("\n").find((each) => each.startsWith(`${text} `));
  return line === undefined ? 0 : Number(line.slice(text.length));
}

const reloads = (http: Http, status: string): Promise<number> =>
  series(http, `apiserver_authorization_config_controller_automatic_reloads_total{status="${status}"}`);

let folder: string;
let first: AccessWebhook;
let second: AccessWebhook;
let target: StandaloneTarget;
let http: Http;

before(async () => {
  folder = await newFolder();
  [first, second] = await Promise.all([startAccessWebhook(naming), startAccessWebhook(naming)]);
  const path = join(folder, "authorization.json");
  const authorizers = [
    hook({ name: "first", webhook: first, fields: { authorizedTTL: hour, unauthorizedTTL: moment } }),
    hook({
      name: "second",
      webhook: second,
      fields: {
        ...{ authorizedTTL: moment, unauthorizedTTL: hour },
        ...{ subjectAccessReviewVersion: "v1beta1", failurePolicy: "Deny" },
      },
    }),
    { type: "RBAC", name: "rbac" },
  ];
  await writeFile(path, configuration(authorizers));
  target = await startStandalone({ args: ["--secure-port=0", `--authorization-config=${path}`] });
  http = connect(target);
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }];
  await done(http.post(`${rbac}/clusterroles`, { metadata: { name: "readers" }, rules }));
  await done(
    http.post(`${rbac}/clusterrolebindings`, {
      metadata: { name: "readers" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "readers" },
      subjects: [{ apiGroup: group, kind: "Group", name: "readers" }],
    }),
  );
  await until("the role holds", async () => {
    const { status } = await http.call({ path: configMaps, as: user("reader", "readers") });
    return status === 200 ? true : undefined;
  });
});

after(async () => {
  http?.close();
  await target?.stop();
  await first?.close();
  await second?.close();
  await removeFolder(folder);
});

const cannotList = (name: string, why = ""): string =>
  `configmaps is forbidden: User "${name}" cannot list resource "configmaps" in API group "" in the namespace "default"${why}`;

interface ChainRow {
  readonly what: string;
  readonly first: Reply;
  readonly second: Reply;
  readonly reader: boolean;
  /** What stands after the sentence of the 403; undefined where it is allowed. */
  readonly refused?: string;
  readonly asked: readonly [number, number];
}

const chainRows: readonly ChainRow[] = [
  { what: "the first allows", first: allow, second: deny("late"), reader: false, asked: [1, 0] },
  { what: "the first denies", first: deny("no"), second: allow, reader: true, refused: ": no", asked: [1, 0] },
  { what: "the second allows", first: silent, second: allow, reader: false, asked: [1, 1] },
  { what: "the second denies", first: silent, second: deny(""), reader: true, refused: "", asked: [1, 1] },
  { what: "neither has an opinion, RBAC allows", first: silent, second: silent, reader: true, asked: [1, 1] },
  {
    ...{ what: "nobody has an opinion", reader: false, refused: ": one, two", asked: [1, 1] },
    ...{ first: { status: { reason: "one" } }, second: { status: { allowed: false, reason: "two" } } },
  },
  {
    ...{ what: "the first allows and denies", second: allow, reader: true, refused: "", asked: [1, 0] },
    first: { status: { allowed: true, denied: true } },
  },
];

for (const [i, row] of chainRows.entries()) {
  test(`the chain: ${row.what}`, async () => {
    const name = `chain-${i}`;
    first.replies.set(name, row.first);
    second.replies.set(name, row.second);
    const answer = await http.call({ path: configMaps, as: user(name, row.reader ? "readers" : "visitors") });
    if (row.refused === undefined) assert.equal(answer.status, 200, answer.text);
    else assertFailure(answer, { code: 403, reason: "Forbidden", message: cannotList(name, row.refused) });
    assert.deepEqual([first.askedOf(name).length, second.askedOf(name).length], row.asked);
  });
}

test("masters and the paths of probes are nobody's question", async () => {
  first.replies.set("chief", deny("never"));
  first.replies.set("prober", deny("never"));
  assert.equal((await http.call({ path: configMaps, as: user("chief", "system:masters") })).status, 200);
  assert.equal((await http.call({ path: "/livez", as: user("prober") })).status, 200);
  assert.deepEqual([...first.askedOf("chief"), ...first.askedOf("prober")], []);
  assert.equal((await http.call({ path: "/livez/ping", as: user("prober") })).status, 403);
});

const reviewRows: readonly { readonly what: string; readonly call: Call; readonly attributes: object }[] = [
  {
    what: "a list with selectors",
    call: { path: configMaps, query: { fieldSelector: "metadata.name=a", labelSelector: "x in (a,b),!y" } },
    attributes: {
      resourceAttributes: {
        ...{ namespace: "default", verb: "list", version: "v1", resource: "configmaps", name: "a" },
        fieldSelector: { requirements: [{ key: "metadata.name", operator: "In", values: ["a"] }] },
        labelSelector: {
          requirements: [
            { key: "x", operator: "In", values: ["a", "b"] },
            { key: "y", operator: "DoesNotExist" },
          ],
        },
      },
    },
  },
  {
    what: "a subresource of a group",
    call: { method: "PATCH", path: "/apis/apps/v1/namespaces/default/deployments/d/scale", body: "{}" },
    attributes: {
      resourceAttributes: {
        ...{ namespace: "default", verb: "patch", group: "apps", version: "v1" },
        ...{ resource: "deployments", subresource: "scale", name: "d" },
      },
    },
  },
  {
    what: "what the cluster has",
    call: { method: "DELETE", path: "/api/v1/nodes" },
    attributes: { resourceAttributes: { verb: "deletecollection", version: "v1", resource: "nodes" } },
  },
  {
    what: "a path",
    call: { path: "/metrics", query: { a: "b" } },
    attributes: { nonResourceAttributes: { path: "/metrics", verb: "get" } },
  },
];

for (const [i, { what, call, attributes }] of reviewRows.entries()) {
  test(`what a webhook is asked: ${what}`, async () => {
    const name = `asked-${i}`;
    const headers = {
      "Impersonate-Uid": "u-1",
      "Impersonate-Group": ["g1", "g2"],
      "Impersonate-Extra-Scopes": ["s1", "s2"],
    };
    await http.call({ ...call, as: { type: "user", name }, headers: { ...headers, ...call.headers } });
    const groups = ["g1", "g2", "system:authenticated"];
    const who = { user: name, extra: { scopes: ["s1", "s2"] }, uid: "u-1" };
    const kind = "SubjectAccessReview";
    const [question] = first.askedOf(name);
    assert.deepEqual(question?.body, {
      ...{ apiVersion: "authorization.k8s.io/v1", kind },
      spec: { ...attributes, ...who, groups },
    });
    assert.equal(question?.method, "POST");
    assert.equal(question?.url, "/authorize?v=1");
    assert.equal(question?.headers["content-type"], "application/json");
    assert.equal(question?.headers.authorization, `Bearer ${first.token}`);
    // The first version has another name for the groups.
    assert.deepEqual(second.askedOf(name)[0]?.body, {
      ...{ apiVersion: "authorization.k8s.io/v1beta1", kind },
      spec: { ...attributes, ...who, group: groups },
    });
  });
}

test("answers are kept as long as their own times say: what was allowed, and what was not", async () => {
  first.replies.set("kept-allowed", allow);
  first.replies.set("kept-refused", deny("no"));
  second.replies.set("short-allowed", allow);
  second.replies.set("long-refused", deny("no"));
  const ask = async (name: string): Promise<number> => (await http.call({ path: configMaps, as: user(name) })).status;
  for (const name of ["kept-allowed", "long-refused"]) await ask(name);
  await until("what the first refused is asked again", async () => {
    assert.equal(await ask("kept-refused"), 403);
    return first.askedOf("kept-refused").length >= 3 ? true : undefined;
  });
  await until("what the second allowed is asked again", async () => {
    assert.equal(await ask("short-allowed"), 200);
    return second.askedOf("short-allowed").length >= 3 ? true : undefined;
  });
  // Far longer than the shorter time has passed by now.
  assert.equal(await ask("kept-allowed"), 200);
  assert.equal(await ask("long-refused"), 403);
  assert.equal(first.askedOf("kept-allowed").length, 1);
  assert.equal(second.askedOf("long-refused").length, 1);
  // Another question of the same user is another one.
  await http.call({ path: "/api/v1/namespaces/default/secrets", as: user("kept-allowed") });
  await http.call({ path: configMaps, as: user("kept-allowed", "other") });
  assert.equal(first.askedOf("kept-allowed").length, 3);
});

const badAnswers: readonly (readonly [what: string, Reply | (() => Reply)])[] = [
  ["silence", "never"],
  ["no JSON", { text: "<html>yes</html>" }],
  ["a list", { text: "[]" }],
  ["no status", { text: '{"kind":"SubjectAccessReview"}' }],
  ["another kind", { text: '{"kind":"TokenReview","status":{"allowed":true}}' }],
  ["another version", { text: '{"apiVersion":"authorization.k8s.io/v2","status":{"allowed":true}}' }],
  ["a text for a boolean", { status: { allowed: "true" } }],
  ["a number for a boolean", { status: { allowed: 1 } }],
  ["too much", () => ({ text: `{"status":{"allowed":true,"reason":"${"x".repeat(2 ** 21)}"}}` })],
  ["an error of the server", { code: 500, text: '{"status":{"allowed":true}}' }],
  ["nothing there", { code: 404, text: '{"status":{"allowed":true}}' }],
  ["a refusal", { code: 401, text: '{"status":{"allowed":true}}' }],
  ["a redirect", () => ({ code: 307, headers: { location: second.url }, text: "" })],
];

for (const [i, [what, given]] of badAnswers.entries()) {
  test(`no answer: ${what}: the next is asked, or it is a denial, as the failure policy says`, async () => {
    const reply = typeof given === "function" ? given() : given;
    const [open, closed] = [`open-${i}`, `closed-${i}`];
    first.replies.set(open, reply);
    second.replies.set(closed, reply);
    const [wentOn, undecided, denied] = await Promise.all([
      http.call({ path: configMaps, as: user(open, "readers") }),
      http.call({ path: configMaps, as: user(open) }),
      http.call({ path: configMaps, as: user(closed, "readers") }),
    ]);
    assert.equal(wentOn.status, 200, wentOn.text);
    const gaveNone = (name: string): string => `: authorization webhook "${name}" gave no answer`;
    assertFailure(undecided, { code: 403, reason: "Forbidden", message: cannotList(open, gaveNone("first")) });
    assertFailure(denied, { code: 403, reason: "Forbidden", message: cannotList(closed, gaveNone("second")) });
    // It is not kept.
    second.replies.set(closed, allow);
    assert.equal((await http.call({ path: configMaps, as: user(closed) })).status, 200);
  });
}

test("a webhook that is away counts as no answer; metrics tell of all", async () => {
  const failedOpen = `apiserver_authorization_webhook_evaluations_fail_open_total{name="first",result="error"}`;
  const errors = `apiserver_authorization_webhook_evaluations_total{name="second",result="error"}`;
  const denied = `apiserver_authorization_decisions_total{type="Webhook",name="second",decision="denied"}`;
  const counts = () => Promise.all([failedOpen, errors, denied].map((each) => series(http, each)));
  const before = await counts();
  await first.stop();
  try {
    assert.equal((await http.call({ path: configMaps, as: user("first-away", "readers") })).status, 200);
    await second.stop();
    assert.equal((await http.call({ path: configMaps, as: user("both-away", "readers") })).status, 403);
  } finally {
    await first.restart();
    await second.restart();
  }
  assert.equal((await http.call({ path: configMaps, as: user("both-away", "readers") })).status, 200);
  const [open = 0, wrong = 0, no = 0] = await counts();
  assert.ok(open >= (before[0] ?? 0) + 2, `${open}`);
  assert.ok(wrong >= (before[1] ?? 0) + 1, `${wrong}`);
  assert.ok(no >= (before[2] ?? 0) + 1, `${no}`);
  const timeouts = `apiserver_authorization_webhook_evaluations_total{name="first",result="timeout"}`;
  first.replies.set("first-hangs", "never");
  await http.call({ path: configMaps, as: user("first-hangs") });
  assert.ok((await series(http, timeouts)) >= 1);
});

const forbiddenRows: readonly (readonly [Call, message: string, details: object])[] = [
  [
    { path: `${configMaps}/a` },
    'configmaps "a" is forbidden: User "mallory" cannot get resource "configmaps" in API group "" in the namespace "default"',
    { name: "a", kind: "configmaps" },
  ],
  [
    { path: configMaps, method: "POST", body: { metadata: { name: "z" } } },
    'configmaps is forbidden: User "mallory" cannot create resource "configmaps" in API group "" in the namespace "default"',
    { kind: "configmaps" },
  ],
  [
    { path: configMaps, query: { watch: true } },
    'configmaps is forbidden: User "mallory" cannot watch resource "configmaps" in API group "" in the namespace "default"',
    { kind: "configmaps" },
  ],
  [
    { path: "/apis/apps/v1/namespaces/default/deployments/d/scale", method: "PUT", body: {} },
    'deployments.apps "d" is forbidden: User "mallory" cannot update resource "deployments/scale" in API group "apps" in the namespace "default"',
    { name: "d", group: "apps", kind: "deployments" },
  ],
  [
    { path: "/api/v1/nodes", method: "DELETE" },
    'nodes is forbidden: User "mallory" cannot deletecollection resource "nodes" in API group "" at the cluster scope',
    { kind: "nodes" },
  ],
  [
    { path: "/api/v1/namespaces/default" },
    'namespaces "default" is forbidden: User "mallory" cannot get resource "namespaces" in API group "" in the namespace "default"',
    { name: "default", kind: "namespaces" },
  ],
  [{ path: "/metrics" }, 'forbidden: User "mallory" cannot get path "/metrics"', {}],
  [
    { path: "/nothing/here", method: "POST", body: {} },
    'forbidden: User "mallory" cannot post path "/nothing/here"',
    {},
  ],
];

for (const [call, message, details] of forbiddenRows) {
  test(`403 in the reference's words: ${message}`, async () => {
    const answer = await http.call({ ...call, as: user("mallory") });
    assertFailure(answer, { code: 403, reason: "Forbidden", message });
    assert.deepEqual(answer.at("details"), details);
    assert.deepEqual(answer.at("metadata"), {});
  });
}

test("a changed configuration is in force without a restart; one that may not be leaves the chain as it is", async (t) => {
  const own = await temporaryFolder(t);
  const path = join(own, "authorization.json");
  const [old, next] = await Promise.all([startAccessWebhook(naming), startAccessWebhook(naming)]);
  const long = { authorizedTTL: hour, unauthorizedTTL: moment };
  const short = { authorizedTTL: moment, unauthorizedTTL: moment };
  await writeFile(path, configuration([hook({ name: "one", webhook: old, fields: long })]));
  const server = await startStandalone({ args: ["--secure-port=0", `--authorization-config=${path}`] });
  const client = connect(server);
  t.after(async () => {
    client.close();
    await server.stop();
    await old.close();
    await next.close();
  });
  const ask = async (name: string): Promise<number> => (await client.call({ path: configMaps, as: user(name) })).status;
  const change = async (what: string, text: string, status: string): Promise<void> => {
    const before = await reloads(client, status);
    await writeWhole(path, text);
    await until(`${what}: ${status}`, async () => ((await reloads(client, status)) > before ? true : undefined));
  };
  old.replies.set("ann", allow);
  for (let i = 0; i < 3; i++) assert.equal(await ask("ann"), 200);
  assert.equal(old.askedOf("ann").length, 1);

  await change("a TTL", configuration([hook({ name: "one", webhook: old, fields: short })]), "success");
  await until("the new time holds", async () => {
    assert.equal(await ask("ann"), 200);
    return old.askedOf("ann").length >= 4 ? true : undefined;
  });

  await change("an address", configuration([hook({ name: "one", webhook: next, fields: long })]), "success");
  // What the other said is not for this one, which says nothing of her.
  assert.equal(await ask("ann"), 403);
  assert.ok(next.askedOf("ann").length > 0);
  next.replies.set("bob", allow);

  const moved = hook({ name: "one", webhook: old, fields: long });
  const failures: readonly (readonly [what: string, text: string, log: RegExp])[] = [
    [
      "RBAC is added",
      configuration([moved, { type: "RBAC", name: "rbac" }]),
      /authorizer type RBAC is not allowed if it was not enabled at initial server startup/,
    ],
    [
      "AlwaysAllow is added",
      configuration([moved, { type: "AlwaysAllow", name: "alwaysallow" }]),
      /authorizer type AlwaysAllow is not allowed if it was not enabled at initial server startup/,
    ],
    [
      "the webhook's file is not there",
      configuration([
        hook({
          ...{ name: "one", webhook: old },
          fields: { connectionInfo: { type: "KubeConfigFile", kubeConfigFile: join(own, "absent.conf") } },
        }),
      ]),
      /absent\.conf/,
    ],
    ["it is no YAML", "authorizers: [", /changed files are no good|not in force/],
    ["it is empty", configuration([]), /at least one authorization mode must be defined/],
  ];
  const successes = await reloads(client, "success");
  for (const [what, text, log] of failures) {
    const asked = old.askedOf("bob").length;
    await change(what, text, "failure");
    await until(`${what}: it is told`, () => log.test(server.log()) || undefined);
    assert.equal(await ask("bob"), 200, what);
    assert.equal(old.askedOf("bob").length, asked, what);
  }
  assert.equal(await reloads(client, "success"), successes);

  await change("all is well again", configuration([hook({ name: "one", webhook: next, fields: short })]), "success");
  next.replies.set("bob", deny("no more"));
  await until("the new answer holds", async () => ((await ask("bob")) === 403 ? true : undefined));
});

test("RBAC of the start may not be taken away by a change", async (t) => {
  const own = await temporaryFolder(t);
  const path = join(own, "authorization.json");
  await writeFile(path, configuration([{ type: "RBAC", name: "rbac" }]));
  const server = await startStandalone({ args: ["--secure-port=0", `--authorization-config=${path}`] });
  const client = connect(server);
  t.after(async () => {
    client.close();
    await server.stop();
  });
  await writeWhole(path, configuration([hook({ name: "one", webhook: first })]));
  await until("the change is refused", async () => ((await reloads(client, "failure")) === 1 ? true : undefined));
  await until("and told", () => /missing required types: \[RBAC\]/.test(server.log()) || undefined);
  first.replies.set("taker", allow);
  assert.equal((await client.call({ path: configMaps, as: user("taker") })).status, 403);
  assert.deepEqual(first.askedOf("taker"), []);
});
