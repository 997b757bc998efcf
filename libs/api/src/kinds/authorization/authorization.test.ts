import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { expectErrors, type Wanted } from "../../testing/error-rows.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const V1 = "authorization.k8s.io/v1";
const resourceAttributes = { verb: "get", resource: "pods", namespace: "n" };
const nonResourceAttributes = { verb: "get", path: "/healthz" };
const reviewOf = (spec: Tree) => ({ spec: { user: "u", resourceAttributes, ...spec } });
const selectorOf = (fieldSelector: Tree) => reviewOf({ resourceAttributes: { ...resourceAttributes, fieldSelector } });
const at = "spec.resourceAttributes";

const rows: readonly (readonly [string, string, Tree, readonly Wanted[]])[] = [
  ["SubjectAccessReview", "good", reviewOf({}), []],
  ["SubjectAccessReview", "of groups", reviewOf({ user: "", groups: ["g"] }), []],
  [
    "SubjectAccessReview",
    "that asks nothing of nobody",
    {},
    [
      `${at}: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified`,
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
  ],
  [
    "SubjectAccessReview",
    "that asks two things",
    reviewOf({ nonResourceAttributes }),
    [/^spec.nonResourceAttributes: Invalid value: .*: cannot be specified in combination with resourceAttributes$/],
  ],
  [
    "SubjectAccessReview",
    "with a name",
    { ...reviewOf({}), metadata: { name: "x" } },
    ['metadata: Invalid value: {"name":"x"}: must be empty'],
  ],
  ["SubjectAccessReview", "that was applied", { ...reviewOf({}), metadata: { managedFields: [{ manager: "m" }] } }, []],
  [
    "SubjectAccessReview",
    "that selects nothing",
    selectorOf({}),
    [
      `${at}.fieldSelector.requirements: Required value: when ${at}.fieldSelector is specified, requirements or rawSelector is required`,
    ],
  ],
  [
    "SubjectAccessReview",
    "that selects twice",
    selectorOf({ rawSelector: "a=b", requirements: [{ key: "a", operator: "Newer" }] }),
    [`${at}.fieldSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`],
  ],
  [
    "SubjectAccessReview",
    "that selects wrongly",
    selectorOf({ requirements: [{ operator: "In" }, { key: "a", operator: "Exists", values: ["b"] }] }),
    [
      `${at}.fieldSelector.requirements[0].key: Required value: must be specified`,
      `${at}.fieldSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      `${at}.fieldSelector.requirements[1].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
    ],
  ],
  [
    "SubjectAccessReview",
    "that selects labels wrongly",
    reviewOf({
      user: "",
      resourceAttributes: {
        ...resourceAttributes,
        labelSelector: {
          requirements: [
            { key: "a", operator: "Newer", values: ["b"] },
            { key: "", operator: "In", values: ["a b"] },
          ],
        },
      },
    }),
    [
      'spec.user: Invalid value: "": at least one of user or group must be specified',
      /^spec.resourceAttributes.labelSelector.requirements\[1\].key: Invalid value: "": name part must be non-empty$/,
      /^spec.resourceAttributes.labelSelector.requirements\[1\].key: Invalid value: "": name part must consist of/,
      /^spec.resourceAttributes.labelSelector.requirements\[1\].values\[0\]: Invalid value: "a b": a valid label/,
    ],
  ],
  ["SelfSubjectAccessReview", "good", { spec: { nonResourceAttributes } }, []],
  [
    "SelfSubjectAccessReview",
    "with a name, that asks nothing",
    { metadata: { name: "x" } },
    [
      `${at}: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified`,
      'metadata: Invalid value: {"name":"x"}: must be empty',
    ],
  ],
  ["LocalSubjectAccessReview", "good", { metadata: { namespace: "n" }, ...reviewOf({}) }, []],
  [
    "LocalSubjectAccessReview",
    "of another namespace",
    { metadata: { namespace: "m", name: "x" }, ...reviewOf({}) },
    [
      /^metadata: Invalid value: .*: must be empty except for namespace$/,
      `${at}.namespace: Invalid value: "n": must match metadata.namespace`,
    ],
  ],
  [
    "LocalSubjectAccessReview",
    "of a path",
    { spec: { user: "u", nonResourceAttributes } },
    [/^spec.nonResourceAttributes: Invalid value: .*: disallowed on this kind of request$/],
  ],
  ["SelfSubjectRulesReview", "good", { spec: { namespace: "n" } }, []],
];
for (const [kind, what, tree, wanted] of rows) {
  expectErrors(`a ${kind} ${what}`, wanted, () => kit.virtualErrors(`${V1}.${kind}`, tree));
}

for (const kind of ["SubjectAccessReview", "LocalSubjectAccessReview"]) {
  test(`a ${kind} of v1beta1 has its groups under group`, () => {
    const name = `authorization.k8s.io/v1beta1.${kind}`;
    const tree = { spec: { group: ["g"], resourceAttributes } };
    const { hub, back } = kit.roundTrip(name, tree);
    assert.deepEqual(hub["spec"], { groups: ["g"], resourceAttributes });
    assert.deepEqual(back["spec"], tree.spec);
    assert.equal(hub.apiVersion, V1);
  });
}
