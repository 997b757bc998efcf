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
const group = "rbac.authorization.k8s.io";
const role = `${group}/v1.Role`;
const clusterRole = `${group}/v1.ClusterRole`;
const binding = `${group}/v1.RoleBinding`;
const clusterBinding = `${group}/v1.ClusterRoleBinding`;
const old = `${group}/v1alpha1.RoleBinding`;

const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const paths = { verbs: ["get"], nonResourceURLs: ["/healthz"] };
const roleRef = { kind: "ClusterRole", name: "r" };
const bindingOf = (...subjects: readonly Tree[]): Tree => ({ roleRef, subjects });

const creates: readonly CreateRow[] = [
  [role, "good", { metadata: { name: "system:reader" }, rules: [rule] }, []],
  [
    role,
    "of a name that is no path segment",
    { metadata: { name: "a/b" } },
    [/^metadata.name: .*may not contain '\/'$/],
  ],
  [
    role,
    "of nothing and of paths",
    { rules: [{}, paths] },
    [
      "rules[0].verbs: Required value: verbs must contain at least one value",
      "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
      "rules[0].resources: Required value: resource rules must supply at least one resource",
      'rules[1].nonResourceURLs: Invalid value: ["/healthz"]: namespaced rules cannot apply to non-resource URLs',
    ],
  ],
  [clusterRole, "good", { rules: [rule, paths] }, []],
  [
    clusterRole,
    "of paths and resources",
    { rules: [{ ...rule, ...paths }] },
    [
      'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  ],
  [clusterRole, "of others", { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } }, []],
  [
    clusterRole,
    "of no others",
    { aggregationRule: {} },
    [
      "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
    ],
  ],
  [
    clusterRole,
    "of odd others",
    { aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "X" }] }] } },
    [
      'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: "X": not a valid selector operator',
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: "null": invalid label selector.',
    ],
  ],
  [
    binding,
    "good",
    bindingOf({ kind: "User", name: "ann" }, { kind: "Group", name: "devs" }, { kind: "ServiceAccount", name: "a" }),
    [],
  ],
  [
    binding,
    "to nothing",
    { roleRef: { apiGroup: "x", kind: "Pod", name: "" } },
    [
      `roleRef.apiGroup: Unsupported value: "x": supported values: "${group}"`,
      'roleRef.kind: Unsupported value: "Pod": supported values: "Role", "ClusterRole"',
      "roleRef.name: Required value",
    ],
  ],
  [
    binding,
    "to an odd name",
    { roleRef: { kind: "Role", name: "a%b" } },
    ["roleRef.name: Invalid value: \"a%b\": may not contain '%'"],
  ],
  [
    binding,
    "of odd subjects",
    bindingOf(
      { kind: "User", name: "", apiGroup: "x" },
      { kind: "Group", name: "g", apiGroup: "x" },
      { kind: "ServiceAccount", name: "A", apiGroup: group },
      { kind: "Pod", name: "p" },
    ),
    [
      "subjects[0].name: Required value",
      `subjects[0].apiGroup: Unsupported value: "x": supported values: "${group}"`,
      `subjects[1].apiGroup: Unsupported value: "x": supported values: "${group}"`,
      /^subjects\[2\].name: Invalid value: "A": a lowercase RFC 1123 subdomain must/,
      `subjects[2].apiGroup: Unsupported value: "${group}": supported values: ""`,
      'subjects[3].kind: Unsupported value: "Pod": supported values: "ServiceAccount", "User", "Group"',
    ],
  ],
  [clusterBinding, "good", bindingOf({ kind: "ServiceAccount", name: "a", namespace: "n" }), []],
  [
    clusterBinding,
    "of a role and an account of no namespace",
    { roleRef: { kind: "Role", name: "r" }, subjects: [{ kind: "ServiceAccount", name: "a" }] },
    [
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      "subjects[0].namespace: Required value",
    ],
  ],
];
testCreates(kit, creates);

const other = /^roleRef: Invalid value: \{.*"name":"s".*\}: cannot change roleRef$/;
const updates: readonly UpdateRow[] = [
  [role, "of other rules", { rules: [] }, { rules: [rule] }, []],
  [
    role,
    "of a rule about nothing is told each error twice",
    { rules: [{ verbs: ["get"], apiGroups: [""] }] },
    { rules: [rule] },
    [
      "rules[0].resources: Required value: resource rules must supply at least one resource",
      "rules[0].resources: Required value: resource rules must supply at least one resource",
    ],
  ],
  [binding, "of other subjects", bindingOf({ kind: "User", name: "bob" }), bindingOf(), []],
  [binding, "to another role", { roleRef: { ...roleRef, name: "s" } }, bindingOf(), [other]],
  [clusterBinding, "to another role", { roleRef: { ...roleRef, name: "s" } }, bindingOf(), [other]],
];
testUpdates(kit, updates);

const filled = [
  { kind: "User", name: "ann", apiGroup: group },
  { kind: "Group", name: "devs", apiGroup: group },
  { kind: "ServiceAccount", name: "a" },
];
const values: readonly ValueRow[] = ["v1", "v1beta1", "v1alpha1"].flatMap((version): ValueRow[] =>
  ["RoleBinding", "ClusterRoleBinding"].flatMap((kind): ValueRow[] => {
    const name = `${group}/${version}.${kind}`;
    const tree = bindingOf(...filled.map(({ kind: of, name: called }) => ({ kind: of, name: called })));
    return [
      [name, "knows the group of its role", tree, "roleRef.apiGroup", group],
      [name, "knows the groups of its subjects", tree, "subjects", filled],
    ];
  }),
);
testValues(kit, values);

for (const [what, given, stored, back] of [
  ["a user", { kind: "User", name: "ann" }, { kind: "User", name: "ann", apiGroup: group }, `${group}/v1alpha1`],
  ["a group", { kind: "Group", name: "g" }, { kind: "Group", name: "g", apiGroup: group }, `${group}/v1alpha1`],
  ["an account", { kind: "ServiceAccount", name: "a" }, { kind: "ServiceAccount", name: "a" }, "v1"],
  [
    "something else",
    { kind: "Thing", name: "t", apiVersion: "x/v2" },
    { kind: "Thing", name: "t", apiGroup: "x" },
    "x/",
  ],
] as const) {
  test(`${what} in the first version names a group in later ones`, () => {
    const trip = kit.roundTrip(old, bindingOf(given));
    assert.deepEqual(trip.hub["subjects"], [stored]);
    assert.deepEqual(trip.back["subjects"], [{ ...given, apiVersion: back }]);
  });
}

test("everybody of the first version is the group of the authenticated", () => {
  const { hub } = kit.roundTrip(old, bindingOf({ kind: "User", name: "*" }));
  assert.deepEqual(hub["subjects"], [{ kind: "Group", name: "system:authenticated", apiGroup: group }]);
});
