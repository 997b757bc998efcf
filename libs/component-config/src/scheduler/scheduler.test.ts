import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import fc from "fast-check";
import { readConfigurations } from "../read-configurations.js";
import { testProperties } from "../testing/properties.js";
import { rowsOf, testRows } from "../testing/rows.js";
import { defaultPluginsWith, mergedSet } from "./plugin-sets.js";
import { argumentsOf, schedulerConfiguration } from "./scheduler.js";

testRows(rowsOf("scheduler"), [schedulerConfiguration(createNaming("orch"))]);

for (const dialect of dialects) {
  const naming = createNaming(dialect);
  testProperties(schedulerConfiguration(naming), {
    raws: fc.constantFrom(undefined, {}),
  });
}

const plugins = (...names: readonly string[]) =>
  names.map((each) => {
    const [name = "", weight] = each.split(":");
    return weight === undefined ? { name } : { name, weight: Number(weight) };
  });

const merges: readonly (readonly [enabled: string, disabled: string, merged: string])[] = [
  ["", "", "A B:2 C"],
  ["B:5", "", "A B:5 C"],
  ["X", "", "A B:2 C X"],
  ["B:5 X", "A", "B:5 C X"],
  ["", "*", ""],
  ["C X", "*", "C X"],
  ["A", "A", "B:2 C A"],
  ["X A:7", "*", "X A:7"],
  ["", "Unknown", "A B:2 C"],
];
const listed = (text: string) => plugins(...text.split(" ").filter((name) => name !== ""));
for (const [enabled, disabled, merged] of merges) {
  test(`plugins enabled [${enabled}], disabled [${disabled}]: [${merged}]`, () => {
    const set = mergedSet(listed("A B:2 C"), { enabled: listed(enabled), disabled: listed(disabled) });
    assert.deepEqual(set.enabled, listed(merged));
    assert.deepEqual(mergedSet(listed("A B:2 C"), set), set);
  });
}

test("the words of the kubernetes dialect name the same configuration", () => {
  const naming = createNaming("kubernetes");
  const kind = schedulerConfiguration(naming);
  const file = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: /etc/scheduler.conf}
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeResourcesFitArgs
      scoringStrategy: {type: MostAllocated}
`;
  const read = readConfigurations(file, [kind]);
  assert.ok(read.ok);
  const [document] = read.documents;
  assert.ok(document);
  const config = kind.from(document);
  assert.ok(config);
  assert.equal(config.clientConnection.orchconfig, "/etc/scheduler.conf");
  assert.equal(config.clientConnection.contentType, "application/vnd.kubernetes.protobuf");
  assert.equal(config.leaderElection.resourceName, "kube-scheduler");
  const [profile] = config.profiles;
  assert.ok(profile);
  const strategy = argumentsOf(profile, "NodeResourcesFit")?.scoringStrategy;
  assert.deepEqual(strategy, {
    type: "MostAllocated",
    resources: [
      { name: "cpu", weight: 1 },
      { name: "memory", weight: 1 },
    ],
  });
  assert.match(kind.print(config), /kubeconfig: \/etc\/scheduler\.conf/);
});

test("the gate of dynamic resources adds their plugin before preemption", () => {
  const names = defaultPluginsWith({ dynamicResources: true }).map(({ name }) => name);
  assert.equal(names[names.indexOf("DefaultPreemption") - 1], "DynamicResources");
  assert.equal(defaultPluginsWith({}).length, names.length - 1);
});
