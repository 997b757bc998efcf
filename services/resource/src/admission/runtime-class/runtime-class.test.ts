import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec, Toleration } from "@orch/api/kinds/core/pod/types.js";
import { admitted, clusterWide, podOf, podsOf } from "../../testing/admitted.js";
import { mergeTolerations } from "./merge-tolerations.js";

const classes = clusterWide("runtimeclasses", "node.k8s.io");

test("a pod takes the overhead, the nodes and the tolerations of its class", async (t) => {
  const { make, says } = await admitted(t);
  const scheduling = { nodeSelector: { kind: "vm" }, tolerations: [{ key: "vm", operator: "Exists" }] };
  const overhead = { podFixed: { memory: "64Mi", cpu: "250m" } };
  await make(classes, { metadata: { name: "vm" }, handler: "vm", overhead, scheduling });
  await make(classes, { metadata: { name: "plain" }, handler: "plain" });
  const { spec } = await make(podsOf, podOf("p", { runtimeClassName: "vm", nodeSelector: { zone: "a" } }));
  const stored: PodSpec = Object(spec);
  assert.deepEqual(stored.overhead, { memory: "64Mi", cpu: "250m" });
  assert.deepEqual(stored.nodeSelector, { zone: "a", kind: "vm" });
  assert.deepEqual(
    stored.tolerations?.map((each) => each.key),
    ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "vm"],
  );
  const refusal = (why: string): string => `403 pods "p" is forbidden: ${why}`;
  const rows: readonly (readonly [spec: object, says: string])[] = [
    [{ runtimeClassName: "nope" }, refusal('pod rejected: RuntimeClass "nope" not found')],
    [{ runtimeClassName: "" }, refusal('pod rejected: RuntimeClass "" not found')],
    [
      { runtimeClassName: "vm", overhead: { memory: "1Mi" } },
      refusal("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"),
    ],
    [
      { runtimeClassName: "plain", overhead: { memory: "1Mi" } },
      refusal("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"),
    ],
    [
      { overhead: { memory: "1Mi" } },
      refusal("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"),
    ],
    [
      { runtimeClassName: "vm", nodeSelector: { kind: "bare" } },
      refusal("conflict: runtimeClass.scheduling.nodeSelector[kind] = vm; pod.spec.nodeSelector[kind] = bare"),
    ],
    [{ runtimeClassName: "vm", overhead: { cpu: "0.25", memory: "65536Ki" } }, "ok"],
    [{ runtimeClassName: "plain" }, "ok"],
  ];
  for (const [given, wanted] of rows) {
    assert.equal(
      await says({ ...podsOf, options: { dryRun: "All" } }, podOf("q", given)),
      wanted.replace('"p"', '"q"'),
    );
  }
});

const exists = (key: string, more: Toleration = {}): Toleration => ({ key, operator: "Exists", ...more });
const equal = (key: string, value: string, more: Toleration = {}): Toleration => ({
  key,
  operator: "Equal",
  value,
  ...more,
});
const merges: readonly (readonly [what: string, first: Toleration[], second: Toleration[], kept: Toleration[]])[] = [
  ["others", [exists("a")], [exists("b")], [exists("a"), exists("b")]],
  ["equal ones", [exists("a")], [exists("a")], [exists("a")]],
  ["a wider one later", [equal("a", "1", { effect: "NoSchedule" })], [exists("a")], [exists("a")]],
  ["a wider one before", [exists("a")], [equal("a", "1")], [exists("a")]],
  ["one for every key", [exists("a"), equal("b", "1")], [{ operator: "Exists" }], [{ operator: "Exists" }]],
  ["values", [equal("a", "1")], [equal("a", "2")], [equal("a", "1"), equal("a", "2")]],
  [
    "seconds",
    [exists("a", { effect: "NoExecute", tolerationSeconds: 5 })],
    [exists("a", { effect: "NoExecute", tolerationSeconds: 9 })],
    [exists("a", { effect: "NoExecute", tolerationSeconds: 9 })],
  ],
  [
    "no seconds are for ever",
    [exists("a", { effect: "NoExecute" })],
    [exists("a", { effect: "NoExecute", tolerationSeconds: 9 })],
    [exists("a", { effect: "NoExecute" })],
  ],
];
for (const [what, first, second, kept] of merges) {
  test(`merged tolerations: ${what}`, () => assert.deepEqual(mergeTolerations(first, second), kept));
}

test("merging compares each toleration with a few sorts, not with all others", () => {
  const many = (count: number): Toleration[] => Array.from({ length: count }, (_, i) => equal(`k${i}`, "v"));
  const reads = (count: number): number => {
    let read = 0;
    const counted = many(count).map((toleration) => ({
      ...toleration,
      get key() {
        read++;
        return toleration.key ?? "";
      },
    }));
    mergeTolerations(counted, [exists("vm")]);
    return read;
  };
  assert.ok(reads(4000) <= 5 * reads(1000), `${reads(1000)} → ${reads(4000)}`);
});
