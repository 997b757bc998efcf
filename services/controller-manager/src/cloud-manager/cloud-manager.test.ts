import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { printConfig } from "@orch/runtime/flags/config-file.js";
import { readCommandLine } from "@orch/runtime/flags/flags.js";
import { cloudControllerNames } from "../controller.js";
import { fileReaders } from "../file-readers.js";
import { commandLine } from "./command-line.js";
import { configurationFields, configurationFile } from "./configuration-file.js";
import { cloudManagerSettings } from "./settings.js";

const program = { ...commandLine, version: "1" };
const orch = createNaming("orch");

const readers = await fileReaders({ "cloud-config": "x", "enable-leader-migration": true });

function settingsOf(...argv: readonly string[]) {
  const line = readCommandLine(program, argv);
  assert.ok(line.run, line.run ? "" : line.text);
  const read = (path: string): string => {
    throw new Error(`no file ${path}`);
  };
  return cloudManagerSettings(line.values, { naming: orch, identity: "me", read, readers });
}

test("all controllers of a cloud run, under a lease of the program's own", () => {
  const settings = settingsOf("--cloud-provider=simulated");
  assert.ok(settings.ok);
  const [term, ...others] = settings.value.terms;
  assert.deepEqual([...(term?.controllers ?? [])], [...cloudControllerNames]);
  assert.equal(term?.election?.name, "cloud-controller-manager");
  assert.deepEqual(others, []);
});

const refusals: readonly (readonly [argv: readonly string[], problem: RegExp])[] = [
  [[], /--cloud-provider names no cloud/],
  [["--cloud-provider=external"], /--cloud-provider names no cloud/],
  [["--cloud-provider=moon"], /--cloud-provider: unknown cloud provider "moon"/],
  [["--cloud-provider=simulated", "--controllers=node-lifecycle-controller"], /not in the list of known controllers/],
  [["--cloud-provider=simulated", "--cloud-config=/nowhere"], /--cloud-config \/nowhere: no file \/nowhere/],
  [["--cloud-provider=simulated", "--allocate-node-cidrs"], /--cluster-cidr : must be one range/],
  [["--cloud-provider=simulated", "--node-monitor-period=0s"], /--node-monitor-period must be greater than zero/],
  [["--cloud-provider=simulated", "--node-status-update-frequency=0s"], /--node-status-update-frequency must be/],
  [["--cloud-provider=simulated", "--leader-elect-retry-period=0s"], /--leader-elect-retry-period must be/],
];
for (const [argv, problem] of refusals) {
  test(`refused of a cloud controller manager: ${argv.join(" ")}`, () => {
    const settings = settingsOf(...argv);
    assert.ok(!settings.ok);
    assert.match(settings.problems.join("; "), problem);
  });
}

test("every field that stands for a flag has the flag's default, and the file stands for the command line", () => {
  for (const dialect of dialects) {
    const read = configurationFile(createNaming(dialect)).read([]);
    assert.ok(read.ok);
    const line = readCommandLine(program, []);
    assert.ok(line.run);
    const [flags = ""] = printConfig(program, line.values, read.component).split("---");
    for (const flag of Object.keys(configurationFields))
      assert.ok(!flags.includes(`  ${flag}:`), `${dialect}: ${flag}`);
  }
  const text = `apiVersion: cloudcontrollermanager.config.orch/v1alpha1
kind: CloudControllerManagerConfiguration
Generic: {Controllers: [service-lb-controller]}
OrchCloudShared: {CloudProvider: {Name: simulated, CloudConfigFile: /c}, ClusterCIDR: 10.0.0.0/8}
NodeController: {ConcurrentNodeSyncs: 3}
NodeStatusUpdateFrequency: 1m
Webhook: {Webhooks: [w]}
`;
  const read = configurationFile(orch).read([text]);
  assert.ok(read.ok, read.ok ? "" : read.problems.join());
  const line = readCommandLine(program, ["--concurrent-service-syncs=4"], read.component.occurrences);
  assert.ok(line.run);
  const { values } = line;
  assert.deepEqual(
    [values.controllers, values["cloud-provider"], values["cloud-config"], values["cluster-cidr"]],
    [["service-lb-controller"], "simulated", "/c", "10.0.0.0/8"],
  );
  assert.deepEqual([values["concurrent-node-syncs"], values["node-status-update-frequency"]], [3, 60_000]);
  assert.deepEqual(read.component.notes, [
    "CloudControllerManagerConfiguration: read, not acted on yet: Webhook.Webhooks",
  ]);
});
