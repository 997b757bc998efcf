import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { valueAt } from "../../object.js";
import { expectErrors, type Wanted } from "../../testing/error-rows.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const group = "admissionregistration.k8s.io";
const validating = `${group}/v1.ValidatingWebhookConfiguration`;
const mutating = `${group}/v1.MutatingWebhookConfiguration`;
const betaValidating = `${group}/v1beta1.ValidatingWebhookConfiguration`;
const betaMutating = `${group}/v1beta1.MutatingWebhookConfiguration`;

const service = { namespace: "n", name: "s" };
const webhookOf = (tree: Tree): Tree => ({
  name: "w.a.example",
  clientConfig: { service },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  ...tree,
});
const configOf = (...webhooks: readonly Tree[]): Tree => ({ webhooks: webhooks.map(webhookOf) });
const urlOf = (url: string): Tree => configOf({ clientConfig: { url } });
const pathOf = (path: string): Tree => configOf({ clientConfig: { service: { ...service, path } } });
const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
const ruleOf = (tree: Tree): Tree => configOf({ rules: [{ ...rule, ...tree }] });
const form = "; desired format: https://host[/path]";

const creates: readonly (readonly [string, Tree, readonly Wanted[]])[] = [
  ["good", configOf({ rules: [rule] }), []],
  ["without webhooks", {}, []],
  [
    "without what a webhook needs",
    { webhooks: [{ name: "x", clientConfig: {} }] },
    [
      'webhooks[0].name: Invalid value: "x": should be a domain with at least three segments separated by dots',
      "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun",
      "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
      "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1",
    ],
  ],
  ["without a name", configOf({ name: "" }), ["webhooks[0].name: Required value"]],
  ["named wrongly", configOf({ name: "A.b.c" }), [/^webhooks\[0\].name: Invalid value: "A.b.c": a lowercase RFC 1123/]],
  ["of two webhooks of one name", configOf({}, {}), ['webhooks[1].name: Duplicate value: "w.a.example"']],
  [
    "with side effects",
    configOf({ sideEffects: "Some" }, { name: "x.a.example", sideEffects: "Often" }),
    [
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      'webhooks[1].sideEffects: Unsupported value: "Often": supported values: "None", "NoneOnDryRun"',
    ],
  ],
  [
    "that waits for nothing",
    configOf({ timeoutSeconds: 0 }),
    ["webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds"],
  ],
  [
    "that waits too long",
    configOf({ timeoutSeconds: 31 }),
    ["webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds"],
  ],
  ["that waits as long as it may", configOf({ timeoutSeconds: 30 }, { name: "x.a.example", timeoutSeconds: 1 }), []],
  [
    "of unknown policies",
    configOf({ failurePolicy: "X", matchPolicy: "Y" }),
    [
      'webhooks[0].failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"',
      'webhooks[0].matchPolicy: Unsupported value: "Y": supported values: "Equivalent", "Exact"',
    ],
  ],
  [
    "with selectors of wrong form",
    configOf({
      namespaceSelector: { matchExpressions: [{ key: "a", operator: "In" }] },
      objectSelector: { matchExpressions: [{ key: "a", operator: "X" }] },
    }),
    [
      /^webhooks\[0\].namespaceSelector.matchExpressions\[0\].values: Required value/,
      /^webhooks\[0\].objectSelector.matchExpressions\[0\].operator: Invalid value: "X"/,
    ],
  ],
  [
    "with a review version twice, and one of wrong form",
    configOf({ admissionReviewVersions: ["v1", "v1", "0"] }),
    [
      'webhooks[0].admissionReviewVersions[1]: Invalid value: "v1": duplicate version',
      /^webhooks\[0\].admissionReviewVersions\[2\]: Invalid value: "0": a DNS-1035 label must/,
    ],
  ],
  [
    "that speaks another version of reviews",
    configOf({ admissionReviewVersions: ["v2"] }),
    ['webhooks[0].admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1'],
  ],
  [
    "with url and service",
    configOf({ clientConfig: { service, url: "https://a" } }),
    ["webhooks[0].clientConfig: Required value: exactly one of url or service is required"],
  ],
  ["at a URL", urlOf("https://a.b:8443/path"), []],
  ["at a URL in capitals", urlOf("HTTPS://a.b/path"), []],
  [
    "at a plain URL",
    urlOf("http://a"),
    [`webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme${form}`],
  ],
  [
    "at a URL that is none",
    urlOf("a"),
    [
      `webhooks[0].clientConfig.url: Invalid value: "": 'https' is the only allowed URL scheme${form}`,
      `webhooks[0].clientConfig.url: Invalid value: "": host must be specified${form}`,
    ],
  ],
  [
    "at a URL without a scheme",
    urlOf("::"),
    [
      `webhooks[0].clientConfig.url: Required value: url must be a valid URL: parse "::": missing protocol scheme${form}`,
    ],
  ],
  [
    "at a URL with too much",
    urlOf("https://u:p@a/b?q=1#f"),
    [
      'webhooks[0].clientConfig.url: Invalid value: "u:p": user information is not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "q=1": query parameters are not permitted in the URL',
    ],
  ],
  [
    "at a URL of a host with a space",
    urlOf("https://a b"),
    [/^webhooks\[0\].clientConfig.url: Required value: url must be a valid URL: .*; desired format/],
  ],
  [
    "at a service without its names",
    configOf({ clientConfig: { service: { port: 0 } } }),
    [
      "webhooks[0].clientConfig.service.name: Required value: service name is required",
      "webhooks[0].clientConfig.service.namespace: Required value: service namespace is required",
      "webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
    ],
  ],
  ["at a path", pathOf("/a/b.c/"), []],
  ["at the root", pathOf("/"), []],
  [
    "at a path of nothing",
    pathOf("//"),
    ['webhooks[0].clientConfig.service.path: Invalid value: "//": segment[0] may not be empty'],
  ],
  [
    "at a relative path",
    pathOf("aa/b"),
    [`webhooks[0].clientConfig.service.path: Invalid value: "aa/b": must start with a '/'`],
  ],
  [
    "at a path with a gap and capitals",
    pathOf("/a//B"),
    [
      'webhooks[0].clientConfig.service.path: Invalid value: "/a//B": segment[1] may not be empty',
      /^webhooks\[0\].clientConfig.service.path: Invalid value: "\/a\/\/B": segment\[2\]: a lowercase RFC 1123/,
    ],
  ],
  [
    "with an empty rule",
    configOf({ rules: [{}] }),
    ["operations", "apiGroups", "apiVersions", "resources"].map(
      (name) => `webhooks[0].rules[0].${name}: Required value`,
    ),
  ],
  ["of everything", ruleOf({ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }), []],
  [
    "of everything and more",
    ruleOf({ operations: ["*", "CREATE"], apiGroups: ["*", "a"], apiVersions: ["*", "v1"], resources: ["*/*", "a"] }),
    [
      `webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
      `webhooks[0].rules[0].apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other API groups`,
      `webhooks[0].rules[0].apiVersions: Invalid value: ["*","v1"]: if '*' is present, must not specify other API versions`,
      `webhooks[0].rules[0].resources: Invalid value: ["*/*","a"]: if '*/*' is present, must not specify other resources`,
    ],
  ],
  [
    "of empty names",
    ruleOf({ apiVersions: [""], resources: [""] }),
    ["webhooks[0].rules[0].apiVersions[0]: Required value", "webhooks[0].rules[0].resources[0]: Required value"],
  ],
  ["of all resources and a subresource", ruleOf({ resources: ["*", "pods/log"] }), []],
  [
    "of all resources and one",
    ruleOf({ resources: ["pods", "*"] }),
    [
      `webhooks[0].rules[0].resources: Invalid value: ["pods","*"]: if '*' is present, must not specify other resources without subresources`,
    ],
  ],
  [
    "of subresources that others hold",
    ruleOf({ resources: ["pods/*", "pods/log", "*/scale", "deployments/scale"] }),
    [
      `webhooks[0].rules[0].resources[1]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`,
      `webhooks[0].rules[0].resources[3]: Invalid value: "deployments/scale": if '*/scale' is present, must not specify deployments/scale`,
    ],
  ],
  [
    "of unknown operations and scope",
    ruleOf({ operations: ["PATCH"], scope: "Galaxy" }),
    [
      'webhooks[0].rules[0].operations[0]: Unsupported value: "PATCH": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      'webhooks[0].rules[0].scope: Unsupported value: "Galaxy": supported values: "*", "Cluster", "Namespaced"',
    ],
  ],
  [
    "with conditions of wrong form",
    configOf({
      matchConditions: [
        { name: "a b", expression: "true" },
        { name: "", expression: " " },
      ],
    }),
    [
      /^webhooks\[0\].matchConditions\[0\].name: Invalid value: "a b": name part must/,
      "webhooks[0].matchConditions[1].expression: Required value",
      "webhooks[0].matchConditions[1].name: Required value",
    ],
  ],
  [
    "with conditions of one name",
    configOf({
      matchConditions: [
        { name: "a", expression: "true" },
        { name: "a", expression: "false" },
      ],
    }),
    ['webhooks[0].matchConditions[1].name: Duplicate value: "a"'],
  ],
  [
    "with 65 conditions",
    configOf({ matchConditions: Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: "true" })) }),
    ["webhooks[0].matchConditions: Too many: 65: must have at most 64 items"],
  ],
];

for (const [what, tree, wanted] of creates) {
  expectErrors(`a validating configuration ${what}`, wanted, () => kit.createErrors(validating, tree));
  expectErrors(`a mutating configuration ${what}`, wanted, () => kit.createErrors(mutating, tree));
}

expectErrors(
  "a mutating configuration of unknown reinvocation",
  ['webhooks[0].reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"'],
  () => kit.createErrors(mutating, configOf({ reinvocationPolicy: "Always" })),
);

// Spec 1, Notable changes of admissionregistration v1: what v1beta1 allowed its clients keep.
const loose = configOf({ sideEffects: "Unknown", admissionReviewVersions: ["v2"] }, { sideEffects: "Some" });
for (const [kind, hub] of [
  [betaValidating, validating],
  [betaMutating, mutating],
] as const) {
  expectErrors(`a ${kind} with side effects and double names`, [], () => kit.createErrors(kind, loose));
  expectErrors(`a ${kind} of nothing but a name and an address`, [], () =>
    kit.createErrors(kind, { webhooks: [{ name: "w.a.example", clientConfig: { service } }] }),
  );
  expectErrors(
    `a ${kind} with effects nobody knows`,
    [/^webhooks\[0\].sideEffects: .*supported values: "None", "NoneOnDryRun", "Some", "Unknown"$/],
    () => kit.createErrors(kind, configOf({ sideEffects: "Often" })),
  );
  test(`a ${hub} made by a v1beta1 client can be changed by a v1 client`, () => {
    const before = { webhooks: kit.created(kind, loose)["webhooks"] };
    assert.deepEqual(kit.updateErrors(hub, { ...before, metadata: { resourceVersion: "1" } }, before), []);
    const good = configOf({});
    const change = { ...loose, metadata: { resourceVersion: "1" } };
    assert.equal(kit.updateErrors(hub, change, good).length, 4, "what was good may not become loose");
    assert.deepEqual(kit.updateErrors(kind, change, good), []);
  });
}

const defaults = (kind: string, webhook: Tree) => valueAt(kit.defaulted(kind, { webhooks: [webhook] }), "webhooks");
const bare = { name: "w.a.example", clientConfig: { service }, rules: [rule] };
const always = {
  ...bare,
  clientConfig: { service: { ...service, port: 443 } },
  rules: [{ ...rule, scope: "*" }],
  namespaceSelector: {},
  objectSelector: {},
};
const v1 = { ...always, failurePolicy: "Fail", matchPolicy: "Equivalent", timeoutSeconds: 10 };
const v1beta1 = {
  ...always,
  failurePolicy: "Ignore",
  matchPolicy: "Exact",
  timeoutSeconds: 30,
  sideEffects: "Unknown",
  admissionReviewVersions: ["v1beta1"],
};

for (const [kind, wanted] of [
  [validating, v1],
  [mutating, { ...v1, reinvocationPolicy: "Never" }],
  [betaValidating, v1beta1],
  [betaMutating, { ...v1beta1, reinvocationPolicy: "Never" }],
] as const) {
  test(`what ${kind} leaves out`, () => assert.deepEqual(defaults(kind, bare), [wanted]));
}

test("what v1beta1 clients left out stays theirs when it is stored", () => {
  assert.deepEqual(kit.created(betaValidating, { webhooks: [bare] })["webhooks"], [v1beta1]);
});

test("a configuration's generation moves with its webhooks", () => {
  const old = kit.created(validating, configOf({}));
  assert.equal(old.metadata.generation, 1);
  assert.equal(kit.updated(validating, configOf({}), old).metadata.generation, 1);
  assert.equal(kit.updated(validating, configOf({ timeoutSeconds: 5 }), old).metadata.generation, 2);
});
