import assert from "node:assert/strict";
import { test } from "node:test";
import type { OtherKinds } from "../../cluster/objects.js";
import { podInfoOf } from "../../model/pod-info.js";
import {
  type NodeWords,
  naming,
  node,
  on,
  type PodWords,
  pod,
  type Scene,
  sceneOf,
  zone,
} from "../../testing/cluster-of.js";
import { clash } from "./volume-restrictions.js";

type Volume = OtherKinds["PersistentVolume"];
type Claim = OtherKinds["PersistentVolumeClaim"];

const [zoneKey = ""] = Object.keys(zone(""));
const inZone = (...values: readonly string[]) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: zoneKey, operator: "In", values }] }] },
});
const claim = (name: string, spec: Claim["spec"] = {}): Claim => ({
  metadata: { namespace: "default", name },
  spec: {
    accessModes: ["ReadWriteOnce"],
    storageClassName: "late",
    resources: { requests: { storage: "5Gi" } },
    ...spec,
  },
});
const volume = (name: string, spec: Volume["spec"] = {}, labels: Readonly<Record<string, string>> = {}): Volume => ({
  metadata: { name, labels },
  spec: { accessModes: ["ReadWriteOnce"], storageClassName: "late", capacity: { storage: "10Gi" }, ...spec },
  status: { phase: "Available" },
});
const uses = (...names: readonly string[]): PodWords => ({
  spec: { volumes: names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
});
const none = { provisioner: naming.key("no-provisioner") };
const late = (more: object = {}) => ({
  metadata: { name: "late" },
  volumeBindingMode: "WaitForFirstConsumer",
  provisioner: "d",
  ...more,
});

interface Row {
  readonly rule: string;
  readonly nodes?: Readonly<Record<string, NodeWords>>;
  readonly claims: readonly Claim[];
  readonly volumes?: readonly Volume[];
  readonly class?: object;
  readonly more?: (scene: Scene) => void;
  readonly pod?: PodWords;
  /** A node, or a part of the sentence why there is none. */
  readonly is: string;
}

const two = { n1: { labels: zone("a") }, n2: { labels: zone("b") } };
const full = (scene: Scene): void => {
  scene.cluster.objects.CSINode.set("n1", { spec: { drivers: [{ name: "d", allocatable: { count: 1 } }] } });
  scene.cluster.objects.PersistentVolumeClaim.set("default/held", claim("held"));
  scene.cluster.setPod(on("n1", pod("holder", uses("held"))));
};

const rows: readonly Row[] = [
  {
    rule: "a bound volume keeps its pod where it reaches",
    claims: [claim("c", { volumeName: "v" })],
    volumes: [volume("v", { nodeAffinity: inZone("b") })],
    is: "n2",
  },
  {
    rule: "nowhere, if it reaches none",
    claims: [claim("c", { volumeName: "v" })],
    volumes: [volume("v", { nodeAffinity: inZone("c") })],
    is: "2 node(s) had volume node affinity conflict.",
  },
  {
    rule: "a node has the reasons of claims that are bound and of claims that wait",
    claims: [claim("c", { volumeName: "v" }), claim("d")],
    class: none,
    volumes: [volume("v", { nodeAffinity: inZone("b"), claimRef: { namespace: "default", name: "c" } })],
    is: "1 node(s) had volume node affinity conflict, 2 node(s) didn't find available persistent volumes to bind.",
  },
  {
    rule: "labels of old say the zone",
    claims: [claim("c", { volumeName: "v" })],
    volumes: [volume("v", {}, { [`failure-domain.beta.${naming.key("zone")}`]: "b__c" })],
    is: "n2",
  },
  {
    rule: "no zone that a node has",
    claims: [claim("c", { volumeName: "v" })],
    volumes: [volume("v", {}, zone("c"))],
    is: "2 node(s) had no available volume zone.",
  },
  {
    rule: "a bound volume that is gone",
    claims: [claim("c", { volumeName: "v" })],
    is: 'persistentvolume "v" not found.',
  },
  {
    rule: "a waiting claim takes a volume that is there",
    claims: [claim("c")],
    class: none,
    volumes: [volume("v", { nodeAffinity: inZone("b") })],
    is: "n2",
  },
  {
    rule: "none is there, and nobody makes one",
    claims: [claim("c")],
    class: none,
    is: "2 node(s) didn't find available persistent volumes to bind.",
  },
  {
    rule: "what is too small, of another mode, or another's does not do",
    claims: [claim("c")],
    class: none,
    volumes: [
      volume("small", { capacity: { storage: "1Gi" } }),
      volume("shared", { accessModes: ["ReadOnlyMany"] }),
      volume("block", { volumeMode: "Block" }),
      volume("taken", { claimRef: { namespace: "default", name: "other" } }),
      volume("fast", { storageClassName: "fast" }),
    ],
    is: "2 node(s) didn't find available persistent volumes to bind.",
  },
  {
    rule: "one is made where the class allows it",
    claims: [claim("c")],
    class: { allowedTopologies: [{ matchLabelExpressions: [{ key: zoneKey, values: ["b"] }] }] },
    is: "n2",
  },
  {
    rule: "one is made where the driver has told of room",
    claims: [claim("c")],
    more: ({ cluster: { objects } }) => {
      objects.CSIDriver.set("d", { spec: { storageCapacity: true } });
      objects.CSIStorageCapacity.set("x/a", {
        storageClassName: "late",
        capacity: "1Gi",
        nodeTopology: { matchLabels: zone("a") },
      });
      objects.CSIStorageCapacity.set("x/b", {
        storageClassName: "late",
        capacity: "9Gi",
        nodeTopology: { matchLabels: zone("b") },
      });
    },
    is: "n2",
  },
  {
    rule: "no room told of",
    claims: [claim("c")],
    more: ({ cluster: { objects } }) => objects.CSIDriver.set("d", { spec: { storageCapacity: true } }),
    is: "2 node(s) did not have enough free storage.",
  },
  { rule: "a node attaches no more", claims: [claim("c")], more: full, is: "n2" },
  {
    rule: "a claim that is being deleted",
    claims: [
      { ...claim("c"), metadata: { namespace: "default", name: "c", deletionTimestamp: "2026-01-01T00:00:00Z" } },
    ],
    is: 'persistentvolumeclaim "c" is being deleted.',
  },
  {
    rule: "a claim that has lost its volume",
    claims: [{ ...claim("c", { volumeName: "v" }), status: { phase: "Lost" } }],
    is: 'persistentvolumeclaim "c" bound to non-existent persistentvolume "v".',
  },
  {
    rule: "a claim of one pod at a time",
    claims: [claim("c", { accessModes: ["ReadWriteOncePod"], volumeName: "v" })],
    volumes: [volume("v")],
    more: ({ cluster }) => cluster.setPod(on("n1", pod("holder", uses("c")))),
    is: "2 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.",
  },
  {
    rule: "a claim that an ephemeral volume waits for",
    claims: [],
    pod: { spec: { volumes: [{ name: "v", ephemeral: {} }] } },
    is: 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v".',
  },
  {
    rule: "a claim of an ephemeral volume's name that is another's",
    claims: [claim("p-v")],
    pod: { spec: { volumes: [{ name: "v", ephemeral: {} }] } },
    is: 'PVC "default/p-v" was not created for pod "default/p" (pod is not owner).',
  },
];

for (const row of rows) {
  test(`volumes: ${row.rule}`, () => {
    const scene = sceneOf();
    const { objects } = scene.cluster;
    for (const [name, words] of Object.entries(row.nodes ?? two)) scene.cluster.setNode(node(name, words));
    objects.StorageClass.set("late", late(row.class));
    for (const each of row.claims) objects.PersistentVolumeClaim.set(`default/${each.metadata?.name}`, each);
    for (const each of row.volumes ?? []) objects.PersistentVolume.set(each.metadata?.name ?? "", each);
    row.more?.(scene);
    const decision = scene.schedule(
      pod("p", row.pod ?? uses(...row.claims.map(({ metadata }) => metadata?.name ?? ""))),
    );
    if (decision.outcome === "placed") return assert.equal(decision.node, row.is);
    const message = decision.message.replace(/ preemption: .*/, "");
    return assert.equal(message, `0/2 nodes are available: ${row.is}`);
  });
}

test("volumes that a pod on its way was promised are nobody else's until it fails", async () => {
  const carried: unknown[] = [];
  const scene = sceneOf({
    bindVolumes: () => async (plan) => {
      carried.push(plan);
      return undefined;
    },
  });
  scene.cluster.setNode(node("n1"));
  const { objects } = scene.cluster;
  objects.StorageClass.set("late", late(none));
  for (const name of ["c1", "c2"]) objects.PersistentVolumeClaim.set(`default/${name}`, claim(name));
  for (const [name, storage] of [
    ["large", "50Gi"],
    ["small", "6Gi"],
  ] as const) {
    objects.PersistentVolume.set(name, volume(name, { capacity: { storage } }));
  }
  const [binding] = scene.profile.reserve;
  assert.ok(binding);
  const [first, second] = [podInfoOf(pod("p1", uses("c1"))), podInfoOf(pod("p2", uses("c1", "c2")))];
  const preBind = binding.preBind;
  assert.equal(binding.reserve.reserve(first, "n1"), undefined);
  assert.equal(await preBind?.(first, "n1", new AbortController().signal), undefined);
  assert.deepEqual(carried, [{ bind: [{ volume: "small", claim: "default/c1" }], provision: [] }]);
  assert.equal(binding.reserve.reserve(first, "n1"), undefined);
  assert.equal(scene.schedule(pod("p3", uses("c2"))).outcome, "placed");
  assert.equal(binding.reserve.reserve(podInfoOf(pod("p3", uses("c2"))), "n1"), undefined);
  objects.PersistentVolumeClaim.set("default/c3", claim("c3"));
  assert.equal(scene.schedule(pod("p4", uses("c3"))).outcome, "refused");
  binding.reserve.unreserve(first, "n1");
  assert.equal(scene.schedule(pod("p4", uses("c3"))).outcome, "placed");
  assert.equal(second.volumes.length, 2);
});

const disks: readonly (readonly [
  rule: string,
  a: Parameters<typeof clash>[0],
  b: Parameters<typeof clash>[0],
  clash: boolean,
])[] = [
  ["the same disk", { gcePersistentDisk: { pdName: "a" } }, { gcePersistentDisk: { pdName: "a" } }, true],
  [
    "both only read",
    { gcePersistentDisk: { pdName: "a", readOnly: true } },
    { gcePersistentDisk: { pdName: "a", readOnly: true } },
    false,
  ],
  [
    "a block store is never shared",
    { awsElasticBlockStore: { volumeID: "a" } },
    { awsElasticBlockStore: { volumeID: "a" } },
    true,
  ],
  ["another target", { iscsi: { iqn: "a" } }, { iscsi: { iqn: "b" } }, false],
  [
    "a monitor in common",
    { rbd: { monitors: ["a", "b"], pool: "p", image: "i" } },
    { rbd: { monitors: ["b"], pool: "p", image: "i" } },
    true,
  ],
  [
    "other monitors",
    { rbd: { monitors: ["a"], pool: "p", image: "i" } },
    { rbd: { monitors: ["b"], pool: "p", image: "i" } },
    false,
  ],
];
for (const [rule, a, b, is] of disks) test(`disks: ${rule}`, () => assert.equal(clash(a, b), is));
