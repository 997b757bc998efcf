import assert from "node:assert/strict";
import { test } from "node:test";
import { admitted, clusterWide, podOf, podsOf } from "../../testing/admitted.js";
import { defaultOf, type PrioritizedSpec, withKeptPriority, withPriority } from "./decide.js";

const classes = clusterWide("priorityclasses", "scheduling.k8s.io");
const high = { metadata: { name: "high" }, value: 1000, preemptionPolicy: "Never" };
const text = (given: number, computed: number): string =>
  `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
const policyText =
  "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name";

type Row = readonly [what: string, spec: PrioritizedSpec, of: typeof high | undefined, after: PrioritizedSpec | string];
const rows: readonly Row[] = [
  ["no class", {}, undefined, { priority: 0, preemptionPolicy: "PreemptLowerPriority" }],
  [
    "no class, its own words for it",
    { priority: 0 },
    undefined,
    { priority: 0, preemptionPolicy: "PreemptLowerPriority" },
  ],
  ["no class and a priority", { priority: 7 }, undefined, text(7, 0)],
  ["a class", {}, high, { priorityClassName: "high", priority: 1000, preemptionPolicy: "Never" }],
  [
    "a class and its priority",
    { priority: 1000 },
    high,
    { priorityClassName: "high", priority: 1000, preemptionPolicy: "Never" },
  ],
  ["a class and another priority", { priority: 1 }, high, text(1, 1000)],
  ["a class and another policy", { preemptionPolicy: "PreemptLowerPriority" }, high, policyText],
];
for (const [what, spec, of, after] of rows) {
  test(`priority of a pod: ${what}`, () => assert.deepEqual(withPriority(spec, of), after));
}

test("of several default classes the lowest counts", () => {
  const marked = (name: string, value: number) => ({ metadata: { name }, value, globalDefault: true });
  assert.equal(defaultOf([high])?.metadata.name, undefined);
  assert.equal(defaultOf([marked("a", 5), marked("b", 3), high])?.metadata.name, "b");
});

test("a new state without a priority keeps the old one", () => {
  const old = { priority: 5, preemptionPolicy: "Never" };
  assert.deepEqual(withKeptPriority({}, old), old);
  assert.deepEqual(withKeptPriority({ priority: 6 }, old), { priority: 6, preemptionPolicy: "Never" });
});

test("pods get the priority of their class, of the system's too, or of the default one", async (t) => {
  const { make, says, settled } = await admitted(t);
  await make(classes, { metadata: { name: "usual" }, value: 7, globalDefault: true });
  await make(classes, high);
  await settled();
  const seen = async (name: string, spec: object) => {
    const { spec: stored, metadata } = await make(podsOf, podOf(name, spec));
    assert.ok(!JSON.stringify(metadata.managedFields).includes('"f:priority"'));
    const { priorityClassName, priority, preemptionPolicy }: PrioritizedSpec = Object(stored);
    return [priorityClassName, priority, preemptionPolicy];
  };
  assert.deepEqual(await seen("a", {}), ["usual", 7, "PreemptLowerPriority"]);
  assert.deepEqual(await seen("b", { priorityClassName: "high" }), ["high", 1000, "Never"]);
  const critical = { priorityClassName: "system-node-critical" };
  assert.deepEqual(await seen("c", critical), ["system-node-critical", 2_000_001_000, "PreemptLowerPriority"]);
  for (const name of ["nope", "x".repeat(300)]) {
    const wanted = `403 pods "d" is forbidden: no PriorityClass with name ${name} was found`;
    assert.equal(await says(podsOf, podOf("d", { priorityClassName: name })), wanted);
  }
  assert.equal(await says(podsOf, podOf("e", { priority: 3 })), `403 pods "e" is forbidden: ${text(3, 7)}`);
});

test("a pod's update may leave its priority out", async (t) => {
  const { make, says } = await admitted(t);
  const { metadata } = await make(podsOf, podOf("p"));
  const update = { ...podsOf, verb: "update", name: "p" } as const;
  assert.equal(await says(update, podOf("p", {}, { labels: { a: "b" }, uid: metadata.uid })), "ok");
});

test("only one class is the default one", async (t) => {
  const { make, says, settled } = await admitted(t);
  const marked = (name: string) => ({ metadata: { name }, value: 1, globalDefault: true });
  await make(classes, marked("a"));
  await make(classes, { metadata: { name: "b" }, value: 1 });
  await settled();
  const why = "PriorityClass a is already marked as default. Only one default can exist";
  assert.equal(await says(classes, marked("c")), `403 priorityclasses.scheduling.k8s.io "c" is forbidden: ${why}`);
  const update = { ...classes, verb: "update" } as const;
  assert.equal(
    await says({ ...update, name: "b" }, marked("b")),
    `403 priorityclasses.scheduling.k8s.io "b" is forbidden: ${why}`,
  );
  assert.equal(await says({ ...update, name: "a" }, { ...marked("a"), description: "d" }), "ok");
});
