import assert from "node:assert/strict";
import { test } from "node:test";
import { user } from "@orch/auth/testing/attributes.js";
import {
  apply,
  merge,
  nodes,
  nodeUser,
  owner,
  pods,
  type Request,
  startNodes,
  strategic,
  tried,
} from "../../testing/nodes.js";

interface NodeRow {
  readonly name?: string;
  readonly node: object;
  readonly says: string;
}

const labels = (more: object): Pick<NodeRow, "node"> => ({ node: { metadata: { labels: more } } });
const setting = (names: string): string => `node "three" is not allowed to set the following labels: ${names}`;

const registrations: readonly NodeRow[] = [
  { name: "two", node: {}, says: 'node "three" is not allowed to modify node "two"' },
  {
    node: { spec: { configSource: { configMap: {} } } },
    says: 'node "three" is not allowed to create pods with a non-nil configSource',
  },
  { ...labels({ "node-restriction.kubernetes.io/a": "b" }), says: setting("node-restriction.kubernetes.io/a") },
  { ...labels({ "x.node-restriction.kubernetes.io/a": "b" }), says: setting("x.node-restriction.kubernetes.io/a") },
  {
    ...labels({ "x.kubernetes.io/a": "", "kubernetes.io/a": "", "example.com/a": "", constructor: "" }),
    says: setting("kubernetes.io/a, x.kubernetes.io/a"),
  },
  { ...labels({ "k8s.io/a": "", "x.k8s.io/a": "" }), says: setting("k8s.io/a, x.k8s.io/a") },
];

const ownLabels = [
  ...["kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch"],
  ...["beta.kubernetes.io/os", "beta.kubernetes.io/arch", "beta.kubernetes.io/instance-type"],
  ...["topology.kubernetes.io/zone", "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone"],
  ...["failure-domain.beta.kubernetes.io/region", "node.kubernetes.io/instance-type", "node.kubernetes.io/any"],
  ...["kubelet.kubernetes.io/a", "x.kubelet.kubernetes.io/a", "x.node.kubernetes.io/a"],
  ...["plain", "example.com/a", "notkubernetes.io/a", "notk8s.io/a"],
];
const kubernetesOnly = /k8s/;
const inOrch = (text: string): string => text.replaceAll("kubernetes.io", "orch").replaceAll("k8s.io", "orch");

for (const dialect of ["kubernetes", "orch"] as const) {
  test(`a node registers itself with labels that are its own, in ${dialect}`, async (t) => {
    const { says, make } = await startNodes(t, { dialect });
    const word = dialect === "orch" ? inOrch : (text: string) => text;
    const three = { ...nodes, user: nodeUser("three") };
    for (const { name = "three", node, says: why } of registrations) {
      if (dialect === "orch" && kubernetesOnly.test(why)) continue;
      const { metadata, ...rest }: { metadata?: object } = JSON.parse(word(JSON.stringify(node)));
      const body = { ...rest, metadata: { name, ...metadata } };
      const refusal = `403 nodes "${name}" is forbidden: ${word(why)}`;
      assert.equal(await says(three, body), refusal);
      assert.equal(await says({ ...three, ...tried }, body), refusal);
      if (name === "three") await make({ ...nodes, ...tried }, body);
    }
    const own = Object.fromEntries(ownLabels.map((label) => [word(label), "v"]));
    const taints = [{ key: "example.com/t", effect: "NoSchedule" }];
    const made = { metadata: { name: "three", labels: own }, spec: { taints } };
    assert.equal(await says(three, made), "ok");
    const patched = { ...three, ...merge, name: "three" };
    const changed = Object.fromEntries(ownLabels.map((label) => [word(label), null]));
    assert.equal(await says({ ...patched, subresource: "status" }, { metadata: { labels: changed } }), "ok");
    const restricted = word("node-restriction.kubernetes.io/a");
    await make({ ...nodes, ...merge, name: "three" }, { metadata: { labels: { [restricted]: "b" } } });
    for (const value of ["c", null]) {
      assert.equal(
        await says(patched, { metadata: { labels: { [restricted]: value } } }),
        `403 nodes "three" is forbidden: is not allowed to modify labels: ${restricted}`,
      );
    }
    assert.equal(await says(patched, { metadata: { labels: { [restricted]: "b", plain: "w" } } }), "ok");
  });
}

test("a node changes itself alone, and nothing that pods go by", async (t) => {
  const { says, make } = await startNodes(t);
  const taint = { key: "example.com/t", effect: "NoSchedule" };
  await make({ ...nodes, ...merge, name: "one" }, { spec: { taints: [taint] } });
  const of = (why: string, name = "one") => `403 nodes "${name}" is forbidden: ${why}`;
  const other = of('node "one" is not allowed to modify node "two"', "two");
  const taints = of('node "one" is not allowed to modify taints');
  const owners = of('node "one" is not allowed to modify ownerReferences');
  const named = { apiVersion: "v1", kind: "Node", metadata: { name: "one" } };
  const rows: readonly (readonly [Request, object, string])[] = [
    [{ ...merge, name: "two" }, { metadata: { labels: { mine: "x" } } }, other],
    [{ ...merge, name: "two", subresource: "status" }, { status: { phase: "Running" } }, other],
    [{ ...merge, name: "one" }, { spec: { taints: null } }, taints],
    [{ verb: "update", name: "one" }, { metadata: { name: "one" } }, taints],
    [{ ...merge, name: "one" }, { spec: { taints: [taint, { ...taint, effect: "NoExecute" }] } }, taints],
    [{ ...merge, name: "one" }, { metadata: { ownerReferences: [owner("gone", { name: "gone" })] } }, owners],
    [
      { ...apply, name: "one" },
      { ...named, metadata: { name: "one", labels: { "kubernetes.io/a": "b" } } },
      of("is not allowed to modify labels: kubernetes.io/a"),
    ],
  ];
  for (const [request, body, refusal] of rows) {
    const { options } = request;
    assert.equal(await says({ ...nodes, ...request }, body), refusal);
    assert.equal(await says({ ...nodes, ...request, options: { ...options, dryRun: "All" } }, body), refusal);
    await make({ ...nodes, ...request, options: { ...options, dryRun: "All" } }, body);
  }
  const ready = { status: { conditions: [{ type: "Ready", status: "True" }] } };
  assert.equal(await says({ ...nodes, ...strategic, name: "one", subresource: "status" }, ready), "ok");
  assert.equal(await says({ ...nodes, ...merge, name: "one" }, { spec: { unschedulable: true } }), "ok");
  assert.equal(await says({ ...nodes, verb: "delete", name: "two" }), other);
  assert.match(await says({ ...nodes, verb: "deletecollection" }), /^403 nodes "two" is forbidden/);
  await make({ ...nodes, ...merge, name: "two" }, {});
});

test("a node says how far a claim's expansion is, and nothing else of it", async (t) => {
  const { says, make } = await startNodes(t);
  const claims = { resource: "persistentvolumeclaims" };
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } };
  await make(claims, { metadata: { name: "c" }, spec });
  const status = { ...claims, ...merge, name: "c", subresource: "status" };
  await make(status, { status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] } });
  const refusal = (why: string, name = "c") => `403 persistentvolumeclaims "${name}" is forbidden: ${why}`;
  const status403 = refusal(
    'node "one" is not allowed to update fields other than status.quantity and status.conditions',
  );
  const expanded = {
    capacity: { storage: "2Gi" },
    allocatedResources: { storage: "2Gi" },
    allocatedResourceStatuses: { storage: "NodeResizeInProgress" },
    conditions: [{ type: "FileSystemResizePending", status: "True" }],
  };
  assert.equal(await says(status, { status: expanded }), "ok");
  assert.equal(await says({ ...status, ...tried }, { status: { phase: "Lost" } }), status403);
  assert.equal(await says(status, { status: { phase: "Lost" } }), status403);
  assert.equal(await says(status, { metadata: { labels: { a: "b" } } }), status403);
  assert.equal(await says(status, { metadata: { finalizers: ["example.com/f"] } }), status403);
  const only = refusal("may only update PVC status");
  assert.equal(await says({ ...claims, ...merge, name: "c" }, { metadata: { labels: { a: "b" } } }), only);
  assert.equal(await says({ ...claims, verb: "delete", name: "c" }), only);
  assert.equal(await says(claims, { metadata: { name: "d" }, spec }), refusal("may only update PVC status", "d"));
});

for (const dialect of ["kubernetes", "orch"] as const) {
  test(`a node has its own lease, CSINode and slices, in ${dialect}`, async (t) => {
    const { says, make, naming } = await startNodes(t, { dialect });
    const held = naming.systemName("node-lease");
    const leases = { group: naming.group("coordination"), resource: "leases", namespace: held };
    const csi = { group: naming.group("storage"), resource: "csinodes", namespace: "" };
    const at = { group: naming.group("resource"), version: "v1beta1", resource: "resourceslices", namespace: "" };
    const lease = (name: string) => ({ metadata: { name }, spec: { holderIdentity: name } });
    const csiNode = (name: string) => ({ metadata: { name }, spec: { drivers: [] } });
    const slice = (name: string) => ({
      metadata: { name },
      spec: { nodeName: name, driver: "d.example.com", pool: { name: "p", generation: 1, resourceSliceCount: 1 } },
    });
    const refusal = ({ group, resource }: { group: string; resource: string }, why: string) =>
      `403 ${resource}.${group} "two" is forbidden: ${why}`;
    const renewed = { metadata: { labels: { a: "b" } } };
    const sameName = (what: string) => `can only access ${what} with the same name as the requesting node`;
    for (const [place, object, why] of [
      [leases, lease, sameName("node lease")],
      [csi, csiNode, sameName("CSINode")],
    ] as const) {
      await make(place, object("two"));
      assert.equal(await says(place, object("one")), "ok");
      assert.equal(await says({ ...place, ...merge, name: "one" }, renewed), "ok");
      assert.equal(await says({ ...place, verb: "delete", name: "one" }), "ok");
      const other = refusal(place, why);
      assert.equal(await says({ ...place, ...tried }, object("two")), other);
      assert.equal(await says({ ...place, ...merge, name: "two" }, renewed), other);
      assert.equal(await says({ ...place, verb: "delete", name: "two" }), other);
      assert.equal(await says({ ...place, verb: "deletecollection" }), other);
    }
    const elsewhere = `can only access leases in the ${JSON.stringify(held)} system namespace`;
    const wrong = await says({ ...leases, namespace: "default" }, lease("two"));
    assert.equal(wrong, refusal(leases, elsewhere));
    // Written in place of one that is not there.
    assert.equal(await says({ ...leases, verb: "update", name: "one" }, lease("one")), "ok");
    await make(at, slice("two"));
    assert.equal(await says(at, slice("one")), "ok");
    assert.equal(await says({ ...at, ...merge, name: "one" }, renewed), "ok");
    const cannot = (verb: string) =>
      refusal(at, `can only ${verb} ResourceSlice with the same NodeName as the requesting node`);
    assert.equal(await says({ ...at, ...tried }, slice("two")), cannot("create"));
    assert.equal(await says({ ...at, verb: "delete", name: "two" }), cannot("delete"));
    assert.equal(await says({ ...at, verb: "deletecollection" }), cannot("delete"));
    await make({ ...at, ...merge, name: "two" }, {});
  });
}

test("who is a node and cannot tell which writes nothing that nodes write", async (t) => {
  const { says } = await startNodes(t);
  for (const name of ["system:node:", "one", "system:serviceaccount:a:b"]) {
    const who = user(name, "system:nodes");
    const why = `could not determine node from user ${JSON.stringify(name)}`;
    const node = { metadata: { name: "new" } };
    assert.equal(await says({ ...nodes, user: who }, node), `403 nodes "new" is forbidden: ${why}`);
    assert.equal(
      await says({ ...pods, user: who, verb: "delete", name: "on-one" }),
      `403 pods "on-one" is forbidden: ${why}`,
    );
    assert.equal(await says({ user: who }, { metadata: { name: `m-${name.length}` } }), "ok", "of no kind of nodes");
  }
});

test("whoever is no node is not looked at, and nobody is without the plugin", async (t) => {
  const { says } = await startNodes(t);
  const label = { metadata: { labels: { "node-restriction.kubernetes.io/a": "b" } } };
  const patched = { ...nodes, ...merge, name: "two" };
  for (const who of [user("system:node:one", "system:authenticated"), user("alice"), user("nodes", "system:node")]) {
    assert.equal(await says({ ...patched, user: who }, label), "ok");
  }
  assert.match(await says(patched, { metadata: { labels: null } }), /^403 /);
  const without = await startNodes(t, { disabled: new Set(["NodeRestriction"]) });
  assert.equal(await without.says(patched, label), "ok");
  assert.equal(await without.says({ ...pods, verb: "delete", name: "on-two" }), "ok");
});
