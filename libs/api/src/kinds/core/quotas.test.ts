import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import {
  type CreateRow,
  type PartRow,
  testCreates,
  testParts,
  testUpdates,
  testValues,
  type UpdateRow,
  type ValueRow,
} from "../../testing/kind-rows.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const range = "LimitRange";
const quota = "ResourceQuota";
const limitsOf = (...limits: readonly Tree[]): Tree => ({ spec: { limits } });
const quotaOf = (spec: Tree): Tree => ({ spec });
const scoped = (scopeName: string, operator: string, values?: readonly string[]): Tree =>
  quotaOf({
    hard: { pods: "1" },
    scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values === undefined ? {} : { values }) }] },
  });
const ofContainers = "must be a standard resource for containers";
const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

const creates: readonly CreateRow[] = [
  [
    range,
    "good",
    limitsOf(
      { type: "Pod", max: { cpu: "2" }, min: { cpu: "1" }, maxLimitRequestRatio: { cpu: "1500m" } },
      { type: "Container", max: { cpu: "2", "example.com/gpu": "1" }, default: { cpu: "1" } },
      { type: "PersistentVolumeClaim", max: { storage: "1Gi" } },
      { type: "example.com/thing", max: { "example.com/size": "1" } },
    ),
    [],
  ],
  [
    range,
    "of odd types",
    limitsOf({ type: "Thing" }, { type: "a b" }, { type: "Pod" }, { type: "Pod" }),
    [
      'spec.limits[0].type: Invalid value: "Thing": must be a standard limit type or fully qualified',
      /^spec.limits\[1\].type: Invalid value: "a b": name part must/,
      'spec.limits[3].type: Duplicate value: "Pod"',
    ],
  ],
  [
    range,
    "of odd resources",
    limitsOf(
      { type: "Pod", max: { pods: "1", "a b": "1", things: "1" } },
      { type: "Container", default: { pods: "1" }, defaultRequest: { pods: "1" } },
      { type: "example.com/x", min: { things: "1" } },
    ),
    [
      `spec.limits[0].max[pods]: Invalid value: pods: ${ofContainers}`,
      "spec.limits[0].max[a b]: Invalid value: a b: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      `spec.limits[0].max[a b]: Invalid value: a b: ${ofContainers}`,
      "spec.limits[0].max[things]: Invalid value: things: must be a standard resource type or fully qualified",
      `spec.limits[0].max[things]: Invalid value: things: ${ofContainers}`,
      `spec.limits[1].default[pods]: Invalid value: pods: ${ofContainers}`,
      `spec.limits[1].defaultRequest[pods]: Invalid value: pods: ${ofContainers}`,
      "spec.limits[2].min[things]: Invalid value: things: must be a standard resource type or fully qualified",
    ],
  ],
  [
    range,
    "of pods with defaults",
    limitsOf({ type: "Pod", default: { cpu: "1" }, defaultRequest: { cpu: "1" } }),
    [
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
      "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'",
    ],
  ],
  [
    range,
    "of claims without size",
    limitsOf({ type: "PersistentVolumeClaim" }),
    [
      "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
    ],
  ],
  [
    range,
    "in the wrong order",
    limitsOf(
      { type: "Pod", min: { cpu: "2" }, max: { cpu: "1" } },
      { type: "Container", min: { cpu: "2" }, max: { cpu: "4" }, default: { cpu: "1" }, defaultRequest: { cpu: "5" } },
      { type: "example.com/x", max: { storage: "1" }, default: { storage: "2" }, defaultRequest: { storage: "1" } },
      { type: "example.com/y", min: { storage: "2" }, defaultRequest: { storage: "1" } },
    ),
    [
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
      'spec.limits[1].defaultRequest[cpu]: Invalid value: "5": default request value 5 is greater than max value 4',
      'spec.limits[1].defaultRequest[cpu]: Invalid value: "5": default request value 5 is greater than default limit value 1',
      'spec.limits[1].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
      'spec.limits[2].default[storage]: Invalid value: "1": default value 2 is greater than max value 1',
      'spec.limits[3].defaultRequest[storage]: Invalid value: "1": min value 2 is greater than default request value 1',
    ],
  ],
  [
    range,
    "of wrong ratios",
    limitsOf({
      type: "Pod",
      min: { cpu: "1" },
      max: { cpu: "2" },
      maxLimitRequestRatio: { cpu: "2500m", memory: "500m" },
    }),
    [
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "2500m": ratio 2500m is greater than max/min = 2.000000',
      'spec.limits[0].maxLimitRequestRatio[memory]: Invalid value: "500m": ratio 500m is less than 1',
    ],
  ],
  [
    range,
    "that overcommits what cannot be",
    limitsOf({ type: "Container", default: { "example.com/gpu": "2" }, defaultRequest: { "example.com/gpu": "1" } }),
    [
      'spec.limits[0].defaultRequest[example.com/gpu]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in example.com/gpu',
    ],
  ],
  [
    quota,
    "good",
    quotaOf({
      hard: {
        cpu: "1500m",
        pods: "2",
        "requests.storage": "1Gi",
        "count/deployments.apps": "1",
        "requests.hugepages-2Mi": "2Mi",
      },
    }),
    [],
  ],
  [quota, "of ending pods", quotaOf({ hard: { pods: "2", "limits.cpu": "1" }, scopes: ["Terminating"] }), []],
  [quota, "of a class", scoped("PriorityClass", "In", ["high"]), []],
  [quota, "of best effort", scoped("BestEffort", "Exists"), []],
  [
    quota,
    "of odd resources",
    quotaOf({ hard: { storage: "1", things: "1", "a b": "1", pods: "1500m", memory: "-1" } }),
    [
      "spec.hard[storage]: Invalid value: storage: must be a standard resource for quota",
      "spec.hard[things]: Invalid value: things: must be a standard resource type or fully qualified",
      "spec.hard[things]: Invalid value: things: must be a standard resource for quota",
      "spec.hard[a b]: Invalid value: a b: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "spec.hard[a b]: Invalid value: a b: must be a standard resource for quota",
      'spec.hard[pods]: Invalid value: "1500m": must be an integer',
      'spec.hard[memory]: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [
    quota,
    "of odd scopes",
    quotaOf({ hard: { configmaps: "1" }, scopes: ["X", "BestEffort", "NotBestEffort"] }),
    [
      'spec.scopes: Invalid value: ["X","BestEffort","NotBestEffort"]: unsupported scope',
      'spec.scopes: Invalid value: ["X","BestEffort","NotBestEffort"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["X","BestEffort","NotBestEffort"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["X","BestEffort","NotBestEffort"]: conflicting scopes',
    ],
  ],
  [
    quota,
    "of opposite ends",
    quotaOf({ scopes: ["Terminating", "NotTerminating"] }),
    ['spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes'],
  ],
  [
    quota,
    "that measures best effort",
    quotaOf({ hard: { cpu: "1" }, scopes: ["BestEffort"] }),
    ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
  ],
  [
    quota,
    "of an unknown scope",
    scoped("X", "Exists"),
    ['spec.scopeSelector.matchExpressions.scopeName: Invalid value: "X": unsupported scope'],
  ],
  [
    quota,
    "of best effort by value",
    scoped("BestEffort", "In", ["a"]),
    [`spec.scopeSelector.matchExpressions.operator: Invalid value: "In": ${onlyExists}`],
  ],
  [
    quota,
    "of no class",
    scoped("PriorityClass", "NotIn"),
    [
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ],
  [
    quota,
    "of any class by value",
    scoped("PriorityClass", "Exists", ["a"]),
    [
      "spec.scopeSelector.matchExpressions.values: Invalid value: [\"a\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
    ],
  ],
  [
    quota,
    "of an unknown operator",
    scoped("PriorityClass", "X"),
    ['spec.scopeSelector.matchExpressions.operator: Invalid value: "X": not a valid selector operator'],
  ],
  [
    quota,
    "of opposite scopes by selector",
    quotaOf({
      hard: { secrets: "1" },
      scopeSelector: {
        matchExpressions: ["Terminating", "NotTerminating"].map((scopeName) => ({ scopeName, operator: "Exists" })),
      },
    }),
    [
      /^spec.scopeSelector.matchExpressions: Invalid value: .*: unsupported scope applied to resource$/,
      /^spec.scopeSelector.matchExpressions: Invalid value: .*: unsupported scope applied to resource$/,
      "spec.scopeSelector.matchExpressions: Invalid value: null: conflicting scopes",
    ],
  ],
];
testCreates(kit, creates);

const updates: readonly UpdateRow[] = [
  [range, "that limits more", limitsOf({ type: "Pod", max: { cpu: "1" } }), limitsOf(), []],
  [
    quota,
    "with its scopes in another order",
    quotaOf({ scopes: ["Terminating", "NotBestEffort"] }),
    quotaOf({ scopes: ["NotBestEffort", "Terminating"] }),
    [],
  ],
  [
    quota,
    "with other scopes",
    quotaOf({ scopes: ["Terminating"] }),
    quotaOf({}),
    ['spec.scopes: Invalid value: ["Terminating"]: field is immutable'],
  ],
];
testUpdates(kit, updates);

const filled = limitsOf({
  type: "Container",
  max: { cpu: "2", memory: "1u" },
  min: { cpu: "1", storage: "1" },
  default: { cpu: "1500m" },
});
const values: readonly ValueRow[] = [
  [
    range,
    "of containers fills its defaults",
    filled,
    "spec.limits",
    [
      {
        type: "Container",
        max: { cpu: "2", memory: "1m" },
        min: { cpu: "1", storage: "1" },
        default: { cpu: "1500m", memory: "1m" },
        defaultRequest: { cpu: "1500m", memory: "1m", storage: "1" },
      },
    ],
  ],
  [
    range,
    "of pods has no defaults",
    limitsOf({ type: "Pod", max: { cpu: "2" } }),
    "spec.limits",
    [{ type: "Pod", max: { cpu: "2" } }],
  ],
  [quota, "rounds its amounts up", quotaOf({ hard: { cpu: "1u" } }), "spec.hard", { cpu: "1m" }],
  [quota, "has used nothing", { ...quotaOf({}), status: { used: { cpu: "1" } } }, "status", undefined],
];
testValues(kit, values);

const parts: readonly PartRow[] = [
  [`${quota}/status`, "in use", { status: { hard: { pods: "2" }, used: { pods: "1" } } }, quotaOf({}), []],
  [
    `${quota}/status`,
    "of odd amounts",
    { status: { hard: { storage: "1" }, used: { pods: "500m" } } },
    quotaOf({}),
    [
      "status.hard[storage]: Invalid value: storage: must be a standard resource for quota",
      'status.used[pods]: Invalid value: "500m": must be an integer',
    ],
  ],
];
testParts(kit, parts);

test("a write of a quota's status leaves what it allows", () => {
  const written = kit.part(quota, "status", {
    tree: { ...quotaOf({ hard: { pods: "9" } }), status: { used: { pods: "1u" } } },
    before: quotaOf({ hard: { pods: "2" } }),
  });
  assert.deepEqual(written["spec"], { hard: { pods: "2" } });
  assert.deepEqual(written["status"], { used: { pods: "1m" } });
});
