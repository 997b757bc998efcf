import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { type AnyObject, valueAt } from "../../object.js";
import { expectErrors, type Wanted } from "../../testing/error-rows.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import { validatePart } from "../../writes.js";
import { selectorMatches } from "../shared/label-selector.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes"), { release: "1.24" }));
const pdb = "policy/v1.PodDisruptionBudget";
const oldPdb = "policy/v1beta1.PodDisruptionBudget";
const psp = "policy/v1beta1.PodSecurityPolicy";
const selector = { matchLabels: { a: "b" } };
const budgetOf = (spec: Tree): Tree => ({ spec: { selector, ...spec } });
const any = { rule: "RunAsAny" };
const policyOf = (spec: Tree): Tree => ({
  spec: { seLinux: any, runAsUser: any, supplementalGroups: any, fsGroup: any, ...spec },
});

const creates: readonly (readonly [string, string, Tree, readonly Wanted[]])[] = [
  [pdb, "good", budgetOf({ minAvailable: "50%", unhealthyPodEvictionPolicy: "AlwaysAllow" }), []],
  [pdb, "empty", {}, []],
  [
    pdb,
    "of both amounts",
    { spec: { minAvailable: 1, maxUnavailable: 1 } },
    ['spec: Invalid value: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set'],
  ],
  [pdb, "of a negative amount", budgetOf({ minAvailable: -1 }), [/^spec.minAvailable: .*greater than or equal to 0$/]],
  [pdb, "of no amount", budgetOf({ maxUnavailable: "x" }), [/^spec.maxUnavailable: .*a valid percent string must be/]],
  [
    pdb,
    "of more than all",
    budgetOf({ maxUnavailable: "101%" }),
    ['spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
  ],
  [
    pdb,
    "with a broken selector",
    { spec: { selector: { matchExpressions: [{ key: "a", operator: "In" }] } } },
    [/^spec.selector.matchExpressions\[0\].values: Required value/],
  ],
  [
    pdb,
    "of an unknown policy",
    budgetOf({ unhealthyPodEvictionPolicy: "X" }),
    ['spec.unhealthyPodEvictionPolicy: Unsupported value: "X": supported values: "AlwaysAllow", "IfHealthyBudget"'],
  ],
  [psp, "good", policyOf({ volumes: ["*"], allowedHostPaths: [{ pathPrefix: "/a" }] }), []],
  [
    psp,
    "empty",
    {},
    [
      'spec.runAsUser.rule: Unsupported value: "": supported values: "MustRunAs", "MustRunAsNonRoot", "RunAsAny"',
      'spec.seLinux.rule: Unsupported value: "": supported values: "MustRunAs", "RunAsAny"',
      'spec.supplementalGroups.rule: Unsupported value: "": supported values: "MayRunAs", "MustRunAs", "RunAsAny"',
      'spec.fsGroup.rule: Unsupported value: "": supported values: "MayRunAs", "MustRunAs", "RunAsAny"',
    ],
  ],
  [
    psp,
    "with wrong ranges",
    policyOf({ fsGroup: { rule: "MustRunAs", ranges: [{ min: -1, max: -2 }] } }),
    [
      "spec.fsGroup.ranges[0].min: Invalid value: -1: min cannot be negative",
      "spec.fsGroup.ranges[0].max: Invalid value: -2: max cannot be negative",
      "spec.fsGroup.ranges[0].min: Invalid value: -1: min cannot be greater than max",
    ],
  ],
  [
    psp,
    "with ranges for any group",
    policyOf({ runAsGroup: { rule: "RunAsAny", ranges: [{ min: 1, max: 1 }] } }),
    ['spec.runAsGroup.ranges: Invalid value: [{"min":1,"max":1}]: Ranges must be empty'],
  ],
  [
    psp,
    "without ranges of a group",
    policyOf({ runAsGroup: { rule: "MayRunAs" } }),
    ["spec.runAsGroup.ranges: Invalid value: []: must provide at least one range"],
  ],
  [psp, "with an unknown rule of a group", policyOf({ runAsGroup: { rule: "X" } }), [/^spec.runAsGroup.rule: Unsupp/]],
  [psp, "with unknown volumes", policyOf({ volumes: ["x"] }), [/^spec.volumes: Unsupported value: "x"/]],
  [
    psp,
    "with capabilities in two lists",
    policyOf({ requiredDropCapabilities: ["A"], defaultAddCapabilities: ["A"], allowedCapabilities: ["*", "A"] }),
    [
      'requiredDropCapabilities: Invalid value: ["A"]: must be empty when all capabilities are allowed by a wildcard',
      'defaultAddCapabilities: Invalid value: "A": capability is listed in defaultAddCapabilities and requiredDropCapabilities',
      'allowedCapabilities: Invalid value: "A": capability is listed in allowedCapabilities and requiredDropCapabilities',
    ],
  ],
  [
    psp,
    "that gives by default what it does not allow",
    policyOf({ defaultAllowPrivilegeEscalation: true, allowPrivilegeEscalation: false }),
    [/^spec.defaultAllowPrivilegeEscalation: .*without also setting AllowPrivilegeEscalation to true$/],
  ],
  [
    psp,
    "with paths, drivers and classes of wrong form",
    policyOf({
      allowedHostPaths: [{ pathPrefix: "/a/../b" }, {}],
      allowedFlexVolumes: [{}],
      allowedCSIDrivers: [{ name: "a_b" }],
      runtimeClass: { allowedRuntimeClassNames: ["*", "A", "*"], defaultRuntimeClassName: "B" },
    }),
    [
      `spec.allowedHostPaths[0]: Invalid value: "/a/../b": must not contain '..'`,
      "spec.allowedHostPaths[1]: Required value: is required",
      "spec.allowedFlexVolumes.allowedFlexVolumes[0].driver: Required value: must specify a driver",
      /^spec.allowedCSIDrivers.allowedCSIDriver\[0\].name: Invalid value: "a_b"/,
      /^spec.runtimeClass.allowedRuntimeClassNames\[1\]: Invalid value: "A"/,
      'spec.runtimeClass.allowedRuntimeClassNames[2]: Duplicate value: "*"',
      /^spec.runtimeClass.defaultRuntimeClassName: Invalid value: "B"/,
      /^spec.runtimeClass.allowedRuntimeClassNames: .*if '\*' is present, must not specify other RuntimeClass names$/,
    ],
  ],
  [
    psp,
    "with a class that is not allowed",
    policyOf({ runtimeClass: { allowedRuntimeClassNames: ["a"], defaultRuntimeClassName: "b" } }),
    ['spec.runtimeClass.allowedRuntimeClassNames: Required value: default "b" must be allowed'],
  ],
  [
    psp,
    "with unknown mounts of processes",
    policyOf({ allowedProcMountTypes: ["X"] }),
    ['spec.allowedProcMountTypes[0]: Unsupported value: "X": supported values: "Default", "Unmasked"'],
  ],
  [
    psp,
    "with wrong kernel parameters",
    policyOf({ allowedUnsafeSysctls: ["", "A", "*"], forbiddenSysctls: ["net.*"] }),
    [
      'spec.allowedUnsafeSysctls[0]: Invalid value: "": empty sysctl not allowed',
      /^spec.allowedUnsafeSysctls\[1\]: .*must have at most 253 characters and match regex/,
      "spec.allowedUnsafeSysctls.items: Forbidden: if '*' is present, must not specify other sysctls",
      'spec.forbiddenSysctls[0]: Invalid value: "net.*": sysctl overlaps with *',
    ],
  ],
  [
    psp,
    "with kernel parameters in two lists",
    policyOf({ allowedUnsafeSysctls: ["net.a", "kernel.*"], forbiddenSysctls: ["net.*", "kernel.b", "fs.c"] }),
    [
      'spec.allowedUnsafeSysctls[0]: Invalid value: "net.a": sysctl overlaps with net.*',
      'spec.forbiddenSysctls[1]: Invalid value: "kernel.b": sysctl overlaps with kernel.*',
    ],
  ],
];

for (const [kind, what, tree, wanted] of creates) {
  expectErrors(`a new ${kind} ${what}`, wanted, () => kit.createErrors(kind, tree));
}

test("a policy allows escalation unless it says no", () => {
  assert.equal(valueAt(kit.created(psp, policyOf({})), "spec.allowPrivilegeEscalation"), true);
  const kept = kit.created("extensions/v1beta1.PodSecurityPolicy", policyOf({ allowPrivilegeEscalation: false }));
  assert.equal(valueAt(kept, "spec.allowPrivilegeEscalation"), false);
});

test("a budget is written only over the state that was read", () => {
  assert.match(kit.updateErrors(pdb, budgetOf({}), budgetOf({}))[0] ?? "", /^metadata.resourceVersion: .*update$/);
});

const condition = { type: "A", status: "True", reason: "R", lastTransitionTime: "2026-01-01T00:00:00Z" };
const statuses: readonly (readonly [string, string, Tree, readonly Wanted[]])[] = [
  [pdb, "good", { disruptionsAllowed: 1, conditions: [condition] }, []],
  [
    pdb,
    "below 0",
    { disruptionsAllowed: -1, currentHealthy: -1, desiredHealthy: -1, expectedPods: -1 },
    [
      "status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0",
      "status.currentHealthy: Invalid value: -1: must be greater than or equal to 0",
      "status.desiredHealthy: Invalid value: -1: must be greater than or equal to 0",
      "status.expectedPods: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [oldPdb, "below 0 as it was allowed", { disruptionsAllowed: -1 }, []],
  [
    pdb,
    "with wrong conditions",
    { conditions: [condition, { ...condition, reason: "a b" }, { observedGeneration: -1 }] },
    [
      'status.conditions[1].type: Duplicate value: "A"',
      /^status.conditions\[1\].reason: Invalid value: "a b": a condition reason must start with alphabetic character/,
      "status.conditions[2].type: Required value: must be set",
      'status.conditions[2].status: Unsupported value: "": supported values: "False", "True", "Unknown"',
      "status.conditions[2].observedGeneration: Invalid value: -1: must be greater than or equal to zero",
      "status.conditions[2].lastTransitionTime: Required value: must be set",
      "status.conditions[2].reason: Required value: must be set",
    ],
  ],
];

for (const [kind, what, status, wanted] of statuses) {
  expectErrors(`a status of ${kind} ${what}`, wanted, () => {
    const old = kit.created(pdb, budgetOf({}));
    const object: AnyObject = { ...old, status };
    return validatePart(kit.kind(kind), { name: "status", object, old }).map((e) => `${e.field}: ${e.message}`);
  });
}

// Spec 1: Removed API versions by release, 1.25.
const key = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
const nothing = { matchExpressions: [{ key, operator: "Exists" }] };
const everything = { matchExpressions: [{ key, operator: "DoesNotExist" }] };
const selectors: readonly (readonly [string, Tree | undefined, Tree | undefined, boolean])[] = [
  ["an unset selector selects nothing in both", undefined, undefined, false],
  ["an empty selector selects nothing in v1beta1", {}, nothing, false],
  ["all that v1 selects by an empty selector", everything, {}, true],
  ["labels select the same", selector, selector, true],
];

for (const [what, old, stored, selects] of selectors) {
  test(`budgets: ${what}`, () => {
    const spec = old === undefined ? {} : { selector: old };
    const { hub, back } = kit.roundTrip(oldPdb, { spec });
    assert.deepEqual(valueAt(hub, "spec.selector"), stored);
    assert.deepEqual(valueAt(back, "spec.selector"), old);
    assert.equal(selectorMatches(stored, { a: "b" }), selects);
  });
}

test("the label of empty selectors has no use among others", () => {
  const mixed = { ...selector, matchExpressions: [{ key, operator: "Exists" }] };
  assert.deepEqual(valueAt(kit.roundTrip(oldPdb, { spec: { selector: mixed } }).hub, "spec.selector"), selector);
});
