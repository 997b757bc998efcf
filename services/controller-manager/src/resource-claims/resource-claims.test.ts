import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod, PodClaimStatus } from "../rim/pods.js";
import { type ClaimState, decideClaim } from "./decide-claim.js";
import { decidePod, type PodState } from "./decide-pod.js";
import type { ResourceClaim } from "./types.js";

const entryAnnotation = "resource.kubernetes.io/pod-claim-name";
const deletionTimestamp = "2026-01-01T00:00:00Z";
const pod = (more: Partial<Pod> = {}, statuses: readonly PodClaimStatus[] = []): Pod => ({
  metadata: { name: "p", namespace: "ns", uid: "u" },
  ...more,
  spec: {
    resourceClaims: [
      { name: "gpu", resourceClaimTemplateName: "t" },
      { name: "nic", resourceClaimName: "shared" },
    ],
    ...more.spec,
  },
  status: { resourceClaimStatuses: statuses, ...more.status },
});
const ownedBy = (uid: string, name = "p-gpu-x"): ResourceClaim => ({
  metadata: {
    ...{ name, namespace: "ns", annotations: { [entryAnnotation]: "gpu" } },
    ownerReferences: [{ kind: "Pod", name: "p", uid, controller: true }],
  },
});
const allocated = (...uids: readonly string[]): ResourceClaim => ({
  metadata: { name: "shared", namespace: "ns" },
  status: { allocation: {}, reservedFor: uids.map((uid) => ({ resource: "pods", name: uid, uid })) },
});
const known = [{ name: "gpu", resourceClaimName: "p-gpu-x" }];
const on = { spec: { nodeName: "n" } };

type PodRow = readonly [
  what: string,
  pod: Pod,
  claims: readonly ResourceClaim[],
  is: string,
  state?: Partial<PodState>,
];
const podRows: readonly PodRow[] = [
  ["without its claim", pod(), [], "create gpu"],
  ["without its template", pod(), [], "refuse gpu", { templateNamed: () => undefined }],
  ["whose claim is not in its status", pod(), [ownedBy("u")], "name p-gpu-x"],
  ["whose claim was made just now", pod(), [], "name p-gpu-y", { madeFor: () => "p-gpu-y" }],
  ["with its claim", pod({}, known), [ownedBy("u")], ""],
  ["whose claim is gone", pod({}, known), [], "create gpu"],
  ["whose claim is another pod's", pod({}, known), [ownedBy("other")], "create gpu"],
  ["that needs no claim", pod({}, [{ name: "gpu" }]), [], ""],
  ["that goes", pod({ metadata: { name: "p", deletionTimestamp } }), [], ""],
  ["on a node, whose claim is free", pod(on, known), [ownedBy("u"), allocated()], "reserve shared"],
  ["on a node, whose claim it has", pod(on, known), [ownedBy("u"), allocated("u")], ""],
  ["on a node, whose claim has no devices", pod(on, known), [ownedBy("u"), { metadata: { name: "shared" } }], ""],
  [
    "on a node, whose claim is full",
    pod(on, known),
    [ownedBy("u"), allocated(...Array.from({ length: 256 }, (_, i) => String(i)))],
    "",
  ],
];
for (const [what, of, claims, is, state] of podRows) {
  test(`a pod ${what}: ${is === "" ? "nothing" : is}`, () => {
    const actions = decidePod(of, {
      ...{ entryAnnotation, templateResource: "resourceclaimtemplate.resource.k8s.io", madeFor: () => undefined },
      claimNamed: (name) => claims.find(({ metadata }) => metadata.name === name),
      owned: claims.filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === of.metadata.uid),
      templateNamed: () => ({ metadata: { name: "t" }, spec: { spec: { devices: {} } } }),
      ...state,
    });
    const shown = actions.map((action) => {
      if (action.do === "name") return `name ${action.claim}`;
      return action.do === "reserve" ? `reserve ${action.claim.metadata.name}` : `${action.do} ${action.entry}`;
    });
    assert.equal(shown.join(), is);
  });
}

test("a claim is made of its template, and is the pod's", () => {
  const template = { metadata: {}, spec: { metadata: { labels: { a: "b" } }, spec: { devices: { requests: [] } } } };
  const state: PodState = {
    ...{ entryAnnotation, templateResource: "", madeFor: () => undefined, claimNamed: () => undefined, owned: [] },
    templateNamed: () => template,
  };
  const [action] = decidePod(pod(), state);
  assert.ok(action?.do === "create");
  const { metadata, spec } = action.claim;
  assert.deepEqual(spec, { devices: { requests: [] } });
  assert.deepEqual([metadata.generateName, metadata.labels], ["p-gpu-", { a: "b" }]);
  assert.deepEqual(metadata.annotations, { [entryAnnotation]: "gpu" });
  assert.equal(metadata.ownerReferences?.[0]?.uid, "u");
  const long = pod({ metadata: { name: "x".repeat(100), namespace: "ns" } });
  const [shortened] = decidePod(long, state);
  assert.ok(shortened?.do === "create");
  assert.equal(shortened.claim.metadata.generateName, `${"x".repeat(54)}-g`);
});

const finalizer = "resource.kubernetes.io/delete-protection";
const used = (uids: readonly string[], metadata: ResourceClaim["metadata"] = {}): ResourceClaim => ({
  ...allocated(...uids),
  metadata: { name: "c", namespace: "ns", finalizers: [finalizer], ...metadata },
});
const runs = (uid: string, more: Partial<Pod> = {}): Pod => ({ metadata: { name: uid, uid }, ...more });
type ClaimRow = readonly [
  what: string,
  claim: ResourceClaim,
  pods: readonly Pod[],
  is: string,
  unknown?: readonly string[],
];
const claimRows: readonly ClaimRow[] = [
  ["in use", used(["a"]), [runs("a")], ""],
  ["of a pod that was not seen", used(["a"]), [], "ask", ["a"]],
  ["of a pod that is gone", used(["a"]), [], "release 0 and free, dropFinalizer"],
  [
    "of a pod that has ended, and one that runs",
    used(["a", "b"]),
    [runs("a", { status: { phase: "Failed" } }), runs("b")],
    "release 1",
  ],
  [
    "of another pod of that name",
    used(["a"]),
    [{ metadata: { name: "a", uid: "new" } }],
    "release 0 and free, dropFinalizer",
  ],
  [
    "of a pod that goes and never had a node",
    used(["a"]),
    [{ metadata: { name: "a", uid: "a", deletionTimestamp } }],
    "release 0 and free, dropFinalizer",
  ],
  [
    "of a pod that goes from its node",
    used(["a"]),
    [{ metadata: { name: "a", uid: "a", deletionTimestamp }, ...on }],
    "",
  ],
  ["whose devices somebody else gave out", used(["a"], { finalizers: [] }), [], "release 0"],
  ["that goes with its devices", used([], { deletionTimestamp }), [], "release 0 and free, dropFinalizer"],
  ["that nobody has used yet", used([]), [], ""],
  [
    "made for a pod that has ended",
    ownedBy("u"),
    [{ metadata: { name: "p", uid: "u" }, status: { phase: "Succeeded" } }],
    "delete",
  ],
  ["made for a pod that was replaced", ownedBy("u"), [{ metadata: { name: "p", uid: "new" } }], "delete"],
  ["made for a pod that is not there", ownedBy("u"), [], ""],
  ["of what is no pod", { metadata: {}, status: { reservedFor: [{ resource: "jobs" }] } }, [], "refuse"],
];
for (const [what, claim, pods, is, unknown = []] of claimRows) {
  test(`a claim ${what}: ${is === "" ? "stays" : is}`, () => {
    const podNamed: ClaimState["podNamed"] = (name) =>
      pods.find(({ metadata }) => metadata.name === name) ?? (unknown.includes(name) ? "unknown" : "gone");
    const shown = decideClaim(claim, { finalizer, podNamed }).map((action) =>
      action.do === "release" ? `release ${action.reservedFor.length}${action.frees ? " and free" : ""}` : action.do,
    );
    assert.equal(shown.join(", "), is);
  });
}
