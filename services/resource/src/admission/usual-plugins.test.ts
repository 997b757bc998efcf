import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec, Toleration } from "@orch/api/kinds/core/pod/types.js";
import { valueAt } from "@orch/api/object.js";
import { admitted, clusterWide, podOf, podsOf } from "../testing/admitted.js";
import { chooseDefault } from "./default-class.js";
import { withMissing } from "./default-toleration-seconds.js";

const claims = { resource: "persistentvolumeclaims" } as const;
const claimOf = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});
const storageClasses = clusterWide("storageclasses", "storage.k8s.io");
const merge = { verb: "patch", contentType: "application/merge-patch+json" } as const;

for (const [dialect, domain] of [
  ["orch", "orch"],
  ["kubernetes", "kubernetes.io"],
] as const) {
  test(`a pod stays 300 seconds on a node in trouble unless it says otherwise, in ${dialect}`, async (t) => {
    const { make } = await admitted(t, { dialect });
    const { spec, metadata } = await make(podsOf, podOf("p"));
    const usual = (taint: string): Toleration => ({
      ...{ key: `node.${domain}/${taint}`, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
    });
    const stored: PodSpec = Object(spec);
    assert.deepEqual(stored.tolerations, [usual("not-ready"), usual("unreachable")]);
    assert.ok(!JSON.stringify(metadata.managedFields).includes("f:tolerations"));
  });

  test(`claims and volumes are born with a finalizer, new nodes with a taint, in ${dialect}`, async (t) => {
    const { make, naming } = await admitted(t, { dialect });
    const claim = await make(claims, claimOf("c", {}, { finalizers: ["example.com/mine"] }));
    assert.deepEqual(claim.metadata.finalizers, ["example.com/mine", `${domain}/pvc-protection`]);
    const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/v" } };
    const volume = await make(clusterWide("persistentvolumes", ""), { metadata: { name: "v" }, spec });
    assert.deepEqual(volume.metadata.finalizers, [`${domain}/pv-protection`]);
    const taint = { key: `node.${domain}/not-ready`, effect: "NoSchedule" };
    const node = await make(clusterWide("nodes", ""), { metadata: { name: "n" } });
    assert.deepEqual(valueAt(node, "spec.taints"), [taint]);
    const tainted = await make(clusterWide("nodes", ""), { metadata: { name: "m" }, spec: { taints: [taint] } });
    assert.deepEqual(valueAt(tainted, "spec.taints"), [taint]);
    assert.equal(naming.keyDomain, domain);
  });
}

const soon: Toleration = { key: "t/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 };
const tolerations: readonly (readonly [given: Toleration, missing: boolean])[] = [
  [{ key: "t/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 }, false],
  [{ key: "t/not-ready", operator: "Exists" }, false],
  [{ operator: "Exists" }, false],
  [{ key: "t/not-ready", effect: "NoSchedule" }, true],
  [{ key: "other", effect: "NoExecute" }, true],
];
for (const [given, missing] of tolerations) {
  test(`${JSON.stringify(given)} ${missing ? "does not speak" : "speaks"} of nodes that are not ready`, () => {
    assert.deepEqual(withMissing([given], [soon]), missing ? [given, soon] : [given]);
  });
}

test("an update that takes the tolerations away gets them again, and is no change", async (t) => {
  const { make, read, write } = await admitted(t);
  const { metadata } = await make(podsOf, podOf("p"));
  const reply = await write({ ...podsOf, ...merge, name: "p" }, { spec: { tolerations: null } });
  assert.equal(read(reply).metadata.resourceVersion, metadata.resourceVersion);
});

test("a claim and an ingress that name no class get the default one", async (t) => {
  const { make, settled } = await admitted(t);
  const marked = (what: string) => ({ [`${what}.kubernetes.io/is-default-class`]: "true" });
  await make(storageClasses, { metadata: { name: "slow" }, provisioner: "p" });
  const none = await make(claims, claimOf("none"));
  assert.equal(valueAt(none, "spec.storageClassName"), undefined);
  await make(storageClasses, { metadata: { name: "fast", annotations: marked("storageclass") }, provisioner: "p" });
  const controller = { controller: "example.com/c" };
  const ingressClasses = clusterWide("ingressclasses", "networking.k8s.io");
  await make(ingressClasses, { metadata: { name: "web", annotations: marked("ingressclass") }, spec: controller });
  await settled();
  const classOf = async (name: string, spec: object, metadata: object = {}) =>
    valueAt(await make(claims, claimOf(name, spec, metadata)), "spec.storageClassName");
  assert.equal(await classOf("a", {}), "fast");
  assert.equal(await classOf("b", { storageClassName: "" }), "");
  assert.equal(await classOf("c", { storageClassName: "slow" }), "slow");
  const annotations = { "volume.beta.kubernetes.io/storage-class": "slow" };
  assert.equal(await classOf("d", {}, { annotations }), undefined);
  const ingresses = { resource: "ingresses", group: "networking.k8s.io" } as const;
  const defaultBackend = { service: { name: "s", port: { number: 80 } } };
  const made = await make(ingresses, { metadata: { name: "i" }, spec: { defaultBackend } });
  assert.equal(valueAt(made, "spec.ingressClassName"), "web");
  const old = { name: "j", annotations: { "kubernetes.io/ingress.class": "mine" } };
  const annotated = await make(ingresses, { metadata: old, spec: { defaultBackend } });
  assert.equal(valueAt(annotated, "spec.ingressClassName"), undefined);
});

test("of several default classes the newest counts, then the first by name", () => {
  const at = (name: string, creationTimestamp: string, mark = "true") => ({
    metadata: { name, creationTimestamp, annotations: { mark } },
  });
  const [older, a, b, unmarked] = [
    at("x", "2025-01-01T00:00:00Z"),
    at("a", "2025-01-02T00:00:00Z"),
    at("b", "2025-01-02T00:00:00Z"),
    at("c", "2026-01-02T00:00:00Z", "false"),
  ];
  assert.equal(chooseDefault([older, b, a, unmarked], ["mark"]), a);
  assert.equal(chooseDefault([unmarked], ["mark"]), undefined);
});

test("a claim grows where it is bound and its class lets it", async (t) => {
  const { make, says } = await admitted(t);
  await make(storageClasses, { metadata: { name: "grows" }, provisioner: "p", allowVolumeExpansion: true });
  await make(storageClasses, { metadata: { name: "stays" }, provisioner: "p" });
  const status = { phase: "Bound", capacity: { storage: "1Gi" } };
  const larger = { spec: { resources: { requests: { storage: "2Gi" } } } };
  const only =
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
  for (const [name, storageClassName, wanted] of [
    ["a", "grows", "ok"],
    ["b", "stays", `403 persistentvolumeclaims "b" is forbidden: ${only}`],
    ["c", "nope", `403 persistentvolumeclaims "c" is forbidden: ${only}`],
    ["d", "", `403 persistentvolumeclaims "d" is forbidden: ${only}`],
  ] as const) {
    await make(claims, claimOf(name, { storageClassName, volumeName: "v" }));
    await make({ ...claims, ...merge, name, subresource: "status" }, { status });
    assert.equal(await says({ ...claims, ...merge, name }, larger), wanted);
  }
});

test("without NamespaceLifecycle anything is created anywhere, and the system's namespaces may go", async (t) => {
  const usual = await admitted(t);
  const gone = { namespace: "nope" };
  const system = { resource: "namespaces", namespace: "", verb: "delete", name: "kube-public" } as const;
  assert.equal(await usual.says(gone, { metadata: { name: "m" } }), '404 namespaces "nope" not found');
  assert.equal(
    await usual.says(system),
    '403 namespaces "kube-public" is forbidden: this namespace may not be deleted',
  );
  const { says } = await admitted(t, { disabled: ["NamespaceLifecycle"] });
  assert.equal(await says(gone, { metadata: { name: "m" } }), "ok");
  assert.equal(await says(system), "ok");
});

test("whoever writes an object is told what the object should not have, also with a refusal by a plugin", async (t) => {
  const { write } = await admitted(t);
  const env = [{ name: "A" }, { name: "A" }];
  const twice = [{ name: "c", image: "i", env }];
  const { warnings } = await write(podsOf, podOf("p", { containers: twice }));
  const wanted = 'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply';
  assert.deepEqual(warnings, [wanted]);
  const spec = { containers: twice, overhead: { cpu: "1" }, runtimeClassName: "r" };
  await write(clusterWide("runtimeclasses", "node.k8s.io"), { metadata: { name: "r" }, handler: "h" });
  const refused = await write(podsOf, podOf("q", spec));
  assert.deepEqual([refused.code, refused.warnings], [403, [wanted]]);
  const quiet = await write({ ...podsOf, ...merge, name: "p" }, { metadata: { labels: { a: "b" } } });
  assert.deepEqual(quiet.warnings, []);
});
