import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "./naming.js";

const rows: readonly (readonly [orch: string, kubernetes: string])[] = [
  ["discovery.orch", "discovery.k8s.io"],
  ["discovery.orch/v1", "discovery.k8s.io/v1"],
  ["rbac.authorization.orch/v1beta1", "rbac.authorization.k8s.io/v1beta1"],
  ["orch/metadata.name", "kubernetes.io/metadata.name"],
  ["topology.orch/zone", "topology.kubernetes.io/zone"],
  ["node-role.orch/*", "node-role.kubernetes.io/*"],
  ["orch", "kubernetes"],
  ["apps", "apps"],
  ["orchestrate", "orchestrate"],
  ["orch-system", "orch-system"],
  ["metadata.labels[orch/metadata.name]", "metadata.labels[kubernetes.io/metadata.name]"],
];

for (const [orch, kubernetes] of rows) {
  test(`the word ${orch} is ${kubernetes} in the kubernetes dialect`, () => {
    assert.equal(createNaming("kubernetes").word(orch), kubernetes);
    assert.equal(createNaming("orch").word(orch), orch);
  });
}

test("the store prefix has one slash at each end", () => {
  for (const [given, prefix] of [
    [undefined, "/orch/"],
    ["/a", "/a/"],
    ["a/b//", "/a/b/"],
    ["", "/"],
  ] as const) {
    const options = given === undefined ? {} : { storePrefix: given };
    assert.equal(createNaming("orch", options).storePrefix, prefix);
  }
});

test("groups, keys and media types follow the dialect", () => {
  const orch = createNaming("orch");
  const kubernetes = createNaming("kubernetes");
  assert.equal(orch.group("discovery"), "discovery.orch");
  assert.equal(kubernetes.group("discovery"), "discovery.k8s.io");
  assert.equal(orch.key("hostname"), "orch/hostname");
  assert.deepEqual([orch.keyDomain, kubernetes.keyDomain], ["orch", "kubernetes.io"]);
  assert.equal(kubernetes.protobufMediaType, "application/vnd.kubernetes.protobuf");
  assert.equal(orch.abacApiVersion, "abac.authorization.orch/v1beta1");
  assert.equal(kubernetes.abacApiVersion, "abac.authorization.kubernetes.io/v1beta1");
  assert.equal(orch.schemaName("api.core.v1.Pod"), "io.orch.api.core.v1.Pod");
  assert.equal(kubernetes.schemaName("aggregator.pkg.A"), "io.k8s.kube-aggregator.pkg.A");
  assert.deepEqual(kubernetes.systemNamespaces, ["default", "kube-system", "kube-public", "kube-node-lease"]);
  assert.equal(kubernetes.systemName("scheduler"), "kube-scheduler");
  assert.equal(orch.header("PF-FlowSchema-UID"), "X-Orch-PF-FlowSchema-UID");
  assert.deepEqual(
    [orch, kubernetes].map((naming) => naming.environment("EXEC_INFO")),
    ["ORCH_EXEC_INFO", "KUBERNETES_EXEC_INFO"],
  );
  assert.deepEqual(orch.systemNamespaces, ["default", "orch-system", "orch-public", "orch-node-lease"]);
});

test("names of component configurations follow the dialect", () => {
  const [orch, kubernetes] = [createNaming("orch"), createNaming("kubernetes")];
  assert.equal(orch.configurationGroup("orchscheduler.config"), "orchscheduler.config.orch");
  assert.equal(kubernetes.configurationGroup("orchscheduler.config"), "kubescheduler.config.k8s.io");
  assert.equal(kubernetes.configurationGroup("orchadm"), "kubeadm.k8s.io");
  assert.equal(kubernetes.configurationGroup("agent.config"), "kubelet.config.k8s.io");
  assert.equal(kubernetes.configurationWord("OrchProxyConfiguration"), "KubeProxyConfiguration");
  assert.equal(kubernetes.configurationWord("InitConfiguration"), "InitConfiguration");
  assert.equal(orch.configurationWord("orchconfig"), "orchconfig");
});
