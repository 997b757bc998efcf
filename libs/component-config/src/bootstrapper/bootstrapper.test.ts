import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { readConfigurations } from "../read-configurations.js";
import { testProperties } from "../testing/properties.js";
import { rowsOf, testRows } from "../testing/rows.js";
import { bootstrapperConfigurations, type Machine } from "./bootstrapper.js";

const machine: Machine = {
  hostname: "Machine",
  advertiseAddress: "10.0.0.5",
  version: "v1.32.0",
  newToken: () => "abcdef.0123456789abcdef",
  exists: (path) => path === "/there",
};
const kinds = bootstrapperConfigurations(createNaming("orch"), machine);
const all = Object.values(kinds);
testRows(rowsOf("bootstrapper"), all);

for (const dialect of dialects) {
  const { init, cluster, join, reset, upgrade } = bootstrapperConfigurations(createNaming(dialect), machine);
  for (const version of [0, 1]) {
    testProperties(init, { version });
    testProperties(cluster, { version });
    testProperties(join, { version, hasRightDefaults: false });
  }
  testProperties(reset, {});
  testProperties(upgrade, {});
}

const head = (kind: string, version = "v1beta3"): string => `apiVersion: kubeadm.k8s.io/${version}\nkind: ${kind}\n`;
const kubernetes = bootstrapperConfigurations(createNaming("kubernetes"), machine);

test("a file holds several kinds, and kinds of others are passed over with a warning", () => {
  const text = `# a cluster
---
${head("InitConfiguration")}nodeRegistration:
  kubeletExtraArgs: {v: "4"}
--- # the cluster
${head("ClusterConfiguration")}kubernetesVersion: v1.32.1
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
---
`;
  const read = readConfigurations(text, [kubernetes.init, kubernetes.cluster], { ignoresOthers: true });
  assert.ok(read.ok);
  const [first, second] = read.documents;
  assert.ok(first && second);
  assert.deepEqual(kubernetes.init.from(first)?.nodeRegistration.agentExtraArgs, [{ name: "v", value: "4" }]);
  assert.equal(kubernetes.cluster.from(second)?.orchVersion, "v1.32.1");
  assert.equal(kubernetes.init.from(second), undefined);
  assert.deepEqual(read.warnings, [
    "Ignored configuration document with GroupVersionKind kubelet.config.k8s.io/v1beta1, Kind=KubeletConfiguration",
  ]);
});

const refusals: readonly (readonly [name: string, text: string, says: string])[] = [
  [
    "a kind twice",
    `${head("ClusterConfiguration")}---\n${head("ClusterConfiguration")}`,
    "kind ClusterConfiguration duplicated",
  ],
  [
    "the version that config migrate reads",
    head("ClusterConfiguration", "v1beta2"),
    'your configuration file uses a deprecated API spec: "kubeadm.k8s.io/v1beta2" (kind: "ClusterConfiguration"). Please use \'kubeadm config migrate --old-config old.yaml --new-config new.yaml\', which will write the new, similar spec using a newer API version.',
  ],
  [
    "an older version",
    head("ClusterConfiguration", "v1beta1"),
    'your configuration file uses an old API spec: "kubeadm.k8s.io/v1beta1" (kind: "ClusterConfiguration"). Please use kubeadm v1.15 instead and run \'kubeadm config migrate --old-config old.yaml --new-config new.yaml\', which will write the new, similar spec using a newer API version.',
  ],
  [
    "a version that never was",
    head("ClusterConfiguration", "v1beta9"),
    'no kind "ClusterConfiguration" is registered for version "kubeadm.k8s.io/v1beta9"',
  ],
  [
    "a gate that the bootstrapper has not",
    `${head("ClusterConfiguration")}featureGates: {EtcdLearnerMode: true, Warp: true}\n`,
    'featureGates: Invalid value: {"EtcdLearnerMode":true,"Warp":true}: Warp is not a valid feature name.',
  ],
  ["an empty file", "", "Object 'Kind' is missing in ''"],
  ["a document that is no object", "- a", "couldn't get version/kind: the file must be an object"],
  [
    "a repeated field",
    `${head("ClusterConfiguration")}clusterName: a\nclusterName: b`,
    'strict decoding error: key "clusterName" already set in map',
  ],
];
for (const [name, text, says] of refusals) {
  test(`refused: ${name}`, () => {
    const read = readConfigurations(text, Object.values(kubernetes));
    assert.deepEqual(read.ok ? [] : read.problems, [says]);
  });
}

test("a configuration goes from one version to the next and back", () => {
  const { cluster } = kubernetes;
  const old = `${head("ClusterConfiguration")}apiServer: {extraArgs: {v: "4", a: b}}`;
  const read = readConfigurations(old, [cluster]);
  assert.ok(read.ok);
  const value = read.documents.map(cluster.from)[0];
  assert.ok(value);
  const [v1beta3 = "", v1beta4 = ""] = cluster.apiVersions;
  const next = cluster.print(value, v1beta4);
  assert.match(next, /extraArgs:\n *- name: a\n *value: b\n *- name: v\n/);
  const again = readConfigurations(next, [cluster]);
  assert.ok(again.ok);
  const back = again.documents.map(cluster.from)[0];
  assert.ok(back);
  assert.equal(cluster.print(back, v1beta3), cluster.print(value, v1beta3));
});

test("no problem shows a secret", () => {
  const secret = "ABCDEF.0123456789abcdef";
  const files = [
    `${head("InitConfiguration")}bootstrapTokens: [{token: ${secret}}]`,
    `${head("InitConfiguration")}certificateKey: ${secret}`,
    `${head("JoinConfiguration")}discovery: {tlsBootstrapToken: ${secret}, bootstrapToken: {token: ${secret}}}`,
  ];
  for (const text of files) {
    const read = readConfigurations(text, Object.values(kubernetes));
    assert.ok(!read.ok);
    assert.ok(!read.problems.join().includes(secret), read.problems.join());
  }
});
