import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { user } from "../testing/attributes.js";
import { createRbac } from "./rbac.js";
import { createCollections, rbacResources } from "./testing/collections.js";
import { naivelyAllowed } from "./testing/naive.js";
import { asks, binding, type Entry, loadedRbac, role, rule } from "./testing/policy.js";

const bob = user("bob", "dev", "system:authenticated");
const till = user("system:serviceaccount:shop:till", "system:serviceaccounts:shop");

const policy: readonly Entry[] = [
  role("view", "get,list,watch pods,pods/log,configmaps", "get apps:deployments"),
  role("root", "* *:*", "* URL*"),
  role("scaler", "get,update *:*/scale"),
  role("one-secret", "get,update secrets a,b"),
  role("paths", "get /healthz,/version/*"),
  role("Odd", "Get Pods"),
  role("shop/sell", "create,get orders.example.com:orders", "get secrets till"),
  role("nameless", { verbs: ["get"], apiGroups: [""], resources: ["nodes"], resourceNames: [""] }),
];

/** Who has a role through which binding, what he asks, and whether it is allowed. */
type Row = readonly [bindings: readonly Entry[], question: Parameters<typeof asks>[0], outcome: "allow" | "noOpinion"];

const viewer = [binding("b", "ClusterRole view", "User bob")];
const inShop = [binding("shop/b", "ClusterRole view", "Group dev")];
const rows: readonly Row[] = [
  [viewer, { user: bob, verb: "get", of: "pods", namespace: "shop", name: "p" }, "allow"],
  [viewer, { user: bob, verb: "list", of: "pods" }, "allow"],
  [viewer, { user: bob, verb: "deletecollection", of: "pods", namespace: "shop" }, "noOpinion"],
  [viewer, { user: user("Bob"), verb: "get", of: "pods", namespace: "shop" }, "noOpinion"],
  [viewer, { user: user("alice", "bob"), verb: "get", of: "pods", namespace: "shop" }, "noOpinion"],
  [viewer, { user: bob, verb: "get", of: "pods/log", namespace: "shop" }, "allow"],
  [viewer, { user: bob, verb: "get", of: "pods/exec", namespace: "shop" }, "noOpinion"],
  [viewer, { user: bob, verb: "get", of: "configmaps/log", namespace: "shop" }, "noOpinion"],
  [viewer, { user: bob, verb: "get", of: "apps:deployments", namespace: "shop" }, "allow"],
  [viewer, { user: bob, verb: "get", of: "deployments", namespace: "shop" }, "noOpinion"],
  [viewer, { user: bob, verb: "get", of: "apps:pods", namespace: "shop" }, "noOpinion"],
  [viewer, { user: bob, verb: "GET", of: "pods", namespace: "shop" }, "noOpinion"],
  [viewer, { user: bob, verb: "get", of: "Pods", namespace: "shop" }, "noOpinion"],
  [viewer, { user: bob, verb: "get", of: "/pods" }, "noOpinion"],
  [viewer, { user: bob, verb: "*", of: "pods" }, "noOpinion"],
  [inShop, { user: bob, verb: "list", of: "pods", namespace: "shop" }, "allow"],
  [inShop, { user: bob, verb: "list", of: "pods", namespace: "obs" }, "noOpinion"],
  [inShop, { user: bob, verb: "list", of: "pods" }, "noOpinion"],
  [inShop, { user: user("dev"), verb: "list", of: "pods", namespace: "shop" }, "noOpinion"],
  [[binding("b", "ClusterRole root", "User bob")], { user: bob, verb: "x", of: "a:b/c", name: "d" }, "allow"],
  [[binding("b", "ClusterRole root", "User bob")], { user: bob, verb: "post", of: "/any" }, "allow"],
  // A role of a namespace never opens a path.
  [[binding("shop/b", "ClusterRole root", "User bob")], { user: bob, verb: "get", of: "/any" }, "noOpinion"],
  [[binding("b", "ClusterRole scaler", "User bob")], { user: bob, verb: "update", of: "a:b/scale" }, "allow"],
  [[binding("b", "ClusterRole scaler", "User bob")], { user: bob, verb: "update", of: "a:scale" }, "noOpinion"],
  [[binding("b", "ClusterRole scaler", "User bob")], { user: bob, verb: "update", of: "a:b/status" }, "noOpinion"],
  [[binding("b", "ClusterRole one-secret", "User bob")], { user: bob, verb: "get", of: "secrets", name: "b" }, "allow"],
  [
    [binding("b", "ClusterRole one-secret", "User bob")],
    { user: bob, verb: "get", of: "secrets", name: "c" },
    "noOpinion",
  ],
  [[binding("b", "ClusterRole one-secret", "User bob")], { user: bob, verb: "get", of: "secrets" }, "noOpinion"],
  [[binding("b", "ClusterRole nameless", "User bob")], { user: bob, verb: "get", of: "nodes" }, "allow"],
  [[binding("b", "ClusterRole nameless", "User bob")], { user: bob, verb: "get", of: "nodes", name: "n" }, "noOpinion"],
  [[binding("b", "ClusterRole paths", "User bob")], { user: bob, verb: "get", of: "/healthz" }, "allow"],
  [[binding("b", "ClusterRole paths", "User bob")], { user: bob, verb: "get", of: "/healthz/" }, "noOpinion"],
  [[binding("b", "ClusterRole paths", "User bob")], { user: bob, verb: "get", of: "/version/a/b" }, "allow"],
  [[binding("b", "ClusterRole paths", "User bob")], { user: bob, verb: "get", of: "/version" }, "noOpinion"],
  [[binding("b", "ClusterRole paths", "User bob")], { user: bob, verb: "post", of: "/healthz" }, "noOpinion"],
  [[binding("b", "ClusterRole Odd", "User bob")], { user: bob, verb: "get", of: "pods" }, "noOpinion"],
  [
    [binding("shop/b", "Role sell", "User bob")],
    { user: bob, verb: "create", of: "orders.example.com:orders", namespace: "shop" },
    "allow",
  ],
  [
    [binding("obs/b", "Role sell", "User bob")],
    { user: bob, verb: "create", of: "orders.example.com:orders", namespace: "obs" },
    "noOpinion",
  ],
  // Only a binding of a namespace can name one of its roles.
  [
    [binding("b", "Role sell", "User bob")],
    { user: bob, verb: "create", of: "orders.example.com:orders", namespace: "shop" },
    "noOpinion",
  ],
  [
    [binding("shop/b", "Role view", "User bob")],
    { user: bob, verb: "get", of: "pods", namespace: "shop" },
    "noOpinion",
  ],
  [
    [binding("shop/b", "Role sell", "ServiceAccount till")],
    { user: till, verb: "get", of: "secrets", namespace: "shop", name: "till" },
    "allow",
  ],
  [
    [binding("shop/b", "Role sell", "ServiceAccount obs/till")],
    { user: till, verb: "get", of: "secrets", namespace: "shop", name: "till" },
    "noOpinion",
  ],
  [[binding("b", "ClusterRole view", "ServiceAccount shop/till")], { user: till, verb: "list", of: "pods" }, "allow"],
  [[binding("b", "ClusterRole view", "ServiceAccount till")], { user: till, verb: "list", of: "pods" }, "noOpinion"],
  [
    [binding("b", "ClusterRole view", "Group system:serviceaccounts:shop")],
    { user: till, verb: "list", of: "pods" },
    "allow",
  ],
  [[binding("b", "ClusterRole view", "Robot bob")], { user: bob, verb: "list", of: "pods" }, "noOpinion"],
];

test("what rows say is allowed, and what is not", () => {
  for (const [bindings, question, outcome] of rows) {
    const entries = [...policy, ...bindings];
    const told = JSON.stringify([bindings.map(({ object }) => object), question]);
    assert.equal(loadedRbac(entries).decide(question).outcome, outcome, told);
    assert.equal(naivelyAllowed(entries, asks(question)), outcome === "allow", `naive: ${told}`);
  }
});

test("a matrix of verbs, scopes and roles is answered as looking through every rule answers it", () => {
  const ways: readonly (readonly Entry[])[] = policy.flatMap(({ resource, object }) => {
    const name = object.metadata.name ?? "";
    if (resource === "roles") return [[binding("shop/b", `Role ${name}`, "User bob")]];
    return [[binding("b", `ClusterRole ${name}`, "Group dev")], [binding("shop/b", `ClusterRole ${name}`, "User bob")]];
  });
  const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "impersonate"];
  const things = [
    "pods",
    "pods/log",
    "pods/scale",
    "secrets",
    "apps:deployments",
    "apps:deployments/scale",
    "nodes",
    "/healthz",
    "/version/go",
  ];
  const names = ["", "a", "till"];
  let allowed = 0;
  for (const bindings of ways) {
    // Beside many other roles answers come from memory, and must be the same.
    const many = Array.from({ length: 20 }, (_, i) => [
      role(`more-${i}`, `get things-${i}`),
      binding(`m-${i}`, `ClusterRole more-${i}`, "Group dev", "User bob"),
    ]).flat();
    for (const entries of [
      [...policy, ...bindings],
      [...policy, ...bindings, ...many],
    ]) {
      const { decide } = loadedRbac(entries);
      for (const verb of verbs) {
        for (const of of things) {
          for (const name of names) {
            for (const namespace of ["", "shop", "obs"]) {
              const attributes = asks({ user: bob, verb, of, namespace, name });
              const expected = naivelyAllowed(entries, attributes);
              if (expected) allowed++;
              const told = JSON.stringify([bindings.map(({ object }) => object), attributes]);
              assert.equal(decide(attributes).outcome === "allow", expected, told);
            }
          }
        }
      }
    }
  }
  assert.ok(allowed > 1000, `${allowed} are allowed`);
});

test("a change counts from when it is told, whatever the order of roles and bindings", () => {
  const { decide, put, remove } = loadedRbac();
  const question = { user: bob, verb: "get", of: "pods", namespace: "shop", name: "p" };
  const is = (outcome: string, when: string) => assert.equal(decide(question).outcome, outcome, when);
  is("noOpinion", "nothing is there");
  put(binding("shop/b", "ClusterRole r", "User bob"));
  is("noOpinion", "the role is not there yet");
  put(role("r", "get pods"));
  is("allow", "the role came after its binding");
  put(role("r", "get secrets"));
  is("noOpinion", "the role allows something else");
  put(role("r", "get pods"));
  put(binding("shop/b", "ClusterRole r", "User alice"));
  is("noOpinion", "the subject is another");
  put(binding("shop/b", "ClusterRole r", "User alice", "Group dev", "User bob", "User bob"));
  is("allow", "several subjects, one twice");
  put(binding("shop/c", "ClusterRole r", "User bob"));
  remove(binding("shop/b", "ClusterRole r"));
  is("allow", "through the other binding");
  remove(binding("shop/c", "ClusterRole r"));
  is("noOpinion", "no binding is left");
  put(binding("shop/b", "ClusterRole r", "User bob"));
  remove(role("r"));
  is("noOpinion", "the role is gone");
  put(role("r", "get pods"));
  is("allow", "it is back");
});

test("a collection that is told anew replaces what was known of it", () => {
  const entry = binding("b", "ClusterRole r", "User bob");
  const { decide, source } = loadedRbac([role("r", "get pods"), role("shop/r", "get secrets"), entry]);
  const question = { user: bob, verb: "get", of: "pods" };
  source.lose("clusterrolebindings", entry.object);
  assert.equal(decide(question).outcome, "allow", "nobody has been told yet");
  source.tell("clusterrolebindings");
  assert.equal(decide(question).outcome, "noOpinion");
  source.put("clusterrolebindings", entry.object);
  assert.equal(decide(question).outcome, "allow");
  source.lose("clusterroles", role("r").object);
  source.tell("clusterroles");
  assert.match(decide(question).reason, /"r" not found/);
});

test("an allowed request can tell why", () => {
  const rows = [
    [
      binding("b", "ClusterRole view", "Group other", "User bob"),
      bob,
      'ClusterRoleBinding "b" of ClusterRole "view" to User "bob"',
    ],
    [binding("b", "ClusterRole view", "Group dev"), bob, 'ClusterRoleBinding "b" of ClusterRole "view" to Group "dev"'],
    [
      binding("shop/b", "ClusterRole view", "User bob"),
      bob,
      'RoleBinding "b/shop" of ClusterRole "view" to User "bob"',
    ],
    [
      binding("shop/b", "Role v", "ServiceAccount till"),
      till,
      'RoleBinding "b/shop" of Role "v" to ServiceAccount "till/shop"',
    ],
    [
      binding("b", "ClusterRole view", "ServiceAccount shop/till"),
      till,
      'ClusterRoleBinding "b" of ClusterRole "view" to ServiceAccount "till/shop"',
    ],
  ] as const;
  for (const [bound, who, reason] of rows) {
    const { decide } = loadedRbac([...policy, role("shop/v", "get pods"), bound]);
    const decision = decide({ user: who, verb: "get", of: "pods", namespace: "shop" });
    assert.deepEqual({ ...decision }, { outcome: "allow", reason: `RBAC: allowed by ${reason}` });
  }
});

test("a denial tells of roles that are missing", () => {
  const question = { user: bob, verb: "delete", of: "pods", namespace: "shop" };
  const one = loadedRbac([binding("b", "ClusterRole x", "User bob")]);
  const missing = 'clusterrole.rbac.authorization.k8s.io "x" not found';
  assert.deepEqual(one.decide(question), { outcome: "noOpinion", reason: `RBAC: ${missing}` });
  const several = loadedRbac([
    binding("b", "ClusterRole x", "User bob", "Group dev"),
    binding("shop/b", "Role y", "User bob"),
    binding("shop/c", "Thing z", "User bob"),
    binding("obs/b", "Role other", "User bob"),
  ]);
  const second = 'role.rbac.authorization.k8s.io "y" not found';
  assert.equal(
    several.decide(question).reason,
    `RBAC: [${missing}, ${second}, unsupported role reference kind: "Thing"]`,
  );
  assert.equal(several.decide({ ...question, user: user("alice") }).reason, "");
  const many = loadedRbac(Array.from({ length: 5000 }, (_, i) => binding(`b${i}`, `ClusterRole r${i}`, "User bob")));
  assert.ok(many.decide(question).reason.length < 10_000, "a denial stays short");
});

test("rules of a user are those of the cluster and of the namespace, each role's once", async () => {
  const { rbac } = loadedRbac([
    ...policy,
    binding("b", "ClusterRole one-secret", "User bob", "Group dev"),
    binding("c", "ClusterRole one-secret", "Group dev"),
    binding("shop/b", "Role sell", "User bob"),
    binding("shop/c", "ClusterRole gone", "User bob"),
  ]);
  const cluster = [rule("get,update secrets a,b")];
  assert.deepEqual(await rbac.rulesFor(bob, ""), { rules: cluster, incomplete: false, evaluationError: "" });
  const sells = [rule("create,get orders.example.com:orders"), rule("get secrets till")];
  assert.deepEqual(await rbac.rulesFor(bob, "shop"), {
    rules: [...cluster, ...sells],
    incomplete: false,
    evaluationError: 'clusterrole.rbac.authorization.k8s.io "gone" not found',
  });
  assert.deepEqual((await rbac.rulesFor(user("alice"), "shop")).rules, []);
});

/** An authorizer whose time is told. */
function unloaded(dialect: "orch" | "kubernetes" = "orch") {
  let late: (() => void) | undefined;
  let cancelled = 0;
  const clock = {
    after: (ms: number, run: () => void) => {
      assert.equal(ms, 2000);
      late = run;
      return () => void cancelled++;
    },
  };
  const rbac = createRbac({ naming: createNaming(dialect), log: assert.fail, clock, waitMs: 2000 });
  const source = createCollections(rbacResources);
  return { rbac, source, expire: () => late?.(), cancelled: () => cancelled };
}

test("nothing is decided before all four kinds are loaded", async () => {
  const { rbac, source, cancelled } = unloaded();
  const entries = [role("r", "get pods"), binding("b", "ClusterRole r", "User bob")];
  for (const { resource, object } of entries) source.put(resource, object);
  const before = rbac.authorize(asks({ user: bob, verb: "get", of: "pods" }));
  rbac.start(source);
  assert.deepEqual(
    source.followed,
    rbacResources.map((resource) => ({ group: "rbac.authorization.orch", version: "v1", resource })),
  );
  const rules = rbac.rulesFor(bob, "");
  const loaded = rbac.whenLoaded();
  for (const resource of rbacResources) {
    assert.equal(rbac.loaded, false, `before ${resource}`);
    assert.ok(rbac.authorize(asks({ user: bob, verb: "get", of: "pods" })) instanceof Promise);
    source.tell(resource);
  }
  assert.equal(rbac.loaded, true);
  await loaded;
  await rbac.whenLoaded();
  assert.equal((await before).outcome, "allow");
  assert.equal((await rules).rules.length, 1);
  assert.ok(cancelled() >= 2, "no timer is left behind");
  assert.ok(!(rbac.authorize(asks({ user: bob, verb: "get", of: "pods" })) instanceof Promise));
});

test("who asks too early is told to come again, and never allowed", async () => {
  const { rbac, source, expire } = unloaded();
  const unavailable = (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.reason, "ServiceUnavailable");
    assert.equal(error.message, "the rules of RBAC are not loaded yet");
    assert.equal(error.details?.retryAfterSeconds, 1);
    return true;
  };
  rbac.start(source);
  source.tell("clusterroles");
  const decision = assert.rejects(
    async () => rbac.authorize(asks({ user: bob, verb: "get", of: "pods" })),
    unavailable,
  );
  expire();
  await decision;
  const rules = assert.rejects(async () => rbac.rulesFor(bob, ""), unavailable);
  expire();
  await rules;
  rbac.stop();
  for (const resource of rbacResources) source.tell(resource);
  assert.equal(rbac.loaded, false, "it was stopped");
});

test("what a store holds in a wrong form grants nothing", () => {
  const logs: string[] = [];
  const { decide, source, put } = loadedRbac([], (what) => logs.push(what));
  put(binding("b", "ClusterRole r", "User bob"));
  const question = { user: bob, verb: "get", of: "secrets", name: "a" };
  const wrong: readonly unknown[] = [
    undefined,
    null,
    "all",
    {},
    [null, 1, "x", []],
    [{ verbs: "*", apiGroups: ["*"], resources: ["*"] }],
    [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: "b" }],
    [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [1] }],
    [{ verbs: ["*", {}], apiGroups: ["*"], resources: ["*"] }],
    [{ verbs: ["*"], resources: ["*"] }],
  ];
  for (const rules of wrong) {
    source.put("clusterroles", { metadata: { name: "r" }, rules });
    assert.equal(decide(question).outcome, "noOpinion", JSON.stringify(rules));
  }
  source.put("clusterroles", { metadata: { name: "r" }, rules: [rule("get secrets")] });
  assert.equal(decide(question).outcome, "allow");
  for (const subjects of [undefined, null, "bob", ["bob"], [{ kind: "User" }], [{ kind: ["User"], name: "bob" }]]) {
    source.put("clusterrolebindings", {
      metadata: { name: "b" },
      roleRef: { kind: "ClusterRole", name: "r" },
      subjects,
    });
    assert.equal(decide(question).outcome, "noOpinion", JSON.stringify(subjects));
  }
  for (const roleRef of [undefined, null, "r", { kind: 1, name: "r" }]) {
    const subjects = [{ kind: "User", name: "bob" }];
    source.put("clusterrolebindings", { metadata: { name: "b" }, roleRef, subjects });
    assert.equal(decide(question).outcome, "noOpinion", JSON.stringify(roleRef));
  }
  // Without its namespace a binding of a namespace would be one of the cluster.
  assert.deepEqual(logs, []);
  source.put("rolebindings", binding("c", "ClusterRole r", "User bob").object);
  source.put("clusterrolebindings", binding("shop/c", "ClusterRole r", "User bob").object);
  source.put("roles", { metadata: {} });
  assert.equal(decide(question).outcome, "noOpinion");
  assert.equal(logs.length, 3);
});
