import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { ReplicaSet } from "../replicas/types.js";
import { decide } from "./decide.js";
import { deploymentKeys } from "./deployment-controller.js";
import { resolveFenceposts } from "./fenceposts.js";
import { newSet } from "./new-set.js";
import { proportional } from "./scaling.js";
import { canonicalText, fnv1a, safeText, templateHash } from "./template-hash.js";
import type { Deployment } from "./types.js";

const now = Date.UTC(2026, 0, 2);
const keys = deploymentKeys(createNaming("kubernetes"));
const template = (image: string) => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image }] },
});
const deployment = (replicas: number, spec: object = {}, more: Partial<Deployment> = {}): Deployment => ({
  metadata: { name: "web", namespace: "ns", uid: "u", generation: 1 },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: template("new"),
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    progressDeadlineSeconds: 600,
    revisionHistoryLimit: 2,
    ...spec,
  },
  ...more,
});

interface SetFacts {
  readonly size: number;
  readonly available?: number;
  readonly revision?: number;
  readonly desired?: number;
  readonly max?: number;
  /** Days. */
  readonly age?: number;
}

function set(image: string, { size, available = size, revision, desired, max, age = 1 }: SetFacts): ReplicaSet {
  const counts = { [keys.revision]: revision ?? (image === "new" ? 2 : 1), [keys.desired]: desired, [keys.max]: max };
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  return {
    metadata: {
      name: `web-${image}`,
      uid: image,
      generation: 1,
      creationTimestamp: new Date(now - age * 86_400_000).toISOString(),
      annotations: Object.fromEntries(known.map(([key, count]) => [key, String(count)])),
    },
    spec: { replicas: size, template: template(image), minReadySeconds: 0 },
    status: { replicas: size, readyReplicas: available, availableReplicas: available, observedGeneration: 1 },
  };
}

const planOf = (given: Deployment, owned: readonly ReplicaSet[], hasPods = false) =>
  decide({ deployment: given, owned, keys, hasPods: () => hasPods }, now);
const told = (given: Deployment, owned: readonly ReplicaSet[], hasPods = false) =>
  planOf(given, owned, hasPods).actions.map((action) => {
    if (action.type === "create") return "create";
    const name = action.set.metadata.name?.replace("web-", "");
    return action.type === "resize" ? `${name} ${action.size}` : `${action.type} ${name}`;
  });

for (const [replicas, surge, unavailable, expected] of [
  [10, "25%", "25%", { surge: 3, unavailable: 2 }],
  [3, "25%", "25%", { surge: 1, unavailable: 0 }],
  [1, 0, "0%", { surge: 0, unavailable: 1 }],
] as const) {
  test(`fenceposts of ${replicas} with ${surge} and ${unavailable}`, () => {
    assert.deepEqual(resolveFenceposts(surge, unavailable, replicas), expected);
  });
}

test("hashes are FNV-1a, written in letters that make no words, and do not depend on the order of fields", () => {
  assert.equal(fnv1a(""), 2166136261);
  assert.equal(fnv1a("foobar"), 0xbf9cf968);
  assert.match(safeText(2166136261), /^[bcdfghjklmnpqrstvwxz2456789]{10}$/);
  assert.equal(canonicalText({ b: [1, { d: 1, c: undefined }], a: "x" }), '{"a":"x","b":[1,{"d":1}]}');
  assert.equal(canonicalText({ a: [9_000_000_000_000_000_000n] }), '{"a":[9000000000000000000]}');
  assert.equal(templateHash({ a: 1, b: 2 }, undefined), templateHash({ b: 2, a: 1 }, undefined));
  assert.notEqual(templateHash({ a: 1 }, undefined), templateHash({ a: 1 }, 1));
});

test("the new set carries the template's hash, the deployment's annotations and the next revision", () => {
  const annotations = { note: "n", [keys.lastApplied]: "{}", [keys.revision]: "1" };
  const given = deployment(3, {}, { metadata: { name: "web", namespace: "ns", uid: "u", annotations } });
  const made = newSet(given, [set("old", { size: 3, revision: 4 })], keys);
  const hash = templateHash(template("new"), undefined);
  assert.equal(made.metadata.name, `web-${hash}`);
  assert.equal(made.spec.replicas, 1, "no more than the surge allows");
  assert.deepEqual(made.metadata.annotations, {
    ...{ note: "n", [keys.revision]: "5", [keys.desired]: "3", [keys.max]: "4" },
  });
  const labels = { app: "web", [keys.hash]: hash };
  assert.deepEqual(
    [made.metadata.labels, made.spec.selector, made.spec.template.metadata],
    [labels, { matchLabels: labels }, { labels }],
  );
});

const size = (count: number, more: Partial<SetFacts> = {}) => ({ size: count, ...more });
const rows: readonly (readonly [what: string, plan: readonly string[], expected: readonly string[]])[] = [
  ["makes a set for a new template", told(deployment(4), [set("old", size(4))]), ["create"]],
  ["grows by the surge", told(deployment(4), [set("old", size(4)), set("new", size(0))]), ["new 1"]],
  [
    "counts no more of a set than it is to have, whatever its status still says",
    told(deployment(4), [set("old", size(3, { available: 4 })), set("new", size(2, { available: 1 }))]),
    ["old 2"],
  ],
  [
    "takes from the old what stays available",
    told(deployment(4), [set("old", size(4)), set("new", size(1, { available: 0 }))]),
    ["old 3"],
  ],
  [
    "waits while no more may be unavailable",
    told(deployment(4), [set("old", size(3)), set("new", size(2, { available: 0 }))]),
    [],
  ],
  [
    "takes first what is not available",
    told(deployment(4), [set("old", size(4, { available: 3 })), set("new", size(1, { available: 1 }))]),
    ["old 2"],
  ],
  ["grows further as the old shrinks", told(deployment(4), [set("old", size(3)), set("new", size(1))]), ["new 2"]],
  [
    "takes from the oldest first",
    told(deployment(4), [set("older", size(2, { age: 9 })), set("old", size(2)), set("new", size(1))]),
    ["older 0"],
  ],
  ["is done", told(deployment(4), [set("old", size(0)), set("new", size(4))]), []],
  ["shrinks a set that is too large", told(deployment(2), [set("new", size(4))]), ["new 2"]],
];
for (const [what, plan, expected] of rows) test(`a rolling update ${what}`, () => assert.deepEqual(plan, expected));

test("a rolling update of any size never has more than its surge, nor less than what must be available", () => {
  for (const [replicas, surge, unavailable] of [
    [4, 1, 1],
    [10, 3, 2],
    [1, 1, 0],
    [5, 0, 1],
    [7, 7, 7],
  ] as const) {
    const rollingUpdate = { maxSurge: surge, maxUnavailable: unavailable };
    const given = deployment(replicas, { strategy: { type: "RollingUpdate", rollingUpdate } });
    const sizes: { old: number; new: number } = { old: replicas, new: 0 };
    let steps = 0;
    for (; steps < 100 && (sizes.old > 0 || sizes.new < replicas); steps++) {
      // What was just made is not available until the next step.
      const sets = [set("old", size(sizes.old)), set("new", size(sizes.new))];
      for (const action of planOf(given, sets).actions) {
        assert.equal(action.type, "resize");
        if (action.type !== "resize") continue;
        if (action.set.metadata.name === "web-old") sizes.old = action.size;
        else sizes.new = action.size;
        assert.ok(sizes.old + sizes.new <= replicas + surge, `${sizes.old} + ${sizes.new}`);
        const wasAvailable = Math.min(sizes.new, sets[1]?.spec?.replicas ?? 0) + sizes.old;
        assert.ok(wasAvailable >= replicas - unavailable, `${wasAvailable} available`);
      }
    }
    assert.deepEqual(sizes, { old: 0, new: replicas });
  }
});

test("a change of replicas in mid-rollout is spread over the sets by their sizes", () => {
  const active = [set("old", size(8, { max: 13 })), set("new", size(5, { max: 13 }))];
  const resizes = proportional(active, { wanted: 20, fenceposts: { surge: 3 }, maxKey: keys.max });
  assert.deepEqual(
    resizes.map(({ set: { metadata }, size: count }) => [metadata.uid, count]),
    [
      ["old", 14],
      ["new", 9],
    ],
  );
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } };
  const sized = active.map((each) => ({
    ...each,
    metadata: { ...each.metadata, annotations: { ...each.metadata.annotations, [keys.desired]: "10" } },
  }));
  assert.deepEqual(told(deployment(20, { strategy }), sized), ["old 14", "new 9"]);
  assert.deepEqual(told(deployment(0, { strategy }), sized), ["old 0", "new 0"]);
});

test("a paused deployment scales and rolls nothing out", () => {
  const paused = deployment(6, { paused: true });
  assert.deepEqual(told(paused, [set("old", size(4, { desired: 4, max: 5 }))]), ["old 6"]);
  const { conditions = [] } = planOf(paused, [set("old", size(6))]).status;
  const progress = conditions.find(({ type }) => type === "Progressing");
  assert.deepEqual([progress?.status, progress?.reason], ["Unknown", "DeploymentPaused"]);
  const status = { conditions };
  const resumed = planOf(deployment(6, {}, { status }), [set("new", size(6, { available: 0 }))]).status.conditions;
  assert.equal(resumed?.find(({ type }) => type === "Progressing")?.reason, "ReplicaSetUpdated");
});

test("to recreate is to end the old first", () => {
  const given = deployment(2, { strategy: { type: "Recreate" } });
  assert.deepEqual(told(given, [set("old", size(2))]), ["old 0"]);
  const empty = { ...set("old", size(0)), status: { replicas: 1 } };
  assert.deepEqual(told(given, [empty]), [], "its status tells of a pod");
  assert.deepEqual(told(given, [set("old", size(0))], true), [], "a pod is on its way out");
  assert.deepEqual(told(given, [set("old", size(0))]), ["create"]);
  assert.deepEqual(told(given, [set("old", size(0)), set("new", size(0))]), ["new 2"]);
});

test("old sets beyond the history go, the oldest revision first", () => {
  const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
  const old = [1, 2, 3, 4].map((revision) => set(`v${revision}`, size(0, { revision, age: 10 - revision })));
  const all = [...old, set("new", size(1, { revision: 5 }))];
  assert.deepEqual(told(deployment(1, {}, { status }), all), ["delete v1", "delete v2"]);
  assert.deepEqual(told(deployment(1), all), [], "while the rollout is under way");
  assert.deepEqual(told(deployment(1, { paused: true }), all).slice(-2), ["delete v1", "delete v2"]);
});

test("going back to a template makes its set the newest, with a new revision and its history", () => {
  const { actions } = planOf(deployment(1), [
    set("new", size(0, { revision: 1, age: 9 })),
    set("old", size(1, { revision: 2 })),
  ]);
  const [action] = actions;
  assert.ok(action?.type === "update");
  assert.equal(action.set.metadata.annotations?.[keys.revision], "3");
  assert.equal(action.set.metadata.annotations?.[keys.history], "1");
});

test("conditions tell of a rollout that goes on, is over, or takes too long", () => {
  const reasonOf = (given: Deployment, owned: readonly ReplicaSet[]) => {
    const { conditions = [] } = planOf(given, owned).status;
    return conditions.map(({ type, status, reason, message }) => [type, status, reason, message].join(" | "));
  };
  const enough = "Available | True | MinimumReplicasAvailable | Deployment has minimum availability.";
  const few = "Available | False | MinimumReplicasUnavailable | Deployment does not have minimum availability.";
  assert.deepEqual(reasonOf(deployment(2), [set("new", size(2))]), [
    enough,
    'Progressing | True | NewReplicaSetAvailable | ReplicaSet "web-new" has successfully progressed.',
  ]);
  assert.deepEqual(reasonOf(deployment(4), [set("new", size(2, { available: 1 }))]), [
    few,
    'Progressing | True | ReplicaSetUpdated | ReplicaSet "web-new" is progressing.',
  ]);
  const stuck = {
    type: "Progressing",
    status: "True",
    reason: "ReplicaSetUpdated",
    lastUpdateTime: "2026-01-01T23:00:00Z",
  };
  const status = {
    observedGeneration: 1,
    replicas: 4,
    updatedReplicas: 4,
    unavailableReplicas: 4,
    conditions: [stuck],
  };
  assert.deepEqual(
    reasonOf(deployment(4, {}, { status }), [set("new", size(4, { available: 0 }))])
      .slice(0, 2)
      .sort(),
    [few, 'Progressing | False | ProgressDeadlineExceeded | ReplicaSet "web-new" has timed out progressing.'],
  );
});
