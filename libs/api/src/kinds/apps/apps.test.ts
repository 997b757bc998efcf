import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { validateAnnotations } from "@orch/schema/object-meta.js";
import { loadCatalog } from "../../catalog.js";
import { valueAt } from "../../object.js";
import { expectErrors, type Wanted } from "../../testing/error-rows.js";
import { createKindKit, type Tree, testContext } from "../../testing/kind-kit.js";
import { prepareForPart } from "../../writes.js";
import { validateRollback, withRollback } from "./rollback.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes"), { release: "1.15" }));
const labels = { app: "x" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx:1" }] } };
const selector = { matchLabels: labels };
const specOf = (spec: Tree): Tree => ({ spec: { selector, template, ...spec } });
const podsOf = (pod: Tree): Tree => specOf({ template: { ...template, spec: { ...template.spec, ...pod } } });
const statusOf = (status: Tree): Tree => ({ ...specOf({}), status });

const d = "apps/v1.Deployment";
const rs = "apps/v1.ReplicaSet";
const ds = "apps/v1.DaemonSet";
const ss = "apps/v1.StatefulSet";
const cr = "apps/v1.ControllerRevision";

/** A draft of pods and claims that would be refused as a pod and a claim. */
const drafts = {
  template: { metadata: { labels }, spec: { containers: [{ name: "A", image: "" }] } },
  volumeClaimTemplates: [
    { metadata: { name: "A_B" }, spec: { accessModes: [], storageClassName: "-a", volumeMode: "X" } },
  ],
};

const mismatch = (shown: string): string =>
  `spec.template.metadata.labels: Invalid value: ${shown}: \`selector\` does not match template \`labels\``;

const creates: readonly (readonly [string, string, Tree, readonly Wanted[]])[] = [
  [d, "good", specOf({}), []],
  [ss, "of pods and claims that nobody could make", specOf(drafts), []],
  [
    d,
    "empty",
    {},
    ["spec.selector: Required value", "spec.template.spec.containers: Required value", mismatch("null")],
  ],
  [
    d,
    "with negative numbers",
    specOf({ replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: -1 }),
    [
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
      "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
      "spec.progressDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds",
    ],
  ],
  [d, "that is ready too late", specOf({ minReadySeconds: 600 }), [/must be greater than minReadySeconds$/]],
  [
    d,
    "that selects everything",
    specOf({ selector: {} }),
    ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"],
  ],
  [d, "that selects other pods", specOf({ selector: { matchLabels: { app: "y" } } }), [mismatch('{"app":"x"}')]],
  [
    d,
    "with a broken selector",
    specOf({ selector: { matchExpressions: [{ key: "a", operator: "Near" }] } }),
    [
      'spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
      /^spec.selector: Invalid value: .*: invalid label selector$/,
    ],
  ],
  [d, "recreated", specOf({ strategy: { type: "Recreate" } }), []],
  [
    d,
    "recreated step by step",
    specOf({ strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } }),
    ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  ],
  [
    d,
    "of an unknown strategy",
    specOf({ strategy: { type: "X" } }),
    ['spec.strategy: Unsupported value: {"type":"X"}: supported values: "Recreate", "RollingUpdate"'],
  ],
  [
    d,
    "that cannot move",
    specOf({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } }),
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
  ],
  [
    d,
    "with wrong steps",
    specOf({ strategy: { rollingUpdate: { maxSurge: -1, maxUnavailable: "x" } } }),
    [
      /^spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "x": a valid percent string must be/,
      "spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    d,
    "with more than all away",
    specOf({ strategy: { rollingUpdate: { maxSurge: "200%", maxUnavailable: "101%" } } }),
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
  ],
  [
    d,
    "of pods that end",
    podsOf({ restartPolicy: "Never", activeDeadlineSeconds: 1 }),
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported",
    ],
  ],
  [
    d,
    "that goes back below 0",
    { metadata: { annotations: { "deprecated.deployment.rollback.to": "-1" } }, ...specOf({}) },
    ["spec.rollback.version: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [rs, "good", specOf({}), []],
  [rs, "without selector", { spec: { template } }, ["spec.selector: Required value", mismatch('{"app":"x"}')]],
  [
    rs,
    "with negative numbers",
    specOf({ replicas: -1, minReadySeconds: -1 }),
    [/^spec.replicas: .*greater than or equal to 0/, /^spec.minReadySeconds: .*greater than or equal to 0/],
  ],
  [rs, "that selects everything", specOf({ selector: {} }), [/empty selector is invalid for deployment$/]],
  [ds, "good", specOf({}), []],
  [ds, "without selector", { spec: { template } }, [mismatch('{"app":"x"}')]],
  [ds, "that selects everything", specOf({ selector: {} }), [/empty selector is invalid for daemonset$/]],
  [
    ds,
    "of pods that end",
    podsOf({ restartPolicy: "OnFailure", activeDeadlineSeconds: 1 }),
    [/restartPolicy: Unsupported value: "OnFailure"/, /activeDeadlineSeconds in DaemonSet is not Supported$/],
  ],
  [
    ds,
    "with negative numbers",
    specOf({ minReadySeconds: -1, revisionHistoryLimit: -1 }),
    [/^spec.minReadySeconds: /, /^spec.revisionHistoryLimit: /],
  ],
  [
    ds,
    "of an unknown strategy",
    specOf({ updateStrategy: { type: "X" } }),
    ['spec.updateStrategy: Unsupported value: {"type":"X"}: supported values: "RollingUpdate", "OnDelete"'],
  ],
  [
    ds,
    "that gives and takes",
    specOf({ updateStrategy: { rollingUpdate: { maxSurge: 1 } } }),
    ["spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"],
  ],
  [
    ds,
    "that cannot move",
    specOf({ updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }),
    ["spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"],
  ],
  [
    ds,
    "with more than all away",
    specOf({ updateStrategy: { rollingUpdate: { maxUnavailable: "0%", maxSurge: "101%" } } }),
    [/^spec.updateStrategy.rollingUpdate.maxSurge: .*must not be greater than 100%$/],
  ],
  [ss, "good", specOf({ serviceName: "s" }), []],
  [
    ss,
    "good that mounts its claims",
    {
      spec: {
        selector,
        template: {
          ...template,
          spec: { containers: [{ name: "c", image: "i", volumeMounts: [{ name: "data", mountPath: "/d" }] }] },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    },
    [],
  ],
  [
    ss,
    "named like a domain",
    { metadata: { name: "a.b" }, ...specOf({}) },
    [/^metadata.name: .*must not contain dots$/],
  ],
  [ss, "without selector", { spec: { template } }, ["spec.selector: Required value", mismatch('{"app":"x"}')]],
  [ss, "that selects everything", specOf({ selector: {} }), [/empty selector is invalid for statefulset$/]],
  [
    ss,
    "with negative numbers",
    specOf({
      replicas: -1,
      minReadySeconds: -1,
      ordinals: { start: -1 },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: -1 } },
    }),
    [
      /^spec.replicas: /,
      /^spec.updateStrategy.rollingUpdate.partition: /,
      /^spec.minReadySeconds: /,
      "spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    ss,
    "of unknown ways",
    specOf({
      podManagementPolicy: "X",
      updateStrategy: { type: "Y" },
      persistentVolumeClaimRetentionPolicy: { whenScaled: "Z" },
    }),
    [
      "spec.podManagementPolicy: Invalid value: \"X\": must be 'OrderedReady' or 'Parallel'",
      "spec.updateStrategy: Invalid value: {\"type\":\"Y\"}: must be 'RollingUpdate' or 'OnDelete'",
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Z": supported values: "Retain", "Delete"',
    ],
  ],
  [
    ss,
    "that rolls only when deleted",
    specOf({ updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } }),
    [
      "spec.updateStrategy.rollingUpdate: Invalid value: {\"partition\":1}: only allowed for updateStrategy 'RollingUpdate'",
    ],
  ],
  [
    ss,
    "of pods that end",
    podsOf({ restartPolicy: "Never", activeDeadlineSeconds: 1 }),
    [/restartPolicy: Unsupported value: "Never"/, /activeDeadlineSeconds in StatefulSet is not Supported$/],
  ],
  [cr, "good", { data: { a: 1 }, revision: 1 }, []],
  [cr, "of an empty object", { data: {}, revision: 1 }, []],
  [
    cr,
    "of nothing",
    { revision: -1 },
    ["revision: Invalid value: -1: must be greater than or equal to 0", "data: Required value: data is mandatory"],
  ],
];

for (const [kind, what, tree, wanted] of creates) {
  expectErrors(`a new ${kind} ${what}`, wanted, () => kit.createErrors(kind, tree));
}

const frozen = /^spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template'/;
const immutable = /^spec.selector: Invalid value: .*: field is immutable$/;
const other = {
  selector: { matchLabels: { app: "y" } },
  template: { ...template, metadata: { labels: { app: "y" } } },
};

const updates: readonly (readonly [string, string, Tree, Tree, readonly Wanted[]])[] = [
  [d, "of another selector", specOf(other), specOf({}), [immutable]],
  [d, "of another template", podsOf({ containers: [{ name: "d", image: "e" }] }), specOf({}), []],
  [rs, "of another selector", specOf(other), specOf({}), [immutable]],
  ["apps/v1beta2.Deployment", "of another selector", specOf(other), specOf({}), [immutable]],
  ["apps/v1beta2.ReplicaSet", "of another selector", specOf(other), specOf({}), [immutable]],
  ["apps/v1beta2.DaemonSet", "of another selector", specOf(other), specOf({}), [immutable]],
  ["apps/v1beta1.Deployment", "of another selector", specOf(other), specOf({}), []],
  ["extensions/v1beta1.Deployment", "of another selector", specOf(other), specOf({}), []],
  ["extensions/v1beta1.ReplicaSet", "of another selector", specOf(other), specOf({}), []],
  ["extensions/v1beta1.DaemonSet", "of another selector", specOf(other), specOf({}), []],
  ["apps/v1beta1.StatefulSet", "of another selector", specOf(other), specOf({}), [frozen]],
  [ds, "of another selector", specOf(other), specOf({}), [immutable]],
  [ss, "of another selector", specOf(other), specOf({}), [frozen]],
  [ss, "of another service", specOf({ serviceName: "s" }), specOf({}), [frozen]],
  [ss, "of another order", specOf({ podManagementPolicy: "Parallel" }), specOf({}), [frozen]],
  [ss, "of another history", specOf({ revisionHistoryLimit: 3 }), specOf({}), [frozen]],
  [
    ss,
    "of another size, order of numbers, strategy, retention and template",
    specOf({
      replicas: 5,
      ordinals: { start: 2 },
      minReadySeconds: 4,
      updateStrategy: { type: "OnDelete" },
      persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" },
      template: { ...template, spec: { containers: [{ name: "d", image: "e" }] } },
    }),
    specOf({}),
    [],
  ],
  [cr, "of other data", { data: { a: 2 }, revision: 1 }, { data: { a: 1 }, revision: 1 }, [/^data: .*immutable$/]],
  [cr, "of another revision", { data: { a: 1 }, revision: 2 }, { data: { a: 1 }, revision: 1 }, []],
];

for (const [kind, what, tree, before, wanted] of updates) {
  expectErrors(`a state of ${kind} ${what}`, wanted, () => kit.updateErrors(kind, tree, before));
}

const above = "cannot be greater than status.replicas";
const statuses: readonly (readonly [string, string, Tree, readonly Wanted[]])[] = [
  [d, "good", { replicas: 2, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1, collisionCount: 1 }, []],
  [
    d,
    "below 0",
    { observedGeneration: -1, unavailableReplicas: -1, collisionCount: -1 },
    [
      "status.observedGeneration: Invalid value: -1: must be greater than or equal to 0",
      "status.unavailableReplicas: Invalid value: -1: must be greater than or equal to 0",
      "status.collisionCount: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    d,
    "of more than there are",
    { updatedReplicas: 1, readyReplicas: 1, availableReplicas: 2 },
    [
      `status.updatedReplicas: Invalid value: 1: ${above}`,
      `status.readyReplicas: Invalid value: 1: ${above}`,
      `status.availableReplicas: Invalid value: 2: ${above}`,
      "status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas",
    ],
  ],
  [
    rs,
    "of more than there are",
    { replicas: 1, fullyLabeledReplicas: 2, readyReplicas: -1 },
    [
      "status.readyReplicas: Invalid value: -1: must be greater than or equal to 0",
      `status.fullyLabeledReplicas: Invalid value: 2: ${above}`,
      "status.availableReplicas: Invalid value: 0: cannot be greater than readyReplicas",
    ],
  ],
  [
    ds,
    "below 0",
    { currentNumberScheduled: -1, numberMisscheduled: -1, desiredNumberScheduled: -1, numberReady: -1 },
    [
      /^status.currentNumberScheduled: /,
      /^status.numberMisscheduled: /,
      /^status.desiredNumberScheduled: /,
      /^status.numberReady: /,
    ],
  ],
  [
    ss,
    "of more than there are",
    { replicas: 1, currentReplicas: 2, readyReplicas: 1, availableReplicas: 2 },
    [
      `status.currentReplicas: Invalid value: 2: ${above}`,
      `status.availableReplicas: Invalid value: 2: ${above}`,
      "status.availableReplicas: Invalid value: 2: cannot be greater than status.readyReplicas",
    ],
  ],
];

for (const [kind, what, status, wanted] of statuses) {
  expectErrors(`a status of ${kind} ${what}`, wanted, () =>
    kit.partErrors(kind, "status", { tree: statusOf(status), before: specOf({}) }),
  );
}

for (const kind of [d, ds, ss]) {
  test(`the collision count of a ${kind} does not fall`, () => {
    const old = { ...kit.created(kind, specOf({})), status: { collisionCount: 2 } };
    const errors =
      kit.kind(kind).behavior.parts?.["status"]?.validate?.({ ...old, status: {} } as typeof old, old) ?? [];
    assert.deepEqual(
      errors.map((e) => `${e.field}: ${e.message}`),
      ["status.collisionCount: Invalid value: 0: cannot be decremented"],
    );
  });
}

const rolling = { maxUnavailable: 1, maxSurge: 0 };
const values: readonly (readonly [string, string, Tree, string, unknown])[] = [
  [d, "has one replica", specOf({}), "spec.replicas", 1],
  [d, "may have none", specOf({ replicas: 0 }), "spec.replicas", 0],
  [d, "keeps ten revisions", specOf({}), "spec.revisionHistoryLimit", 10],
  [d, "has ten minutes", specOf({}), "spec.progressDeadlineSeconds", 600],
  [
    d,
    "rolls by quarters",
    specOf({}),
    "spec.strategy",
    { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
  ],
  [
    d,
    "keeps the step it has",
    specOf({ strategy: { rollingUpdate: { maxSurge: 1 } } }),
    "spec.strategy.rollingUpdate",
    { maxUnavailable: "25%", maxSurge: 1 },
  ],
  [
    d,
    "does not roll when recreated",
    specOf({ strategy: { type: "Recreate" } }),
    "spec.strategy",
    { type: "Recreate" },
  ],
  [d, "has pods that restart", specOf({}), "spec.template.spec.restartPolicy", "Always"],
  [d, "has no status", statusOf({ replicas: 3 }), "status", undefined],
  [d, "is of generation 1", specOf({}), "metadata.generation", 1],
  [rs, "has one replica", specOf({}), "spec.replicas", 1],
  [ds, "rolls one by one", specOf({}), "spec.updateStrategy", { type: "RollingUpdate", rollingUpdate: rolling }],
  [ds, "keeps ten revisions", specOf({}), "spec.revisionHistoryLimit", 10],
  [ss, "is in order", specOf({}), "spec.podManagementPolicy", "OrderedReady"],
  [
    ss,
    "rolls from the first",
    specOf({}),
    "spec.updateStrategy",
    { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
  ],
  [
    ss,
    "that says how it rolls says the rest",
    specOf({ updateStrategy: { type: "RollingUpdate" } }),
    "spec.updateStrategy",
    { type: "RollingUpdate" },
  ],
  [
    ss,
    "has no use for what a gate holds back",
    specOf({ updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }),
    "spec.updateStrategy.rollingUpdate",
    { partition: 0 },
  ],
  [
    ss,
    "keeps its claims",
    specOf({}),
    "spec.persistentVolumeClaimRetentionPolicy",
    { whenDeleted: "Retain", whenScaled: "Retain" },
  ],
  [
    ss,
    "says what its claims are",
    specOf({ volumeClaimTemplates: [{ metadata: { name: "a" } }] }),
    "spec.volumeClaimTemplates",
    [
      {
        metadata: { name: "a" },
        kind: "PersistentVolumeClaim",
        apiVersion: "v1",
        spec: { volumeMode: "Filesystem" },
        status: { phase: "Pending" },
      },
    ],
  ],
  // Spec 1: Removed API versions by release, 1.16.
  ["extensions/v1beta1.Deployment", "has no deadline", specOf({}), "spec.progressDeadlineSeconds", 2147483647],
  ["extensions/v1beta1.Deployment", "keeps all revisions", specOf({}), "spec.revisionHistoryLimit", 2147483647],
  [
    "extensions/v1beta1.Deployment",
    "rolls one by one",
    specOf({}),
    "spec.strategy",
    { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
  ],
  ["extensions/v1beta1.Deployment", "selects its pods", { spec: { template } }, "spec.selector", selector],
  ["extensions/v1beta1.Deployment", "has its pods' labels", { spec: { template } }, "metadata.labels", labels],
  [
    "extensions/v1beta1.Deployment",
    "has labels of its own",
    { metadata: { labels: { a: "b" } }, spec: { template } },
    "metadata.labels",
    { a: "b" },
  ],
  ["apps/v1beta1.Deployment", "keeps two revisions", specOf({}), "spec.revisionHistoryLimit", 2],
  ["apps/v1beta1.Deployment", "has ten minutes", specOf({}), "spec.progressDeadlineSeconds", 600],
  [
    "apps/v1beta1.Deployment",
    "rolls by quarters",
    specOf({}),
    "spec.strategy.rollingUpdate",
    { maxUnavailable: "25%", maxSurge: "25%" },
  ],
  ["apps/v1beta1.Deployment", "selects its pods", { spec: { template } }, "spec.selector", selector],
  ["apps/v1beta2.Deployment", "keeps ten revisions", specOf({}), "spec.revisionHistoryLimit", 10],
  ["apps/v1beta2.Deployment", "selects nothing", { spec: { template } }, "spec.selector", undefined],
  ["extensions/v1beta1.ReplicaSet", "selects its pods", { spec: { template } }, "spec.selector", selector],
  [
    "extensions/v1beta1.DaemonSet",
    "waits for deletions",
    { spec: { template } },
    "spec.updateStrategy",
    { type: "OnDelete" },
  ],
  ["extensions/v1beta1.DaemonSet", "selects its pods", { spec: { template } }, "spec.selector", selector],
  [
    "extensions/v1beta1.DaemonSet",
    "may roll",
    specOf({ updateStrategy: { type: "RollingUpdate" } }),
    "spec.updateStrategy.rollingUpdate",
    rolling,
  ],
  ["apps/v1beta2.DaemonSet", "rolls", specOf({}), "spec.updateStrategy.type", "RollingUpdate"],
  [
    "apps/v1beta1.StatefulSet",
    "waits for deletions",
    { spec: { template } },
    "spec.updateStrategy",
    { type: "OnDelete" },
  ],
  ["apps/v1beta1.StatefulSet", "selects its pods", { spec: { template } }, "spec.selector", selector],
  ["apps/v1beta2.StatefulSet", "rolls", specOf({}), "spec.updateStrategy.type", "RollingUpdate"],
];

for (const [kind, what, tree, path, expected] of values) {
  test(`a new ${kind} ${what}`, () => assert.deepEqual(valueAt(kit.created(kind, tree), path), expected));
}

test("a Deployment's annotations move its generation", () => {
  const old = kit.created(d, specOf({}));
  assert.equal(kit.updated(d, specOf({}), old).metadata.generation, 1);
  assert.equal(kit.updated(d, { metadata: { annotations: { a: "b" } }, ...specOf({}) }, old).metadata.generation, 2);
  assert.equal(kit.updated(d, specOf({ replicas: 2 }), old).metadata.generation, 2);
});

test("a Deployment's status keeps the labels", () => {
  const before = { metadata: { labels: { a: "1" } }, ...specOf({}) };
  const tree = {
    metadata: { labels: { a: "2" }, annotations: { b: "3" } },
    ...specOf({ replicas: 5 }),
    status: { replicas: 1 },
  };
  const object = kit.part(d, "status", { tree, before });
  assert.deepEqual(object.metadata.labels, { a: "1" });
  assert.deepEqual(object.metadata.annotations, { b: "3" });
  assert.equal(valueAt(object, "spec.replicas"), 1);
  assert.equal(valueAt(object, "status.replicas"), 1);
});

const countKey = "deprecated.daemonset.template.generation";

test("a DaemonSet counts the changes of its template, whatever clients say", () => {
  const old = kit.created(ds, specOf({}));
  assert.equal(old.metadata.annotations?.[countKey], "1");
  const said = { metadata: { annotations: { [countKey]: "7" } }, ...specOf({ minReadySeconds: 1 }) };
  assert.equal(kit.updated(ds, said, old).metadata.annotations?.[countKey], "1");
  const changed = kit.updated(ds, podsOf({ hostNetwork: true }), old);
  assert.equal(changed.metadata.annotations?.[countKey], "2");
  assert.equal(changed.metadata.generation, 2);
  assert.equal(kit.created(ds, said).metadata.annotations?.[countKey], "7");
  const status = { name: "status", object: { ...old, metadata: { name: "x", namespace: "n" } }, old };
  assert.equal(prepareForPart(kit.kind(ds), status, testContext).metadata.annotations?.[countKey], "1");
});

test("a template sent back as it was read is no change", () => {
  const old = kit.created(ds, specOf({}));
  const read = specOf({
    template: { metadata: { labels, creationTimestamp: null }, spec: { ...template.spec, securityContext: {} } },
  });
  const next = kit.updated(ds, read, old);
  assert.equal(next.metadata.annotations?.[countKey], "1");
  assert.equal(next.metadata.generation, 1);
});

test("templateGeneration of old DaemonSets is an annotation of new ones", () => {
  const kind = "extensions/v1beta1.DaemonSet";
  const { hub, back } = kit.roundTrip(kind, specOf({ templateGeneration: 3 }));
  assert.deepEqual(hub.metadata.annotations, { [countKey]: "3" });
  assert.equal(valueAt(hub, "spec.templateGeneration"), undefined);
  assert.equal(valueAt(back, "spec.templateGeneration"), 3);
  assert.equal(back.metadata.annotations, undefined);
});

const rollbackKey = "deprecated.deployment.rollback.to";

for (const kind of ["extensions/v1beta1.Deployment", "apps/v1beta1.Deployment"]) {
  test(`rollbackTo of ${kind} is an annotation of new ones`, () => {
    for (const revision of [3, 0]) {
      const tree = { metadata: { annotations: { a: "b" } }, ...specOf({ rollbackTo: { revision } }) };
      const { hub, back } = kit.roundTrip(kind, tree);
      assert.deepEqual(hub.metadata.annotations, { a: "b", [rollbackKey]: String(revision) });
      assert.equal(valueAt(hub, "spec.rollbackTo"), undefined);
      assert.deepEqual(valueAt(back, "spec.rollbackTo"), revision === 0 ? {} : { revision });
      assert.deepEqual(back.metadata.annotations, { a: "b" });
    }
  });
}

test("a rollback writes its revision and annotations", () => {
  const old = { ...kit.created(d, specOf({})) };
  const body = { metadata: {}, name: "x", updatedAnnotations: { a: "b" }, rollbackTo: { revision: 2 } };
  assert.deepEqual(withRollback(old, body).metadata.annotations, { a: "b", [rollbackKey]: "2" });
});

test("a rollback has a name and a revision", () => {
  const body = { metadata: {}, updatedAnnotations: { "": "" }, rollbackTo: { revision: -1 } };
  assert.deepEqual(
    validateRollback(body).map((e) => `${e.field}: ${e.message}`),
    [
      ...validateAnnotations({ "": "" }, "updatedAnnotations").map((e) => `${e.field}: ${e.message}`),
      "name: Required value: name is required",
      "rollback.version: Invalid value: -1: must be greater than or equal to 0",
    ],
  );
});
