import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import {
  type CreateRow,
  testCreates,
  testUpdates,
  testValues,
  type UpdateRow,
  type ValueRow,
} from "../../testing/kind-rows.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const group = "scheduling.k8s.io";
const priority = `${group}/v1.PriorityClass`;
const named = (name: string, tree: Tree): Tree => ({ metadata: { name }, ...tree });
const reserved = (problem: string): string =>
  `metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`;

const creates: readonly CreateRow[] = [
  [priority, "good", { value: 1_000_000_000, globalDefault: true }, []],
  [priority, "of the system", named("system-node-critical", { value: 2_000_001_000 }), []],
  [priority, "of the cluster", named("system-cluster-critical", { value: 2_000_000_000 }), []],
  [
    priority,
    "too high",
    { value: 1_000_000_001 },
    ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"],
  ],
  [
    priority,
    "of an unknown policy",
    { value: 1, preemptionPolicy: "X" },
    ['preemptionPolicy: Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"'],
  ],
  [
    priority,
    "of the system that is not known",
    named("system-a", { value: 1 }),
    [reserved("system-a is not a known system priority class")],
  ],
  [
    priority,
    "of the system with another value",
    named("system-node-critical", { value: 1 }),
    [reserved("value of system-node-critical PriorityClass must be 2000001000")],
  ],
  [
    priority,
    "of the system for all",
    named("system-node-critical", { value: 2_000_001_000, globalDefault: true }),
    [reserved("globalDefault of system-node-critical PriorityClass must be false")],
  ],
];
testCreates(kit, creates);

const updates: readonly UpdateRow[] = [
  [priority, "for all", { value: 1, globalDefault: true, description: "d" }, { value: 1 }, []],
  [
    priority,
    "of another value and policy",
    { value: 2, preemptionPolicy: "Never" },
    { value: 1 },
    [
      'preemptionPolicy: Invalid value: "Never": field is immutable',
      "value: Forbidden: may not be changed in an update.",
    ],
  ],
];
testUpdates(kit, updates);

const values: readonly ValueRow[] = ["v1", "v1beta1", "v1alpha1"].map((version): ValueRow => {
  return [`${group}/${version}.PriorityClass`, "preempts", { value: 1 }, "preemptionPolicy", "PreemptLowerPriority"];
});
testValues(kit, values);

test("a priority's generation never moves", () => {
  const old = kit.created(priority, { value: 1, metadata: { generation: 7 } });
  assert.equal(old.metadata.generation, 1);
  assert.equal(kit.updated(priority, { value: 1, description: "d" }, old).metadata.generation, 1);
});
