import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { valueAt } from "../../object.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import { testCreates, testParts, testUpdates, testValues } from "../../testing/kind-rows.js";
import { fromHub } from "../../writes.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const group = "flowcontrol.apiserver.k8s.io";
const Schema = `${group}/v1.FlowSchema`;
const Level = `${group}/v1.PriorityLevelConfiguration`;
const levelIn = (version: string) => `${group}/${version}.PriorityLevelConfiguration`;
const zeroKey = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

const user = { kind: "User", user: { name: "u" } };
const resourceRule = { verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["n"] };
const urlRule = { verbs: ["*"], nonResourceURLs: ["/healthz", "/apis/*"] };
const schemaOf = (spec: Tree) => ({ spec: { priorityLevelConfiguration: { name: "l" }, ...spec } });
const rulesOf = (rules: Tree) => schemaOf({ rules: [{ subjects: [user], resourceRules: [resourceRule], ...rules }] });
const subjectOf = (subject: Tree) => rulesOf({ subjects: [subject] });
const ruleOf = (rule: Tree) => rulesOf({ resourceRules: [{ ...resourceRule, ...rule }] });
const urlsOf = (...nonResourceURLs: readonly string[]) =>
  rulesOf({ nonResourceRules: [{ verbs: ["get"], nonResourceURLs }] });
const limitedOf = (limited: Tree) => ({
  spec: { type: "Limited", limited: { limitResponse: { type: "Reject" }, ...limited } },
});
const queuingOf = (queuing: Tree) => limitedOf({ limitResponse: { type: "Queue", queuing } });
const at = "spec.rules[0]";
const everything = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const exemptSchema = {
  metadata: { name: "exempt" },
  spec: {
    priorityLevelConfiguration: { name: "exempt" },
    matchingPrecedence: 1,
    rules: [{ subjects: [{ kind: "Group", group: { name: "system:masters" } }], ...everything }],
  },
};
const catchAllLevel = {
  metadata: { name: "catch-all" },
  ...limitedOf({ nominalConcurrencyShares: 5, lendablePercent: 0 }),
};

testCreates(kit, [
  [Schema, "good", rulesOf({ nonResourceRules: [urlRule] }), []],
  [
    Schema,
    "without a level",
    {},
    ["spec.priorityLevelConfiguration.name: Required value: must reference a priority level"],
  ],
  [
    Schema,
    "that comes before all",
    schemaOf({ matchingPrecedence: 1 }),
    ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
  ],
  [
    Schema,
    "that comes after the last",
    schemaOf({ matchingPrecedence: 10_001 }),
    ["spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000"],
  ],
  [
    Schema,
    "with a precedence below 0",
    schemaOf({ matchingPrecedence: -1 }),
    ["spec.matchingPrecedence: Invalid value: -1: must be a positive value"],
  ],
  [
    Schema,
    "that tells requests apart in an unknown way",
    schemaOf({ distinguisherMethod: { type: "ByMood" } }),
    ['spec.distinguisherMethod.type: Unsupported value: "ByMood": supported values: "ByNamespace", "ByUser"'],
  ],
  [
    Schema,
    "for nobody and nothing",
    schemaOf({ rules: [{}] }),
    [
      `${at}.subjects: Required value: subjects must contain at least one value`,
      `${at}: Required value: at least one of resourceRules and nonResourceRules has to be non-empty`,
    ],
  ],
  [
    Schema,
    "for a robot",
    subjectOf({ kind: "Robot" }),
    [`${at}.subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"`],
  ],
  [
    Schema,
    "for a user that is a group",
    subjectOf({ kind: "User", group: { name: "g" } }),
    [
      `${at}.subjects[0].user: Required value: user is required when subject kind is 'User'`,
      `${at}.subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'`,
    ],
  ],
  [
    Schema,
    "for a group without a name",
    subjectOf({ kind: "Group", group: {} }),
    [`${at}.subjects[0].group.name: Required value`],
  ],
  [
    Schema,
    "for all accounts of no namespace",
    subjectOf({ kind: "ServiceAccount", serviceAccount: { name: "*" } }),
    [`${at}.subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account`],
  ],
  [
    Schema,
    "for an account named wrongly",
    subjectOf({ kind: "ServiceAccount", serviceAccount: { name: "A", namespace: "B" } }),
    [
      /^spec.rules\[0\].subjects\[0\].serviceAccount.name: Invalid value: "A"/,
      /^spec.rules\[0\].subjects\[0\].serviceAccount.namespace: Invalid value: "B"/,
    ],
  ],
  [
    Schema,
    "with an empty rule",
    rulesOf({ resourceRules: [{}], nonResourceRules: [{}] }),
    [
      `${at}.resourceRules[0].verbs: Required value: verbs must contain at least one value`,
      `${at}.resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group`,
      `${at}.resourceRules[0].resources: Required value: resource rules must supply at least one resource`,
      `${at}.resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace`,
      `${at}.nonResourceRules[0].verbs: Required value: verbs must contain at least one value`,
      `${at}.nonResourceRules[0].nonResourceURLs: Required value: nonResourceURLs must contain at least one value`,
    ],
  ],
  [
    Schema,
    "with all and some",
    ruleOf({ verbs: ["*", "get"], apiGroups: ["*", "a"], resources: ["*", "a"], namespaces: ["*", "a"] }),
    [
      /verbs: Invalid value: \["\*","get"\]: if '\*' is present, must not specify other verbs$/,
      /apiGroups: Invalid value: .*: if '\*' is present, must not specify other api groups$/,
      /resources: Invalid value: .*: if '\*' is present, must not specify other resources$/,
      /namespaces: Invalid value: .*: if '\*' is present, must not specify other namespaces$/,
    ],
  ],
  [
    Schema,
    "with an unknown verb",
    ruleOf({ verbs: ["steal"] }),
    [/^spec.rules\[0\].resourceRules\[0\].verbs: Unsupported value: \["steal"\]: supported values: "create", "delete"/],
  ],
  [
    Schema,
    "in a namespace of wrong form",
    ruleOf({ namespaces: ["A"] }),
    [/namespaces\[0\]: Invalid value: "A": each member of this list must be '\*' or a DNS-1123 label; a lowercase/],
  ],
  [Schema, "for the cluster alone", ruleOf({ namespaces: undefined, clusterScope: true }), []],
  [
    Schema,
    "for paths of wrong form",
    urlsOf("/", "", "a", "/a b", "/a//b", "/a*"),
    [
      `${at}.nonResourceRules[0].nonResourceURLs[1]: Invalid value: "": must not be empty`,
      `${at}.nonResourceRules[0].nonResourceURLs[2]: Invalid value: "a": must start with slash`,
      `${at}.nonResourceRules[0].nonResourceURLs[3]: Invalid value: "/a b": must not contain white-space`,
      `${at}.nonResourceRules[0].nonResourceURLs[4]: Invalid value: "/a//b": must not contain double slash`,
      `${at}.nonResourceRules[0].nonResourceURLs[5]: Invalid value: "/a*": wildcard can only do suffix matching`,
    ],
  ],
  [Schema, "that must be, as it must be", exemptSchema, []],
  [
    Schema,
    "that must be, otherwise",
    { ...exemptSchema, spec: { ...exemptSchema.spec, rules: [] } },
    [/^spec: Invalid value: .*: spec of 'exempt' must equal the fixed value$/],
  ],
  [Level, "good", queuingOf({}), []],
  [
    Level,
    "of unknown type",
    { spec: { type: "X" } },
    ['spec.type: Unsupported value: "X": supported values: "Exempt", "Limited"'],
  ],
  [
    Level,
    "that is exempt under another name",
    { spec: { type: "Exempt", limited: { limitResponse: { type: "Reject" } } } },
    [
      "spec.type: Invalid value: \"Exempt\": type must be 'Exempt' if and only if name is 'exempt'",
      "spec.limited: Forbidden: must be nil if the type is not Limited",
    ],
  ],
  [
    Level,
    "that is limited without limits",
    { spec: { type: "Limited", exempt: {} } },
    [
      "spec.exempt: Forbidden: must be nil if the type is Limited",
      "spec.limited: Required value: must not be empty when type is Limited",
    ],
  ],
  [
    Level,
    "with numbers out of range",
    limitedOf({ nominalConcurrencyShares: -1, lendablePercent: 101, borrowingLimitPercent: -1 }),
    [
      "spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive",
      "spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer",
      "spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer",
    ],
  ],
  [
    levelIn("v1beta2"),
    "with shares below 0",
    limitedOf({ assuredConcurrencyShares: -1 }),
    ["spec.limited.assuredConcurrencyShares: Invalid value: -1: must be a non-negative integer"],
  ],
  [
    Level,
    "that answers in an unknown way",
    limitedOf({ limitResponse: { type: "X" } }),
    ['spec.limited.limitResponse.type: Unsupported value: "X": supported values: "Queue", "Reject"'],
  ],
  [
    Level,
    "that queues and refuses",
    limitedOf({ limitResponse: { type: "Reject", queuing: {} } }),
    ["spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited"],
  ],
  [
    Level,
    "without queues",
    limitedOf({ limitResponse: { type: "Queue" } }),
    ["spec.limited.limitResponse.queuing: Required value: must not be empty if limited.limitResponse.type is Limited"],
  ],
  [
    Level,
    "with queues below 0",
    queuingOf({ queues: -1, handSize: -1, queueLengthLimit: -1 }),
    [
      "spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive",
      "spec.limited.limitResponse.queuing.queues: Invalid value: -1: must be positive",
      "spec.limited.limitResponse.queuing.handSize: Invalid value: -1: must be positive",
    ],
  ],
  [
    Level,
    "with too many queues",
    queuingOf({ queues: 10_000_001, handSize: 1 }),
    ["spec.limited.limitResponse.queuing.queues: Invalid value: 10000001: must not be greater than 10000000"],
  ],
  [
    Level,
    "with hands larger than the deck",
    queuingOf({ queues: 4, handSize: 5 }),
    ["spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)"],
  ],
  [
    Level,
    "with hands of too many bits",
    queuingOf({ queues: 512, handSize: 7 }),
    [
      "spec.limited.limitResponse.queuing.handSize: Invalid value: 7: required entropy bits of deckSize 512 and handSize 7 should not be greater than 60",
    ],
  ],
  [Level, "that must be, as it must be", catchAllLevel, []],
  [
    Level,
    "that must be, otherwise",
    { ...catchAllLevel, ...limitedOf({ nominalConcurrencyShares: 6 }) },
    [/^spec: Invalid value: .*: spec of 'catch-all' must equal the fixed value$/],
  ],
  [
    Level,
    "that is exempt and lends",
    {
      metadata: { name: "exempt" },
      spec: { type: "Exempt", exempt: { nominalConcurrencyShares: 9, lendablePercent: 50 } },
    },
    [],
  ],
  [
    Level,
    "that is exempt with numbers out of range",
    {
      metadata: { name: "exempt" },
      spec: { type: "Exempt", exempt: { nominalConcurrencyShares: -1, lendablePercent: -1 } },
    },
    [
      "spec.exempt.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer",
      "spec.exempt.lendablePercent: Invalid value: -1: must be between 0 and 100, inclusive",
    ],
  ],
  [
    Level,
    "that must be exempt and is limited",
    { metadata: { name: "exempt" }, ...limitedOf({}) },
    [
      "spec.type: Invalid value: \"Limited\": type must be 'Exempt' if and only if name is 'exempt'",
      /^spec: Invalid value: .*: spec of 'exempt' except the 'spec.exempt' field must equal the fixed value$/,
    ],
  ],
]);

testUpdates(kit, [[Level, "with other queues", queuingOf({ queues: 32, handSize: 4 }), queuingOf({}), []]]);

testValues(kit, [
  [Schema, "stands in the middle", schemaOf({}), "spec.matchingPrecedence", 1000],
  [
    Schema,
    "with precedence 0 stands in the middle",
    schemaOf({ matchingPrecedence: 0 }),
    "spec.matchingPrecedence",
    1000,
  ],
  [Level, "has 30 shares", limitedOf({}), "spec.limited.nominalConcurrencyShares", 30],
  [Level, "may have no shares", limitedOf({ nominalConcurrencyShares: 0 }), "spec.limited.nominalConcurrencyShares", 0],
  [Level, "lends nothing", limitedOf({}), "spec.limited.lendablePercent", 0],
  [
    Level,
    "has queues",
    queuingOf({ handSize: 0 }),
    "spec.limited.limitResponse.queuing",
    { queues: 64, handSize: 8, queueLengthLimit: 50 },
  ],
  [
    Level,
    "without limits takes none from others",
    { spec: { type: "Exempt", exempt: {} } },
    "spec.exempt",
    { nominalConcurrencyShares: 0, lendablePercent: 0 },
  ],
  [levelIn("v1beta3"), "has 30 shares", limitedOf({}), "spec.limited.nominalConcurrencyShares", 30],
  [
    levelIn("v1beta3"),
    "with 0 shares has 30",
    limitedOf({ nominalConcurrencyShares: 0 }),
    "spec.limited.nominalConcurrencyShares",
    30,
  ],
  [
    levelIn("v1beta3"),
    "that means its 0 shares keeps them",
    { metadata: { annotations: { [zeroKey]: "" } }, ...limitedOf({ nominalConcurrencyShares: 0 }) },
    "spec.limited.nominalConcurrencyShares",
    0,
  ],
  ...["v1alpha1", "v1beta1", "v1beta2"].flatMap((version) => [
    [levelIn(version), "has 30 shares", limitedOf({}), "spec.limited.nominalConcurrencyShares", 30] as const,
    [
      levelIn(version),
      "calls its shares assured",
      limitedOf({ assuredConcurrencyShares: 7 }),
      "spec.limited.nominalConcurrencyShares",
      7,
    ] as const,
  ]),
]);

testParts(kit, [
  [
    `${Schema}/status`,
    "with a condition twice and one of no type",
    { ...schemaOf({}), status: { conditions: [{ type: "Dangling" }, { type: "Dangling" }, {}] } },
    schemaOf({}),
    [
      'status.conditions[1].type: Duplicate value: "Dangling"',
      "status.conditions[2].type: Required value: must not be empty",
    ],
  ],
  [
    `${Level}/status`,
    "with a condition",
    { ...queuingOf({}), status: { conditions: [{ type: "A" }] } },
    queuingOf({}),
    [],
  ],
]);

test("0 shares of v1 come through v1beta3 and back", () => {
  const stored = kit.created(Level, limitedOf({ nominalConcurrencyShares: 0 }));
  const old = fromHub(kit.kind(levelIn("v1beta3")), stored);
  assert.deepEqual(old.metadata.annotations, { [zeroKey]: "" });
  const { apiVersion: _version, kind: _kind, ...sent } = old;
  const again = kit.updated(levelIn("v1beta3"), sent, stored);
  assert.equal(valueAt(again, "spec.limited.nominalConcurrencyShares"), 0);
  assert.equal(again.metadata.annotations, undefined);
});

test("a status is written alone", () => {
  const before = { metadata: { labels: { a: "b" } }, ...schemaOf({}) };
  const tree = { metadata: { labels: { c: "d" } }, spec: {}, status: { conditions: [{ type: "Dangling" }] } };
  const object = kit.part(Schema, "status", { tree, before });
  assert.deepEqual(object["status"], tree.status);
  assert.deepEqual(object.metadata.labels, { a: "b" });
  assert.equal(valueAt(object, "spec.priorityLevelConfiguration.name"), "l");
});

test("v1alpha1 keeps what it does not know, and takes nothing odd for it", () => {
  const key = "flowcontrol.k8s.io/v1alpha1-preserved-fields";
  const stored = kit.created(Level, limitedOf({ lendablePercent: 5, borrowingLimitPercent: 7 }));
  const old = fromHub(kit.kind(levelIn("v1alpha1")), stored);
  assert.deepEqual(old.metadata.annotations, { [key]: '{"lendablePercent":5,"borrowingLimitPercent":7}' });
  assert.deepEqual(valueAt(old, "spec.limited"), { limitResponse: { type: "Reject" }, assuredConcurrencyShares: 30 });
  const again = (text: string) =>
    valueAt(
      kit.created(levelIn("v1alpha1"), { metadata: { annotations: { [key]: text } }, ...limitedOf({}) }),
      "spec.limited",
    );
  const plain = { limitResponse: { type: "Reject" }, nominalConcurrencyShares: 30 };
  assert.deepEqual(again('{"lendablePercent":5}'), { ...plain, lendablePercent: 5 });
  for (const text of ["", "[", "[]", '{"lendablePercent":"5"}', '{"lendablePercent":5000000000}']) {
    assert.deepEqual(again(text), { ...plain, lendablePercent: 0 }, text);
  }
});
