import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { valueAt } from "../../object.js";
import { expectErrors, type Wanted } from "../../testing/error-rows.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const group = "admissionregistration.k8s.io";
const policy = `${group}/v1.ValidatingAdmissionPolicy`;
const binding = `${group}/v1.ValidatingAdmissionPolicyBinding`;
const mutatingPolicy = `${group}/v1alpha1.MutatingAdmissionPolicy`;
const mutatingBinding = `${group}/v1alpha1.MutatingAdmissionPolicyBinding`;

const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
const matchConstraints = { resourceRules: [rule] };
const policyOf = (spec: Tree): Tree => ({
  spec: { matchConstraints, validations: [{ expression: "true" }], ...spec },
});
const bindingOf = (spec: Tree): Tree => ({ spec: { policyName: "p", validationActions: ["Deny"], ...spec } });
const mutatingOf = (spec: Tree): Tree => ({
  spec: {
    matchConstraints,
    reinvocationPolicy: "Never",
    mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: 'true ? [] : [JSONPatch{op: "test"}]' } }],
    ...spec,
  },
});
const mutatingBindingOf = (spec: Tree): Tree => ({ spec: { policyName: "p", ...spec } });

type Row = readonly [string, Tree, readonly Wanted[]];

/** Rules of the part that policies of both kinds have. */
const policies: readonly Row[] = [
  ["good", {}, []],
  [
    "of unknown policies",
    { failurePolicy: "X", matchConstraints: { ...matchConstraints, matchPolicy: "Y" } },
    [
      /^spec.(failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"|matchConstraints.matchPolicy: Unsupported value: "Y": supported values: "Equivalent", "Exact")$/,
      /^spec.(failurePolicy|matchConstraints.matchPolicy): Unsupported value/,
    ],
  ],
  ["with params", { paramKind: { apiVersion: "a.example/v1", kind: "Limit" } }, []],
  ["with params of the core group", { paramKind: { apiVersion: "v1", kind: "ConfigMap" } }, []],
  [
    "with params of no kind",
    { paramKind: {} },
    ["spec.paramKind.apiVersion: Required value", "spec.paramKind.kind: Required value"],
  ],
  [
    "with params of odd names",
    { paramKind: { apiVersion: "a/b/c", kind: "a b" } },
    [
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      /^spec.paramKind.kind: Invalid value: "a b": may have mixed case, but should otherwise match: a DNS-1035 label must/,
    ],
  ],
  [
    "with params of an odd group and version",
    { paramKind: { apiVersion: "A/1", kind: "Limit" } },
    [
      /^spec.paramKind.apiVersion: Invalid value: "A": a lowercase RFC 1123 subdomain must/,
      /^spec.paramKind.apiVersion: Invalid value: "1": a DNS-1035 label must/,
    ],
  ],
  [
    "with params of no version",
    { paramKind: { apiVersion: "a/", kind: "Limit" } },
    ['spec.paramKind.apiVersion: Invalid value: "a/": version must be specified'],
  ],
  ["that matches nothing", { matchConstraints: undefined }, ["spec.matchConstraints: Required value"]],
  ["that matches no type", { matchConstraints: {} }, ["spec.matchConstraints.resourceRules: Required value"]],
  [
    "with rules and selectors of wrong form",
    {
      matchConstraints: {
        namespaceSelector: { matchLabels: { "a b": "" } },
        objectSelector: { matchExpressions: [{ key: "a", operator: "X" }] },
        resourceRules: [{ ...rule, resourceNames: ["a/b", "c", "c"], apiGroups: [] }],
        excludeResourceRules: [{ ...rule, operations: [] }],
      },
    },
    [
      /^spec.matchConstraints.namespaceSelector.matchLabels: Invalid value: "a b"/,
      /^spec.matchConstraints.objectSelector.matchExpressions\[0\].operator: Invalid value: "X"/,
      `spec.matchConstraints.resourceRules[0].resourceNames[0]: Invalid value: "a/b": may not contain '/'`,
      'spec.matchConstraints.resourceRules[0].resourceNames[2]: Duplicate value: "c"',
      "spec.matchConstraints.resourceRules[0].apiGroups: Required value",
      "spec.matchConstraints.excludeResourceRules[0].operations: Required value",
    ],
  ],
  [
    "with a condition without expression",
    { matchConditions: [{ name: "a" }] },
    ["spec.matchConditions[0].expression: Required value"],
  ],
  [
    "with variables of wrong form",
    { variables: [{}, { name: "a-b", expression: "1" }, { name: "in", expression: "1" }] },
    [
      "spec.variables[0].name: Required value: name is not specified",
      "spec.variables[0].expression: Required value: expression is not specified",
      'spec.variables[1].name: Invalid value: "a-b": name is not a valid CEL identifier',
      'spec.variables[2].name: Invalid value: "in": name is not a valid CEL identifier',
    ],
  ],
];

for (const [what, spec, wanted] of policies) {
  expectErrors(`a validating policy ${what}`, wanted, () => kit.createErrors(policy, policyOf(spec)));
  expectErrors(`a mutating policy ${what}`, wanted, () => kit.createErrors(mutatingPolicy, mutatingOf(spec)));
}

const neither = "validations or auditAnnotations must contain at least one item";
const validatingOnly: readonly Row[] = [
  [
    "of no validations",
    { validations: [] },
    [`spec.validations: Required value: ${neither}`, `spec.auditAnnotations: Required value: ${neither}`],
  ],
  ["of annotations alone", { validations: [], auditAnnotations: [{ key: "a", valueExpression: "'x'" }] }, []],
  [
    "with validations of wrong form",
    {
      validations: [
        {},
        { expression: "true", message: " ", messageExpression: " " },
        { expression: "true", message: "a\nb" },
        { expression: "true", reason: "Gone" },
      ],
    },
    [
      "spec.validations[0].expression: Required value: expression is not specified",
      'spec.validations[1].messageExpression: Invalid value: " ": must be non-empty if specified',
      'spec.validations[1].message: Invalid value: " ": message must be non-empty if specified',
      'spec.validations[2].message: Invalid value: "a\\nb": message must not contain line breaks',
      'spec.validations[3].reason: Unsupported value: "Gone": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ],
  [
    "with annotations of wrong form",
    {
      auditAnnotations: [
        { key: "a b", valueExpression: "'1'" },
        { key: "a", valueExpression: " " },
        { key: "a", valueExpression: `"${"x".repeat(5119)}"` },
      ],
    },
    [
      /^spec.auditAnnotations\[0\].key: Invalid value: "x\/a b": name part must/,
      "spec.auditAnnotations[1].valueExpression: Required value: valueExpression is not specified",
      "spec.auditAnnotations[2].valueExpression: Required value: must not exceed 5120 bytes in length",
      'spec.auditAnnotations[2].key: Duplicate value: "a"',
    ],
  ],
  [
    "with 21 annotations",
    { auditAnnotations: Array.from({ length: 21 }, (_, i) => ({ key: `k${i}`, valueExpression: "'1'" })) },
    [/^spec.auditAnnotations: Invalid value: \[.*\]: must not have more than 20 auditAnnotations$/],
  ],
];

for (const [what, spec, wanted] of validatingOnly) {
  expectErrors(`a validating policy ${what}`, wanted, () => kit.createErrors(policy, policyOf(spec)));
}

const patch = { expression: "Object{}" };
const mutatingOnly: readonly Row[] = [
  ["of no mutations", { mutations: [] }, ["spec.mutations: Required value: mutations must contain at least one item"]],
  ["that never says when to run again", { reinvocationPolicy: "" }, ["spec.reinvocationPolicy: Required value"]],
  [
    "that runs again at an unknown time",
    { reinvocationPolicy: "X" },
    ['spec.reinvocationPolicy: Unsupported value: "X": supported values: "IfNeeded", "Never"'],
  ],
  ["of a patch of no type", { mutations: [{}] }, ["spec.mutations[0].patchType: Required value"]],
  [
    "of a patch of unknown type",
    { mutations: [{ patchType: "X" }] },
    ['spec.mutations[0].patchType: Unsupported value: "X": supported values: "ApplyConfiguration", "JSONPatch"'],
  ],
  ["that applies", { mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: patch }] }, []],
  [
    "whose patch has another's body",
    {
      mutations: [
        { patchType: "JSONPatch", applyConfiguration: patch },
        { patchType: "ApplyConfiguration", jsonPatch: patch },
      ],
    },
    [
      "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch",
      'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
      "spec.mutations[1].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration",
      'spec.mutations[1].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
    ],
  ],
  [
    "whose patch says nothing",
    { mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: " " } }] },
    ["spec.mutations[0].jsonPatch.expression: Required value"],
  ],
];

for (const [what, spec, wanted] of mutatingOnly) {
  expectErrors(`a mutating policy ${what}`, wanted, () => kit.createErrors(mutatingPolicy, mutatingOf(spec)));
}

/** Rules of the part that bindings of both kinds have. */
const bindings: readonly Row[] = [
  ["good", { paramRef: { name: "a", parameterNotFoundAction: "Deny" } }, []],
  ["good, by a selector", { paramRef: { selector: {}, parameterNotFoundAction: "Allow" } }, []],
  ["of no policy", { policyName: "" }, ["spec.policyName: Required value"]],
  ["of a policy named wrongly", { policyName: "A" }, [/^spec.policyName: Invalid value: "A": a lowercase RFC 1123/]],
  [
    "with params by name and selector",
    { paramRef: { name: "a/b", selector: { matchLabels: { "c d": "" } }, parameterNotFoundAction: "X" } },
    [
      `spec.paramRef.name: Invalid value: "a/b": may not contain '/'`,
      "spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
      /^spec.paramRef.selector.matchLabels: Invalid value: "c d"/,
      "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive",
      'spec.paramRef.parameterNotFoundAction: Unsupported value: "X": supported values: "Deny", "Allow"',
    ],
  ],
  [
    "with params by nothing",
    { paramRef: { parameterNotFoundAction: "Deny" } },
    ["spec.paramRef: Required value: one of name or selector must be specified"],
  ],
  [
    "that matches less, with a rule of wrong form",
    { matchResources: { resourceRules: [{ ...rule, resources: [] }] } },
    ["spec.matchResources.resourceRules[0].resources: Required value"],
  ],
];

for (const [what, spec, wanted] of bindings) {
  expectErrors(`a validating binding ${what}`, wanted, () => kit.createErrors(binding, bindingOf(spec)));
  expectErrors(`a mutating binding ${what}`, wanted, () => kit.createErrors(mutatingBinding, mutatingBindingOf(spec)));
}

const actions: readonly Row[] = [
  [
    "of no actions",
    { validationActions: [] },
    ["spec.validationActions: Required value: at least one validation action is required"],
  ],
  [
    "of actions twice and unknown",
    { validationActions: ["Audit", "Audit", "Cry"] },
    [
      'spec.validationActions[2]: Unsupported value: "Cry": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions[1]: Duplicate value: "Audit"',
    ],
  ],
  [
    "that denies and warns",
    { validationActions: ["Deny", "Warn"] },
    [/^spec.validationActions: Invalid value: \["Deny","Warn"\]: must not contain both Deny and Warn \(/],
  ],
  [
    "whose absent params mean nothing",
    { paramRef: { name: "a" } },
    ["spec.paramRef.parameterNotFoundAction: Required value"],
  ],
];

for (const [what, spec, wanted] of actions) {
  expectErrors(`a validating binding ${what}`, wanted, () => kit.createErrors(binding, bindingOf(spec)));
}

const matched = {
  resourceRules: [{ ...rule, scope: "*" }],
  namespaceSelector: {},
  objectSelector: {},
  matchPolicy: "Equivalent",
};

for (const version of ["v1", "v1beta1", "v1alpha1"]) {
  test(`what ${version} policies and bindings leave out`, () => {
    const spec = { matchConstraints, validations: [{ expression: "true" }] };
    const defaulted = kit.defaulted(`${group}/${version}.ValidatingAdmissionPolicy`, { spec });
    assert.deepEqual(defaulted["spec"], { ...spec, matchConstraints: matched, failurePolicy: "Fail" });
    const bound = kit.defaulted(`${group}/${version}.ValidatingAdmissionPolicyBinding`, {
      spec: { policyName: "p", matchResources: matchConstraints, paramRef: { name: "a" } },
    });
    assert.deepEqual(valueAt(bound, "spec.matchResources"), matched);
    const action = version === "v1alpha1" ? "Deny" : undefined;
    assert.equal(valueAt(bound, "spec.paramRef.parameterNotFoundAction"), action);
  });
}

test("what mutating policies and bindings leave out", () => {
  const defaulted = kit.defaulted(mutatingPolicy, { spec: { matchConstraints } });
  assert.deepEqual(defaulted["spec"], { matchConstraints: matched, failurePolicy: "Fail" });
  const bound = kit.defaulted(mutatingBinding, { spec: { matchResources: matchConstraints, paramRef: { name: "a" } } });
  assert.deepEqual(bound["spec"], {
    matchResources: matched,
    paramRef: { name: "a", parameterNotFoundAction: "Deny" },
  });
});

test("a policy's status is its own endpoint's", () => {
  const status = { observedGeneration: 1 };
  const before = { ...policyOf({}), metadata: { labels: { a: "b" } }, status };
  assert.equal(kit.created(policy, before)["status"], undefined);
  const next = kit.part(policy, "status", {
    tree: { ...policyOf({ failurePolicy: "Ignore" }), metadata: { labels: { c: "d" } }, status },
    before,
  });
  assert.deepEqual(next["status"], status);
  assert.equal(valueAt(next, "spec.failurePolicy"), "Fail");
  assert.deepEqual(next.metadata.labels, { a: "b" });
});

const condition = { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };

expectErrors(
  "a status with warnings of nothing and a condition without reason",
  [
    "status.typeChecking.expressionWarnings[0].warning: Required value",
    "status.typeChecking.expressionWarnings[0].fieldRef: Required value",
    "status.conditions[0].reason: Required value: must be set",
  ],
  () =>
    kit.partErrors(policy, "status", {
      tree: { ...policyOf({}), status: { typeChecking: { expressionWarnings: [{}] }, conditions: [condition] } },
      before: policyOf({}),
    }),
);
