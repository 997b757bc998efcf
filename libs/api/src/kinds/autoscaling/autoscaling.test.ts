import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { jsonText } from "@orch/status/json-text.js";
import fc from "fast-check";
import { loadCatalog } from "../../catalog.js";
import { type AnyObject, valueAt } from "../../object.js";
import { arbitraryObject } from "../../testing/arbitrary.js";
import { expectErrors, type Wanted } from "../../testing/error-rows.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import { validatePart } from "../../writes.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes"), { release: "1.24" }));
const v1 = "autoscaling/v1.HorizontalPodAutoscaler";
const v2 = "autoscaling/v2.HorizontalPodAutoscaler";
const v2beta1 = "autoscaling/v2beta1.HorizontalPodAutoscaler";
const v2beta2 = "autoscaling/v2beta2.HorizontalPodAutoscaler";
const scaleTargetRef = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };
const specOf = (spec: Tree): Tree => ({ spec: { scaleTargetRef, maxReplicas: 3, ...spec } });
const metricOf = (metric: Tree): Tree => specOf({ metrics: [metric] });
const carrier = (name: string): string => `autoscaling.alpha.kubernetes.io/${name}`;
const carrying = (name: string, text: string): Tree => ({ metadata: { annotations: { [carrier(name)]: text } } });

const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };
const memory = {
  type: "Resource",
  resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
};
const policies = [{ type: "Pods", value: 1, periodSeconds: 60 }];

const creates: readonly (readonly [string, Tree, readonly Wanted[]])[] = [
  ["good", specOf({ metrics: [cpu, memory], behavior: { scaleUp: {}, scaleDown: { policies } } }), []],
  [
    "empty",
    {},
    [
      "spec.maxReplicas: Invalid value: 0: must be greater than 0",
      "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
      "spec.scaleTargetRef.kind: Required value",
      "spec.scaleTargetRef.name: Required value",
    ],
  ],
  [
    "of wrong names",
    specOf({ scaleTargetRef: { kind: "a/b", name: ".." } }),
    [
      `spec.scaleTargetRef.kind: Invalid value: "a/b": may not contain '/'`,
      `spec.scaleTargetRef.name: Invalid value: "..": may not be '..'`,
    ],
  ],
  [
    "down to none",
    specOf({ minReplicas: 0 }),
    [
      "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas",
      "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
    ],
  ],
  [
    "with a metric of no type",
    metricOf({}),
    [
      "spec.metrics[0].type: Required value: must specify a metric source type",
      // Once as a value, once as what decides over the others: as the reference counts them.
      'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
    ],
  ],
  [
    "with a metric without its source",
    metricOf({ type: "Pods" }),
    ["spec.metrics[0].pods: Required value: must populate information for the given metric source"],
  ],
  [
    "with a metric of other sources",
    metricOf({ type: "Pods", resource: cpu.resource }),
    ["spec.metrics[0].pods: Required value: must populate information for the given metric source"],
  ],
  [
    "with a metric of two sources",
    metricOf({ ...cpu, pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "1" } } }),
    ["spec.metrics[0].pods: Forbidden: must populate the given metric source only"],
  ],
  [
    "with an object's metric of nothing",
    metricOf({ type: "Object", object: {} }),
    [
      "spec.metrics[0].object.describedObject.kind: Required value",
      "spec.metrics[0].object.describedObject.name: Required value",
      "spec.metrics[0].object.metric.name: Required value: must specify a metric name",
      "spec.metrics[0].object.target.type: Required value: must specify a metric target type",
      'spec.metrics[0].object.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
      "spec.metrics[0].object.target.averageValue: Required value: must set either a target value or averageValue",
    ],
  ],
  [
    "with targets that are not positive",
    metricOf({
      type: "External",
      external: {
        metric: { name: "a%b" },
        target: { type: "Value", value: "0", averageValue: "-1", averageUtilization: 0 },
      },
    }),
    [
      `spec.metrics[0].external.metric.name: Invalid value: "a%b": may not contain '%'`,
      'spec.metrics[0].external.target.value: Invalid value: "0": must be positive',
      'spec.metrics[0].external.target.averageValue: Invalid value: "-1": must be positive',
      "spec.metrics[0].external.target.averageUtilization: Invalid value: 0: must be greater than 0",
      "spec.metrics[0].external.target.value: Forbidden: may not set both a target value for metric and a per-pod target",
    ],
  ],
  [
    "with an outer metric without target",
    metricOf({ type: "External", external: { metric: { name: "m" }, target: { type: "Value" } } }),
    [/averageValue: Required value: must set either a target value for metric or a per-pod target$/],
  ],
  [
    "with a pods' metric without target",
    metricOf({ type: "Pods", pods: { metric: { name: "m" }, target: { type: "Value", value: "1" } } }),
    ["spec.metrics[0].pods.target.averageValue: Required value: must specify a positive target averageValue"],
  ],
  [
    "with a resource of no name and both targets",
    metricOf({
      type: "Resource",
      resource: { target: { type: "Utilization", averageUtilization: 1, averageValue: "1" } },
    }),
    [
      "spec.metrics[0].resource.name: Required value: must specify a resource name",
      "spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization",
    ],
  ],
  [
    "with a container's resource of no target",
    metricOf({
      type: "ContainerResource",
      containerResource: { name: "gpus", container: "C", target: { type: "Value" } },
    }),
    [
      /^spec.metrics\[0\].containerResource.name: Invalid value: .*: must be a standard resource type or fully qualified$/,
      /^spec.metrics\[0\].containerResource.name: Invalid value: .*: must be a standard resource for containers$/,
      /^spec.metrics\[0\].containerResource.container: Invalid value: "C": a lowercase RFC 1123 label/,
      "spec.metrics[0].containerResource.target.averageUtilization: Required value: must set either a target raw value or a target utilization",
    ],
  ],
  [
    "that scales up by no policy",
    specOf({ behavior: { scaleUp: { policies: [] }, scaleDown: {} } }),
    ["spec.behavior.scaleUp.policies: Required value: must specify at least one Policy"],
  ],
  [
    "that behaves wrongly",
    specOf({
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: -1,
          selectPolicy: "X",
          policies: [
            { type: "Y", value: 0, periodSeconds: 0 },
            { type: "Pods", value: 1, periodSeconds: 1801 },
          ],
        },
        scaleDown: { stabilizationWindowSeconds: 3601 },
      },
    }),
    [
      "spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero",
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "X": supported values: "Disabled", "Max", "Min"',
      'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Y": supported values: "Percent", "Pods"',
      "spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero",
      "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 0: must be greater than zero",
      "spec.behavior.scaleUp.policies[1].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
      "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
    ],
  ],
];

for (const [what, tree, wanted] of creates) {
  expectErrors(`a new autoscaler ${what}`, wanted, () => kit.createErrors(v2, tree));
}

test("an autoscaler that went down to none may stay so", () => {
  const external = { type: "External", external: { metric: { name: "m" }, target: { type: "Value", value: "1" } } };
  const tree = specOf({ minReplicas: 0, metrics: [external] });
  assert.deepEqual(kit.updateErrors(v2, tree, tree), []);
  assert.equal(kit.updateErrors(v2, tree, specOf({ metrics: [external] })).length, 1);
});

expectErrors(
  "a status below 0",
  [
    "status.currentReplicas: Invalid value: -1: must be greater than or equal to 0",
    "status.desiredReplicas: Invalid value: -1: must be greater than or equal to 0",
  ],
  () => {
    const old = kit.created(v2, specOf({}));
    const object: AnyObject = { ...old, status: { currentReplicas: -1, desiredReplicas: -1 } };
    return validatePart(kit.kind(v2), { name: "status", object, old }).map((e) => `${e.field}: ${e.message}`);
  },
);

const up = [
  { type: "Pods", value: 4, periodSeconds: 15 },
  { type: "Percent", value: 100, periodSeconds: 15 },
];
const down = [{ type: "Percent", value: 100, periodSeconds: 15 }];
const half = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } };
const values: readonly (readonly [string, string, Tree, string, unknown])[] = [
  [v2, "has one replica at least", specOf({}), "spec.minReplicas", 1],
  [v2, "keeps the processor busy", specOf({}), "spec.metrics", [half]],
  [v2, "has no behavior", specOf({}), "spec.behavior", undefined],
  [
    v2,
    "fills its behavior",
    specOf({ behavior: { scaleDown: { selectPolicy: "Min" } } }),
    "spec.behavior",
    {
      scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies: up },
      scaleDown: { selectPolicy: "Min", policies: down },
    },
  ],
  [v2, "carries nothing", { ...specOf({}), ...carrying("metrics", "[]") }, "metadata.annotations", undefined],
  [v2beta2, "keeps the processor busy", specOf({}), "spec.metrics", [half]],
  [v2beta1, "keeps the processor busy", specOf({}), "spec.metrics", [half]],
  [v1, "keeps the processor busy", specOf({}), "spec.metrics", [half]],
  [v1, "has one replica at least", specOf({}), "spec.minReplicas", 1],
  [v1, "says how busy", specOf({ targetCPUUtilizationPercentage: 50 }), "spec.metrics", [cpu]],
  [
    v1,
    "carries other metrics",
    {
      ...specOf({ targetCPUUtilizationPercentage: 50 }),
      ...carrying("metrics", '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1024Mi"}}]'),
    },
    "spec.metrics",
    [memory, cpu],
  ],
  [v1, "carries what is no list", { ...specOf({}), ...carrying("metrics", "x") }, "spec.metrics", [half]],
  [v1, "carries what is no metric", { ...specOf({}), ...carrying("metrics", '[{"type":5}]') }, "spec.metrics", [half]],
  [v1, "keeps no carriers", { ...specOf({}), ...carrying("metrics", "x") }, "metadata.annotations", undefined],
  [
    v1,
    "carries its behavior",
    {
      ...specOf({}),
      ...carrying(
        "behavior",
        '{"ScaleUp":{"Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":60}]},"ScaleDown":null}',
      ),
    },
    "spec.behavior.scaleUp",
    { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies },
  ],
  [v1, "carries an empty behavior", { ...specOf({}), ...carrying("behavior", "{}") }, "spec.behavior", undefined],
];

for (const [kind, what, tree, path, expected] of values) {
  test(`a new ${kind} ${what}`, () => assert.deepEqual(valueAt(kit.created(kind, tree), path), expected));
}

// Spec 1: Removed API versions by release, 1.25 and 1.26.
const selector = { matchLabels: { a: "b" } };
const same: readonly (readonly [string, Tree, Tree])[] = [
  ["utilization", { type: "Resource", resource: { name: "cpu", targetAverageUtilization: 50 } }, cpu],
  ["average", { type: "Resource", resource: { name: "memory", targetAverageValue: "1Gi" } }, memory],
  [
    "container",
    { type: "ContainerResource", containerResource: { name: "cpu", container: "c", targetAverageUtilization: 5 } },
    {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 5 } },
    },
  ],
  [
    "pods",
    { type: "Pods", pods: { metricName: "m", selector, targetAverageValue: "1" } },
    { type: "Pods", pods: { metric: { name: "m", selector }, target: { type: "AverageValue", averageValue: "1" } } },
  ],
  [
    "object",
    { type: "Object", object: { target: scaleTargetRef, metricName: "m", targetValue: "1" } },
    {
      type: "Object",
      object: { describedObject: scaleTargetRef, metric: { name: "m" }, target: { type: "Value", value: "1" } },
    },
  ],
  [
    "object for each pod",
    { type: "Object", object: { target: scaleTargetRef, metricName: "m", targetValue: "1", averageValue: "2" } },
    {
      type: "Object",
      object: {
        describedObject: scaleTargetRef,
        metric: { name: "m" },
        target: { type: "AverageValue", value: "1", averageValue: "2" },
      },
    },
  ],
  [
    "external",
    { type: "External", external: { metricName: "m", metricSelector: selector, targetValue: "1" } },
    { type: "External", external: { metric: { name: "m", selector }, target: { type: "Value", value: "1" } } },
  ],
  [
    "external for each pod",
    { type: "External", external: { metricName: "m", targetAverageValue: "1" } },
    { type: "External", external: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "1" } } },
  ],
];

for (const [what, old, metric] of same) {
  test(`a metric of ${what} in v2beta1 and in v2`, () => {
    const { hub, back } = kit.roundTrip(v2beta1, metricOf(old));
    assert.deepEqual(valueAt(hub, "spec.metrics"), [metric]);
    assert.deepEqual(valueAt(back, "spec.metrics"), [old]);
  });
  test(`a metric of ${what} in the annotation of v1`, () => {
    const { hub, back } = kit.roundTrip(v1, { ...specOf({}), ...carrying("metrics", JSON.stringify([old])) });
    assert.deepEqual(valueAt(hub, "spec.metrics"), [metric]);
    const carried = back.metadata.annotations?.[carrier("metrics")];
    if (what === "utilization") assert.equal(valueAt(back, "spec.targetCPUUtilizationPercentage"), 50);
    else assert.deepEqual(JSON.parse(carried ?? ""), [old]);
  });
}

const conditions = [{ type: "AbleToScale", status: "True", reason: "r" }];
const behavior = { scaleUp: { stabilizationWindowSeconds: 5, selectPolicy: "Min", policies } };
const measured = {
  type: "Resource",
  resource: { name: "cpu", current: { averageUtilization: 7, averageValue: "10m" } },
};
const whole: Tree = {
  metadata: { name: "x", namespace: "n", annotations: { mine: "1" } },
  spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics: [memory, cpu], behavior },
  status: { currentReplicas: 1, desiredReplicas: 2, currentMetrics: [measured], conditions },
};

function through(kind: string, hub: AnyObject): { readonly old: AnyObject; readonly back: AnyObject } {
  const { conversion } = kit.kind(kind);
  assert.ok(conversion);
  const old = conversion.fromHub(hub);
  return { old, back: conversion.toHub(old) };
}

test("v1 says what it can and carries the rest", () => {
  const { old, back } = through(v1, whole as AnyObject);
  assert.deepEqual(old["spec"], { scaleTargetRef, minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 50 });
  assert.deepEqual(old["status"], { currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 7 });
  assert.deepEqual(old.metadata.annotations, {
    mine: "1",
    [carrier("metrics")]: '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]',
    [carrier("current-metrics")]:
      '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":7,"currentAverageValue":"10m"}}]',
    [carrier("behavior")]:
      '{"ScaleUp":{"StabilizationWindowSeconds":5,"SelectPolicy":"Min","Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":60}]},"ScaleDown":null}',
    [carrier("conditions")]: JSON.stringify(conditions),
  });
  assert.deepEqual(back, whole);
});

test("v2beta1 carries the behavior", () => {
  const { old, back } = through(v2beta1, whole as AnyObject);
  assert.deepEqual(Object.keys(old.metadata.annotations ?? {}), ["mine", carrier("behavior")]);
  assert.deepEqual(valueAt(old, "status.conditions"), conditions);
  assert.deepEqual(back, whole);
});

for (const kind of [v1, v2beta1]) {
  test(`any annotations of ${kind} convert`, () => {
    const json = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.string(),
      fc.array(arbitraryObject(kit.kind(v2beta1).type)).map((list) => jsonText(list)),
    );
    const names = ["metrics", "current-metrics", "conditions", "behavior"].map(carrier);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), json), (annotations) => {
        const { hub } = kit.roundTrip(kind, { metadata: { annotations }, ...specOf({}) });
        assert.equal(hub.metadata.annotations, undefined);
      }),
    );
  });
}
