import assert from "node:assert/strict";
import { test } from "node:test";
import { podTotals } from "@orch/api/kinds/core/pod/totals.js";
import type { Container, Pod } from "@orch/api/kinds/core/pod/types.js";
import { assertLinear } from "@orch/status/testing/growth.js";
import { admitted, podOf, podsOf } from "../../testing/admitted.js";
import { claimProblems, podProblems } from "./constraints.js";
import { withDefaults } from "./defaults.js";
import type { Limit } from "./types.js";

type Amounts = Readonly<Record<string, string>> | undefined;
const container = (requests: Amounts, limits: Amounts, more: object = {}): Container => ({
  name: "c",
  resources: { ...(requests && { requests }), ...(limits && { limits }) },
  ...more,
});
const pod = (containers: readonly Container[], initContainers: readonly Container[] = []): Pod => ({
  metadata: {},
  spec: { containers, initContainers },
});
const range = (...limits: Limit[]) => ({ metadata: {}, spec: { limits } });
const sidecar = { restartPolicy: "Always" };

const rows: readonly (readonly [what: string, limit: Limit, pod: Pod, problems: readonly string[]])[] = [
  [
    "within",
    { type: "Container", min: { cpu: "100m" }, max: { cpu: "1" } },
    pod([container({ cpu: "100m" }, { cpu: "1" })]),
    [],
  ],
  [
    "no request",
    { type: "Container", min: { cpu: "100m" } },
    pod([container(undefined, undefined)]),
    ["minimum cpu usage per Container is 100m.  No request is specified"],
  ],
  [
    "less than the least",
    { type: "Container", min: { cpu: "100m", memory: "1Gi" } },
    pod([container({ cpu: "50m", memory: "1Gi" }, { memory: "512Mi" })]),
    [
      "minimum cpu usage per Container is 100m, but request is 50m",
      "minimum memory usage per Container is 1Gi, but limit is 512Mi",
    ],
  ],
  [
    "no limit",
    { type: "Container", max: { cpu: "1" } },
    pod([container({ cpu: "1" }, undefined)]),
    ["maximum cpu usage per Container is 1.  No limit is specified"],
  ],
  [
    "more than the most",
    { type: "Container", max: { cpu: "1", memory: "1Gi" } },
    pod([container({ cpu: "2", memory: "2Gi" }, { cpu: "1", memory: "3Gi" })]),
    [
      "maximum cpu usage per Container is 1, but request is 2",
      "maximum memory usage per Container is 1Gi, but limit is 3Gi",
    ],
  ],
  [
    "ratio without a request",
    { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
    pod([container({ cpu: "0" }, { cpu: "1" })]),
    ["cpu max limit to request ratio per Container is 2, but no request is specified or request is 0"],
  ],
  [
    "ratio without a limit",
    { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
    pod([container({ cpu: "1" }, undefined)]),
    ["cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"],
  ],
  [
    "ratio",
    { type: "Container", maxLimitRequestRatio: { cpu: "1500m", memory: "2" } },
    pod([container({ cpu: "100m", memory: "1Gi" }, { cpu: "200m", memory: "2Gi" })]),
    ["cpu max limit to request ratio per Container is 1500m, but provided ratio is 2.000000"],
  ],
  [
    "init containers are containers",
    { type: "Container", max: { cpu: "1" } },
    pod([container(undefined, { cpu: "1" })], [container(undefined, { cpu: "2" })]),
    ["maximum cpu usage per Container is 1, but limit is 2"],
  ],
  [
    "two containers that break the same limit alike",
    { type: "Container", max: { cpu: "1" } },
    pod([container(undefined, { cpu: "2" }), container(undefined, { cpu: "2" })]),
    ["maximum cpu usage per Container is 1, but limit is 2"],
  ],
  [
    "containers of a pod count together",
    { type: "Pod", max: { memory: "1Gi" } },
    pod([container(undefined, { memory: "768Mi" }), container(undefined, { memory: "512Mi" })]),
    ["maximum memory usage per Pod is 1Gi, but limit is 1280Mi"],
  ],
  [
    "an init container counts where it is more",
    { type: "Pod", max: { cpu: "1" } },
    pod(
      [container(undefined, { cpu: "500m" })],
      [container(undefined, { cpu: "3" }), container(undefined, { cpu: "2" })],
    ),
    ["maximum cpu usage per Pod is 1, but limit is 3"],
  ],
  [
    "an init container that goes on running is added",
    { type: "Pod", max: { cpu: "1" } },
    pod([container(undefined, { cpu: "500m" })], [container(undefined, { cpu: "600m" }, sidecar)]),
    ["maximum cpu usage per Pod is 1, but limit is 1100m"],
  ],
  [
    "a limit of claims is none of pods",
    { type: "PersistentVolumeClaim", min: { storage: "1Gi" } },
    pod([container(undefined, undefined)]),
    [],
  ],
];
for (const [what, limit, given, problems] of rows) {
  test(`pod and limit: ${what}`, () => assert.deepEqual(podProblems(given, [range(limit)]), problems));
}

test("what every range of a namespace forbids is told together", () => {
  const given = pod([container({ cpu: "2" }, { cpu: "2" })]);
  const ranges = [range({ type: "Container", max: { cpu: "1" } }), range({ type: "Pod", max: { cpu: "1500m" } })];
  assert.deepEqual(podProblems(given, ranges), [
    "maximum cpu usage per Container is 1, but limit is 2",
    "maximum cpu usage per Pod is 1500m, but limit is 2",
  ]);
});

test("an init container is counted beside those that were started before it and go on running", () => {
  const init = [
    container({ cpu: "1" }, undefined, sidecar),
    container({ cpu: "5", memory: "1Mi" }, undefined),
    container({ cpu: "1" }, undefined, sidecar),
  ];
  assert.deepEqual(podTotals({ containers: [container({ cpu: "3" }, undefined)], initContainers: init }), {
    requests: { cpu: "6", memory: "1Mi" },
    limits: {},
  });
});

test("adding up costs by the amounts, not by containers times resources", () => {
  assertLinear(8000, (count) => {
    const amounts = Object.fromEntries(Array.from({ length: count }, (_, i) => [`example.com/r${i}`, "1"]));
    const small = Array.from({ length: count }, () => container({ cpu: "1" }, undefined));
    const spec = { containers: [], initContainers: [container(amounts, undefined, sidecar), ...small] };
    return () => podTotals(spec);
  });
});

const claims: readonly (readonly [requests: Record<string, string>, problems: readonly string[]])[] = [
  [{ storage: "1Gi" }, []],
  [
    {},
    [
      "minimum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified",
      "maximum storage usage per PersistentVolumeClaim is 5Gi.  No request is specified",
    ],
  ],
  [{ storage: "512Mi" }, ["minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 512Mi"]],
  [{ storage: "6Gi" }, ["maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi"]],
];
for (const [requests, problems] of claims) {
  test(`claim of ${requests["storage"] ?? "nothing"}: ${problems.length} problems`, () => {
    const limit = { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "5Gi" } };
    assert.deepEqual(claimProblems(requests, [range(limit)]), problems);
  });
}

test("containers that do not say get the defaults, and an annotation tells which", () => {
  const usual = range({ type: "Container", default: { memory: "1Gi", cpu: "1" }, defaultRequest: { cpu: "500m" } });
  const given = pod([{ name: "a" }, container({ cpu: "1" }, { cpu: "2", memory: "2Gi" })], [{ name: "b" }]);
  const { metadata, spec } = withDefaults(given, usual, "kubernetes.io/limit-ranger");
  const filled = { requests: { cpu: "500m" }, limits: { memory: "1Gi", cpu: "1" } };
  assert.deepEqual(
    spec?.containers?.map((c) => c.resources),
    [filled, { requests: { cpu: "1" }, limits: { cpu: "2", memory: "2Gi" } }],
  );
  assert.deepEqual(
    spec?.initContainers?.map((c) => c.resources),
    [filled],
  );
  assert.deepEqual(metadata.annotations, {
    "kubernetes.io/limit-ranger":
      "LimitRanger plugin set: cpu request for container a; cpu, memory limit for container a; cpu request for init container b; cpu, memory limit for init container b",
  });
  const whole = pod([container({ cpu: "1" }, { cpu: "2", memory: "2Gi" })]);
  assert.equal(withDefaults(whole, usual, "a"), whole);
});

test("pods of a namespace get its defaults, are held to its limits, and nobody owns what was set", async (t) => {
  const { make, says, settled } = await admitted(t);
  const limits = [{ type: "Container", max: { cpu: "1" }, defaultRequest: { cpu: "100m" } }];
  await make({ resource: "limitranges" }, { metadata: { name: "l" }, spec: { limits } });
  await settled();
  const stored: Pod = await make(podsOf, podOf("small"));
  assert.deepEqual(stored.spec?.containers?.[0]?.resources, { requests: { cpu: "100m" }, limits: { cpu: "1" } });
  assert.ok(!JSON.stringify(stored.metadata.managedFields).includes("limit-ranger"));
  assert.ok(!JSON.stringify(stored.metadata.managedFields).includes("f:cpu"));
  const big = { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "2" } } }] };
  assert.equal(
    await says(podsOf, podOf("big", big)),
    '403 pods "big" is forbidden: [maximum cpu usage per Container is 1, but limit is 2]'.replace(/[[\]]/g, ""),
  );
  assert.equal(
    await says({ ...podsOf, options: { dryRun: "All" } }, podOf("big", big)),
    '403 pods "big" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
  );
  await make({ resource: "namespaces", namespace: "" }, { metadata: { name: "other" } });
  assert.equal(await says({ ...podsOf, namespace: "other" }, podOf("big", big)), "ok");
});

test("an update of a pod is not held to limits that came after it, a resize and a claim's are", async (t) => {
  const { make, says, settled } = await admitted(t);
  const resources = { limits: { cpu: "2" }, requests: { cpu: "1" } };
  await make(podsOf, podOf("p", { containers: [{ name: "c", image: "i", resources }] }));
  const claim = (size: string) => ({
    metadata: { name: "c" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: size } } },
  });
  await make({ resource: "persistentvolumeclaims" }, claim("10Gi"));
  const limits = [
    { type: "Container", max: { cpu: "1" } },
    { type: "PersistentVolumeClaim", max: { storage: "5Gi" } },
  ];
  await make({ resource: "limitranges" }, { metadata: { name: "l" }, spec: { limits } });
  await settled();
  const merge = { verb: "patch", contentType: "application/merge-patch+json" } as const;
  const labelled = { metadata: { labels: { a: "b" } } };
  assert.equal(await says({ ...podsOf, ...merge, name: "p" }, labelled), "ok");
  const resized = {
    spec: { containers: [{ name: "c", resources: { limits: { cpu: "2500m" }, requests: { cpu: "1" } } }] },
  };
  const strategic = { verb: "patch", contentType: "application/strategic-merge-patch+json" } as const;
  assert.equal(
    await says({ ...podsOf, ...strategic, name: "p", subresource: "resize" }, resized),
    '403 pods "p" is forbidden: maximum cpu usage per Container is 1, but limit is 2500m',
  );
  assert.equal(
    await says({ resource: "persistentvolumeclaims", ...merge, name: "c" }, labelled),
    '403 persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 10Gi',
  );
});
