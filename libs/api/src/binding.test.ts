import assert from "node:assert/strict";
import { test } from "node:test";
import { type Binding, bindPod, validateBinding } from "./binding.js";
import type { Pod } from "./kinds/core/pod/types.js";

const now = "2026-01-02T03:04:05Z";
const earlier = "2026-01-01T00:00:00Z";
const metadata = { name: "p", namespace: "n", uid: "u1", resourceVersion: "7" };
const pod: Pod = { metadata, spec: { containers: [] }, status: { phase: "Pending" } };
const binding: Binding = { metadata: { name: "p" }, target: { kind: "Node", name: "n1" } };

test("a binding names a node", () => {
  const texts = (b: Binding) => validateBinding(b).map((e) => `${e.field}: ${e.message}`);
  assert.deepEqual(texts(binding), []);
  assert.deepEqual(texts({ metadata: {}, target: { name: "n1" } }), []);
  assert.deepEqual(texts({ metadata: {} }), ["target.name: Required value"]);
  assert.deepEqual(texts({ metadata: {}, target: { kind: "Pod", name: "x" } }), [
    'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
  ]);
});

test("a bound pod has its node, the binding's annotations and not its labels, and is scheduled", () => {
  const given = { ...binding, metadata: { name: "p", annotations: { b: "2" }, labels: { l: "1" } } };
  const bound = bindPod({ ...pod, metadata: { ...metadata, annotations: { a: "1", b: "1" } } }, given, now);
  assert.deepEqual(bound, {
    object: {
      metadata: { ...metadata, annotations: { a: "1", b: "2" } },
      spec: { containers: [], nodeName: "n1" },
      status: {
        phase: "Pending",
        conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: now }],
      },
    },
  });
});

for (const [what, status, lastTransitionTime] of [
  ["moves the time of a condition that was false", "False", now],
  ["keeps the time of a condition that was true", "True", earlier],
] as const) {
  test(`binding ${what}`, () => {
    const old = { type: "PodScheduled", status, reason: "SchedulingGated", lastTransitionTime: earlier };
    const other = { type: "Ready", status: "False" };
    const bound = bindPod({ ...pod, status: { conditions: [old, other] } }, binding, now);
    assert.deepEqual("object" in bound && bound.object.status?.conditions, [
      { type: "PodScheduled", status: "True", lastTransitionTime },
      other,
    ]);
  });
}

const refused = 'Operation cannot be fulfilled on pods/binding "p": ';
const rows: readonly (readonly [string, Pod, Binding["metadata"], string])[] = [
  [
    "a pod that goes",
    { ...pod, metadata: { ...metadata, deletionTimestamp: now } },
    {},
    `${refused}pod p is being deleted, cannot be assigned to a host`,
  ],
  [
    "a pod that has a node",
    { ...pod, spec: { nodeName: "n0" } },
    {},
    `${refused}pod p is already assigned to node "n0"`,
  ],
  [
    "a pod that is held back",
    { ...pod, spec: { schedulingGates: [{ name: "g" }] } },
    {},
    `${refused}pod p has non-empty .spec.schedulingGates`,
  ],
  [
    "another pod of the name",
    pod,
    { uid: "u2" },
    'Operation cannot be fulfilled on pods "p": Precondition failed: UID in precondition: u2, UID in object meta: u1',
  ],
  [
    "a pod that has moved on",
    pod,
    { resourceVersion: "6" },
    'Operation cannot be fulfilled on pods "p": Precondition failed: ResourceVersion in precondition: 6, ResourceVersion in object meta: 7',
  ],
];

for (const [what, given, meta, message] of rows) {
  test(`${what} is not bound`, () => {
    const bound = bindPod(given, { ...binding, metadata: { name: "p", ...meta } }, now);
    assert.ok("error" in bound);
    assert.equal(bound.error.message, message);
    assert.equal(bound.error.code, 409);
  });
}
