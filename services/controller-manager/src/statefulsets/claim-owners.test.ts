import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { OwnerReference, Seen } from "../rim/objects.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { isClaimOfPast, ownersOfClaim } from "./claim-owners.js";
import { createStatefulSetController } from "./statefulset-controller.js";
import type { StatefulSet } from "./types.js";

const setWith = (whenDeleted: string, whenScaled: string): StatefulSet => ({
  metadata: { name: "db", namespace: "ns", uid: "set" },
  spec: { replicas: 1, persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } },
});
const [kept, spare] = [0, 1].map((ordinal) => ({ metadata: { name: `db-${ordinal}`, uid: `pod-${ordinal}` } }));
const owner = (uid: string, controller?: boolean): OwnerReference => ({
  ...{ apiVersion: "v1", kind: "X", name: uid, uid },
  ...(controller === undefined ? {} : { controller }),
});
const owners = (uids: readonly OwnerReference[] | undefined) => uids?.map(({ uid }) => uid).join(" ");

const rows: readonly (readonly [deleted: string, scaled: string, ofKept: string, ofSpare: string])[] = [
  ["Retain", "Retain", "", ""],
  ["Delete", "Retain", "set", "set"],
  ["Retain", "Delete", "", "pod-1"],
  ["Delete", "Delete", "set", "pod-1"],
];
for (const [deleted, scaled, ofKept, ofSpare] of rows) {
  for (const [pod, is] of [
    [kept, ofKept],
    [spare, ofSpare],
  ] as const) {
    test(`a claim of ${pod?.metadata.name} of one, ${deleted} when deleted, ${scaled} when scaled: ${is || "nobody's"}`, () => {
      assert.ok(pod);
      const set = setWith(deleted, scaled);
      for (const before of [[], [owner("set")], [owner(pod.metadata.uid)], [owner("set"), owner(pod.metadata.uid)]]) {
        const claim = { metadata: { ownerReferences: [owner("other"), ...before] } };
        const becomes: readonly OwnerReference[] = ownersOfClaim(claim, set, pod) ?? claim.metadata.ownerReferences;
        assert.equal(owners(becomes), `other ${is}`.trim());
        assert.equal(ownersOfClaim({ metadata: { ownerReferences: becomes } }, set, pod), undefined);
      }
    });
  }
}

test("a claim that somebody else manages is neither the set's nor the pod's", () => {
  assert.ok(kept);
  const managed = { metadata: { ownerReferences: [owner("other", true), owner("set")] } };
  assert.equal(owners(ownersOfClaim(managed, setWith("Delete", "Delete"), kept)), "other");
});

const staleRows: readonly (readonly [what: string, reference: OwnerReference])[] = [
  ["the set", { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "before" }],
  ["the pod", { apiVersion: "v1", kind: "Pod", name: "db-0", uid: "before" }],
];
for (const [what, reference] of staleRows) {
  test(`a claim that names ${what} of before is left to the garbage collector`, () => {
    assert.ok(kept);
    const claim = { metadata: { ownerReferences: [reference] } };
    assert.equal(ownersOfClaim(claim, setWith("Delete", "Delete"), kept), undefined);
    assert.equal(isClaimOfPast(claim, setWith("Delete", "Delete"), "db-0"), reference.kind === "Pod");
    assert.equal(isClaimOfPast(claim, setWith("Delete", "Retain"), "db-0"), false);
  });
}

test("an owner that does not manage its claim is made to", () => {
  assert.ok(kept);
  const claim = { metadata: { ownerReferences: [{ ...owner("set"), controller: false }] } };
  assert.deepEqual(
    ownersOfClaim(claim, setWith("Delete", "Retain"), kept)?.map(({ controller }) => controller),
    [true],
  );
});

test("claims that are there follow a policy that changes, and go with pods of which there are too many", async (t) => {
  const server = createMemoryServer();
  const tools = memoryTools(server, createNaming("kubernetes"));
  const selector = { matchLabels: { app: "db" } };
  const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: {} }];
  const template = { metadata: { labels: { app: "db" } }, spec: {} };
  const put = (replicas: number, whenDeleted: string, whenScaled: string): void => {
    const policy = { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } };
    const { metadata, status } = server.at("statefulsets/ns/db") ?? { metadata: {} };
    server.put("statefulsets/ns/db", {
      metadata,
      status,
      spec: { replicas, selector, template, volumeClaimTemplates, podManagementPolicy: "Parallel", ...policy },
    });
  };
  const ownersOf = (claim: string): string => {
    const seen: Seen = server.at(`persistentvolumeclaims/ns/${claim}`) ?? { metadata: {} };
    const { ownerReferences = [] } = seen.metadata;
    return ownerReferences.map(({ kind, name }) => `${kind} ${name}`).join(", ");
  };
  put(2, "Retain", "Retain");
  runController(t, createStatefulSetController({ workers: 1 }, tools));
  await until(() => server.at("pods/ns/db-1") !== undefined, "the pods are there");
  assert.equal(ownersOf("data-db-1"), "");
  put(2, "Delete", "Delete");
  for (const claim of ["data-db-0", "data-db-1"])
    await until(() => ownersOf(claim) === "StatefulSet db", `${claim} is owned`);
  put(1, "Delete", "Delete");
  await until(() => server.at("pods/ns/db-1") === undefined, "the pod goes");
  assert.equal(ownersOf("data-db-1"), "Pod db-1");
  put(1, "Retain", "Delete");
  await until(() => ownersOf("data-db-0") === "", "nobody owns the claim that stays");
  // The account of the controller may not patch claims.
  assert.ok(!server.writes.some((write) => write.startsWith("patch persistentvolumeclaims/")));
});
