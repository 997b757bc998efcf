import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isRecord } from "@orch/client/objects.js";
import {
  type Answer,
  type Call,
  type Credentials,
  connect,
  type Http,
  type PatchType,
  valueAt,
} from "./harness/http.js";
import { assertFailure, done } from "./harness/status.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

const group = "rbac.authorization.k8s.io";
const rbac = `/apis/${group}/v1`;

let target: StandaloneTarget;
let http: Http;

before(async () => {
  target = await startStandalone();
  http = connect(target);
});
after(async () => {
  http?.close();
  await target?.stop();
});

const user = (name: string): Credentials => ({ type: "user", name });

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

const rule = (verbs: readonly string[], resources: readonly string[], apiGroups = [""]): Rule => ({
  ...{ apiGroups, resources, verbs },
});
const readConfigMaps = rule(["get", "list"], ["configmaps"]);
const readSecrets = rule(["get", "list"], ["secrets"]);
const roleKinds = ["roles", "rolebindings", "clusterroles", "clusterrolebindings"];
const writeRoles = rule(["create", "get", "update", "patch"], roleKinds, [group]);

/** The folder of roles or bindings: of a namespace, or the cluster's where it is empty. */
const folder = (namespace: string, what: "role" | "rolebinding"): string =>
  namespace === "" ? `${rbac}/cluster${what}s` : `${rbac}/namespaces/${namespace}/${what}s`;

interface Ref {
  readonly kind: "Role" | "ClusterRole";
  readonly name: string;
}

const binding = (name: string, ref: Ref, subject: string) => ({
  metadata: { name },
  roleRef: { apiGroup: group, ...ref },
  subjects: [{ apiGroup: group, kind: "User", name: subject }],
});

async function namespaceOf(name: string): Promise<string> {
  await done(http.post("/api/v1/namespaces", { metadata: { name } }));
  return name;
}

/** Gives somebody rules in a namespace, or everywhere where it is empty. */
async function give(who: string, namespace: string, rules: readonly Rule[]): Promise<void> {
  const kind = namespace === "" ? "ClusterRole" : "Role";
  await done(http.post(folder(namespace, "role"), { metadata: { name: `of-${who}` }, rules }));
  await done(http.post(folder(namespace, "rolebinding"), binding(`of-${who}`, { kind, name: `of-${who}` }, who)));
}

const bindTo = (who: string, namespace: string, name: string): Promise<Answer> =>
  done(http.post(folder(namespace, "rolebinding"), binding(`${who}-${name}`, { kind: "ClusterRole", name }, who)));

/** Waits until somebody's request is answered so, and gives the answer. */
const answered = (call: Call, who: string, status: number): Promise<Answer> =>
  until(`${who}: ${call.method ?? "GET"} ${call.path}: ${status}`, async () => {
    const answer = await http.call({ ...call, as: user(who) });
    return answer.status === status ? answer : undefined;
  });

const contentTypes: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  "strategic-merge": "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

/** Every way to write an object that is there: by itself whole, by each patch, by apply. */
function writesOf(path: string, object: object, changed: Readonly<Record<string, unknown>>): readonly Call[] {
  const patch = (type: PatchType, body: unknown, query = {}): Call => ({
    ...{ method: "PATCH", path, query, body: JSON.stringify(body) },
    headers: { "content-type": contentTypes[type] },
  });
  const operations = Object.entries(changed).map(([name, value]) => ({ op: "replace", path: `/${name}`, value }));
  return [
    { method: "PUT", path, body: { ...object, ...changed } },
    patch("json", operations),
    patch("merge", changed),
    patch("strategic-merge", changed),
    patch("apply", { ...object, ...changed }, { fieldManager: "m", force: true }),
  ];
}

for (const namespace of ["", "escalation"]) {
  const where = namespace === "" ? "the cluster" : "a namespace";
  const kind = namespace === "" ? "ClusterRole" : "Role";
  test(`roles of ${where}: nobody writes rights that he has not, by whatever verb`, async () => {
    if (namespace !== "") await namespaceOf(namespace);
    const [who, escalator] = [`writer-${kind.toLowerCase()}`, `escalator-${kind.toLowerCase()}`];
    await give(who, namespace, [readConfigMaps, writeRoles]);
    const mayEscalate = rule(["escalate"], ["roles", "clusterroles"], [group]);
    await give(escalator, namespace, [writeRoles, mayEscalate]);
    const roles = folder(namespace, "role");
    const apiVersion = `${group}/v1`;
    const name = `target-${kind.toLowerCase()}`;
    const object = { apiVersion, kind, metadata: { name }, rules: [readConfigMaps] };
    await answered({ method: "POST", path: roles, body: object }, who, 201);
    await answered({ path: `${roles}/${name}` }, escalator, 200);

    const tooMuch: readonly (readonly Rule[])[] = [
      [readSecrets],
      [readConfigMaps, rule(["delete"], ["configmaps"])],
      [rule(["*"], ["configmaps"])],
      [rule(["get"], ["*"])],
      [rule(["get"], ["configmaps"], ["*"])],
      [rule(["get"], ["configmaps/status"])],
      [rule(["get"], ["configmaps"], ["", "apps"])],
    ];
    const refused = {
      ...{ code: 403, reason: "Forbidden" },
      message: new RegExp(
        `^${kind.toLowerCase()}s\\.${group} "[^"]+" is forbidden: user "${who}" \\(groups=\\["system:authenticated"\\]\\) is attempting to grant RBAC permissions not currently held:\n`,
      ),
    };
    for (const [i, rules] of tooMuch.entries()) {
      const body = { ...object, metadata: { name: `${name}-${i}` }, rules };
      assertFailure(await http.call({ method: "POST", path: roles, body, as: user(who) }), refused);
      const query = { fieldManager: "m" };
      const headers = { "content-type": contentTypes.apply };
      const apply: Call = {
        method: "PATCH",
        path: `${roles}/${name}-${i}`,
        query,
        headers,
        body: JSON.stringify(body),
      };
      assertFailure(await http.call({ ...apply, as: user(who) }), refused);
      const dryRun = { method: "POST", path: roles, body, query: { dryRun: "All" } };
      assertFailure(await http.call({ ...dryRun, as: user(who) }), refused);
      for (const write of writesOf(`${roles}/${name}`, object, { rules })) {
        assertFailure(await http.call({ ...write, as: user(who) }), refused);
      }
    }
    assert.deepEqual((await http.get(`${roles}/${name}`)).at("rules"), object.rules);
    // Less than he has, or the same in other words; and he who may escalate writes what he likes.
    const enough: readonly (readonly Rule[])[] = [
      [rule(["get"], ["configmaps"])],
      [rule(["list"], ["configmaps"]), rule(["get"], ["configmaps"])],
      [{ ...readConfigMaps, resourceNames: ["a"] }],
    ];
    for (const rules of enough) {
      for (const write of writesOf(`${roles}/${name}`, object, { rules })) {
        await done(http.call({ ...write, as: user(who) }));
        assert.deepEqual((await http.get(`${roles}/${name}`)).at("rules"), rules);
        await done(http.put(`${roles}/${name}`, object));
      }
    }
    for (const write of writesOf(`${roles}/${name}`, object, { rules: [readSecrets] })) {
      await done(http.call({ ...write, as: user(escalator) }));
      await done(http.put(`${roles}/${name}`, object));
    }
  });

  test(`bindings of ${where}: nobody gives a role that he has not, unless he may bind it`, async () => {
    const at = namespace === "" ? "" : await namespaceOf("bindings");
    const [who, binder, other] = ["w", "b", "o"].map((each) => `bind-${each}-${kind.toLowerCase()}`);
    assert.ok(who !== undefined && binder !== undefined && other !== undefined);
    await done(
      http.post(`${rbac}/clusterroles`, { metadata: { name: `mine-${kind}`.toLowerCase() }, rules: [readConfigMaps] }),
    );
    await done(
      http.post(`${rbac}/clusterroles`, { metadata: { name: `more-${kind}`.toLowerCase() }, rules: [readSecrets] }),
    );
    const [mine, more] = [`mine-${kind}`.toLowerCase(), `more-${kind}`.toLowerCase()];
    const mayBind = { ...rule(["bind"], ["clusterroles"], [group]), resourceNames: [more] };
    await give(who, at, [readConfigMaps, writeRoles]);
    await give(binder, at, [writeRoles, mayBind]);
    await give(other, at, [rule(["create"], ["configmaps"])]);
    const bindings = folder(at, "rolebinding");
    const bound = at === "" ? "ClusterRoleBinding" : "RoleBinding";
    const to = (name: string, role: string) => ({
      ...{ apiVersion: `${group}/v1`, kind: bound },
      ...binding(name, { kind: "ClusterRole", name: role }, "friend"),
    });
    await answered({ method: "POST", path: bindings, body: to(`friend-${mine}`, mine) }, who, 201);
    await answered({ method: "POST", path: bindings, body: to(`friend-${more}`, more) }, binder, 201);
    const refused = {
      code: 403,
      reason: "Forbidden",
      message: /is attempting to grant RBAC permissions not currently held/,
    };
    const create = (as: string, role: string) =>
      http.call({ method: "POST", path: bindings, body: to("x", role), as: user(as) });
    for (const role of [more, "cluster-admin"]) assertFailure(await create(who, role), refused);
    for (const role of [mine, "cluster-admin"]) assertFailure(await create(binder, role), refused);
    // Without the right to write bindings nothing of that is even looked at.
    assertFailure(await create(other, mine), { code: 403, reason: "Forbidden", message: /cannot create resource/ });
    // A role that is not there can not be weighed.
    assertFailure(await create(who, "no-such-role"), { code: 404, reason: "NotFound" });
    // A new subject of a binding that others made is a gift as well.
    const subjects = [{ apiGroup: group, kind: "User", name: who }];
    for (const write of writesOf(`${bindings}/friend-${more}`, to(`friend-${more}`, more), { subjects })) {
      assertFailure(await http.call({ ...write, as: user(who) }), refused);
      await done(http.call({ ...write, as: user(binder) }));
      await done(http.put(`${bindings}/friend-${more}`, to(`friend-${more}`, more)));
    }
    // The role of a binding stays what it is, for whoever.
    const roleRef = { apiGroup: group, kind: "ClusterRole", name: mine };
    const moved = { ...to(`friend-${more}`, more), roleRef };
    assertFailure(await http.put(`${bindings}/friend-${more}`, moved), { code: 422, reason: "Invalid" });
  });
}

test("who may aggregate holds everything, or writes no aggregationRule", async () => {
  await give("aggregator", "", [readConfigMaps, writeRoles]);
  const roles = `${rbac}/clusterroles`;
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { "grants/aggregate": "true" } }] };
  const metadata = { name: "gathers" };
  await answered({ path: `${roles}/view` }, "aggregator", 200);
  const create: Call = { method: "POST", path: roles, body: { metadata, aggregationRule, rules: [] } };
  assertFailure(await http.call({ ...create, as: user("aggregator") }), {
    ...{ code: 403, reason: "Forbidden" },
    message: /must have cluster-admin privileges to use the aggregationRule/,
  });
  // A label that would put a role's rules into another is weighed as a write of it.
  await done(http.call(create));
  await done(http.post(roles, { metadata: { name: "strong" }, rules: [readSecrets] }));
  const label: Call = {
    ...{ method: "PATCH", path: `${roles}/strong`, headers: { "content-type": contentTypes.merge } },
    body: JSON.stringify({ metadata: { labels: { "grants/aggregate": "true" } } }),
  };
  assertFailure(await http.call({ ...label, as: user("aggregator") }), { code: 403, reason: "Forbidden" });
});

test("a role with the label of another's aggregation adds its rules, and takes them away again", async () => {
  const home = await namespaceOf("aggregated");
  await bindTo("editor", home, "edit");
  await bindTo("viewer", home, "view");
  const path = `/apis/example.com/v1/namespaces/${home}/crontabs`;
  const own: Call = { path: `/api/v1/namespaces/${home}/configmaps` };
  await answered(own, "editor", 200);
  await answered(own, "viewer", 200);
  // Nothing serves that kind: 404 is what who may gets, 403 who may not.
  assert.equal((await http.call({ path, as: user("editor") })).status, 403);
  const labels = { [`rbac.authorization.k8s.io/aggregate-to-edit`]: "true" };
  const rules = [rule(["get", "list"], ["crontabs"], ["example.com"])];
  const role = { metadata: { name: "crontab-editors", labels }, rules };
  await done(http.post(`${rbac}/clusterroles`, role));
  await answered({ path }, "editor", 404);
  assert.equal((await http.call({ path, as: user("viewer") })).status, 403);
  await done(http.delete(`${rbac}/clusterroles/crontab-editors`));
  await answered({ path }, "editor", 403);
});

interface NamespaceRow {
  readonly call: (home: string) => Call;
  readonly view: boolean;
  readonly edit: boolean;
  readonly admin: boolean;
}

const dryRun = { dryRun: "All" };
const core = (home: string, rest: string): string => `/api/v1/namespaces/${home}/${rest}`;
const namespaceRows: readonly NamespaceRow[] = [
  { call: (home) => ({ path: core(home, "configmaps") }), view: true, edit: true, admin: true },
  { call: (home) => ({ path: core(home, "pods/p/log") }), view: true, edit: true, admin: true },
  { call: (home) => ({ path: core(home, "secrets") }), view: false, edit: true, admin: true },
  { call: (home) => ({ path: core(home, "secrets/s") }), view: false, edit: true, admin: true },
  {
    call: (home) => ({ path: core(home, "secrets"), query: { watch: 1, timeoutSeconds: 1 } }),
    view: false,
    edit: true,
    admin: true,
  },
  {
    call: (home) => ({
      method: "POST",
      path: core(home, "configmaps"),
      query: dryRun,
      body: { metadata: { name: "n" } },
    }),
    ...{ view: false, edit: true, admin: true },
  },
  {
    call: (home) => ({ method: "DELETE", path: core(home, "configmaps"), query: dryRun }),
    view: false,
    edit: true,
    admin: true,
  },
  { call: (home) => ({ method: "POST", path: core(home, "pods/p/exec") }), view: false, edit: true, admin: true },
  { call: (home) => ({ path: `${rbac}/namespaces/${home}/roles` }), view: false, edit: false, admin: true },
  { call: (home) => ({ path: `${rbac}/namespaces/${home}/rolebindings` }), view: false, edit: false, admin: true },
  {
    call: (home) => ({
      ...{ method: "POST", path: `${rbac}/namespaces/${home}/roles`, query: dryRun },
      body: { metadata: { name: "n" }, rules: [] },
    }),
    ...{ view: false, edit: false, admin: true },
  },
  {
    call: (home) => ({
      ...{
        method: "POST",
        path: "/apis/authorization.k8s.io/v1/namespaces/".concat(home, "/localsubjectaccessreviews"),
      },
      body: {
        metadata: { namespace: home },
        spec: { user: "x", resourceAttributes: { namespace: home, verb: "get", resource: "pods" } },
      },
    }),
    ...{ view: false, edit: false, admin: true },
  },
  { call: (home) => ({ path: `/api/v1/namespaces/${home}` }), view: true, edit: true, admin: true },
  {
    call: (home) => ({ method: "DELETE", path: `/api/v1/namespaces/${home}`, query: dryRun }),
    view: false,
    edit: false,
    admin: false,
  },
  {
    call: (home) => ({
      method: "POST",
      path: core(home, "resourcequotas"),
      query: dryRun,
      body: { metadata: { name: "q" } },
    }),
    view: false,
    edit: false,
    admin: false,
  },
  { call: () => ({ path: "/api/v1/namespaces/default/configmaps" }), view: false, edit: false, admin: false },
  { call: () => ({ path: "/api/v1/configmaps" }), view: false, edit: false, admin: false },
  { call: () => ({ path: "/api/v1/nodes" }), view: false, edit: false, admin: false },
  { call: () => ({ path: `${rbac}/clusterroles` }), view: false, edit: false, admin: false },
  { call: () => ({ path: "/metrics" }), view: false, edit: false, admin: false },
];

test("view, edit and admin in a namespace: what they should and no more", async () => {
  const home = await namespaceOf("three-roles");
  const wrong: string[] = [];
  for (const role of ["view", "edit", "admin"] as const) {
    const who = `has-${role}`;
    await bindTo(who, home, role);
    await answered({ path: core(home, "configmaps") }, who, 200);
    for (const row of namespaceRows) {
      const call = row.call(home);
      const answer = await http.call({ ...call, as: user(who) });
      const through = answer.status < 400 || answer.status === 404 || answer.status === 501;
      if (row[role] ? !through : answer.status !== 403) {
        wrong.push(`${role} ${call.method ?? "GET"} ${call.path}: ${answer.status} ${answer.text}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test("the administrator of a namespace gives others there what he has, and nothing else", async () => {
  const home = await namespaceOf("own-admin");
  const away = await namespaceOf("not-own");
  await bindTo("chief", home, "admin");
  await answered({ path: `${rbac}/namespaces/${home}/roles` }, "chief", 200);
  const bindings = `${rbac}/namespaces/${home}/rolebindings`;
  const post = (path: string, body: object) => http.call({ method: "POST", path, body, as: user("chief") });
  const gift = (name: string, role: string) => binding(name, { kind: "ClusterRole", name: role }, "guest");
  for (const role of ["view", "edit", "admin"])
    assert.equal((await post(bindings, gift(role, role))).status, 201, role);
  await answered({ path: core(home, "secrets") }, "guest", 200);
  for (const role of ["cluster-admin", "system:node", "system:kube-controller-manager"]) {
    assertFailure(await post(bindings, gift("x", role)), { code: 403, reason: "Forbidden" });
  }
  for (const path of [`${rbac}/namespaces/${away}/rolebindings`, `${rbac}/clusterrolebindings`]) {
    assertFailure(await post(path, gift("x", "view")), {
      code: 403,
      reason: "Forbidden",
      message: /cannot create resource/,
    });
  }
  const roles = `${rbac}/namespaces/${home}/roles`;
  const role = (name: string, rules: readonly Rule[]) => ({ metadata: { name }, rules });
  assert.equal((await post(roles, role("fits", [readSecrets]))).status, 201);
  assertFailure(await post(roles, role("not", [rule(["*"], ["*"], ["*"])])), { code: 403, reason: "Forbidden" });
  assertFailure(await post(roles, role("not", [rule(["create"], ["resourcequotas"])])), {
    code: 403,
    reason: "Forbidden",
  });
  assert.equal((await http.call({ path: core(away, "secrets"), as: user("guest") })).status, 403);

  // A right ends with its binding.
  for (const name of ["view", "edit", "admin"]) await done(http.delete(`${bindings}/${name}`));
  await answered({ path: core(home, "secrets") }, "guest", 403);
});

test("who asks for his own rules is told those that hold (SelfSubjectRulesReview)", async () => {
  const home = await namespaceOf("own-rules");
  const cluster = { nonResourceURLs: ["/metrics"], verbs: ["get"] };
  await give("curious", "", [rule(["list"], ["nodes"]), cluster]);
  await give("curious", home, [{ ...readSecrets, resourceNames: ["s"] }]);
  const review = async (namespace: string) => {
    const body = { spec: { namespace } };
    const path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    return await done(http.call({ method: "POST", path, body, as: user("curious") }));
  };
  const has = (answer: Answer, list: string, wanted: object): boolean => {
    const rules = answer.at(`status.${list}`);
    return (
      Array.isArray(rules) && rules.some((each) => JSON.stringify(sorted(each)) === JSON.stringify(sorted(wanted)))
    );
  };
  const secrets = { ...readSecrets, resourceNames: ["s"] };
  await until("the rules hold", async () => (has(await review(home), "resourceRules", secrets) ? true : undefined));
  const inside = await review(home);
  const outside = await review("default");
  for (const answer of [inside, outside]) {
    assert.ok(has(answer, "resourceRules", rule(["list"], ["nodes"])), answer.text);
    assert.ok(has(answer, "nonResourceRules", cluster), answer.text);
    assert.equal(answer.at("status.incomplete"), false);
  }
  assert.equal(has(outside, "resourceRules", secrets), false);
  // And they are what the server goes by.
  assert.equal((await http.call({ path: core(home, "secrets/s"), as: user("curious") })).status, 404);
  assert.equal((await http.call({ path: core(home, "secrets/t"), as: user("curious") })).status, 403);
});

const sorted = (value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

test("a restart puts right what is missing of the beginning, and leaves what users have taken over", async () => {
  const admin: Credentials = { type: "certificate" };
  const role = (name: string): string => `${rbac}/clusterroles/${name}`;
  const there = [
    "cluster-admin",
    "admin",
    "edit",
    "view",
    "system:discovery",
    "system:node",
    "system:public-info-viewer",
  ];
  for (const name of there) {
    const found = await done(http.get(role(name)));
    assert.equal(labelOf(found), "rbac-defaults", name);
  }
  const damaged = "system:discovery";
  const whole = (await http.get(role(damaged))).at("rules");
  const extra = rule(["get"], ["widgets"], ["example.com"]);
  await done(http.patch(role(damaged), "merge", { rules: [extra] }));
  const taken = "system:basic-user";
  const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
  await done(http.patch(role(taken), "merge", { metadata: { annotations }, rules: [extra] }));
  await done(http.delete(role("system:public-info-viewer")));
  await done(http.delete(`${rbac}/clusterrolebindings/cluster-admin`));
  const discovery = `${rbac}/clusterrolebindings/system:discovery`;
  await done(http.patch(discovery, "merge", { subjects: [] }));
  await bindTo("damager", "", "view");

  await target.process.stop();
  await target.process.restart();
  await until("the roles are right", async () => {
    const rules = (await http.call({ path: role(damaged), as: admin })).at("rules");
    return Array.isArray(rules) && rules.length > 1 ? true : undefined;
  });
  // They are put right one after the other.
  await until("what was deleted or emptied is there again", async () => {
    const all = [role("system:public-info-viewer"), `${rbac}/clusterrolebindings/cluster-admin`, discovery];
    const answers = await Promise.all(all.map((path) => http.call({ path, as: admin })));
    const isWhole = answers.every(({ status }) => status === 200) && answers[2]?.at("subjects.0.name") !== undefined;
    return isWhole || undefined;
  });
  const rules = (await http.get(role(damaged))).at("rules");
  assert.ok(Array.isArray(rules) && Array.isArray(whole));
  // What is missing is added a path a rule.
  const urls = new Set(rules.flatMap((each) => valuesOf(each, "nonResourceURLs")));
  const lacking = whole.flatMap((each) => valuesOf(each, "nonResourceURLs")).filter((url) => !urls.has(url));
  assert.deepEqual(lacking, []);
  assert.ok(urls.size > 5);
  assert.deepEqual(rules[0], extra);
  assert.deepEqual((await http.get(role(taken))).at("rules"), [extra]);
  await done(http.get(role("system:public-info-viewer")));
  const masters = await done(http.get(`${rbac}/clusterrolebindings/cluster-admin`));
  assert.equal(masters.at("subjects.0.name"), "system:masters");
  assert.equal(masters.at("roleRef.name"), "cluster-admin");
  assert.equal((await http.get(discovery)).at("subjects.0.name"), "system:authenticated");
  // What users made is as it was.
  assert.equal((await http.get(`${rbac}/clusterrolebindings/damager-view`)).status, 200);
});

const labelOf = (answer: Answer): unknown => {
  const labels = valueAt(answer.json(), "metadata.labels");
  return isRecord(labels) ? labels["kubernetes.io/bootstrapping"] : undefined;
};

function valuesOf(value: unknown, path: string): readonly unknown[] {
  const values = valueAt(value, path);
  return Array.isArray(values) ? values : [];
}
