import assert from "node:assert/strict";
import { test } from "node:test";
import {
  apply,
  containers,
  merge,
  nodeUser,
  owner,
  pods,
  type Request,
  startNodes,
  strategic,
  tried,
} from "../../testing/nodes.js";

interface MirrorRow {
  readonly metadata?: (own: object, uid: string) => object;
  readonly spec?: object;
  readonly says: string;
}

const env = (source: object) => [{ ...containers[0], env: [{ name: "E", valueFrom: source }] }];
const volume = (source: object) => ({ volumes: [{ name: "v", ...source }] });
const owned = (...owners: readonly object[]): Pick<MirrorRow, "metadata"> => ({
  metadata: (own) => ({ ...own, ownerReferences: owners }),
});
const ownedBy = (more: object): Pick<MirrorRow, "metadata"> => ({
  metadata: (own, uid) => ({ ...own, ownerReferences: [owner(uid, more)] }),
});
const toItself = 'node "one" can only create pods with an owner reference set to itself';
const names = (what: string): string => `node "one" can not create pods that reference ${what}`;

const mirrorRows: readonly MirrorRow[] = [
  {
    metadata: (_own, uid) => ({ ownerReferences: [owner(uid)] }),
    says: 'pod does not have "kubernetes.io/config.mirror" annotation, node "one" can only create mirror pods',
  },
  { spec: { nodeName: "two" }, says: 'node "one" can only create pods with spec.nodeName set to itself' },
  { ...owned(), says: toItself },
  { ...ownedBy({ name: "two" }), says: toItself },
  { ...ownedBy({ kind: "Pod" }), says: toItself },
  { ...ownedBy({ apiVersion: "example.com/v1" }), says: toItself },
  {
    metadata: (own, uid) => ({ ...own, ownerReferences: [owner(uid), owner("x", { name: "n", controller: false })] }),
    says: 'node "one" can only create pods with a single owner reference set to itself',
  },
  {
    ...ownedBy({ controller: false }),
    says: 'node "one" can only create pods with a controller owner reference set to itself',
  },
  {
    ...ownedBy({ blockOwnerDeletion: true }),
    says: 'node "one" must not set blockOwnerDeletion on an owner reference',
  },
  { ...ownedBy({ uid: "other" }), says: "node one UID mismatch: expected other got <uid>" },
  { spec: { serviceAccountName: "app" }, says: names("a service account") },
  { spec: { imagePullSecrets: [{ name: "s" }] }, says: names("secrets") },
  { spec: { containers: env({ secretKeyRef: { name: "s", key: "k" } }) }, says: names("secrets") },
  { spec: volume({ secret: { secretName: "s" } }), says: names("secrets") },
  { spec: volume({ projected: { sources: [{ secret: { name: "s" } }] } }), says: names("secrets") },
  { spec: { containers: env({ configMapKeyRef: { name: "s", key: "k" } }) }, says: names("configmaps") },
  {
    spec: { initContainers: [{ name: "i", image: "i", envFrom: [{ configMapRef: { name: "s" } }] }] },
    says: names("configmaps"),
  },
  { spec: volume({ configMap: { name: "s" } }), says: names("configmaps") },
  { spec: volume({ projected: { sources: [{ configMap: { name: "s" } }] } }), says: names("configmaps") },
  { spec: volume({ persistentVolumeClaim: { claimName: "c" } }), says: names("persistentvolumeclaims") },
  {
    spec: volume({
      ephemeral: {
        volumeClaimTemplate: {
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      },
    }),
    says: names("persistentvolumeclaims"),
  },
  { spec: { resourceClaims: [{ name: "r", resourceClaimName: "c" }] }, says: names("resourceclaims") },
];

test("a node makes mirrors of its own pods, that name nothing else", async (t) => {
  const { says, uids, make } = await startNodes(t, { disabled: new Set(["ServiceAccount"]) });
  const uid = uids["one"] ?? "";
  const own = { annotations: { "kubernetes.io/config.mirror": "m" }, ownerReferences: [owner(uid)] };
  const spec = { nodeName: "one", containers };
  for (const [i, row] of mirrorRows.entries()) {
    const metadata = { ...(row.metadata?.(own, uid) ?? own), name: `m${i}` };
    const refusal = `403 pods "m${i}" is forbidden: ${row.says.replace("<uid>", uid)}`;
    const pod = { metadata, spec: { ...spec, ...row.spec } };
    assert.equal(await says(pods, pod), refusal, JSON.stringify(pod));
    assert.equal(await says({ ...pods, ...tried }, pod), refusal);
    await make(pods, pod);
  }
  assert.equal(await says(pods, { metadata: { name: "mirror", ...own }, spec }), "ok");
  const applied = { apiVersion: "v1", kind: "Pod", metadata: { name: "applied", namespace: "default" }, spec };
  assert.match(await says({ ...pods, ...apply, name: "applied" }, applied), /^403 .*can only create mirror pods$/);
});

test("a node that is not registered makes no mirror pods", async (t) => {
  const { says } = await startNodes(t, { disabled: new Set(["ServiceAccount"]) });
  const metadata = {
    name: "m",
    annotations: { "kubernetes.io/config.mirror": "m" },
    ownerReferences: [owner("u", { name: "three" })],
  };
  const made = says({ ...pods, user: nodeUser("three") }, { metadata, spec: { nodeName: "three", containers } });
  assert.equal(await made, '404 nodes "three" not found');
});

test("a node's pod of an account is refused with what its account would have given it", async (t) => {
  const { says } = await startNodes(t);
  const pod = { metadata: { name: "p" }, spec: { nodeName: "one", containers } };
  assert.match(await says(pods, pod), /^403 pods "p" is forbidden: pod does not have .* annotation/);
});

test("a node deletes and evicts its own pods, a pod or a collection of them", async (t) => {
  const { says, write, read } = await startNodes(t);
  const forbidden = (what: string) => `403 pods "on-two" is forbidden: ${what}`;
  const deletion = forbidden('node "one" can only delete pods with spec.nodeName set to itself');
  const eviction = forbidden("node one can only evict pods with spec.nodeName set to itself");
  const evict = (name: string): [Request, object] => [
    { ...pods, name, subresource: "eviction" },
    { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } },
  ];
  const budget = { minAvailable: 1, selector: { matchLabels: { a: "b" } } };
  const budgets = { group: "policy", resource: "poddisruptionbudgets" };
  await write(budgets, { metadata: { name: "b" }, spec: budget });
  const before = read(await write({ ...budgets, name: "b", ...merge }, {}));
  const selected = { fieldSelector: "spec.nodeName=two" };
  for (const dry of [{ options: {} }, tried]) {
    assert.equal(await says({ ...pods, verb: "delete", name: "on-two", ...dry }), deletion);
    assert.equal(
      await says({ ...pods, verb: "delete", name: "on-two", ...dry }, { preconditions: { uid: "x" } }),
      deletion,
    );
    assert.equal(await says({ ...pods, verb: "deletecollection", options: { ...dry.options, ...selected } }), deletion);
    const [request, body] = evict("on-two");
    assert.equal(await says({ ...request, ...dry }, body), eviction);
  }
  const untouched = read(await write({ ...pods, name: "on-two", ...merge }, {}));
  assert.equal(untouched.metadata.deletionTimestamp, undefined);
  assert.equal(Object(untouched["status"]).conditions, undefined, "nothing says that it is evicted");
  assert.deepEqual(
    read(await write({ ...budgets, name: "b", ...merge }, {})),
    before,
    "the budget is not counted down",
  );
  await write({ ...budgets, verb: "delete", name: "b" });
  assert.equal(await says({ ...pods, verb: "delete", name: "none" }), '404 pods "none" not found');
  assert.equal(await says(...evict("on-one")), "ok");
  assert.equal(await says({ ...pods, verb: "delete", name: "on-one", ...tried }), "ok");
  const collection = { ...pods, verb: "deletecollection", options: { fieldSelector: "spec.nodeName=one" } } as const;
  assert.equal(await says(collection), "ok");
  assert.equal(await says({ ...pods, verb: "delete", name: "on-one" }, { gracePeriodSeconds: 0 }), "ok");
});

test("a node tells the state of its own pods, and nothing else of any", async (t) => {
  const { says, make } = await startNodes(t);
  const status = { ...pods, ...merge, subresource: "status" };
  const running = { status: { phase: "Running" } };
  assert.equal(await says({ ...status, name: "on-one" }, running), "ok");
  const pod = await make({ ...pods, ...merge, name: "on-one" }, {});
  const whole = { ...pod, status: { phase: "Running", hostIP: "10.0.0.1" } };
  assert.equal(await says({ ...pods, verb: "update", name: "on-one", subresource: "status" }, whole), "ok");
  const rows: readonly (readonly [Request, object, string])[] = [
    [
      { ...status, name: "on-two" },
      running,
      'pods "on-two" is forbidden: node "one" can only update pod status for pods with spec.nodeName set to itself',
    ],
    [
      { ...status, name: "on-one" },
      { metadata: { labels: { a: "c" } } },
      'pods "on-one" is forbidden: node "one" cannot update labels through pod status',
    ],
    [
      { ...status, name: "on-one" },
      { status: { resourceClaimStatuses: [{ name: "r", resourceClaimName: "c" }] } },
      'pods "on-one" is forbidden: node "one" cannot update resource claim statues',
    ],
    [
      { ...pods, ...merge, name: "on-one" },
      { metadata: { labels: { a: "c" } } },
      'pods "on-one" is forbidden: unexpected operation "UPDATE", node "one" can only create and delete mirror pods',
    ],
    [
      { ...pods, ...strategic, name: "on-one", subresource: "ephemeralcontainers" },
      { spec: { ephemeralContainers: [{ name: "d", image: "i", terminationMessagePolicy: "File" }] } },
      `pods "on-one" is forbidden: unexpected pod subresource "ephemeralcontainers", only 'status' and 'eviction' are allowed`,
    ],
    [
      { ...pods, ...strategic, name: "on-one", subresource: "resize" },
      { spec: { containers: [{ name: "c", resources: { requests: { cpu: "2" } } }] } },
      `pods "on-one" is forbidden: unexpected pod subresource "resize", only 'status' and 'eviction' are allowed`,
    ],
  ];
  for (const [request, body, refusal] of rows) {
    await make({ ...request, ...tried }, body);
    assert.equal(await says(request, body), `403 ${refusal}`);
    assert.equal(await says({ ...request, ...tried }, body), `403 ${refusal}`);
  }
  await make(pods, { metadata: { name: "free" }, spec: { serviceAccountName: "app", containers } });
  const binding = { metadata: { name: "free" }, target: { kind: "Node", name: "one" } };
  assert.equal(
    await says({ ...pods, name: "free", subresource: "binding" }, binding),
    `403 pods "free" is forbidden: unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`,
  );
});

test("a node is given tokens that are bound to its pods", async (t) => {
  const { says, uids } = await startNodes(t);
  const at = { resource: "serviceaccounts", name: "app", subresource: "token" };
  const bound = (name: string, more: object = {}) => ({
    spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid: uids[name], ...more } },
  });
  const refusal = (why: string) => `403 serviceaccounts "app" is forbidden: ${why}`;
  const unbound = refusal("node requested token not bound to a pod");
  const stale =
    "the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated";
  const rows: readonly (readonly [object, string])[] = [
    [bound("on-one"), "ok"],
    [{ spec: {} }, unbound],
    [bound("one", { kind: "Node" }), unbound],
    [bound("on-one", { name: undefined }), unbound],
    [bound("on-one", { uid: undefined }), refusal("node requested token with a pod binding without a uid")],
    [bound("on-one", { uid: "x" }), refusal(stale)],
    [bound("on-two"), refusal("node requested token bound to a pod scheduled on a different node")],
    [bound("none", { uid: "x" }), '404 pods "none" not found'],
  ];
  for (const [body, expected] of rows) {
    assert.equal(await says(at, body), expected, JSON.stringify(body));
    assert.equal(await says({ ...at, ...tried }, body), expected);
  }
  assert.match(await says({ ...at, name: "default" }, bound("on-one")), /^400 .*different serviceaccount name/);
});

for (const [dialect, mirror, other] of [
  ["kubernetes", "kubernetes.io/config.mirror", "orch/config.mirror"],
  ["orch", "orch/config.mirror", "kubernetes.io/config.mirror"],
] as const) {
  test(`a mirror is known by the annotation of ${dialect}`, async (t) => {
    const { says, uids } = await startNodes(t, { dialect });
    const annotated = (key: string) => ({
      metadata: { name: "m", annotations: { [key]: "m" }, ownerReferences: [owner(uids["one"] ?? "")] },
      spec: { nodeName: "one", containers },
    });
    const why = `pod does not have "${mirror}" annotation, node "one" can only create mirror pods`;
    assert.equal(await says(pods, annotated(other)), `403 pods "m" is forbidden: ${why}`);
    assert.equal(await says(pods, annotated(mirror)), "ok");
  });
}
