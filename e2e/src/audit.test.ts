import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { readJson } from "@orch/status/read-json.js";
import { eventsIn, eventsOf, type LoggedEvent, withoutLatencies, writePolicy } from "./audit-bed.js";
import { type Answer, programs, run, type Server, startServer, temporaryFolder } from "./command-line-program.js";
import { until } from "./harness/until.js";

interface Row {
  readonly user: string;
  readonly request: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly events: readonly WantedEvent[];
}

interface WantedEvent extends Omit<LoggedEvent, "requestObject" | "responseObject"> {
  readonly requestObject?: true;
  /** Its kind. */
  readonly responseObject?: string;
}

const rows: readonly Row[] = readJson(readFileSync(new URL("../testdata/audit-events.json", import.meta.url), "utf8"));
const users = ["lvl-none", "lvl-meta", "lvl-req", "lvl-resp", "deny-me", "omit-received", "omit-all", "omit-mf"];
const stages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];
const rules = [
  { level: "None", users: ["lvl-none"] },
  { level: "Metadata", users: ["lvl-meta", "deny-me", "system:anonymous"] },
  { level: "Request", users: ["lvl-req"] },
  { level: "RequestResponse", users: ["lvl-resp"] },
  { level: "Metadata", users: ["omit-received"], omitStages: ["RequestReceived"] },
  { level: "Metadata", users: ["omit-all"], omitStages: stages },
  { level: "RequestResponse", users: ["omit-mf"], omitManagedFields: true },
];

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.au.example.com" },
  spec: {
    group: "au.example.com",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing" },
    versions: ["v1", "v1beta1"].map((name) => ({
      ...{ name, served: true, storage: name === "v1", deprecated: name !== "v1" },
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: { type: "object", properties: { n: { type: "integer" }, d: { type: "string", default: "D" } } },
            status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      },
    })),
  },
};

const json = { "Content-Type": "application/json" };

async function post(server: Server, path: string, body: object): Promise<void> {
  const answer = await server.ask(path, { method: "POST", headers: json, body: JSON.stringify(body) });
  assert.equal(answer.status, 201, answer.body);
}

interface Bed {
  readonly server: Server;
  readonly log: string;
  /** Sends a request of a user by name, of nobody if "". */
  ask(user: string, row: Pick<Row, "request" | "body" | "headers">): Promise<Answer>;
}

/** A server with users that are recorded at each level, and with things. */
async function bed(t: TestContext, args: readonly string[] = []): Promise<Bed> {
  const folder = await temporaryFolder(t);
  const log = join(folder, "log", "audit.log");
  const tokens = join(folder, "tokens.csv");
  await writeFile(
    tokens,
    users.map((user) => `${user},${user},uid-${user},"${user === "deny-me" ? "x" : "dev"}"\n`).join(""),
  );
  const policy = await writePolicy(folder, rules);
  const server = await startServer(t, {
    args: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, `--token-auth-file=${tokens}`, ...args],
  });
  await post(server, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "test" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: ["dev", "g1"].map((name) => ({ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name })),
  });
  await post(server, "/api/v1/namespaces", { metadata: { name: "obs" } });
  await post(server, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  const things = "/apis/au.example.com/v1/namespaces/obs/things";
  await until("things", async () => ((await server.ask(things)).status === 200 ? true : undefined));
  await until("rights", async () =>
    (await server.ask(things, { token: "lvl-none" })).status === 200 ? true : undefined,
  );
  return {
    server,
    log,
    ask(user, { request, body, headers = {} }) {
      const [method = "", path = ""] = request.split(" ");
      const typed = body === undefined || method === "DELETE" ? {} : json;
      return server.ask(path, {
        ...{ method, token: user, headers: { "User-Agent": "client/1.0", ...typed, ...headers } },
        ...(body === undefined ? {} : { body }),
      });
    },
  };
}

const decisionKey = "authorization.k8s.io/decision";

/** What is compared of an event: who allowed a request here is another, and so are the texts of refusals. */
function shown(event: LoggedEvent | WantedEvent): object {
  const { stage, level, verb, objectRef, sourceIPs, userAgent, responseStatus, annotations = {} } = event;
  const { code, status, reason, details = {} } = responseStatus ?? {};
  const { name, group, kind } = details;
  const { "authorization.k8s.io/reason": _why, ...noted } = withoutLatencies(annotations);
  const { requestObject, responseObject } = event;
  const answered = responseObject instanceof Object ? Reflect.get(responseObject, "kind") : responseObject;
  return {
    ...{ stage, level, verb, objectRef, sourceIPs, userAgent, annotations: noted },
    impersonatedUser: event.impersonatedUser,
    status: responseStatus === undefined ? undefined : { code, status, reason, name, group, kind },
    requestObject: requestObject !== undefined,
    responseObject: answered,
  };
}

test("events are those of the reference, request for request", async (t) => {
  const { log, ask } = await bed(t);
  await ask("lvl-none", {
    request: "POST /apis/au.example.com/v1/namespaces/obs/things",
    body: '{"apiVersion":"au.example.com/v1","kind":"Thing","metadata":{"name":"ap"},"spec":{"n":3}}',
  });
  const wrong: string[] = [];
  for (const row of rows) {
    const { user, request, status, events: wanted } = row;
    const answer = await ask(user, row);
    if (answer.status !== status) {
      wrong.push(`${request}: ${answer.status} instead of ${status}: ${answer.body.slice(0, 300)}`);
      continue;
    }
    const id = String(answer.headers["audit-id"]);
    const events = wanted.length === 0 ? [] : await eventsOf(log, id, wanted.length);
    try {
      assert.deepEqual(events.map(shown), wanted.map(shown));
    } catch (error) {
      wrong.push(`${user} ${request}: ${error instanceof Error ? error.message : ""}`);
    }
  }
  assert.equal(wrong.join("\n"), "");
  const logged = await eventsIn(log);
  assert.deepEqual(
    logged.filter(({ user: { username } }) => username === "lvl-none" || username === "omit-all"),
    [],
  );
});

test("bodies are recorded as they came and as they were answered, in JSON whatever their encoding", async (t) => {
  const { log, ask } = await bed(t);
  const things = "/apis/au.example.com/v1/namespaces/obs/things";
  const created = await ask("lvl-resp", {
    request: `POST ${things}`,
    body: '{\n "apiVersion": "au.example.com/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": {"n": 1, "junk": 9007199254740993}}',
    headers: { Accept: "application/yaml" },
  });
  const [, complete] = await eventsOf(log, String(created.headers["audit-id"]), 2);
  assert.deepEqual(complete?.requestObject, {
    ...{
      apiVersion: "au.example.com/v1",
      kind: "Thing",
      metadata: { name: "t" },
      spec: { n: 1, junk: 9007199254740992 },
    },
  });
  assert.ok((await readFile(log, "utf8")).includes('"junk":9007199254740993'), "numbers stay what they were");
  const { spec, kind }: { readonly spec?: object; readonly kind?: string } = Object(complete?.responseObject);
  assert.deepEqual([spec, kind], [{ n: 1, d: "D" }, "Thing"]);

  const protobuf = { Accept: "application/vnd.kubernetes.protobuf" };
  const maps = "/api/v1/namespaces/obs/configmaps";
  const made = await makeConfigMap(ask, maps, protobuf);
  const [, map] = await eventsOf(log, String(made.headers["audit-id"]), 2);
  const { data }: { readonly data?: object } = Object(map?.responseObject);
  assert.deepEqual(data, { a: "b" });
  const bytes = Buffer.from(made.body, "latin1");
  assert.notEqual(bytes[0], 0x7b);
  const listed = await ask("lvl-resp", { request: `GET ${maps}`, headers: protobuf });
  const [, list] = await eventsOf(log, String(listed.headers["audit-id"]), 2);
  const { items = [] }: { readonly items?: readonly object[] } = Object(list?.responseObject);
  assert.ok(items.length >= 1);
  const gzip = await ask("lvl-resp", {
    request: "GET /apis/rbac.authorization.k8s.io/v1/clusterroles",
    headers: { "Accept-Encoding": "gzip" },
  });
  const [, large] = await eventsOf(log, String(gzip.headers["audit-id"]), 2);
  assert.equal(Reflect.get(Object(large?.responseObject), "kind"), "ClusterRoleList");
});

function makeConfigMap(ask: Bed["ask"], maps: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" }, data: { a: "b" } });
  return ask("lvl-resp", { request: `POST ${maps}`, body, headers });
}

test("hostile requests leave one line each, of a bounded length", async (t) => {
  const { log, ask, server } = await bed(t);
  const things = "/apis/au.example.com/v1/namespaces/obs/things";
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const sent: Promise<Answer>[] = [];
  const odd: readonly Pick<Row, "request" | "body" | "headers">[] = [
    { request: `GET ${things}`, headers: { "User-Agent": "A".repeat(30_000) } },
    { request: `GET ${things}`, headers: { "X-Forwarded-For": "1.1.1.1,".repeat(4_000) } },
    { request: `GET ${things}`, headers: { "Audit-Id": "x".repeat(5_000) } },
    { request: `GET ${things}`, headers: { "Audit-Id": "a b" } },
    { request: `POST ${things}`, body: `{"spec":${deep}}` },
    { request: `POST ${things}`, body: deep },
    { request: `POST ${things}`, body: "\u0000\u0001binary\u00ff" },
    { request: `POST ${things}`, body: "a: &a [x]\nb: [*a, *a]", headers: { "Content-Type": "application/yaml" } },
    { request: `POST ${things}`, body: "junk", headers: { "Content-Type": "application/vnd.kubernetes.protobuf" } },
    { request: `GET ${things}?${"q=%00%22&".repeat(500)}` },
  ];
  for (const one of odd) sent.push(ask("lvl-resp", one));
  for (const answer of await Promise.all(sent)) {
    const id = String(answer.headers["audit-id"]);
    assert.ok(id.length < 130 && !id.includes(" "), id);
    const events = await eventsOf(log, id, 2);
    assert.equal(events.length, 2);
  }
  for (const line of (await readFile(log, "utf8")).split("\n")) assert.ok(line.length < 500_000, `${line.length}`);
  assert.equal((await server.ask("/readyz")).status, 200);
});

test("what plugins note of a request stands in its event, of a refusal too", async (t) => {
  const { log, ask, server } = await bed(t, ["--feature-gates=AllAlpha=false"]);
  const policies = "/apis/admissionregistration.k8s.io/v1";
  await post(server, `${policies}/validatingadmissionpolicies`, {
    metadata: { name: "noting.example.com" },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      },
      validations: [{ expression: "object.metadata.name != 'bad'", message: "no" }],
      auditAnnotations: [{ key: "name", valueExpression: "'was ' + object.metadata.name" }],
    },
  });
  await post(server, `${policies}/validatingadmissionpolicybindings`, {
    metadata: { name: "noting" },
    spec: { policyName: "noting.example.com", validationActions: ["Deny"] },
  });
  const make = (name: string): Promise<Answer> =>
    ask("lvl-meta", {
      request: "POST /api/v1/namespaces/obs/configmaps",
      body: JSON.stringify({ metadata: { name } }),
    });
  await until("the policy", async () => ((await make("bad")).status === 422 ? true : undefined));
  for (const [name, status] of [
    ["bad", 422],
    ["good", 201],
  ] as const) {
    const answer = await make(name);
    assert.equal(answer.status, status, answer.body);
    const [, complete] = await eventsOf(log, String(answer.headers["audit-id"]), 2);
    assert.equal(complete?.annotations?.["noting.example.com/name"], `was ${name}`);
    assert.equal(complete?.annotations?.[decisionKey], "allow");
  }
});

test("a sender who does not prove who he is has one event", async (t) => {
  const folder = await temporaryFolder(t);
  const log = join(folder, "audit.log");
  const policy = await writePolicy(folder, [{ level: "Metadata" }]);
  const server = await startServer(t, { args: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`] });
  const answer = await server.ask("/api/v1/pods", { token: "wrong" });
  assert.equal(answer.status, 401);
  const events = await eventsOf(log, String(answer.headers["audit-id"]), 1);
  assert.deepEqual(
    events.map(({ stage, user, responseStatus }) => [stage, user, responseStatus?.code, responseStatus?.message]),
    [["ResponseStarted", {}, 401, "Authentication failed, attempted: bearer"]],
  );
});

test("metrics count events by what the policy says", async (t) => {
  const { log, ask, server } = await bed(t);
  const answer = await ask("lvl-resp", { request: "GET /version" });
  await eventsOf(log, String(answer.headers["audit-id"]), 2);
  assert.ok((await server.metric("apiserver_audit_event_total")) >= 2);
  assert.ok((await server.metric('apiserver_audit_level_total{level="RequestResponse"}')) >= 1);
  assert.ok((await server.metric('apiserver_audit_level_total{level="None"}')) >= 1);
});

test("flags that cannot be used end the start with the reference's sentence", async (t) => {
  const folder = await temporaryFolder(t);
  const policy = await writePolicy(folder, [{ level: "Metadata" }]);
  const bad = join(folder, "bad.yaml");
  await writeFile(bad, '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Bogus"}]}');
  const log = `--audit-log-path=${join(folder, "a.log")}`;
  for (const [args, text] of [
    [[`--audit-policy-file=${folder}/absent`, log], /loading audit policy file: failed to read file path/],
    [[`--audit-policy-file=${bad}`, log], /loading audit policy file: rules\[0\]\.level: Unsupported value: "Bogus"/],
    [
      [`--audit-policy-file=${policy}`, `--audit-webhook-config-file=${folder}/absent`],
      /initializing audit webhook: .*absent/,
    ],
    [[`--audit-policy-file=${policy}`, log, "--audit-log-mode=bogus"], /invalid audit log mode bogus/],
  ] as const) {
    const data = join(folder, "data");
    await mkdir(data, { recursive: true });
    const started = run(t, [
      programs.standalone,
      ...[`--data-dir=${data}`, "--secure-port=0", "--api-dialect=kubernetes", ...args],
    ]);
    const { code } = await started.exit;
    assert.notEqual(code, 0);
    assert.match(started.errors(), text);
  }
});

test("a policy without a sink, and a sink without a policy, start and record nothing", async (t) => {
  const folder = await temporaryFolder(t);
  const log = join(folder, "a.log");
  const policy = await writePolicy(folder, [{ level: "Metadata" }]);
  for (const arg of [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`]) {
    const server = await startServer(t, { args: [arg] });
    assert.equal((await server.ask("/version")).status, 200);
  }
  await pause(100);
  await assert.rejects(stat(log));
});
