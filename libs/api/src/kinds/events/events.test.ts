import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import { testCreates, testUpdates } from "../../testing/kind-rows.js";
import { fromHub, validateUpdate } from "../../writes.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const V1 = "events.k8s.io/v1.Event";
const Beta = "events.k8s.io/v1beta1.Event";
const at = "2026-01-02T03:04:05.000000Z";
const seen = "2026-01-02T03:04:05Z";

const eventOf = (tree: Tree) => ({
  eventTime: at,
  action: "Starting",
  reason: "Started",
  reportingController: "example.com/kubelet",
  reportingInstance: "n1",
  type: "Normal",
  regarding: { kind: "Pod", namespace: "n", name: "p" },
  ...tree,
});
const deprecated = {
  deprecatedFirstTimestamp: seen,
  deprecatedLastTimestamp: seen,
  deprecatedCount: 2,
  deprecatedSource: { component: "c", host: "h" },
};

for (const kind of [V1, Beta]) {
  test(`${kind} is stored with the names of the core group, and comes back`, () => {
    const tree = { ...eventOf({ note: "it runs", series: { count: 2, lastObservedTime: at } }), ...deprecated };
    const { hub, back } = kit.roundTrip(kind, tree);
    assert.deepEqual(hub, {
      kind: "Event",
      apiVersion: "v1",
      metadata: { name: "x", namespace: "n" },
      eventTime: at,
      action: "Starting",
      reason: "Started",
      message: "it runs",
      type: "Normal",
      involvedObject: { kind: "Pod", namespace: "n", name: "p" },
      series: { count: 2, lastObservedTime: at },
      reportingComponent: "example.com/kubelet",
      reportingInstance: "n1",
      firstTimestamp: seen,
      lastTimestamp: seen,
      count: 2,
      source: { component: "c", host: "h" },
    });
    const dot = kind.lastIndexOf(".");
    assert.deepEqual(back, {
      ...tree,
      kind: "Event",
      apiVersion: kind.slice(0, dot),
      metadata: { name: "x", namespace: "n" },
    });
  });
}

test("an event of the core group is readable in the new group", () => {
  const stored = kit.created("Event", { involvedObject: { namespace: "n" }, message: "m", source: { component: "c" } });
  const { note, deprecatedSource } = fromHub(kit.kind(V1), stored);
  assert.deepEqual({ note, deprecatedSource }, { note: "m", deprecatedSource: { component: "c" } });
});

test("an event of the core group comes back through the new group unchanged", () => {
  const stored = kit.created("Event", {
    involvedObject: { namespace: "n" },
    reason: "Started",
    ...{ reportingComponent: "", reportingInstance: "" },
  });
  const { metadata, ...read } = fromHub(kit.kind(V1), stored);
  const { reportingController: _none, reportingInstance: _neither, ...shown } = read;
  const updated = kit.updated(V1, { ...shown, metadata: { ...metadata } }, stored);
  assert.deepEqual(validateUpdate(kit.kind(V1), updated, stored), []);
});

testCreates(kit, [
  [V1, "good", eventOf({}), []],
  [V1, "that repeats itself", eventOf({ series: { count: 2, lastObservedTime: at } }), []],
  [V1, "without a time", eventOf({ eventTime: undefined, type: "Normal" }), ["eventTime: Required value"]],
  [
    V1,
    "that says nothing",
    { eventTime: at, type: "Normal", regarding: { namespace: "n" } },
    [
      "reportingController: Required value",
      /^reportingController: Invalid value: ""/,
      /^reportingController: Invalid value: ""/,
      "reportingInstance: Required value",
      "action: Required value",
      "reason: Required value",
    ],
  ],
  [V1, "of another type", eventOf({ type: "Odd" }), ['type: Invalid value: "": has invalid value: Odd']],
  [V1, "of no type", eventOf({ type: "" }), ['type: Invalid value: "": has invalid value: ']],
  [
    V1,
    "with what is deprecated",
    eventOf(deprecated),
    [
      'firstTimestamp: Invalid value: "": needs to be unset',
      'lastTimestamp: Invalid value: "": needs to be unset',
      'count: Invalid value: "": needs to be unset',
      'source: Invalid value: "": needs to be unset',
    ],
  ],
  [
    V1,
    "with a series of one",
    eventOf({ series: { count: 1 } }),
    ['series.count: Invalid value: "": should be at least 2', "series.lastObservedTime: Required value"],
  ],
  [Beta, "of another type, with what is deprecated", eventOf({ type: "Odd", ...deprecated }), []],
  [Beta, "without a time", { regarding: { namespace: "n" } }, []],
  [
    Beta,
    "of no reporter",
    eventOf({ reportingController: "" }),
    [/^reportingController: Required/, /name part/, /name/],
  ],
]);

const repeated = { series: { count: 3, lastObservedTime: at } };
testUpdates(kit, [
  [V1, "whose series grows", eventOf(repeated), eventOf({ series: { count: 2, lastObservedTime: at } }), []],
  [
    V1,
    "with another note and reason",
    eventOf({ note: "b", reason: "Other" }),
    eventOf({ note: "a" }),
    ['reason: Invalid value: "Other": field is immutable', 'message: Invalid value: "b": field is immutable'],
  ],
  [V1, "with a bad series", eventOf({ series: { count: 1, lastObservedTime: at } }), eventOf({}), [/at least 2/]],
  [
    V1,
    "of another reporter",
    eventOf({ reportingController: "example.com/b" }),
    eventOf({}),
    ['reportingController: Invalid value: "example.com/b": field is immutable'],
  ],
  [Beta, "with another note", eventOf({ note: "b" }), eventOf({ note: "a" }), []],
]);
