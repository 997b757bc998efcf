import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { readConfigurations } from "../read-configurations.js";
import { testProperties } from "../testing/properties.js";
import { rowsOf, testRows } from "../testing/rows.js";
import { proxyConfiguration } from "./proxy.js";

testRows(rowsOf("proxy"), [proxyConfiguration(createNaming("orch"))]);

for (const dialect of dialects) {
  const naming = createNaming(dialect);
  testProperties(proxyConfiguration(naming));
}

const file = (body: string): string =>
  `apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n${body}`;
const naming = createNaming("kubernetes");

test("unknown and repeated fields of the proxy are warned of", () => {
  const read = readConfigurations(file("mod: ipvs\nmode: ipvs\nmode: nftables\n"), [proxyConfiguration(naming)]);
  assert.ok(read.ok);
  assert.deepEqual(read.warnings, [
    'Using lenient decoding as strict decoding failed: strict decoding error: key "mode" already set in map, unknown field "mod"',
  ]);
  assert.equal(read.documents[0]?.value["mode"], "nftables");
});

test("paths begin with the kind in the dialect", () => {
  const read = readConfigurations(file("configSyncPeriod: -1s"), [proxyConfiguration(naming)]);
  assert.deepEqual(read, {
    ok: false,
    problems: ['KubeProxyConfiguration.ConfigSyncPeriod: Invalid value: "-1s": must be greater than 0'],
  });
});

test("a node of the other system has its own mode", () => {
  const kind = proxyConfiguration(naming, { windows: true });
  assert.equal(readConfigurations(file("mode: kernelspace"), [kind]).ok, true);
  const read = readConfigurations(file("mode: iptables"), [kind]);
  assert.match(read.ok ? "" : read.problems.join(), /must be kernelspace or blank/);
});

test("a gate that the release has not is refused, where somebody knows them", () => {
  const text = file("featureGates: {NFTablesProxyMode: true, Warp: true}");
  const gates = new Set(["NFTablesProxyMode"]);
  assert.deepEqual(readConfigurations(text, [proxyConfiguration(naming, { gates })]), {
    ok: false,
    problems: [
      'KubeProxyConfiguration.featureGates: Invalid value: {"NFTablesProxyMode":true,"Warp":true}: unrecognized feature gate: Warp',
    ],
  });
  assert.equal(readConfigurations(text, [proxyConfiguration(naming)]).ok, true);
});
