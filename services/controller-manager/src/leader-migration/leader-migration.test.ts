import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { ControllerName } from "../controller.js";
import { fileReaders } from "../file-readers.js";
import { termSettings } from "./migration-settings.js";

const naming = createNaming("kubernetes");
const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
const election = { ...times, identity: "me", name: "own", namespace: "kube-system" };
const head = "apiVersion: controllermanager.config.k8s.io/v1\nkind: LeaderMigrationConfiguration\n";
const on = { "enable-leader-migration": true, "leader-migration-config": "" };
const controllers = new Set<ControllerName>(["namespace-controller", "service-lb-controller", "node-route-controller"]);

/** `lease: controllers` of what runs in a program. */
function termsOf(values: Parameters<typeof termSettings>[0], file = "", component = "kube-controller-manager") {
  const read = (): string => file;
  const settings = termSettings(values, { controllers, election }, { naming, read, readers, component });
  if (!settings.ok) return settings.problems.join("; ");
  return settings.value.map((term) => `${term.election?.name}: ${[...term.controllers].join(" ")}`).join("; ");
}
const readers = await fileReaders({ "cloud-config": "", "enable-leader-migration": true });
const withFile = { ...on, "leader-migration-config": "f" };
const leaders = (text: string): string => `${head}leaderName: both\ncontrollerLeaders: ${text}\n`;

test("without migration there is one lease", () => {
  const off = { ...on, "enable-leader-migration": false };
  assert.equal(termsOf(off), "own: namespace-controller service-lb-controller node-route-controller");
});

test("without a file the controllers of clouds move, and run wherever the lease is", () => {
  const terms =
    "own: namespace-controller; cloud-provider-extraction-migration: service-lb-controller node-route-controller";
  assert.equal(termsOf(on), terms);
  assert.equal(termsOf(on, "", "cloud-controller-manager"), terms);
});

test("a controller runs where its program is named, under the lease that both stand for", () => {
  const file = leaders(
    "[{name: service-lb-controller, component: cloud-controller-manager}, {name: route, component: kube-controller-manager}]",
  );
  assert.equal(termsOf(withFile, file), "own: namespace-controller; both: node-route-controller");
  const there = termsOf(withFile, file, "cloud-controller-manager");
  assert.equal(there, "own: namespace-controller; both: service-lb-controller");
  assert.equal(termsOf(withFile, leaders("[{name: foreign, component: '*'}]")).split("; ")[1], "both: ");
});

test("what the component's own configuration says holds where no file is named", () => {
  const configured = {
    ...{ leaderName: "mine", resourceLock: "leases" },
    controllerLeaders: [{ name: "namespace-controller", component: "*" }],
  };
  const parts = { naming, read: () => "", readers, component: "x", configured };
  const settings = termSettings(on, { controllers, election }, parts);
  assert.ok(settings.ok);
  assert.deepEqual([...(settings.value[1]?.controllers ?? [])], ["namespace-controller"]);
  assert.equal(settings.value[1]?.election?.name, "mine");
});

for (const [file, problem] of [
  ["", /--leader-migration-config f: .*Kind/],
  [`${head}controllerLeaders: []\n`, /leaderName: Required value: leaderName must be set/],
  [leaders("[{name: a}]"), /controllerLeaders\[0\]\.component: Required value: component must be set/],
  [`${leaders("[]")}resourceLock: endpoints\n`, /resourceLock: endpoints are not taken/],
  [`${leaders("[]")}resourceLock: files\n`, /resourceLock: Invalid value: "files"/],
] as const) {
  test(`refused of a migration's file: ${problem.source}`, () => assert.match(termsOf(withFile, file), problem));
}

test("without an election nothing moves", () => {
  const parts = { naming, read: () => "", readers, component: "x" };
  const settings = termSettings(on, { controllers, election: undefined }, parts);
  assert.ok(!settings.ok);
  assert.deepEqual(settings.problems, ["--enable-leader-migration needs --leader-elect"]);
});
