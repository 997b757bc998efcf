import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@orch/api/object.js";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import type { Decision, ResourceAttributes } from "../authorizer.js";
import type { Collection, Follower, ObjectSource } from "../object-source.js";
import { resourceAttributes, user } from "../testing/attributes.js";
import type { UserInfo } from "../user.js";
import { createNodeAuthorizer, nodeOf } from "./node-authorizer.js";

const naming = createNaming("orch");
const nodeUser = (name: string, ...groups: string[]): UserInfo =>
  user(`system:node:${name}`, ...(groups.length === 0 ? ["system:nodes", "system:authenticated"] : groups));

const rules = [
  { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["services"] },
  { verbs: ["create", "get", "list", "watch"], apiGroups: [""], resources: ["nodes"] },
  { verbs: ["create"], apiGroups: ["authentication.orch"], resources: ["tokenreviews"] },
  { verbs: ["get"], apiGroups: [""], resources: ["secrets"] },
  { verbs: ["get"], apiGroups: ["certificates.orch"], resources: ["signers"], resourceNames: ["one"] },
  { verbs: ["patch"], apiGroups: [""], resources: ["endpoints/status"] },
];

/** A source that holds back what it has until it is let go. */
function fakeSource(objects: Readonly<Record<string, readonly AnyObject[]>>) {
  const followers = new Map<string, Follower>();
  const collections: Collection[] = [];
  const source: ObjectSource = {
    get: () => Promise.resolve(undefined),
    follow(collection, follower) {
      collections.push(collection);
      followers.set(collection.resource, follower);
      return { stop: () => void followers.delete(collection.resource) };
    },
  };
  const load = (): void => {
    for (const [resource, follower] of followers) follower.replaced(objects[resource] ?? [], 0);
  };
  const follower = (resource: string): Follower => {
    const found = followers.get(resource);
    assert.ok(found, `${resource} is not followed`);
    return found;
  };
  return { source, collections, followers, follower, load };
}

function setUp(objects: Readonly<Record<string, readonly AnyObject[]>> = {}, resourceSlices = true) {
  const clock = createManualClock();
  const authorizer = createNodeAuthorizer({ naming, rules, resourceSlices, clock });
  const fake = fakeSource(objects);
  authorizer.start(fake.source);
  /** Lets what is asked for be loaded. */
  const decide = async (fields: Partial<ResourceAttributes>, node = "n1"): Promise<Decision> => {
    const decision = authorizer.authorize(of(fields, node));
    fake.load();
    return await decision;
  };
  return { ...fake, authorizer, clock, decide };
}

const of = (fields: Partial<ResourceAttributes>, node = "n1"): ResourceAttributes =>
  resourceAttributes({ user: nodeUser(node), namespace: "", ...fields });

const pod = (name: string, spec: object, more: object = {}): AnyObject => ({
  metadata: { namespace: "a", name },
  spec: { ...spec },
  ...more,
});

const wide = pod(
  "p",
  {
    nodeName: "n1",
    serviceAccountName: "runner",
    imagePullSecrets: [{ name: "pull" }, {}],
    initContainers: [{ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "init-env" } } }] }],
    containers: [
      {
        envFrom: [{ secretRef: { name: "env-from" } }, { configMapRef: { name: "env-from" } }],
        env: [
          { name: "A", valueFrom: { configMapKeyRef: { name: "env" } } },
          { name: "B", value: "x" },
        ],
      },
    ],
    ephemeralContainers: [{ envFrom: [{ secretRef: { name: "debug" } }] }],
    volumes: [
      { name: "s", secret: { secretName: "mounted" } },
      { name: "c", configMap: { name: "mounted" } },
      { name: "p", projected: { sources: [{ secret: { name: "proj" } }, { configMap: { name: "proj" } }, {}] } },
      { name: "v", persistentVolumeClaim: { claimName: "data" } },
      { name: "e", ephemeral: { volumeClaimTemplate: {} } },
      { name: "csi", csi: { nodePublishSecretRef: { name: "csi" } } },
      { name: "az", azureFile: { secretName: "azure" } },
      { name: "ceph", cephfs: { secretRef: { name: "ceph" } } },
    ],
    resourceClaims: [
      { name: "r1", resourceClaimName: "gpu" },
      { name: "r2", resourceClaimTemplateName: "t" },
      { name: "r3", resourceClaimTemplateName: "t" },
    ],
  },
  { status: { resourceClaimStatuses: [{ name: "r2", resourceClaimName: "p-r2-x" }, { name: "r3" }] } },
);

const objects: Readonly<Record<string, readonly AnyObject[]>> = {
  pods: [
    wide,
    pod("other", { nodeName: "n2", serviceAccountName: "other", volumes: [{ secret: { secretName: "theirs" } }] }),
    pod("pending", { serviceAccountName: "pending", volumes: [{ secret: { secretName: "pending" } }] }),
    {
      metadata: { namespace: "a", name: "mirror", annotations: { "orch/config.mirror": "x" } },
      spec: { nodeName: "n1", volumes: [{ secret: { secretName: "wished" } }] },
    },
  ],
  persistentvolumes: [
    {
      metadata: { name: "pv" },
      spec: {
        claimRef: { namespace: "a", name: "data" },
        csi: {
          nodeStageSecretRef: { namespace: "storage", name: "stage" },
          controllerPublishSecretRef: { namespace: "storage", name: "controller" },
        },
      },
    },
    {
      metadata: { name: "pv-az" },
      spec: { claimRef: { namespace: "a", name: "p-e" }, azureFile: { secretName: "azure-pv" } },
    },
    { metadata: { name: "free" }, spec: { rbd: { secretRef: { namespace: "storage", name: "free" } } } },
    {
      metadata: { name: "foreign" },
      spec: { claimRef: { namespace: "b", name: "data" }, rbd: { secretRef: { name: "foreign" } } },
    },
  ],
  volumeattachments: [
    { metadata: { name: "va" }, spec: { nodeName: "n1" } },
    { metadata: { name: "va2" }, spec: { nodeName: "n2" } },
  ],
  resourceslices: [
    { metadata: { name: "slice" }, spec: { nodeName: "n1" } },
    { metadata: { name: "slice2" }, spec: { nodeName: "n2" } },
    { metadata: { name: "net" }, spec: {} },
  ],
};

const no = "no relationship found between node 'n1' and this object";
const secret = (name: string, namespace = "a") => ({ resource: "secrets", namespace, name });
const configMap = (name: string) => ({ resource: "configmaps", namespace: "a", name });
const token = (name: string) =>
  ({ verb: "create", resource: "serviceaccounts", subresource: "token", namespace: "a", name }) as const;
const claim = (name: string, more: object = {}) => ({
  resource: "persistentvolumeclaims",
  namespace: "a",
  name,
  ...more,
});
const volume = (name: string) => ({ resource: "persistentvolumes", name });
const inGroup = (group: string, resource: string, more: object = {}) => ({ group, resource, ...more });
const lease = (verb: string, name: string, namespace = "orch-node-lease") =>
  inGroup("coordination.orch", "leases", { verb, name, namespace });
const csiNode = (verb: string, name: string, more: object = {}) =>
  inGroup("storage.orch", "csinodes", { verb, name, ...more });
const slice = (verb: string, more: object) => inGroup("resource.orch", "resourceslices", { verb, ...more });

/** Allowed where there is no reason. */
const rows: readonly (readonly [Partial<ResourceAttributes>, reason: string | undefined])[] = [
  // secrets and config maps
  ...["pull", "init-env", "env-from", "debug", "mounted", "proj", "csi", "azure", "ceph"].map(
    (name) => [secret(name), undefined] as const,
  ),
  [{ ...secret("mounted"), verb: "list" }, undefined],
  [{ ...secret("mounted"), verb: "watch" }, undefined],
  [secret("theirs"), no],
  [secret("pending"), no],
  [secret("wished"), no],
  [secret("mounted", "b"), no],
  [secret("nowhere"), no],
  [{ ...secret("mounted"), verb: "update" }, "can only read resources of this type"],
  [{ ...secret("mounted"), subresource: "x" }, "cannot read subresource"],
  [{ ...secret("mounted"), namespace: "" }, "can only read namespaced object of this type"],
  [{ ...secret(""), verb: "list" }, "No Object name found"],
  [configMap("mounted"), undefined],
  [configMap("env-from"), undefined],
  [configMap("env"), undefined],
  [configMap("proj"), undefined],
  [configMap("pull"), no],
  // claims, volumes and their secrets
  [claim("data"), undefined],
  [claim("p-e"), undefined],
  [claim("other"), no],
  [claim("data", { verb: "list" }), "can only get individual resources of this type"],
  [claim("data", { subresource: "x" }), "cannot get subresource"],
  [claim("data", { verb: "patch", subresource: "status" }), undefined],
  [claim("other", { verb: "update", subresource: "status" }), no],
  [claim("data", { verb: "get", subresource: "status" }), "can only get/update/patch this type"],
  [volume("pv"), undefined],
  [volume("pv-az"), undefined],
  [volume("free"), no],
  [volume("foreign"), no],
  [volume("none"), no],
  [secret("stage", "storage"), undefined],
  [secret("azure-pv"), undefined],
  [secret("controller", "storage"), no],
  [secret("free", "storage"), no],
  [secret("foreign", "b"), no],
  // tokens
  [token("runner"), undefined],
  [token("other"), no],
  [token("pending"), no],
  [{ ...token("runner"), namespace: "b" }, no],
  [{ ...token("runner"), verb: "get" }, "can only create tokens for individual service accounts"],
  [token(""), "can only create tokens for individual service accounts"],
  [{ ...token("runner"), subresource: "" }, "can only create token subresource of serviceaccount"],
  // devices
  [inGroup("resource.orch", "resourceclaims", { namespace: "a", name: "gpu" }), undefined],
  [inGroup("resource.orch", "resourceclaims", { namespace: "a", name: "p-r2-x" }), undefined],
  [inGroup("resource.orch", "resourceclaims", { namespace: "a", name: "other" }), no],
  [slice("create", {}), undefined],
  [slice("get", { name: "slice" }), undefined],
  [slice("delete", { name: "slice2" }), no],
  [slice("patch", { name: "net" }), no],
  [slice("list", { fieldSelector: "spec.driver=d,spec.nodeName=n1" }), undefined],
  [slice("deletecollection", { fieldSelector: "spec.nodeName==n1" }), undefined],
  [
    slice("watch", { fieldSelector: "spec.nodeName=n2" }),
    "can only list/watch/deletecollection resourceslices with nodeName field selector",
  ],
  [
    slice("list", { fieldSelector: "spec.nodeName!=n1" }),
    "can only list/watch/deletecollection resourceslices with nodeName field selector",
  ],
  [
    slice("proxy", {}),
    "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
  ],
  [slice("get", { name: "slice", subresource: "x" }), "cannot authorize ResourceSlice subresources"],
  // attachments, leases, CSI nodes
  [inGroup("storage.orch", "volumeattachments", { name: "va" }), undefined],
  [inGroup("storage.orch", "volumeattachments", { name: "va2" }), no],
  [inGroup("storage.orch", "volumeattachments", { verb: "list" }), "can only get individual resources of this type"],
  [lease("create", ""), undefined],
  [lease("update", "n1"), undefined],
  [lease("get", "n2"), "can only access node lease with the same name as the requesting node"],
  [lease("get", "n1", "a"), 'can only access leases in the "orch-node-lease" system namespace'],
  [lease("list", ""), "can only get, create, update, patch, or delete a node lease"],
  [csiNode("create", "n2"), undefined],
  [csiNode("delete", "n1"), undefined],
  [csiNode("get", "n2"), "can only access CSINode with the same name as the requesting node"],
  [csiNode("watch", ""), "can only get, create, update, patch, or delete a CSINode"],
  [csiNode("get", "n1", { subresource: "x" }), "cannot authorize CSINode subresources"],
  // nodes
  [{ resource: "nodes", verb: "create" }, undefined],
  [{ resource: "nodes", verb: "update", name: "n2" }, undefined],
  [{ resource: "nodes", name: "n1" }, undefined],
  [{ resource: "nodes", verb: "watch", name: "n1" }, undefined],
  [{ resource: "nodes", name: "n2" }, "node 'n1' cannot read 'n2', only its own Node object"],
  [{ resource: "nodes", verb: "list" }, "node 'n1' cannot read all nodes, only its own Node object"],
  [{ resource: "nodes", verb: "delete", name: "n1" }, ""],
  [{ resource: "nodes", verb: "patch", name: "n1", subresource: "status" }, undefined],
  [{ resource: "nodes", verb: "get", name: "n1", subresource: "proxy" }, ""],
  // pods
  [{ namespace: "a", name: "p" }, undefined],
  [{ namespace: "a", name: "mirror" }, undefined],
  [{ namespace: "a", name: "other" }, no],
  [{ namespace: "a", name: "pending" }, no],
  [{ verb: "list", fieldSelector: "spec.nodeName=n1" }, undefined],
  [{ verb: "watch", fieldSelector: "spec.nodeName=n2" }, "can only list/watch pods with spec.nodeName field selector"],
  [{ verb: "list" }, "can only list/watch pods with spec.nodeName field selector"],
  [{ verb: "list", fieldSelector: "=n1," }, "can only list/watch pods with spec.nodeName field selector"],
  [{ verb: "watch", namespace: "a", name: "p" }, undefined],
  [{ verb: "watch", namespace: "a", name: "other" }, no],
  [{ verb: "create", namespace: "a" }, undefined],
  [{ verb: "delete", namespace: "a", name: "other" }, undefined],
  [{ verb: "deletecollection", namespace: "a" }, ""],
  [{ verb: "update", namespace: "a", name: "p" }, ""],
  [{ verb: "patch", namespace: "a", name: "p", subresource: "status" }, undefined],
  [{ verb: "create", namespace: "a", name: "p", subresource: "eviction" }, undefined],
  [{ verb: "create", namespace: "a", name: "p", subresource: "exec" }, ""],
  // what is alike for all nodes
  [{ resource: "services", verb: "list" }, undefined],
  [{ resource: "services", verb: "create" }, ""],
  [{ resource: "services", group: "x" }, ""],
  [{ resource: "services", subresource: "status" }, ""],
  [{ resource: "endpoints", verb: "patch", subresource: "status" }, undefined],
  [{ resource: "signers", group: "certificates.orch", name: "one" }, ""],
  [{ resource: "tokenreviews", group: "authentication.orch", verb: "create" }, undefined],
  // the groups are those of the resources, not of their names
  [{ ...secret("mounted"), group: "x" }, ""],
];

test("a node may do what its pods need, and no more", async () => {
  const { decide } = setUp(objects);
  for (const [attributes, reason] of rows) {
    const expected = reason === undefined ? { outcome: "allow", reason: "" } : { outcome: "noOpinion", reason };
    assert.deepEqual(await decide(attributes), expected, JSON.stringify(attributes));
  }
});

test("who is no node has no opinion made for them, and nothing is read", () => {
  const { authorizer, collections } = setUp(objects);
  const rows: readonly (readonly [UserInfo, string])[] = [
    [nodeUser("n1", "system:authenticated"), ""],
    [{ ...nodeUser("n1"), name: "bob" }, ""],
    [{ ...nodeUser("n1"), name: "system:nodes:n1" }, ""],
    [nodeUser(""), 'unknown node for user "system:node:"'],
  ];
  for (const [user, reason] of rows) {
    assert.deepEqual(authorizer.authorize({ ...of(secret("mounted")), user }), { outcome: "noOpinion", reason });
  }
  assert.deepEqual(authorizer.authorize({ kind: "path", user: nodeUser("n1"), verb: "get", path: "/x" }), {
    outcome: "noOpinion",
    reason: "",
  });
  assert.equal(collections.length, 0);
  assert.equal(nodeOf(nodeUser("n:1")), "n:1");
});

test("collections are followed once somebody asks for what is in them", async () => {
  const { decide, collections } = setUp(objects);
  await decide({ resource: "services" });
  assert.deepEqual(collections, []);
  await decide({ namespace: "a", name: "p" });
  await decide(token("runner"));
  assert.deepEqual(collections, [{ group: "", version: "v1", resource: "pods" }]);
  await decide(secret("mounted"));
  await decide(inGroup("storage.orch", "volumeattachments", { name: "va" }));
  await decide(slice("get", { name: "slice" }));
  assert.deepEqual(collections.slice(1), [
    { group: "", version: "v1", resource: "persistentvolumes" },
    { group: "storage.orch", version: "v1", resource: "volumeattachments" },
    { group: "resource.orch", version: "v1beta1", resource: "resourceslices" },
  ]);
});

const isUnavailable = (error: unknown): boolean => error instanceof ApiError && error.reason === "ServiceUnavailable";

test("a request before the objects are known waits for them, and at last is unavailable, never allowed", async () => {
  const { authorizer, load } = setUp(objects);
  const early = authorizer.authorize(of(secret("mounted")));
  const denied = authorizer.authorize(of(secret("theirs")));
  load();
  assert.deepEqual(await early, { outcome: "allow", reason: "" });
  assert.deepEqual(await denied, { outcome: "noOpinion", reason: no });
  assert.ok(!(authorizer.authorize(of(secret("mounted"))) instanceof Promise), "later ones are answered at once");

  const slow = setUp(objects);
  const late = assert.rejects(async () => await slow.authorizer.authorize(of(secret("mounted"))), isUnavailable);
  await slow.clock.pass(0);
  slow.follower("pods").replaced(objects["pods"] ?? [], 0);
  await slow.clock.pass(10_000);
  await late;
});

test("it is unavailable before it starts and after it ends, and follows nothing then", async () => {
  const clock = createManualClock();
  const authorizer = createNodeAuthorizer({ naming, rules, resourceSlices: true, clock });
  await assert.rejects(async () => await authorizer.authorize(of(secret("mounted"))), isUnavailable);
  const { source, followers, load } = fakeSource(objects);
  authorizer.start(source);
  const decision = authorizer.authorize(of(secret("mounted")));
  load();
  assert.deepEqual(await decision, { outcome: "allow", reason: "" });
  authorizer.stop();
  assert.equal(followers.size, 0);
  await assert.rejects(async () => await authorizer.authorize(of(secret("mounted"))), isUnavailable);
});

test("without ResourceSlices none is asked for, and nobody has to do with one", async () => {
  const { decide, collections } = setUp(objects, false);
  assert.deepEqual(await decide(slice("get", { name: "slice" })), { outcome: "noOpinion", reason: no });
  assert.deepEqual(collections, []);
});

test("what pods and volumes no longer name is no longer theirs", async () => {
  const { decide, authorizer, follower } = setUp(objects);
  assert.equal((await decide(secret("stage", "storage"))).outcome, "allow");
  const may = async (fields: Partial<ResourceAttributes>, node = "n1"): Promise<boolean> =>
    (await authorizer.authorize(of(fields, node))).outcome === "allow";

  const twin = pod("twin", { nodeName: "n1", volumes: [{ secret: { secretName: "mounted" } }] });
  follower("pods").changed(twin);
  follower("pods").deleted(wide);
  assert.equal(await may(secret("mounted")), true, "another pod names it");
  assert.equal(await may(secret("stage", "storage")), false, "nobody has the claim");
  assert.equal(await may(volume("pv")), false);
  follower("pods").changed({ ...twin, spec: { nodeName: "n1" } });
  assert.equal(await may(secret("mounted")), false);

  follower("pods").changed(wide);
  follower("persistentvolumes").changed({
    metadata: { name: "pv" },
    spec: { claimRef: { namespace: "a", name: "data" }, rbd: { secretRef: { name: "rbd" } } },
  });
  assert.equal(await may(secret("rbd")), true);
  assert.equal(await may(secret("stage", "storage")), false);
  follower("persistentvolumes").deleted({ metadata: { name: "pv" } });
  assert.equal(await may(secret("rbd")), false);

  // The same name again on another node, and a list in place of all that was known.
  follower("pods").changed(pod("p", { nodeName: "n2", serviceAccountName: "runner" }));
  assert.equal(await may(token("runner")), false);
  assert.equal(await may(token("runner"), "n2"), true);
  follower("pods").replaced([], 0);
  assert.equal(await may(token("runner"), "n2"), false);
});

test("a namespace that holds a slash is nobody's", async () => {
  const odd = pod("odd", { nodeName: "n1", volumes: [{ secret: { secretName: "b/c" } }] });
  const { decide } = setUp({ pods: [odd] });
  assert.equal((await decide(secret("b/c"))).outcome, "allow");
  assert.deepEqual(await decide(secret("c", "a/b")), { outcome: "noOpinion", reason: no });
});

test("the words are those of the dialect", async () => {
  const words = createNaming("kubernetes");
  const authorizer = createNodeAuthorizer({
    naming: words,
    rules: [],
    resourceSlices: true,
    clock: createManualClock(),
  });
  const decide = (fields: Partial<ResourceAttributes>) => authorizer.authorize(of(fields));
  const kubernetes = { group: "coordination.k8s.io", resource: "leases", name: "n1", namespace: "kube-node-lease" };
  assert.deepEqual(await decide(kubernetes), { outcome: "allow", reason: "" });
  assert.deepEqual(await decide({ ...kubernetes, group: "coordination.orch" }), { outcome: "noOpinion", reason: "" });
});

test("the rules of nodes cannot be listed, of others there are none", () => {
  const { authorizer } = setUp();
  assert.deepEqual(authorizer.rulesFor(nodeUser("n1"), "a"), {
    rules: [],
    incomplete: true,
    evaluationError: "node authorizer does not support user rule resolution",
  });
  assert.deepEqual(authorizer.rulesFor({ ...nodeUser("n1"), name: "bob" }, "a"), {
    rules: [],
    incomplete: false,
    evaluationError: "",
  });
});
