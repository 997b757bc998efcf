import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { revisionLabel } from "../rim/history.js";
import type { Pod } from "../rim/pods.js";
import { decide } from "./decide.js";
import { claimsOf, ordinalOf, podOf } from "./identity.js";
import { statefulSetKeys } from "./statefulset-controller.js";
import type { StatefulSet } from "./types.js";

const now = Date.UTC(2026, 0, 2);
const set = (replicas: number, spec: object = {}, status: StatefulSet["status"] = {}): StatefulSet => ({
  metadata: { name: "db", namespace: "ns", uid: "u", generation: 1 },
  spec: { replicas, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } }, ...spec },
  status,
});

interface Facts {
  readonly revision?: string;
  readonly phase?: string;
  readonly ready?: boolean;
  readonly going?: boolean;
}
const pod = (
  ordinal: number,
  { revision = "old", phase = "Running", ready = true, going = false }: Facts = {},
): Pod => ({
  metadata: {
    ...{ name: `db-${ordinal}`, uid: `db-${ordinal}`, labels: { [revisionLabel]: revision } },
    ...(going ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
  },
  status: {
    phase,
    conditions: ready ? [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T23:59:50Z" }] : [],
  },
});
const planOf = (given: StatefulSet, pods: readonly Pod[], update = "old") =>
  decide({ set: given, pods, currentRevision: "old", updateRevision: update }, now);
const told = (given: StatefulSet, pods: readonly Pod[], update?: string) =>
  planOf(given, pods, update)
    .actions.map((action) =>
      action.type === "create"
        ? `+${action.ordinal}${action.isUpdated ? "" : " old"}`
        : `-${action.pod.metadata.name?.slice(3)}`,
    )
    .join(" ");
const unready: Facts = { ready: false };
const parallel = { podManagementPolicy: "Parallel" };
const fresh: Facts = { revision: "new" };

describe("a stateful set", () => {
  const rows: readonly (readonly [what: string, got: string, expected: string])[] = [
    ["begins with the first", told(set(3), []), "+0"],
    ["goes on once that is available", told(set(3), [pod(0)]), "+1"],
    ["waits while it is not", told(set(3), [pod(0, unready)]), ""],
    ["waits until it has been ready for long enough", told(set(3, { minReadySeconds: 30 }), [pod(0)]), ""],
    ["fills a gap before it goes on", told(set(3), [pod(0), pod(2)]), "+1"],
    ["makes all at once in parallel", told(set(3, parallel), [pod(1, unready)]), "+0 +2"],
    ["begins where it is told to", told(set(2, { ordinals: { start: 5 } }), [pod(5)]), "+6"],
    [
      "deletes what is below its start, once the rest is there",
      told(set(1, { ordinals: { start: 5 } }), [pod(0), pod(5)]),
      "-0",
    ],
    ["deletes the highest first", told(set(1), [pod(0), pod(1), pod(2)]), "-2"],
    ["waits until it is gone", told(set(1), [pod(0), pod(1), pod(2, { going: true })]), ""],
    ["deletes none while another is not well", told(set(1), [pod(0, unready), pod(1)]), ""],
    ["deletes one that is not well itself", told(set(1), [pod(0), pod(1, unready)]), "-1"],
    ["deletes all at once in parallel", told(set(1, parallel), [pod(0), pod(1), pod(2)]), "-2 -1"],
    ["makes anew what has failed", told(set(2), [pod(0, { phase: "Failed", ready: false }), pod(1)]), "-0"],
    ["makes anew what has ended well", told(set(1), [pod(0, { phase: "Succeeded", ready: false })]), "-0"],
    ["updates from the highest", told(set(2), [pod(0), pod(1)], "new"), "-1"],
    ["waits for what is updated", told(set(2), [pod(0), pod(1, { ...fresh, ...unready })], "new"), ""],
    ["then updates the next", told(set(2), [pod(0), pod(1, fresh)], "new"), "-0"],
    ["makes what is updated of the new template", told(set(2), [pod(0)], "new"), "+1"],
    [
      "leaves what is below the partition",
      told(
        set(2, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } }),
        [pod(0), pod(1, fresh)],
        "new",
      ),
      "",
    ],
    [
      "makes what is below the partition of the old template",
      told(
        set(2, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } }),
        [pod(1, fresh)],
        "new",
      ),
      "+0 old",
    ],
    [
      "updates nothing by itself on deletion",
      told(set(1, { updateStrategy: { type: "OnDelete" } }), [pod(0)], "new"),
      "",
    ],
  ];
  for (const [what, got, expected] of rows) test(what, () => assert.equal(got, expected));
});

test("a set that asks for two billion pods makes 500 in one go at most, and lists what is there alone", () => {
  const most = 2_147_483_647;
  assert.equal(planOf(set(most, parallel), [pod(0), pod(700)]).actions.length, 500);
  assert.equal(told(set(most, { ordinals: { start: most } }), [pod(most), pod(3)]), `+${most + 1}`);
  assert.equal(told(set(most), [pod(0)], "new"), "+1");
  assert.equal(
    planOf(
      set(0, parallel),
      Array.from({ length: 600 }, (_, i) => pod(i)),
    ).actions.length,
    500,
  );
});

test("a status counts pods by their revisions, and an update is over once all are new and ready", () => {
  const half = planOf(set(2), [pod(0), pod(1, { ...fresh, ...unready })], "new").status;
  assert.deepEqual(half, {
    ...{ observedGeneration: 1, replicas: 2, readyReplicas: 1, availableReplicas: 1, currentReplicas: 1 },
    ...{ updatedReplicas: 1, currentRevision: "old", updateRevision: "new", collisionCount: 0 },
  });
  const { currentRevision, currentReplicas } = planOf(set(2), [pod(0, fresh), pod(1, fresh)], "new").status;
  assert.deepEqual([currentRevision, currentReplicas], ["new", 2]);
});

test("a pod has its name, its place on the network, and its claims", () => {
  const keys = statefulSetKeys(createNaming("kubernetes"));
  const volumeClaimTemplates = [{ metadata: { name: "data", labels: { x: "y" } }, spec: { a: 1 } }];
  const given = set(1, { serviceName: "svc", volumeClaimTemplates, selector: { matchLabels: { app: "db" } } });
  const template = { metadata: { labels: { app: "db" } }, spec: { volumes: [{ name: "data" }, { name: "tmp" }] } };
  const made = podOf(given, { ordinal: 3, revision: "db-abc", template, keys });
  assert.equal(made.metadata.generateName, "db-");
  assert.deepEqual(made.metadata.labels, {
    ...{ app: "db", [keys.podName]: "db-3", [keys.podIndex]: "3", [revisionLabel]: "db-abc" },
  });
  const claim = { name: "data", persistentVolumeClaim: { claimName: "data-db-3", readOnly: false } };
  assert.deepEqual(made.spec, { hostname: "db-3", subdomain: "svc", volumes: [claim, { name: "tmp" }] });
  assert.equal(ordinalOf({ metadata: { name: "db-3" } }, given), 3);
  for (const name of ["db-03", "db-x", "other-3", "db-"])
    assert.equal(ordinalOf({ metadata: { name } }, given), undefined);
  const [made0] = claimsOf(given, 0);
  assert.deepEqual(
    [made0?.metadata.name, made0?.metadata.labels, made0?.metadata.ownerReferences],
    [...["data-db-0", { x: "y", app: "db" }, undefined]],
  );
  const [owned] = claimsOf(
    set(1, { ...given.spec, persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } }),
    0,
  );
  assert.deepEqual(owned?.metadata.ownerReferences, [
    { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "u", blockOwnerDeletion: true, controller: true },
  ]);
});
