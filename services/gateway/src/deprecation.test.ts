import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { type Deprecation, deprecationOf } from "./deprecation.js";

// rules: Signals on deprecated endpoints; Removed API versions by release.
function signal(apiVersion: string, name: string, release: string, dialect: "orch" | "kubernetes" = "orch") {
  const kind = loadCatalog(createNaming(dialect), { release }).kind(apiVersion, name);
  assert.ok(kind, `${apiVersion} ${name}`);
  return deprecationOf(kind, release);
}

const cronJob: Deprecation = {
  warning: "batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob",
  removedRelease: "1.25",
};
const rows: readonly (readonly [string, string, string, Deprecation | undefined])[] = [
  ["batch/v1beta1", "CronJob", "1.20", undefined],
  ["batch/v1beta1", "CronJob", "1.21", cronJob],
  ["batch/v1beta1", "CronJob", "1.24", cronJob],
  ["batch/v1", "CronJob", "1.24", undefined],
  ["v1", "Pod", "1.32", undefined],
  // Nothing takes its place, and it stays.
  ["v1", "ComponentStatus", "1.19", { warning: "v1 ComponentStatus is deprecated in v1.19+", removedRelease: "" }],
  ["v1", "ComponentStatus", "1.18", undefined],
  // Nothing takes its place, and it goes.
  [
    "policy/v1beta1",
    "PodSecurityPolicy",
    "1.21",
    {
      warning: "policy/v1beta1 PodSecurityPolicy is deprecated in v1.21+, unavailable in v1.25+",
      removedRelease: "1.25",
    },
  ],
  [
    "flowcontrol.apiserver.orch/v1beta3",
    "FlowSchema",
    "1.31",
    {
      warning:
        "flowcontrol.apiserver.orch/v1beta3 FlowSchema is deprecated in v1.29+, unavailable in v1.32+; " +
        "use flowcontrol.apiserver.orch/v1 FlowSchema",
      removedRelease: "1.32",
    },
  ],
];
for (const [apiVersion, kind, release, expected] of rows) {
  test(`${apiVersion} ${kind} in ${release} is ${expected === undefined ? "not deprecated" : "deprecated"}`, () => {
    assert.deepEqual(signal(apiVersion, kind, release), expected);
  });
}

test("warnings speak the dialect", () => {
  assert.equal(
    signal("networking.k8s.io/v1beta1", "Ingress", "1.21", "kubernetes")?.warning,
    "networking.k8s.io/v1beta1 Ingress is deprecated in v1.19+, unavailable in v1.22+; use networking.k8s.io/v1 Ingress",
  );
});
