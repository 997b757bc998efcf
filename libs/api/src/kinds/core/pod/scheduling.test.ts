import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../../catalog.js";
import { expectErrors, type Wanted } from "../../../testing/error-rows.js";
import { createKindKit, type Tree } from "../../../testing/kind-kit.js";

const { createErrors } = createKindKit(loadCatalog(createNaming("kubernetes")));
const containers = [{ name: "c", image: "nginx:1" }];
const emptyName = [/Invalid value: "": name part must be non-empty$/, /Invalid value: "": name part must consist/];
const many = (n: number, item: string): readonly string[] => Array.from({ length: n }, () => item);

type Row = readonly [what: string, spec: Tree, wanted: readonly Wanted[]];

const requiredNodes = (...nodeSelectorTerms: readonly Tree[]): Tree => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const nodesAt = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
const expression = (requirement: Tree): Tree => requiredNodes({ matchExpressions: [requirement] });
const expressionAt = `${nodesAt}[0].matchExpressions[0]`;
const nodes: readonly Row[] = [
  [
    "nodes by labels and name",
    requiredNodes({
      matchExpressions: [
        { key: "a", operator: "In", values: ["b"] },
        { key: "n", operator: "Gt", values: ["1"] },
      ],
      matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }],
    }),
    [],
  ],
  ["no terms", requiredNodes(), [`${nodesAt}: Required value: must have at least one node selector term`]],
  [
    "none of its values",
    expression({ key: "a", operator: "NotIn" }),
    [`${expressionAt}.values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`],
  ],
  [
    "values for a label that is there",
    expression({ key: "a", operator: "Exists", values: ["b"] }),
    [`${expressionAt}.values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`],
  ],
  [
    "two bounds",
    expression({ key: "a", operator: "Lt", values: ["1", "2"] }),
    [`${expressionAt}.values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`],
  ],
  [
    "an unknown operator",
    expression({ key: "-", operator: "X" }),
    [
      `${expressionAt}.operator: Invalid value: "X": not a valid selector operator`,
      /key: Invalid value: "-": name part must consist/,
    ],
  ],
  [
    "an unknown field",
    requiredNodes({ matchFields: [{ key: "spec.x", operator: "Exists", values: ["a"] }] }),
    [
      `${nodesAt}[0].matchFields[0].operator: Invalid value: "Exists": not a valid selector operator`,
      `${nodesAt}[0].matchFields[0].key: Invalid value: "spec.x": not a valid field selector key`,
    ],
  ],
  [
    "a wish without weight",
    {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 101, preference: { matchExpressions: [{ key: "a", operator: "Exists" }] } },
          ],
        },
      },
    },
    [
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100",
    ],
  ],
  [
    "a node selector of no form",
    { nodeSelector: { "-": "_" } },
    [/^spec.nodeSelector: Invalid value: "-"/, /^spec.nodeSelector: Invalid value: "_"/],
  ],
];

const near = (term: Tree, kind = "podAffinity"): Tree => ({
  affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone", ...term }] } },
});
const nearAt = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]";
const labelSelector = { matchLabels: { a: "b" } };
const pods: readonly Row[] = [
  ["pods of its kind", near({ labelSelector, matchLabelKeys: ["v"], namespaces: ["n"], namespaceSelector: {} }), []],
  [
    "pods nowhere",
    near({ topologyKey: "" }),
    [`${nearAt}.topologyKey: Required value: can not be empty`, ...emptyName],
  ],
  [
    "pods of a namespace of no form",
    near({ namespaces: ["A"] }),
    [/requiredDuringSchedulingIgnoredDuringExecution\[0\].namespace: Invalid value: "A": a lowercase RFC 1123 label/],
  ],
  [
    "pods of wrong selectors",
    near({
      labelSelector: { matchExpressions: [{ key: "a", operator: "In" }] },
      namespaceSelector: { matchLabels: { "-": "" } },
    }),
    [/labelSelector.matchExpressions\[0\].values: Required value/, /namespaceSelector.matchLabels: Invalid value: "-"/],
  ],
  [
    "keys without a selector",
    near({ matchLabelKeys: ["v"] }),
    [`${nearAt}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`],
  ],
  [
    "keys both ways",
    near({ labelSelector, matchLabelKeys: ["v"], mismatchLabelKeys: ["v"] }),
    [`${nearAt}.mismatchLabelKeys[0]: Invalid value: "v": exists in both matchLabelKeys and mismatchLabelKeys`],
  ],
  [
    "a wish without weight",
    {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: { topologyKey: "zone" } }],
        },
      },
    },
    [
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100",
    ],
  ],
];

const spread = (...constraints: readonly Tree[]): Tree => ({
  topologySpreadConstraints: constraints.map((c) => ({
    maxSkew: 1,
    topologyKey: "zone",
    whenUnsatisfiable: "DoNotSchedule",
    ...c,
  })),
});
const spreadAt = "spec.topologySpreadConstraints[0]";
const spreads: readonly Row[] = [
  ["an even spread", spread({ minDomains: 2, labelSelector, matchLabelKeys: ["v"], nodeTaintsPolicy: "Honor" }), []],
  [
    "no skew, no key",
    spread({ maxSkew: 0, topologyKey: "" }),
    [
      `${spreadAt}.maxSkew: Invalid value: 0: must be greater than zero`,
      `${spreadAt}.topologyKey: Required value: can not be empty`,
    ],
  ],
  [
    "an unknown answer",
    spread({ whenUnsatisfiable: "X", minDomains: 0, nodeAffinityPolicy: "Y" }),
    [
      `${spreadAt}.whenUnsatisfiable: Unsupported value: "X": supported values: "DoNotSchedule", "ScheduleAnyway"`,
      `${spreadAt}.minDomains: Invalid value: 0: must be greater than zero`,
      `${spreadAt}.minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not X`,
      `${spreadAt}.nodeAffinityPolicy: Unsupported value: "Y": supported values: "Honor", "Ignore"`,
    ],
  ],
  [
    "a spread twice",
    spread({}, {}),
    [`${spreadAt}.{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"`],
  ],
  [
    "keys that are selected",
    spread({ labelSelector, matchLabelKeys: ["a", "-"] }),
    [
      `${spreadAt}.matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector`,
      /matchLabelKeys\[1\]: Invalid value: "-"/,
    ],
  ],
  [
    "keys of no selector",
    spread({ matchLabelKeys: ["a"] }),
    [`${spreadAt}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`],
  ],
  [
    "a wrong selector",
    spread({ labelSelector: { matchExpressions: [{ key: "a", operator: "X" }] } }),
    [`${spreadAt}.labelSelector.matchExpressions[0].operator: Invalid value: "X": not a valid selector operator`],
  ],
];

const tolerate = (toleration: Tree): Tree => ({ tolerations: [toleration] });
const tolerations: readonly Row[] = [
  [
    "what it bears",
    { tolerations: [{ operator: "Exists" }, { key: "a/b", value: "c", effect: "NoExecute", tolerationSeconds: 0 }] },
    [],
  ],
  [
    "everything it bears of one value",
    tolerate({ value: "a" }),
    [
      'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
  ],
  [
    "a key of no form",
    tolerate({ key: "-", operator: "X", effect: "Y" }),
    [
      /^spec.tolerations\[0\].key: Invalid value: "-"/,
      'spec.tolerations[0].operator: Unsupported value: "X": supported values: "Equal", "Exists"',
      'spec.tolerations[0].effect: Unsupported value: "Y": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  ],
  [
    "a value where any will do",
    tolerate({ key: "a", operator: "Exists", value: "b" }),
    [/^spec.tolerations\[0\].operator: Invalid value: .*: value must be empty when `operator` is 'Exists'$/],
  ],
  [
    "a value of no form",
    tolerate({ key: "a", value: "_" }),
    [/^spec.tolerations\[0\].operator: Invalid value: "_": a valid label must be/],
  ],
  [
    "a time without an end",
    tolerate({ key: "a", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 1 }),
    [
      "spec.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
    ],
  ],
];

const others: readonly Row[] = [
  [
    "names of no form",
    {
      hostname: "A",
      subdomain: "B",
      nodeName: "C_",
      serviceAccountName: "D_",
      priorityClassName: "E_",
      runtimeClassName: "F_",
    },
    ["serviceAccountName", "nodeName", "hostname", "subdomain", "priorityClassName", "runtimeClassName"].map(
      (name) => new RegExp(`^spec.${name}: Invalid value: `),
    ),
  ],
  [
    "unknown policies",
    { restartPolicy: "X", preemptionPolicy: "Y" },
    [
      'spec.restartPolicy: Unsupported value: "X": supported values: "Always", "OnFailure", "Never"',
      'spec.preemptionPolicy: Unsupported value: "Y": supported values: "PreemptLowerPriority", "Never"',
    ],
  ],
  [
    "no time at all",
    { activeDeadlineSeconds: 0 },
    ["spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"],
  ],
  ["gates", { schedulingGates: [{ name: "a.b/c" }] }, []],
  [
    "bad gates",
    { schedulingGates: [{ name: "" }, { name: "a" }, { name: "a" }] },
    [...emptyName, 'spec.schedulingGates[2]: Duplicate value: "a"'],
  ],
  [
    "gates and a node",
    { schedulingGates: [{ name: "a" }], nodeName: "n" },
    ["spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"],
  ],
  [
    "a condition of no form",
    { readinessGates: [{ conditionType: "-" }] },
    [/^spec.readinessGates\[0\].conditionType: Invalid value: "-"/],
  ],
  [
    "an overhead of no kind",
    { overhead: { x: "1", cpu: "-1" } },
    [
      "spec.overhead.limits[x]: Invalid value: x: must be a standard resource type or fully qualified",
      "spec.overhead.limits[x]: Invalid value: x: must be a standard resource for containers",
      'spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [
    "claims",
    {
      resourceClaims: [
        { name: "a", resourceClaimName: "x" },
        { name: "b", resourceClaimTemplateName: "y" },
      ],
    },
    [],
  ],
  [
    "claims of nothing, of two things, of one name",
    {
      resourceClaims: [
        { name: "a" },
        { name: "b", resourceClaimName: "x", resourceClaimTemplateName: "y" },
        { name: "a", resourceClaimName: "X" },
        { name: "", resourceClaimName: "x" },
      ],
    },
    [
      "spec.resourceClaims[3].name: Required value",
      /^spec.resourceClaims\[0\]: Invalid value: .*: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`$/,
      /^spec.resourceClaims\[1\]: Invalid value: .*: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified$/,
      'spec.resourceClaims[2].name: Duplicate value: "a"',
      /^spec.resourceClaims\[2\].resourceClaimName: Invalid value: "X"/,
    ],
  ],

  [
    "no servers of its own",
    { dnsPolicy: "None" },
    ["spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
  ],
  [
    "an empty list of servers",
    { dnsPolicy: "None", dnsConfig: {} },
    ["spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None"],
  ],
  [
    "too many servers",
    { dnsConfig: { nameservers: ["1.1.1.1", "x", "::1", "1.1.1.2"] } },
    [
      /^spec.dnsConfig.nameservers\[1\]: Invalid value: "x": must be a valid IP address/,
      /^spec.dnsConfig.nameservers: Invalid value: .*: must not have more than 3 nameservers$/,
    ],
  ],
  ["domains to search", { dnsConfig: { searches: ["a.b."], options: [{ name: "ndots", value: "2" }] } }, []],
  [
    "bad domains to search",
    { dnsConfig: { searches: ["A"], options: [{ value: "2" }] } },
    [
      /^spec.dnsConfig.searches\[0\]: Invalid value: "A": a lowercase RFC 1123 subdomain/,
      "spec.dnsConfig.options[0]: Required value: must not be empty",
    ],
  ],
  [
    "too much to search",
    { dnsConfig: { searches: many(33, "a".repeat(63)) } },
    [
      /: must not have more than 32 search paths$/,
      /: must not have more than 2048 characters \(including spaces\) in the search list$/,
    ],
  ],
  [
    "hosts of no address",
    { hostAliases: [{ ip: "x", hostnames: ["A"] }, { ip: "" }] },
    [
      /^spec.hostAliases\[0\].ip: Invalid value: "x": must be a valid IP address/,
      /^spec.hostAliases\[0\].hostnames\[0\]: Invalid value: "A"/,
      /^spec.hostAliases\[1\].ip: Invalid value: "": must be a valid IP address/,
    ],
  ],
];

for (const [what, spec, wanted] of [...nodes, ...pods, ...spreads, ...tolerations, ...others]) {
  expectErrors(`a pod with ${what}`, wanted, () => createErrors("Pod", { spec: { containers, ...spec } }));
}
