import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import { firstOpinion, noOpinion } from "@orch/auth/authorizer.js";
import { groupMayAll } from "@orch/auth/fixed-authorizers.js";
import { binding, type Entry, loadedRbac, role, rule } from "@orch/auth/rbac/testing/policy.js";
import type { Permissions } from "@orch/auth/rules.js";
import { user } from "@orch/auth/testing/attributes.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { ApiError, unavailable } from "@orch/status/api-error.js";
import { openBed, type Subject } from "../testing/bed.js";

const group = "rbac.authorization.k8s.io";
const admin = user("admin", "system:masters");
const bob = user("bob", "a", "b");

/** What bob has before he writes anything. */
const held: readonly Entry[] = [
  role("reader", "get,list pods", "get configmaps x"),
  binding("reader", "ClusterRole reader", "User bob"),
  role("secret-reader", "get secrets"),
  binding("default/secrets", "ClusterRole secret-reader", "User bob"),
];
const rights = (...rules: readonly string[]): readonly Entry[] => [
  role("more", ...rules),
  binding("more", "ClusterRole more", "User bob"),
];
const root = rights("* *:*", "* URL*");

interface Writer extends Subject {
  /** A write of one of the four kinds: "ok", or the sentence of the error with its code. */
  says(who: UserInfo, request: Partial<WriteRequest>, object?: object): Promise<string>;
}

async function start(t: TestContext, entries: readonly Entry[] = held): Promise<Writer> {
  const { rbac } = loadedRbac(entries);
  const permissions = { authorizer: firstOpinion([groupMayAll("system:masters"), rbac]), rules: rbac };
  return started(t, permissions);
}

async function started(t: TestContext, permissions: Permissions): Promise<Writer> {
  const bed = await openBed(t, "kubernetes");
  const subject = await bed.start({ permissions });
  return {
    ...subject,
    async says(who, request, object) {
      const cluster = request.resource?.startsWith("cluster") === true;
      try {
        await subject.write(
          { group, version: "v1", user: who, ...(cluster ? { namespace: "" } : {}), ...request },
          object,
        );
        return "ok";
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return `${error.code} ${error.message}`;
      }
    },
  };
}

const roleBody = (name: string, ...rules: readonly (string | PolicyRule)[]) => ({
  metadata: { name },
  rules: rules.map((one) => (typeof one === "string" ? rule(one) : one)),
});
const typed = (version: string) => ({ apiVersion: `${group}/${version}`, kind: "ClusterRole" });
const bindingBody = (name: string, to: string) => {
  const { roleRef } = binding("x", to).object;
  return { metadata: { name }, roleRef, subjects: [{ kind: "User", name: "carol" }] };
};
const refused = (what: string, ...lines: readonly string[]) =>
  `403 ${what} is forbidden: user "bob" (groups=["a" "b"]) is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}`;
const getNodes = '{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}';

test("a role is created by who holds its rules where it counts, or may escalate it", async (t) => {
  const named: PolicyRule = { ...rule("escalate rbac.authorization.k8s.io:clusterroles"), resourceNames: ["r"] };
  const escalator = [role("more", named), binding("more", "ClusterRole more", "User bob")];
  const rows: readonly (readonly [readonly Entry[], string, readonly string[], string])[] = [
    [[], "clusterroles", ["get pods", "get configmaps x"], "ok"],
    [[], "clusterroles", [], "ok"],
    [[], "clusterroles", ["get pods,nodes"], refused(`clusterroles.${group} "r"`, getNodes)],
    [
      [],
      "clusterroles",
      ["get secrets"],
      refused(`clusterroles.${group} "r"`, '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'),
    ],
    [[], "roles", ["get secrets"], "ok"],
    [[], "roles", ["get nodes"], refused(`roles.${group} "r"`, getNodes)],
    [rights("escalate rbac.authorization.k8s.io:clusterroles"), "clusterroles", ["get nodes"], "ok"],
    [
      rights("escalate rbac.authorization.k8s.io:clusterroles"),
      "roles",
      ["get nodes"],
      refused(`roles.${group} "r"`, getNodes),
    ],
    [rights("escalate rbac.authorization.k8s.io:roles"), "roles", ["get nodes"], "ok"],
    // A request that creates names nothing yet.
    [escalator, "clusterroles", ["get nodes"], refused(`clusterroles.${group} "r"`, getNodes)],
    [root, "clusterroles", ["* *:*", "* URL*"], "ok"],
    [
      [binding("gone", "ClusterRole gone", "User bob")],
      "clusterroles",
      ["get nodes"],
      `${refused(`clusterroles.${group} "r"`, getNodes)}; resolution errors: [clusterrole.${group} "gone" not found]`,
    ],
  ];
  for (const [more, resource, rules, expected] of rows) {
    const { says } = await start(t, [...held, ...more]);
    const told = `${resource} ${rules}`;
    assert.equal(
      await says(bob, { resource, options: { dryRun: "All" } }, roleBody("r", ...rules)),
      expected,
      `dry run: ${told}`,
    );
    assert.equal(await says(bob, { resource }, roleBody("r", ...rules)), expected, told);
  }
});

test("a role is changed by who holds the rules that it comes to, however he writes it", async (t) => {
  const { says } = await start(t, [...held, ...rights("create rbac.authorization.k8s.io:clusterroles")]);
  const resource = "clusterroles";
  assert.equal(await says(admin, { resource }, roleBody("r", "get pods")), "ok");
  const json = (contentType: string) => ({ resource, verb: "patch", name: "r", contentType }) as const;
  const more = roleBody("r", "get pods,nodes");
  const ways: readonly (readonly [string, Partial<WriteRequest>, object])[] = [
    ["update", { resource, verb: "update", name: "r" }, more],
    ["old version", { resource, verb: "update", name: "r", version: "v1beta1" }, { ...typed("v1beta1"), ...more }],
    ["merge patch", json("application/merge-patch+json"), { rules: more.rules }],
    ["strategic merge patch", json("application/strategic-merge-patch+json"), { rules: more.rules }],
    ["patch", json("application/json-patch+json"), [{ op: "add", path: "/rules/0/resources/-", value: "nodes" }]],
    [
      "apply",
      { ...json("application/apply-patch+yaml"), options: { fieldManager: "m", force: "true" } },
      { ...typed("v1"), ...more },
    ],
  ];
  for (const [what, request, object] of ways) {
    assert.equal(await says(bob, request, object), refused(`clusterroles.${group} "r"`, getNodes), what);
    const dry = { ...request, options: { ...request.options, dryRun: "All" } };
    assert.equal(await says(bob, dry, object), refused(`clusterroles.${group} "r"`, getNodes), `dry run: ${what}`);
  }
  assert.equal(await says(bob, { resource, verb: "update", name: "r" }, roleBody("r", "get,list pods")), "ok");
  // What does not exist is created by an update and by an apply.
  const update = { resource, verb: "update", name: "new" } as const;
  assert.equal(await says(bob, update, roleBody("new", "get nodes")), refused(`clusterroles.${group} "new"`, getNodes));
  const apply = { ...json("application/apply-patch+yaml"), name: "new", options: { fieldManager: "m" } };
  const applied = { ...typed("v1"), ...roleBody("new", "get nodes") };
  assert.equal(await says(bob, apply, applied), refused(`clusterroles.${group} "new"`, getNodes));
});

test("what does not exist is created by an update or apply of nobody who may not create it", async (t) => {
  const { says } = await start(t);
  const update = { resource: "clusterroles", verb: "update", name: "new" } as const;
  assert.match(
    await says(bob, update, roleBody("new", "get pods")),
    /^403 clusterroles.rbac.authorization.k8s.io "new" is forbidden: User "bob" cannot create resource "clusterroles"/,
  );
});

test("what the garbage collector changes of a role asks for no rights, labels do", async (t) => {
  const { says } = await start(t);
  const resource = "clusterroles";
  assert.equal(await says(admin, { resource }, roleBody("r", "get nodes")), "ok");
  const patch = (metadata: object) =>
    says(bob, { resource, verb: "patch", name: "r", contentType: "application/merge-patch+json" }, { metadata });
  const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u" };
  assert.equal(await patch({ finalizers: ["example.com/a"] }), "ok");
  assert.equal(await patch({ ownerReferences: [owner] }), "ok");
  assert.equal(await patch({ finalizers: [] }), "ok");
  assert.equal(
    await says(
      bob,
      { resource, verb: "update", name: "r" },
      { ...roleBody("r", "get nodes"), metadata: { name: "r", ownerReferences: [owner] } },
    ),
    "ok",
  );
  const denied = refused(`clusterroles.${group} "r"`, getNodes);
  // By a label its rules would go into roles that gather them.
  assert.equal(await patch({ labels: { a: "b" } }), denied);
  assert.equal(await patch({ annotations: { a: "b" } }), denied);
  // Fewer rules than before, of which one is not held.
  assert.equal(await says(admin, { resource }, roleBody("two", "get pods", "get nodes", "get secrets")), "ok");
  const less = { resource, verb: "update", name: "two" } as const;
  assert.equal(
    await says(bob, less, roleBody("two", "get pods", "get nodes")),
    refused(`clusterroles.${group} "two"`, getNodes),
  );
  assert.equal(await says(bob, less, roleBody("two", "get pods")), "ok");
  assert.equal(await says(bob, { resource, verb: "delete", name: "r" }), "ok", "a deletion gives nothing away");
});

test("to escalate a role of some name is to change it", async (t) => {
  const named: PolicyRule = { ...rule("escalate rbac.authorization.k8s.io:clusterroles"), resourceNames: ["r"] };
  const { says } = await start(t, [...held, role("more", named), binding("more", "ClusterRole more", "User bob")]);
  for (const name of ["r", "s"]) assert.equal(await says(admin, { resource: "clusterroles" }, roleBody(name)), "ok");
  const update = (name: string) =>
    says(bob, { resource: "clusterroles", verb: "update", name }, roleBody(name, "get nodes"));
  assert.equal(await update("r"), "ok");
  assert.equal(await update("s"), refused(`clusterroles.${group} "s"`, getNodes));
});

test("a role that gathers rules asks for every right", async (t) => {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] };
  const resource = "clusterroles";
  const { says } = await start(t);
  const why = `403 clusterroles.${group} "r" is forbidden: must have cluster-admin privileges to use the aggregationRule`;
  assert.equal(await says(bob, { resource }, { ...roleBody("r"), aggregationRule }), why);
  assert.equal(await says(admin, { resource }, { ...roleBody("r", "get pods"), aggregationRule }), "ok");
  const update = { resource, verb: "update", name: "r" } as const;
  assert.equal(await says(bob, update, roleBody("r", "get pods")), why, "nor may he keep it from gathering");
  assert.equal(await says(bob, update, { ...roleBody("r", "list pods"), aggregationRule }), why);
  const whole = await start(t, [...held, ...root]);
  assert.equal(await whole.says(bob, { resource }, { ...roleBody("r"), aggregationRule }), "ok");
  // Whoever has every right but may not escalate, which RBAC alone does not bring about.
  const holding = (...rules: readonly string[]): Permissions => ({
    authorizer: { authorize: () => noOpinion },
    rules: { rulesFor: () => ({ rules: rules.map(rule), incomplete: false, evaluationError: "" }) },
  });
  const half = await started(t, holding("* *:*"));
  assert.equal(await half.says(bob, { resource }, { ...roleBody("r"), aggregationRule }), why, "paths are rights too");
  const all = await started(t, holding("* *:*", "* URL*"));
  assert.equal(await all.says(bob, { resource }, { ...roleBody("r"), aggregationRule }), "ok");
});

test("a binding is made by who holds the rules of its role where it counts, or may bind it", async (t) => {
  const stored: readonly (readonly [string, object])[] = [
    ["clusterroles", roleBody("pods", "get pods")],
    ["clusterroles", roleBody("secrets", "get secrets")],
    ["clusterroles", roleBody("nodes", "get nodes")],
    ["roles", roleBody("nodes", "get nodes")],
    ["roles", roleBody("secrets", "get secrets")],
  ];
  const secrets = '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}';
  const bind = (resource: string, name: string) => rights(`bind rbac.authorization.k8s.io:${resource} ${name}`);
  const inDefault = [role("more", "bind *:clusterroles"), binding("default/more", "ClusterRole more", "User bob")];
  const rows: readonly (readonly [readonly Entry[], string, string, string])[] = [
    [[], "clusterrolebindings", "ClusterRole pods", "ok"],
    [[], "rolebindings", "ClusterRole pods", "ok"],
    [[], "rolebindings", "ClusterRole secrets", "ok"],
    [[], "rolebindings", "Role secrets", "ok"],
    [[], "clusterrolebindings", "ClusterRole secrets", refused(`clusterrolebindings.${group} "x"`, secrets)],
    [[], "clusterrolebindings", "ClusterRole nodes", refused(`clusterrolebindings.${group} "x"`, getNodes)],
    [[], "rolebindings", "Role nodes", refused(`rolebindings.${group} "x"`, getNodes)],
    [bind("clusterroles", "nodes"), "clusterrolebindings", "ClusterRole nodes", "ok"],
    [bind("clusterroles", "nodes"), "rolebindings", "ClusterRole nodes", "ok"],
    [bind("clusterroles", "nodes"), "rolebindings", "Role nodes", refused(`rolebindings.${group} "x"`, getNodes)],
    [bind("roles", "nodes"), "rolebindings", "Role nodes", "ok"],
    [
      bind("clusterroles", "nodes"),
      "clusterrolebindings",
      "ClusterRole secrets",
      refused(`clusterrolebindings.${group} "x"`, secrets),
    ],
    [inDefault, "rolebindings", "ClusterRole nodes", "ok"],
    [inDefault, "clusterrolebindings", "ClusterRole nodes", refused(`clusterrolebindings.${group} "x"`, getNodes)],
    [[], "clusterrolebindings", "ClusterRole gone", `404 clusterrolebindings.${group} "gone" not found`],
    [[], "rolebindings", "Role gone", `404 rolebindings.${group} "gone" not found`],
    // Who may bind it may do so before it is there.
    [bind("roles", "gone"), "rolebindings", "Role gone", "ok"],
  ];
  for (const [more, resource, to, expected] of rows) {
    const { says } = await start(t, [...held, ...more]);
    for (const [of, object] of stored) assert.equal(await says(admin, { resource: of }, object), "ok");
    const told = `${resource} ${to}`;
    assert.equal(
      await says(bob, { resource, options: { dryRun: "All" } }, bindingBody("x", to)),
      expected,
      `dry run: ${told}`,
    );
    assert.equal(await says(bob, { resource }, bindingBody("x", to)), expected, told);
  }
});

test("new subjects of a binding are given its rules; the garbage collector gives nothing", async (t) => {
  const { says } = await start(t);
  const resource = "clusterrolebindings";
  assert.equal(await says(admin, { resource: "clusterroles" }, roleBody("nodes", "get nodes")), "ok");
  assert.equal(await says(admin, { resource }, bindingBody("x", "ClusterRole nodes")), "ok");
  const patch = (object: object) =>
    says(bob, { resource, verb: "patch", name: "x", contentType: "application/merge-patch+json" }, object);
  assert.equal(await patch({ metadata: { finalizers: ["example.com/a"] } }), "ok");
  const denied = refused(`clusterrolebindings.${group} "x"`, getNodes);
  assert.equal(await patch({ subjects: [{ kind: "User", name: "bob", apiGroup: group }] }), denied);
  assert.equal(await patch({ subjects: [] }), denied);
  assert.equal(await says(admin, { resource: "clusterroles", verb: "delete", name: "nodes" }), "ok");
  assert.equal(await patch({ subjects: [] }), `404 clusterrolebindings.${group} "nodes" not found`);
});

test("while it cannot be told what somebody may do nothing is granted", async (t) => {
  const away = () => Promise.reject(unavailable("away"));
  const { rbac } = loadedRbac(held);
  const rows: readonly Permissions[] = [
    { authorizer: { authorize: away }, rules: rbac },
    { authorizer: rbac, rules: { rulesFor: away } },
  ];
  for (const permissions of rows) {
    const { says } = await started(t, permissions);
    assert.equal(await says(bob, { resource: "clusterroles" }, roleBody("r", "get pods")), "503 away");
    assert.equal(
      await says(admin, { resource: "clusterroles" }, roleBody("r", "get pods")),
      "ok",
      "masters are not asked",
    );
  }
});
