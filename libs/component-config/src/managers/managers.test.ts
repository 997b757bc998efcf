import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { readConfigurations } from "../read-configurations.js";
import { testProperties } from "../testing/properties.js";
import { rowsOf, testRows } from "../testing/rows.js";
import { cloudManagerConfiguration } from "./cloud-controller-manager.js";
import { controllerManagerConfiguration } from "./controller-manager.js";
import { defaultLeaderMigration, leaderMigrationConfiguration } from "./leader-migration.js";

const orch = createNaming("orch");
const managers = [
  controllerManagerConfiguration(orch),
  cloudManagerConfiguration(orch),
  leaderMigrationConfiguration(orch),
];
testRows(rowsOf("managers"), managers);

for (const dialect of dialects) {
  const naming = createNaming(dialect);
  testProperties(controllerManagerConfiguration(naming));
  testProperties(cloudManagerConfiguration(naming));
}

test("the words of the kubernetes dialect name the same blocks", () => {
  const kind = controllerManagerConfiguration(createNaming("kubernetes"));
  const file = `apiVersion: kubecontrollermanager.config.k8s.io/v1alpha1
kind: KubeControllerManagerConfiguration
Generic: {ClientConnection: {kubeconfig: /etc/cm.conf}}
KubeCloudShared: {UseServiceAccountCredentials: true}
CSRSigningController:
  KubeletServingSignerConfiguration: {CertFile: a, KeyFile: b}
  KubeAPIServerClientSignerConfiguration: {CertFile: c, KeyFile: d}
`;
  const read = readConfigurations(file, [kind]);
  assert.ok(read.ok);
  const config = read.documents.map(kind.from)[0];
  assert.ok(config);
  assert.equal(config.Generic.ClientConnection.orchconfig, "/etc/cm.conf");
  assert.equal(config.OrchCloudShared.UseServiceAccountCredentials, true);
  assert.equal(config.CSRSigningController.AgentServingSignerConfiguration.CertFile, "a");
  assert.equal(config.CSRSigningController.APIServerClientSignerConfiguration.KeyFile, "d");
  assert.equal(config.Generic.LeaderElection.resourceName, "kube-controller-manager");
  assert.match(kind.print(config), /\nKubeCloudShared:/);
});

test("what migrates where no file says so is right", () => {
  assert.deepEqual(leaderMigrationConfiguration(orch).check(defaultLeaderMigration), []);
});

test("periods that are below zero are refused in either manager, in the words of the dialect", () => {
  const naming = createNaming("kubernetes");
  for (const [kind, head] of [
    [
      controllerManagerConfiguration(naming),
      "kubecontrollermanager.config.k8s.io/v1alpha1\nkind: KubeControllerManager",
    ],
    [cloudManagerConfiguration(naming), "cloudcontrollermanager.config.k8s.io/v1alpha1\nkind: CloudControllerManager"],
  ] as const) {
    const file = `apiVersion: ${head}Configuration\nKubeCloudShared: {NodeMonitorPeriod: -1s, RouteReconciliationPeriod: 0s}\n`;
    const read = readConfigurations(file, [kind]);
    assert.ok(!read.ok);
    assert.deepEqual(read.problems, [
      'KubeCloudShared.NodeMonitorPeriod: Invalid value: "-1s": must be greater than zero',
    ]);
  }
});
