import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import { type CreateRow, testCreates, testUpdates, type UpdateRow } from "../../testing/kind-rows.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const group = "coordination.k8s.io";
const lease = `${group}/v1.Lease`;
const candidate = `${group}/v1alpha2.LeaseCandidate`;
const oldCandidate = `${group}/v1alpha1.LeaseCandidate`;
const leaseOf = (spec: Tree): Tree => ({ spec });
const good = {
  leaseName: "l",
  binaryVersion: "1.32.0",
  emulationVersion: "1.31.0",
  strategy: "OldestEmulationVersion",
};
const candidateOf = (spec: Tree): Tree => ({ spec: { ...good, ...spec } });
const versioned = (tree: Tree): Tree => ({ ...tree, metadata: { resourceVersion: "1" } });
const semantic = "must be a valid semantic version";

const creates: readonly CreateRow[] = [
  [lease, "good", {}, []],
  [lease, "held", leaseOf({ holderIdentity: "h", leaseDurationSeconds: 1, leaseTransitions: 0 }), []],
  [lease, "of a chosen holder", leaseOf({ strategy: "example.com/mine", preferredHolder: "h" }), []],
  [
    lease,
    "of odd numbers",
    leaseOf({ leaseDurationSeconds: 0, leaseTransitions: -1 }),
    [
      "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
      "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [lease, "whose strategy is dropped before it is judged", leaseOf({ strategy: "Mine", preferredHolder: "h" }), []],
  [
    candidate,
    "without a spec",
    {},
    ["spec.leaseName: Required value", "spec.binaryVersion: Required value", "spec.strategy: Required value"],
  ],
  [candidate, "good", candidateOf({}), []],
  [candidate, "of a name with a capital", { metadata: { name: "A_b.c" }, ...candidateOf({}) }, []],
  [
    candidate,
    "of nothing",
    { spec: {} },
    ["spec.leaseName: Required value", "spec.binaryVersion: Required value", "spec.strategy: Required value"],
  ],
  [
    candidate,
    "of odd versions",
    candidateOf({ binaryVersion: "1.32", emulationVersion: "v1" }),
    [
      `spec.emulationVersion: Invalid value: "v1": ${semantic}`,
      `spec.binaryVersion: Invalid value: "1.32": ${semantic}`,
      "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'",
    ],
  ],
  [
    candidate,
    "that emulates the future",
    candidateOf({ binaryVersion: "1.32.0-alpha.1", emulationVersion: "1.32.0" }),
    ['spec.binaryVersion: Invalid value: "1.32.0-alpha.1": must be greater than or equal to `emulationVersion`'],
  ],
  [
    candidate,
    "that emulates nothing",
    candidateOf({ emulationVersion: "" }),
    ["spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'"],
  ],
];
testCreates(kit, creates);

const updates: readonly UpdateRow[] = [
  [lease, "of another holder", versioned(leaseOf({ holderIdentity: "h" })), {}, []],
  [candidate, "of another version", versioned(candidateOf({ binaryVersion: "1.33.0" })), candidateOf({}), []],
  [
    candidate,
    "for another lease",
    versioned(candidateOf({ leaseName: "m" })),
    candidateOf({}),
    ['spec.leaseName: Invalid value: "m": field is immutable'],
  ],
];
testUpdates(kit, updates);

test("a new lease has no strategy, and one that was stored with it keeps it", () => {
  const asked = { strategy: "example.com/mine", preferredHolder: "h", leaseTransitions: 1 };
  const { prepareForUpdate } = kit.kind(lease).behavior;
  const context = { user: { name: "u", uid: "", groups: [], extra: {} }, now: "2024-01-02T03:04:05Z" };
  const given = { apiVersion: `${group}/v1`, kind: "Lease", metadata: {}, spec: asked };
  assert.deepEqual(kit.created(lease, leaseOf(asked))["spec"], { leaseTransitions: 1 });
  assert.deepEqual(prepareForUpdate?.(given, { ...given }, context), given);
});

for (const [what, spec, errors] of [
  [
    "of a holder chosen by nothing",
    { preferredHolder: "h" },
    ["spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined"],
  ],
  [
    "of an unknown strategy",
    { strategy: "Mine" },
    ['spec.strategy.strategy: Unsupported value: "Mine": supported values: "OldestEmulationVersion"'],
  ],
  [
    "of an odd strategy",
    { strategy: "/b" },
    ['spec.strategy.strategy: Invalid value: "/b": prefix part must be non-empty'],
  ],
] as const) {
  test(`a stored lease ${what} is refused`, () => {
    const stored = { apiVersion: `${group}/v1`, kind: "Lease", metadata: {}, ...leaseOf(spec) };
    const found = kit.kind(lease).behavior.validate?.(stored, []);
    assert.deepEqual(
      found?.map(({ field, message }) => `${field}: ${message}`),
      errors,
    );
  });
}

const kept = "coordination.kubernetes.io/preferred-strategies";
for (const [what, preferredStrategies, strategy, annotation] of [
  ["one", ["a/b"], "a/b", undefined],
  ["several", ["a/b", "c/d"], "a/b", '["a/b","c/d"]'],
  ["none", undefined, undefined, undefined],
] as const) {
  test(`${what} of preferred strategies go to the stored version and back`, () => {
    const spec = preferredStrategies === undefined ? {} : { preferredStrategies };
    const { hub, back } = kit.roundTrip(oldCandidate, { spec: { leaseName: "l", ...spec } });
    assert.deepEqual(hub["spec"], { leaseName: "l", ...(strategy === undefined ? {} : { strategy }) });
    assert.equal(hub.metadata.annotations?.[kept], annotation);
    assert.deepEqual(back["spec"], { leaseName: "l", ...spec });
    assert.equal(back.metadata.annotations, undefined);
  });
}

test("a strategy that was changed since wins over the list that was kept", () => {
  const { conversion } = kit.kind(oldCandidate);
  for (const text of ['["a/b","c/d"]', "[", "1"]) {
    const metadata = { annotations: { [kept]: text, other: "o" } };
    const back = conversion?.fromHub({ metadata, spec: { strategy: "e/f" } });
    assert.deepEqual(back, { metadata: { annotations: { other: "o" } }, spec: { preferredStrategies: ["e/f"] } });
  }
});
