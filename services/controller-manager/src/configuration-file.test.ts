import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { printConfig } from "@orch/runtime/flags/config-file.js";
import { readCommandLine } from "@orch/runtime/flags/flags.js";
import { commandLine } from "./command-line.js";
import { configurationFields, configurationFile } from "./configuration-file.js";

const program = { ...commandLine, version: "1" };
const file = (body: string): string =>
  `apiVersion: orchcontrollermanager.config.orch/v1alpha1\nkind: OrchControllerManagerConfiguration\n${body}`;
const orch = createNaming("orch");

function componentOf(...texts: readonly string[]) {
  const read = configurationFile(orch).read(texts);
  assert.ok(read.ok, read.ok ? "" : read.problems.join("; "));
  return read.component;
}

function valuesOf(text: string, ...argv: readonly string[]) {
  const line = readCommandLine(program, argv, componentOf(text).occurrences);
  assert.ok(line.run, line.run ? "" : line.text);
  return line.values;
}

const body = `Generic:
  Controllers: ["*", "-garbage-collector-controller"]
  LeaderElection: {leaderElect: false, leaseDuration: 30s, resourceName: mine}
  ClientConnection: {orchconfig: /etc/cm.conf}
OrchCloudShared: {UseServiceAccountCredentials: true}
CSRSigningController: {AgentClientSignerConfiguration: {CertFile: c, KeyFile: k}, ClusterSigningDuration: 1h}
GarbageCollectorController: {EnableGarbageCollector: false, ConcurrentGCSyncs: 3}
`;

test("fields of the configuration stand for flags, and flags given by hand win", () => {
  const values = valuesOf(file(body));
  assert.deepEqual(values.controllers, ["*", "-garbage-collector-controller"]);
  assert.equal(values.orchconfig, "/etc/cm.conf");
  assert.equal(values["leader-elect"], false);
  assert.equal(values["leader-elect-lease-duration"], 30_000);
  assert.equal(values["leader-elect-renew-deadline"], 10_000);
  assert.equal(values["leader-elect-resource-name"], "mine");
  assert.equal(values["use-service-account-credentials"], true);
  assert.equal(values["cluster-signing-agent-client-key-file"], "k");
  assert.equal(values["cluster-signing-duration"], 3_600_000);
  assert.equal(values["enable-garbage-collector"], false);
  assert.equal(values["concurrent-gc-syncs"], 3);
  const over = valuesOf(file(body), "--concurrent-gc-syncs=9", "--controllers=namespace-controller");
  assert.deepEqual([over["concurrent-gc-syncs"], over.controllers], [9, ["namespace-controller"]]);
  assert.equal(over["leader-elect"], false);
});

test("every field that stands for a flag has the flag's default", () => {
  for (const dialect of dialects) {
    const read = configurationFile(createNaming(dialect)).read([]);
    assert.ok(read.ok);
    const line = readCommandLine(program, []);
    assert.ok(line.run);
    const config = printConfig(program, line.values, read.component);
    const flags = config.slice(0, config.indexOf("---"));
    for (const flag of Object.keys(configurationFields))
      assert.ok(!flags.includes(`  ${flag}:`), `${dialect}: ${flag}`);
    assert.ok(flags.includes("  log-level: info"));
  }
});

test("what is printed gives the same values, whichever document says them", () => {
  const command = [
    "--controllers=",
    "--resource-quota-sync-period=0s",
    "--concurrent-gc-syncs=7",
    "--v=4",
    "--root-ca-file=ca",
  ];
  const component = componentOf(file(`${body}DeploymentController: {ConcurrentDeploymentSyncs: 9}\n`));
  const line = readCommandLine(program, command, component.occurrences);
  assert.ok(line.run);
  const printed = printConfig(program, line.values, component);
  const [own = "", other = ""] = printed.split("---\n");
  assert.match(other, /ConcurrentDeploymentSyncs: 9/);
  assert.match(other, /ConcurrentGCSyncs: 7/);
  assert.match(own, /controllers: \[\]/);
  const again = componentOf(other);
  const said = new Set(["controllers", "resource-quota-sync-period"]);
  const flags = [...own.matchAll(/^ {2}([\w-]+):/gm)].map(([, name]) => name ?? "");
  assert.deepEqual(flags.filter((name) => Object.hasOwn(configurationFields, name)).sort(), [...said].sort());
  assert.equal(again.print({}).text, other);
});

test("what is read and not acted on is told in one line", () => {
  assert.deepEqual(componentOf(file(body)).notes, []);
  const text = file("Generic: {Port: 1, ClientConnection: {qps: 7}}\nOrchCloudShared: {AllowUntaggedCloud: true}\n");
  assert.deepEqual(componentOf(text).notes, [
    "OrchControllerManagerConfiguration: read, not acted on yet: Generic.Port, Generic.ClientConnection.qps, OrchCloudShared.AllowUntaggedCloud",
  ]);
});

test("profiling is a flag; of contention there is none, which is told where a document wants it", () => {
  const debugging = (text: string): string => file(`Generic: {Debugging: {${text}}}`);
  assert.equal(valuesOf(file("Generic: {}")).profiling, true);
  assert.equal(valuesOf(debugging("enableProfiling: false")).profiling, false);
  assert.equal(valuesOf(debugging("enableProfiling: false"), "--profiling").profiling, true);
  assert.deepEqual(componentOf(debugging("enableContentionProfiling: false")).notes, []);
  assert.deepEqual(componentOf(debugging("enableContentionProfiling: true")).notes, [
    "OrchControllerManagerConfiguration: Generic.Debugging.enableContentionProfiling is not acted on: Node.js has no profile of contention",
  ]);
});

test("what is wrong in the configuration is refused with its field", () => {
  const read = configurationFile(orch).read([file("JobController: {ConcurrentJobSyncs: -1}")]);
  assert.ok(!read.ok);
  assert.deepEqual(read.problems, [
    "JobController.ConcurrentJobSyncs: Invalid value: -1: concurrent-job-syncs must be greater than 0, but got -1",
  ]);
});
