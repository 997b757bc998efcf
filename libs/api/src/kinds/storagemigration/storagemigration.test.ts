import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { expectErrors, type Wanted } from "../../testing/error-rows.js";
import { createKindKit, type Tree, testContext } from "../../testing/kind-kit.js";
import { type CreateRow, testCreates, testUpdates, type UpdateRow } from "../../testing/kind-rows.js";
import { prepareForPart, validatePart } from "../../writes.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const migration = "storagemigration.k8s.io/v1alpha1.StorageVersionMigration";
const resource = { version: "v1", resource: "secrets" };
const good: Tree = { spec: { resource } };

const creates: readonly CreateRow[] = [
  [migration, "good", good, []],
  [
    migration,
    "of nothing",
    { spec: { resource: {} } },
    [
      "spec.resource.version: Required value: version is required",
      "spec.resource.resource: Required value: resource is required",
    ],
  ],
];
testCreates(kit, creates);

const versioned = (spec: Tree): Tree => ({ spec, metadata: { resourceVersion: "1" } });
const updates: readonly UpdateRow[] = [
  [migration, "that goes on", versioned({ resource, continueToken: "t" }), good, []],
  [
    migration,
    "of something else",
    versioned({ resource: { group: "g", version: "v2", resource: "pods" } }),
    good,
    [
      'group: Invalid value: "g": field is immutable',
      'version: Invalid value: "v2": field is immutable',
      'resource: Invalid value: "pods": field is immutable',
    ],
  ],
];
testUpdates(kit, updates);

const condition = (type: string, status = "True"): Tree => ({
  type,
  status,
  reason: "R",
  lastUpdateTime: "2025-01-01T00:00:00Z",
});
const statusOf = (...conditions: readonly Tree[]): Tree => ({ conditions });

function writeStatus(status: Tree, before: Tree | undefined) {
  const kind = kit.kind(migration);
  const stored = kit.created(migration, good);
  const old = { ...stored, ...(before === undefined ? {} : { status: before }) };
  const object = prepareForPart(kind, { name: "status", object: { ...stored, spec: {}, status }, old }, testContext);
  const errors = validatePart(kind, { name: "status", object, old }).map((e) => `${e.field}: ${e.message}`);
  return { object, errors };
}

const ends = (detail: string): RegExp => new RegExp(`^status.conditions: Invalid value: .*: ${detail}$`);
const statuses: readonly (readonly [string, Tree, Tree | undefined, readonly Wanted[]])[] = [
  ["that runs", { resourceVersion: "5", ...statusOf(condition("Running")) }, undefined, []],
  ["that is done", statusOf(condition("Running", "False"), condition("Succeeded")), undefined, []],
  [
    "of another version",
    { resourceVersion: "6" },
    { resourceVersion: "5" },
    ['status.resourceVersion: Invalid value: "6": resourceVersion cannot be updated'],
  ],
  [
    "of an odd version",
    { resourceVersion: "-1" },
    undefined,
    ['status.resourceVersion: Invalid value: "-1": must be a non-negative integer'],
  ],
  [
    "of odd conditions",
    statusOf({ type: "a b", status: "X" }, condition("Running"), condition("Running")),
    undefined,
    [
      /^status.conditions\[0\].type: Invalid value: "a b": name part must/,
      'status.conditions[0].status: Unsupported value: "X": supported values: "False", "True", "Unknown"',
      "status.conditions[0].lastTransitionTime: Required value: must be set",
      "status.conditions[0].reason: Required value: must be set",
      'status.conditions[2].type: Duplicate value: "Running"',
    ],
  ],
  [
    "of all ends",
    statusOf(condition("Running"), condition("Succeeded"), condition("Failed")),
    undefined,
    [
      ends("Both success and failed conditions cannot be true at the same time"),
      ends("Running condition cannot be true when success condition is true"),
      ends("Running condition cannot be true when failed condition is true"),
    ],
  ],
  [
    "that was done",
    {},
    statusOf(condition("Succeeded"), condition("Failed")),
    [
      ends("Success condition cannot be set to false once it is true"),
      ends("Failed condition cannot be set to false once it is true"),
    ],
  ],
];
for (const [what, status, before, expected] of statuses) {
  expectErrors(`the status of a migration ${what}`, expected, () => writeStatus(status, before).errors);
}

test("a migration's status leaves its spec", () => {
  assert.deepEqual(writeStatus({}, undefined).object["spec"], good["spec"]);
});
