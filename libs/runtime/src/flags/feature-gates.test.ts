import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "../metrics.js";
import { releasesSince } from "../release.js";
import { type GateName, type GateStage, gateList } from "./feature-gate-list.js";
import { createFeatureGates, FeatureGateError, gatesHelp, registerFeatureMetrics } from "./feature-gates.js";

const gates = (release: string, set: Readonly<Record<string, boolean>> = {}) =>
  createFeatureGates({ release, values: new Map(Object.entries(set)) });

test("a gate's stage and default are those of the release", () => {
  const rows: readonly (readonly [GateName, string, string, boolean])[] = [
    ["CBORServingAndStorage", "1.32", "ALPHA", false],
    ["CBORServingAndStorage", "1.31", "", false],
    ["APIResponseCompression", "1.32", "BETA", true],
    ["APIResponseCompression", "1.16", "BETA", true],
    ["WatchList", "1.31", "ALPHA", false],
    ["WatchList", "1.32", "BETA", true],
    ["AuthorizeWithSelectors", "1.30", "", false],
    ["AuthorizeWithSelectors", "1.31", "ALPHA", false],
    ["AuthorizeWithSelectors", "1.32", "BETA", true],
    ["DynamicResourceAllocation", "1.32", "BETA", false],
    ["TopologyAwareHints", "1.23", "BETA", false],
    ["TopologyAwareHints", "1.24", "BETA", true],
    ["RemainingItemCount", "1.28", "BETA", true],
    ["RemainingItemCount", "1.29", "GA", true],
    ["ServerSideApply", "1.31", "GA", true],
    ["ServerSideApply", "1.32", "", true],
    ["KMSv1", "1.27", "", true],
    ["KMSv1", "1.28", "DEPRECATED", true],
    ["KMSv1", "1.32", "DEPRECATED", false],
  ];
  for (const [name, release, stage, on] of rows) {
    const at = gates(release);
    assert.equal(at.all().find((g) => g.name === name)?.stage ?? "", stage, `${name} at ${release}`);
    assert.equal(at.enabled(name), on, `${name} at ${release}`);
    assert.deepEqual(at.warnings, []);
  }
});

test("values by name win over those of a whole stage", () => {
  const all = gates("1.32", { AllAlpha: true, AllBeta: false, StorageVersionAPI: false, WatchList: true });
  assert.equal(all.enabled("CBORServingAndStorage"), true);
  assert.equal(all.enabled("StorageVersionAPI"), false);
  assert.equal(all.enabled("APIResponseCompression"), false);
  assert.equal(all.enabled("WatchList"), true);
  assert.equal(all.enabled("APIListChunking"), true, "a GA gate is of neither stage");
  assert.equal(gates("1.31", { AllAlpha: true }).enabled("CBORServingAndStorage"), false, "not in the release");
  assert.equal(gates("1.31", { AllAlpha: true }).enabled("WatchList"), true, "alpha then");
});

test("a value that can not be set is refused with its reason", () => {
  const rows: readonly (readonly [string, string, boolean, string])[] = [
    ["1.32", "WatchLists", true, "unknown feature gate: WatchLists (did you mean WatchList?)"],
    ["1.32", "watchlist", true, "unknown feature gate: watchlist (did you mean WatchList?)"],
    ["1.32", "Nonsense", true, "unknown feature gate: Nonsense"],
    ["1.32", "toString", true, "unknown feature gate: toString"],
    ["1.32", "ServerSideApply", true, "unknown feature gate: ServerSideApply was removed in release 1.32"],
    [
      "1.32",
      "APIListChunking",
      false,
      "cannot set feature gate APIListChunking to false: it is locked to true since release 1.29",
    ],
    [
      "1.32",
      "AllowServiceLBStatusOnNonLB",
      true,
      "cannot set feature gate AllowServiceLBStatusOnNonLB to true: it is locked to false since release 1.32",
    ],
    [
      "1.31",
      "CBORServingAndStorage",
      true,
      "cannot set feature gate CBORServingAndStorage to true: release 1.31 does not have it, it comes with 1.32",
    ],
  ];
  for (const [release, name, value, message] of rows) {
    assert.throws(() => gates(release, { [name]: value }), new FeatureGateError(message));
  }
});

test("GA and deprecated gates warn when they are set, and say whether they do anything", () => {
  const rows: readonly (readonly [string, string, boolean, RegExp | undefined])[] = [
    ["1.32", "APIListChunking", true, /generally available: it is non-operational/],
    ["1.31", "ServerSideApply", true, /ServerSideApply=true is set, but is generally available/],
    ["1.32", "AllowServiceLBStatusOnNonLB", false, /deprecated: it is non-operational/],
    ["1.32", "KMSv1", true, /KMSv1=true is set, but is deprecated: it will be removed/],
    ["1.32", "WatchList", false, undefined],
    ["1.32", "CBORServingAndStorage", true, undefined],
  ];
  for (const [release, name, value, says] of rows) {
    const { warnings } = gates(release, { [name]: value });
    assert.equal(warnings.length, says === undefined ? 0 : 1, name);
    if (says !== undefined) assert.match(warnings[0] ?? "", says);
  }
  assert.equal(gates("1.32", { KMSv1: true }).enabled("KMSv1"), true);
});

test("the list's stages stand in order and follow their rules", () => {
  for (const [name, stages] of Object.entries<readonly GateStage[]>(gateList)) {
    assert.ok(stages.length > 0, name);
    stages.forEach((stage, i) => {
      const before = stages[i - 1];
      if (before !== undefined) assert.ok(releasesSince(before.since, stage.since) > 0, `${name}: ${stage.since}`);
      if (stage.stage === "ALPHA") assert.ok(!stage.default && !stage.locked, name);
      if (stage.stage === "REMOVED") assert.equal(before?.stage, "GA", name);
    });
  }
  assert.ok(Object.keys(gateList).length > 90);
});

test("the help names each gate with stage and default", () => {
  const lines = gatesHelp().split("\n");
  for (const line of [
    "AllAlpha=true|false (ALPHA - default=false)",
    "AllBeta=true|false (BETA - default=false)",
    "APIResponseCompression=true|false (BETA - default=true)",
    "CBORServingAndStorage=true|false (ALPHA - default=false)",
    "KMSv1=true|false (DEPRECATED - default=false)",
    "APIListChunking=true (GA - default=true, non-operational)",
  ]) {
    assert.ok(lines.includes(line), line);
  }
  assert.deepEqual(
    gatesHelp((name) => name === "WatchList"),
    "WatchList=true|false (BETA - default=true)",
  );
});

test("the metric tells every gate in the dialect's word", async () => {
  for (const product of ["orch", "kubernetes"]) {
    const metrics = createMetrics({ release: "1.32", processMetrics: false });
    registerFeatureMetrics(metrics, gates("1.32", { AllAlpha: true }), product);
    const text = await metrics.text();
    assert.match(text, new RegExp(`^# TYPE ${product}_feature_enabled gauge$`, "m"));
    for (const series of [
      `${product}_feature_enabled{name="CBORServingAndStorage",stage="ALPHA"} 1`,
      `${product}_feature_enabled{name="WatchList",stage="BETA"} 1`,
      `${product}_feature_enabled{name="APIListChunking",stage=""} 1`,
      `${product}_feature_enabled{name="KMSv1",stage="DEPRECATED"} 0`,
      `${product}_feature_enabled{name="AllBeta",stage="BETA"} 0`,
    ]) {
      assert.ok(text.includes(`${series}\n`), series);
    }
  }
});
