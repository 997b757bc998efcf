import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { type ClaimState, decideClaim } from "./decide-claim.js";
import { defaultClass } from "./default-class.js";
import { createFreeVolumes } from "./free-volumes.js";
import { bindingWords, type Claim, classOf, isHeldFor, type StorageClass, type Volume } from "./types.js";

const words = bindingWords(createNaming("kubernetes"));
const bindCompleted = { "pv.kubernetes.io/bind-completed": "yes" };
const selectedNode = { "volume.kubernetes.io/selected-node": "n1" };

interface Wanted {
  readonly spec?: Claim["spec"];
  readonly annotations?: Readonly<Record<string, string>>;
}
/** `c`, which wants 5Gi to be written by one node, of no class. */
const claimOf = ({ spec = {}, annotations = {} }: Wanted): Claim => ({
  metadata: { name: "c", namespace: "ns", uid: "u", annotations },
  spec: {
    ...{ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } }, storageClassName: "" },
    ...spec,
  },
});
const volume = (name: string, spec: Volume["spec"] = {}, more: Partial<Volume> = {}): Volume => ({
  ...{ metadata: { name, labels: { of: name } }, status: { phase: "Available" }, ...more },
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "5Gi" }, ...spec },
});
const ours = { namespace: "ns", name: "c" };
const theirs = { namespace: "ns", name: "other" };
const size = (storage: string) => ({ capacity: { storage } });

const classes: readonly StorageClass[] = [
  { metadata: { name: "made" }, provisioner: "example.com/disks" },
  { metadata: { name: "waits" }, provisioner: "example.com/disks", volumeBindingMode: "WaitForFirstConsumer" },
  { metadata: { name: "by-hand" }, provisioner: "kubernetes.io/no-provisioner" },
];

function candidatesFor(claim: Claim, volumes: readonly Volume[]): readonly Volume[] {
  const free = createFreeVolumes();
  for (const each of volumes) if (each.spec?.claimRef === undefined) free.place(each.metadata.name ?? "", each, "");
  const inOrder = [...free.largeEnough("", claim.spec?.resources?.requests?.["storage"] ?? "0")];
  return [
    ...volumes.filter((each) => isHeldFor(each, claim)),
    ...inOrder.flatMap((name) => volumes.find(({ metadata }) => metadata.name === name) ?? []),
  ];
}

function decide(wanted: Wanted, volumes: readonly Volume[], state: Partial<ClaimState> = {}): string {
  const claim = claimOf(wanted);
  const action = decideClaim(claim, {
    ...{ words, provisions: true, classResource: "storageclass.storage.k8s.io" },
    volumeNamed: (name) => volumes.find(({ metadata }) => metadata.name === name),
    candidates: () => candidatesFor(claim, volumes),
    classNamed: (name) => classes.find(({ metadata }) => metadata.name === name),
    defaultClass: () => undefined,
    waitingPods: () => [],
    ...state,
  });
  switch (action.do) {
    case "nothing":
      return "nothing";
    case "bind":
      return `bind ${action.volume.metadata.name}`;
    case "assignClass":
      return `class ${action.name}`;
    default:
      return `${action.do} ${action.event?.reason ?? ""}`.trim();
  }
}

type Row = readonly [what: string, claim: Wanted, volumes: readonly Volume[], is: string, state?: Partial<ClaimState>];
const free: readonly Row[] = [
  ["nothing there", {}, [], "wait FailedBinding"],
  ["the smallest that is large enough", {}, [volume("a", size("10Gi")), volume("b", size("6Gi"))], "bind b"],
  ["of the same size the first by name", {}, [volume("b"), volume("a")], "bind a"],
  [
    "fewer access modes before a smaller size",
    {},
    [volume("a", { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] }), volume("b", size("9Gi"))],
    "bind b",
  ],
  ["one that is too small", {}, [volume("a", size("4Gi"))], "wait FailedBinding"],
  ["sizes in other units", {}, [volume("a", size("5368709120"))], "bind a"],
  ["one without an access mode", { spec: { accessModes: ["ReadWriteMany"] } }, [volume("a")], "wait FailedBinding"],
  ["one that can do more", {}, [volume("a", { accessModes: ["ReadWriteMany", "ReadWriteOnce"] })], "bind a"],
  ["one of another class", {}, [volume("a", { storageClassName: "made" })], "wait FailedBinding"],
  ["one of the class", { spec: { storageClassName: "made" } }, [volume("a", { storageClassName: "made" })], "bind a"],
  [
    "one of the class of old",
    { annotations: { "volume.beta.kubernetes.io/storage-class": "made" } },
    [volume("a", { storageClassName: "made" })],
    "bind a",
  ],
  ["one of another mode", { spec: { volumeMode: "Block" } }, [volume("a")], "wait FailedBinding"],
  ["one of the mode", { spec: { volumeMode: "Block" } }, [volume("a", { volumeMode: "Block" })], "bind a"],
  [
    "those that are selected",
    { spec: { selector: { matchLabels: { of: "b" } } } },
    [volume("a"), volume("b")],
    "bind b",
  ],
  ["one that is released", {}, [volume("a", {}, { status: { phase: "Released" } })], "wait FailedBinding"],
  [
    "one that goes",
    {},
    [volume("a", {}, { metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" } })],
    "wait FailedBinding",
  ],
  [
    "one that is held for it, though larger",
    {},
    [volume("a"), volume("b", { ...size("9Gi"), claimRef: ours })],
    "bind b",
  ],
  [
    "one that is held for it, of another class",
    {},
    [volume("a", { storageClassName: "made", claimRef: ours })],
    "bind a",
  ],
  ["one that is held for it, too small", {}, [volume("a", { ...size("1Gi"), claimRef: ours })], "wait FailedBinding"],
  [
    "one of a claim of its name that is gone",
    {},
    [volume("a", { claimRef: { ...ours, uid: "old" } })],
    "wait FailedBinding",
  ],
];
const named = (name: string, more: Wanted = {}): Wanted => ({ ...more, spec: { volumeName: name } });
const byName: readonly Row[] = [
  ["that is not there", named("a"), [], "wait"],
  ["that is free", named("a"), [volume("a")], "bind a"],
  ["that is set aside for it", named("a"), [volume("a", { claimRef: ours })], "bind a"],
  ["that is too small", named("a"), [volume("a", size("1Gi"))], "wait VolumeMismatch"],
  ["of another class", named("a"), [volume("a", { storageClassName: "made" })], "wait VolumeMismatch"],
  ["of somebody else", named("a"), [volume("a", { claimRef: theirs })], "wait FailedBinding"],
  [
    "of somebody else, which it had been given",
    named("a", { annotations: { "pv.kubernetes.io/bound-by-controller": "yes" } }),
    [volume("a", { claimRef: theirs })],
    "tell FailedBinding",
  ],
];
const once = { annotations: bindCompleted };
const bound: readonly Row[] = [
  ["names no volume any more", once, [], "lose ClaimLost"],
  ["has a volume that is gone", named("a", once), [], "lose ClaimLost"],
  ["has a volume that does not name it", named("a", once), [volume("a")], "bind a"],
  ["has its volume", named("a", once), [volume("a", { claimRef: { ...ours, uid: "u" } })], "bind a"],
  [
    "has a volume of somebody else",
    named("a", once),
    [volume("a", { claimRef: { ...theirs, uid: "x" } })],
    "lose ClaimMisbound",
  ],
];
const inClass = (storageClassName: string, annotations = {}): Wanted => ({ spec: { storageClassName }, annotations });
const made: readonly Row[] = [
  ["is asked of its provisioner", inClass("made"), [], "provision ExternalProvisioning"],
  ["is not asked for where that is off", inClass("made"), [], "nothing", { provisions: false }],
  ["is not made by what is no provisioner", inClass("by-hand"), [], "tell ProvisioningFailed"],
  ["is not made by a class that is not there", inClass("absent"), [], "tell ProvisioningFailed"],
  ["waits for a pod", inClass("waits"), [volume("a", { storageClassName: "waits" })], "wait WaitForFirstConsumer"],
  ["waits for a pod's node", inClass("waits"), [], "wait WaitForPodScheduled", { waitingPods: () => ["p"] }],
  ["is made once the pod has a node", inClass("waits", selectedNode), [], "provision ExternalProvisioning"],
  [
    "is the one that the scheduler chose",
    inClass("waits"),
    [volume("a", { storageClassName: "waits", claimRef: { ...ours, uid: "u" } })],
    "bind a",
  ],
];
for (const [of, rows] of [
  ["a claim takes of", free],
  ["a claim and the volume it names,", byName],
  ["a claim that was bound once", bound],
  ["a claim's volume", made],
] as const) {
  for (const [what, claim, volumes, is, state] of rows) {
    test(`${of} ${what}: ${is}`, () => assert.equal(decide(claim, volumes, state), is));
  }
}

test("a claim that says nothing of a class is given the usual one, unless a volume without a class does", () => {
  const usual = { defaultClass: () => "made" };
  const { storageClassName: _class, ...spec } = claimOf({}).spec ?? {};
  const silent = { ...claimOf({}), spec };
  const state = { words, provisions: true, volumeNamed: () => undefined, classNamed: () => undefined, ...usual };
  const rest = { classResource: "", waitingPods: () => [] };
  assert.deepEqual(decideClaim(silent, { ...state, ...rest, candidates: () => [] }), {
    do: "assignClass",
    name: "made",
  });
  const a = volume("a");
  assert.deepEqual(decideClaim(silent, { ...state, ...rest, candidates: () => [a] }), { do: "bind", volume: a });
  assert.equal(decide({}, [], usual), "wait FailedBinding");
});

test("the usual class is the newest of those that say so", () => {
  const of = (name: string, creationTimestamp: string, annotation = "storageclass.kubernetes.io/is-default-class") => ({
    metadata: { name, creationTimestamp, annotations: { [annotation]: "true" } },
  });
  const old = of("old", "2026-01-01T00:00:00Z");
  const [b, a] = [of("b", "2026-01-02T00:00:00Z"), of("a", "2026-01-02T00:00:00Z")];
  const beta = of("beta", "2026-01-03T00:00:00Z", "storageclass.beta.kubernetes.io/is-default-class");
  assert.equal(defaultClass([old, b, a], words), "a");
  assert.equal(defaultClass([old, beta, b], words), "beta");
  assert.equal(defaultClass(classes, words), undefined);
});

test("texts", () => {
  const textOf = (
    wanted: Wanted,
    volumes: readonly Volume[] = [],
    pods: readonly string[] = [],
  ): string | undefined => {
    const claim = claimOf(wanted);
    const action = decideClaim(claim, {
      ...{ words, provisions: true, classResource: "storageclass.storage.k8s.io", defaultClass: () => undefined },
      volumeNamed: (name) => volumes.find(({ metadata }) => metadata.name === name),
      candidates: () => volumes,
      classNamed: (name) => classes.find(({ metadata }) => metadata.name === name),
      waitingPods: () => pods,
    });
    return "event" in action ? action.event?.message : undefined;
  };
  assert.equal(textOf(inClass("absent")), 'storageclass.storage.k8s.io "absent" not found');
  assert.equal(textOf(inClass("by-hand")), "no volume plugin matched name: kubernetes.io/no-provisioner");
  assert.equal(textOf({}), "no persistent volumes available for this claim and no storage class is set");
  assert.equal(textOf(inClass("waits")), "waiting for first consumer to be created before binding");
  assert.equal(textOf(inClass("waits"), [], ["p"]), "waiting for pod p to be scheduled");
  assert.equal(textOf(inClass("waits"), [], ["p", "q"]), "waiting for pods p,q to be scheduled");
  assert.equal(
    textOf(named("a"), [volume("a", size("1Gi"))]),
    'Cannot bind to requested volume "a": requested PV is too small',
  );
  assert.match(
    textOf(inClass("made")) ?? "",
    /^Waiting for .* external provisioner 'example.com\/disks' or manually by/,
  );
  assert.equal(classOf(claimOf(inClass("made")), words), "made");
});
