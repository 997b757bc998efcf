import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { valueAt } from "../../object.js";
import { expectErrors, type Wanted } from "../../testing/error-rows.js";
import { createKindKit, type Tree, testContext } from "../../testing/kind-kit.js";
import {
  type CreateRow,
  type PartRow,
  testCreates,
  testParts,
  testUpdates,
  testValues,
  type UpdateRow,
  type ValueRow,
} from "../../testing/kind-rows.js";
import { prepareForPart, validateUpdate } from "../../writes.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const volume = "PersistentVolume";
const claim = "PersistentVolumeClaim";

const hostPath = { path: "/data" };
const volumeOf = (spec: Tree): Tree => ({
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, ...spec },
});
const good = volumeOf({ hostPath });
const csi = { driver: "disk.example.com", volumeHandle: "h" };
const claimOf = (spec: Tree): Tree => ({
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});
const affinityTo = (key: string, values: readonly string[] = ["a"]): Tree => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values }] }] },
});
const snapshot = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" };
const populator = { apiGroup: "example.com", kind: "Populator", name: "p" };

/** A source with what is wrong about it. */
const sources: readonly (readonly [source: string, settings: Tree, errors: readonly Wanted[]])[] = [
  ["hostPath", {}, ["spec.hostPath.path: Required value"]],
  ["local", { path: "/a/../b" }, ["spec.local.path: Invalid value: \"/a/../b\": must not contain '..'"]],
  [
    "nfs",
    {},
    [
      "spec.nfs.server: Required value",
      "spec.nfs.path: Required value",
      'spec.nfs.path: Invalid value: "": must be an absolute path',
    ],
  ],
  [
    "glusterfs",
    { endpointsNamespace: "A" },
    [
      "spec.glusterfs.endpoints: Required value",
      "spec.glusterfs.path: Required value",
      /^spec.glusterfs.endpointsNamespace: Invalid value: "A": a lowercase RFC 1123 label must/,
    ],
  ],
  [
    "glusterfs",
    { endpoints: "e", path: "p", endpointsNamespace: "" },
    [
      'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
    ],
  ],
  ["flocker", {}, ["spec.flocker: Required value: one of datasetName and datasetUUID is required"]],
  [
    "flocker",
    { datasetName: "a/b", datasetUUID: "u" },
    [
      'spec.flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
      "spec.flocker.datasetName: Invalid value: \"a/b\": must not contain '/'",
    ],
  ],
  ["rbd", {}, ["spec.rbd.monitors: Required value", "spec.rbd.image: Required value"]],
  ["cephfs", {}, ["spec.cephfs.monitors: Required value"]],
  [
    "cinder",
    { secretRef: {} },
    [
      "spec.cinder.volumeID: Required value",
      "spec.cinder.secretRef.name: Required value",
      "spec.cinder.secretRef.namespace: Required value",
    ],
  ],
  [
    "iscsi",
    { lun: 256, chapAuthSession: true, initiatorName: "x" },
    [
      "spec.iscsi.targetPortal: Required value",
      "spec.iscsi.iqn: Required value",
      "spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
      "spec.iscsi.secretRef: Required value",
      'spec.iscsi.initiatorname: Invalid value: "x": must be valid format',
    ],
  ],
  [
    "iscsi",
    { targetPortal: "t", iqn: "iqn.1", secretRef: {} },
    ['spec.iscsi.iqn: Invalid value: "iqn.1": must be valid format', "spec.iscsi.secretRef.name: Required value"],
  ],
  [
    "iscsi",
    { targetPortal: "t".repeat(63), iqn: "iqn.2001-04.com.example:a", initiatorName: `eui.${"0".repeat(16)}` },
    [
      /^spec.iscsi.targetportal: Invalid value: "t+": Total length of <volume name>:<iscsi.targetPortal> must be under 64/,
    ],
  ],
  ["fc", {}, ["spec.fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both"]],
  [
    "fc",
    { targetWWNs: ["a"], wwids: ["b"], lun: 256 },
    [
      'spec.fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously',
      "spec.fc.lun: Invalid value: 256: must be between 0 and 255, inclusive",
    ],
  ],
  ["fc", { targetWWNs: ["a"] }, ["spec.fc.lun: Required value: lun is required if targetWWNs is specified"]],
  [
    "flexVolume",
    { options: { "kubernetes.io/a": "", "x.K8s.io/b": "", "example.com/c": "" } },
    [
      "spec.flexVolume.driver: Required value",
      'spec.flexVolume.options[kubernetes.io/a]: Invalid value: "kubernetes.io/a": kubernetes.io and k8s.io namespaces are reserved',
      'spec.flexVolume.options[x.K8s.io/b]: Invalid value: "x.K8s.io/b": kubernetes.io and k8s.io namespaces are reserved',
    ],
  ],
  [
    "azureFile",
    { secretNamespace: "" },
    [
      "spec.azureFile.secretName: Required value",
      "spec.azureFile.shareName: Required value",
      "spec.azureFile.secretNamespace: Required value",
    ],
  ],
  [
    "scaleIO",
    {},
    [
      "spec.scaleIO.gateway: Required value",
      "spec.scaleIO.system: Required value",
      "spec.scaleIO.volumeName: Required value",
    ],
  ],
  [
    "storageos",
    { volumeNamespace: "A", secretRef: { name: "s" } },
    [
      "spec.storageos.volumeName: Required value",
      /^spec.storageos.volumeNamespace: Invalid value: "A": a lowercase RFC 1123 label must/,
      "spec.storageos.secretRef.namespace: Required value",
    ],
  ],
  [
    "csi",
    { controllerPublishSecretRef: {}, nodeExpandSecretRef: { name: "A", namespace: "B" } },
    [
      "spec.csi.volumeHandle: Required value",
      "spec.csi.driver: Required value",
      /^spec.csi.driver: Invalid value: "": a lowercase RFC 1123 subdomain must/,
      "spec.csi.controllerPublishSecretRef.name: Required value",
      "spec.csi.controllerPublishSecretRef.namespace: Required value",
      /^spec.csi.nodeExpandSecretRef.name: Invalid value: "A": a lowercase RFC 1123 subdomain must/,
      /^spec.csi.nodeExpandSecretRef.namespace: Invalid value: "B": a lowercase RFC 1123 label must/,
    ],
  ],
];
testCreates(
  kit,
  sources.map(([source, settings, errors]): CreateRow => {
    const nodes = source === "local" ? { nodeAffinity: affinityTo("a") } : {};
    return [
      volume,
      `with an odd ${source} ${JSON.stringify(settings)}`,
      volumeOf({ [source]: settings, ...nodes }),
      errors,
    ];
  }),
);

const creates: readonly CreateRow[] = [
  [volume, "good", good, []],
  [volume, "of a driver", volumeOf({ csi, volumeAttributesClassName: "fast", volumeMode: "Block" }), []],
  [
    volume,
    "of nothing",
    {},
    [
      "spec.accessModes: Required value",
      "spec.capacity: Required value",
      'spec.capacity: Unsupported value: {}: supported values: "storage"',
      "spec: Required value: must specify a volume type",
    ],
  ],
  [
    volume,
    "of two kinds",
    volumeOf({ hostPath, csi, nfs: { server: "s", path: "/" } }),
    [
      "spec.nfs: Forbidden: may not specify more than 1 volume type",
      "spec.csi: Forbidden: may not specify more than 1 volume type",
    ],
  ],
  [
    volume,
    "of odd modes",
    volumeOf({ hostPath, accessModes: ["X", "ReadWriteOncePod", "ReadOnlyMany"], volumeMode: "Y" }),
    [
      'spec.volumeMode: Unsupported value: "Y": supported values: "Block", "Filesystem"',
      'spec.accessModes: Unsupported value: "X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
    ],
  ],
  [
    volume,
    "of no size",
    volumeOf({ hostPath, capacity: { storage: "0" } }),
    ['spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
  ],
  [
    volume,
    "of another size",
    volumeOf({ hostPath, capacity: { storage: "1", cpu: "-1" } }),
    [
      'spec.capacity: Unsupported value: {"storage":"1","cpu":"-1"}: supported values: "storage"',
      "spec.capacity[cpu]: Invalid value: -1: must be a valid resource quantity",
      'spec.capacity[cpu]: Invalid value: "-1": must be greater than zero',
    ],
  ],
  [
    volume,
    "that recycles its host",
    volumeOf({ hostPath: { path: "//./" }, persistentVolumeReclaimPolicy: "Recycle" }),
    ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
  ],
  [
    volume,
    "on no node",
    volumeOf({ local: { path: "/a" } }),
    ["spec.nodeAffinity: Required value: Local volume requires node affinity"],
  ],
  [
    volume,
    "near nothing",
    volumeOf({ hostPath, nodeAffinity: {} }),
    ["spec.nodeAffinity.required: Required value: must specify required node constraints"],
  ],
  [
    volume,
    "near odd nodes",
    volumeOf({
      hostPath,
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: "a b", operator: "In" },
                { key: "a", operator: "Exists", values: ["b"] },
                { key: "a", operator: "Gt" },
                { key: "a", operator: "X" },
                { key: "a", operator: "NotIn", values: ["not a label"] },
              ],
              matchFields: [
                { key: "metadata.name", operator: "In", values: ["A", "b"] },
                { key: "spec.x", operator: "Exists" },
              ],
            },
          ],
        },
      },
    }),
    [
      /\.matchExpressions\[0\].values: Required value: must be specified when `operator` is 'In' or 'NotIn'$/,
      /\.matchExpressions\[0\].key: Invalid value: "a b": name part must/,
      /\.matchExpressions\[1\].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'$/,
      /\.matchExpressions\[2\].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'$/,
      /\.matchExpressions\[3\].operator: Invalid value: "X": not a valid selector operator$/,
      /\.matchFields\[0\].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field/,
      /\.matchFields\[0\].values\[0\]: Invalid value: "A": a lowercase RFC 1123 subdomain must/,
      /\.matchFields\[1\].operator: Invalid value: "Exists": not a valid selector operator$/,
      /\.matchFields\[1\].key: Invalid value: "spec.x": not a valid field selector key$/,
    ],
  ],
  [
    volume,
    "of odd classes",
    volumeOf({ hostPath, storageClassName: "A", volumeAttributesClassName: "" }),
    [
      /^spec.storageClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must/,
      "spec.volumeAttributesClassName: Required value: an empty string is disallowed",
      "spec.csi: Required value: has to be specified when using volumeAttributesClassName",
    ],
  ],
  [claim, "good", claimOf({ storageClassName: "", selector: { matchLabels: { a: "b" } }, dataSource: snapshot }), []],
  [
    claim,
    "for nothing",
    {},
    ["spec.accessModes: Required value: at least 1 access mode is required", "spec.resources[storage]: Required value"],
  ],
  [
    claim,
    "for odd things",
    claimOf({
      accessModes: ["X"],
      resources: { requests: { storage: "0" } },
      storageClassName: "A",
      volumeMode: "Y",
      selector: { matchExpressions: [{ key: "a", operator: "In" }] },
    }),
    [
      /^spec.storageClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must/,
      'spec.volumeMode: Unsupported value: "Y": supported values: "Block", "Filesystem"',
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.accessModes: Unsupported value: "X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
    ],
  ],
  [
    claim,
    "from an odd source",
    claimOf({ dataSourceRef: { apiGroup: "A", kind: "", name: "", namespace: "B" } }),
    [
      "spec.dataSourceRef.name: Required value",
      "spec.dataSourceRef.kind: Required value",
      /^spec.dataSourceRef.apiGroup: Invalid value: "A": a lowercase RFC 1123 subdomain must/,
      /^spec.dataSourceRef.namespace: Invalid value: "B": a lowercase RFC 1123 label must/,
    ],
  ],
  [
    claim,
    "from a kind of the core that is no claim",
    claimOf({ dataSourceRef: { kind: "Pod", name: "p" } }),
    ["spec.dataSource", "spec.dataSourceRef"].map(
      (at) => `${at}: Invalid value: "Pod": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
    ),
  ],
  [
    claim,
    "from two sources",
    claimOf({ dataSource: snapshot, dataSourceRef: populator }),
    ['spec: Invalid value: "spec.dataSource": must match dataSourceRef'],
  ],
  [
    claim,
    "from a source here and one elsewhere",
    claimOf({ dataSource: snapshot, dataSourceRef: { ...snapshot, namespace: "other" } }),
    ['spec: Invalid value: "spec.dataSource": may not be specified when dataSourceRef.namespace is specified'],
  ],
];
testCreates(kit, creates);

const updates: readonly UpdateRow[] = [
  [
    volume,
    "that is claimed and grows",
    volumeOf({ hostPath, claimRef: { name: "c" }, capacity: { storage: "2Gi" } }),
    good,
    [],
  ],
  [
    volume,
    "of another source and mode",
    volumeOf({ csi, volumeMode: "Block" }),
    good,
    [
      "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation",
      'volumeMode: Invalid value: "Block": field is immutable',
    ],
  ],
  [
    volume,
    "that learns its secret for growing",
    volumeOf({ csi: { ...csi, controllerExpandSecretRef: { name: "s", namespace: "n" } } }),
    volumeOf({ csi }),
    [],
  ],
  [
    volume,
    "that learns another secret",
    volumeOf({ csi: { ...csi, nodePublishSecretRef: { name: "s", namespace: "n" } } }),
    volumeOf({ csi }),
    ["spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation"],
  ],
  [volume, "that learns its nodes", volumeOf({ hostPath, nodeAffinity: affinityTo("a") }), good, []],
  [
    volume,
    "on other nodes",
    volumeOf({ hostPath, nodeAffinity: affinityTo("b") }),
    volumeOf({ hostPath, nodeAffinity: affinityTo("a") }),
    [/^nodeAffinity: Invalid value: \{.*\}: field is immutable, except for updating from beta label to GA$/],
  ],
  [
    volume,
    "whose nodes get lasting labels",
    volumeOf({ hostPath, nodeAffinity: affinityTo("topology.kubernetes.io/zone") }),
    volumeOf({ hostPath, nodeAffinity: affinityTo("failure-domain.beta.kubernetes.io/zone") }),
    [],
  ],
  [
    volume,
    "whose nodes get beta labels",
    volumeOf({ hostPath, nodeAffinity: affinityTo("failure-domain.beta.kubernetes.io/zone") }),
    volumeOf({ hostPath, nodeAffinity: affinityTo("topology.kubernetes.io/zone") }),
    [/^nodeAffinity: Invalid value/],
  ],
  [
    volume,
    "that loses its attributes",
    volumeOf({ csi }),
    volumeOf({ csi, volumeAttributesClassName: "a" }),
    ["spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden"],
  ],
  [claim, "that gets its volume", claimOf({ volumeName: "v" }), claimOf({}), []],
  [claim, "that gets a class", claimOf({ storageClassName: "c" }), claimOf({}), []],
  [
    claim,
    "of another class",
    claimOf({ storageClassName: "d" }),
    claimOf({ storageClassName: "c" }),
    [/^spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName/],
  ],
  [
    claim,
    "whose class moves out of its annotation",
    claimOf({ storageClassName: "c" }),
    { metadata: { annotations: { "volume.beta.kubernetes.io/storage-class": "c" } }, ...claimOf({}) },
    [],
  ],
  [
    claim,
    "whose annotation changes",
    { metadata: { annotations: { "volume.beta.kubernetes.io/storage-class": "d" } }, ...claimOf({}) },
    { metadata: { annotations: { "volume.beta.kubernetes.io/storage-class": "c" } }, ...claimOf({}) },
    ['metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: "d": field is immutable'],
  ],
  [
    claim,
    "of another mode and volume",
    claimOf({ volumeMode: "Block", volumeName: "w" }),
    claimOf({ volumeName: "v" }),
    [/^spec: Forbidden: spec is immutable/, 'volumeMode: Invalid value: "Block": field is immutable'],
  ],
  [
    claim,
    "that grows without its volume",
    claimOf({ resources: { requests: { storage: "2Gi" } } }),
    claimOf({}),
    [/^spec: Forbidden: spec is immutable/],
  ],
  [claim, "that names one source", claimOf({ dataSource: snapshot }), claimOf({ dataSource: snapshot }), []],
];
testUpdates(kit, updates);

/** A claim with its volume, 1Gi asked for, and what the volume has. */
function boundUpdate(spec: Tree, { before = {}, has = "1Gi" }: { readonly before?: Tree; readonly has?: string }) {
  const old = {
    ...kit.created(claim, claimOf({ volumeName: "v", ...before })),
    status: { phase: "Bound", capacity: { storage: has } },
  };
  const next = kit.updated(claim, claimOf({ volumeName: "v", ...spec }), old);
  return validateUpdate(kit.kind(claim), next, old).map((e) => `${e.field}: ${e.message}`);
}

const sized = (storage: string): Tree => ({ resources: { requests: { storage } } });
const less = "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity";
const classMessage = (to: string) =>
  `spec.volumeAttributesClassName: Forbidden: update from non-nil value to ${to} is forbidden`;
const bound: readonly (readonly [string, Tree, Parameters<typeof boundUpdate>[1], readonly Wanted[]])[] = [
  ["that grows", sized("2Gi"), {}, []],
  ["that shrinks", sized("512Mi"), {}, [less]],
  ["that gives up a growth that failed", sized("2Gi"), { before: sized("3Gi") }, []],
  ["that shrinks to what it has", sized("1Gi"), { before: sized("3Gi") }, [less]],
  ["of other attributes", { volumeAttributesClassName: "b" }, { before: { volumeAttributesClassName: "a" } }, []],
  [
    "without attributes",
    { volumeAttributesClassName: "" },
    { before: { volumeAttributesClassName: "a" } },
    [classMessage("an empty string")],
  ],
  [
    "without any attributes",
    {},
    { before: { volumeAttributesClassName: "a" } },
    [/^spec: Forbidden: spec is immutable/, classMessage("nil")],
  ],
];
for (const [what, spec, state, expected] of bound) {
  expectErrors(`an update to a bound claim ${what}`, expected, () => boundUpdate(spec, state));
}

const values: readonly ValueRow[] = [
  [volume, "is kept", good, "spec.persistentVolumeReclaimPolicy", "Retain"],
  [volume, "holds files", good, "spec.volumeMode", "Filesystem"],
  [
    volume,
    "is pending since now",
    { ...good, status: { phase: "Bound" } },
    "status",
    {
      phase: "Pending",
      lastPhaseTransitionTime: testContext.now,
    },
  ],
  [volume, "rounds its size up", volumeOf({ hostPath, capacity: { storage: "1u" } }), "spec.capacity.storage", "1m"],
  [volume, "has a type of host path", good, "spec.hostPath", { path: "/data", type: "" }],
  [volume, "has an interface", volumeOf({ iscsi: { lun: 0 } }), "spec.iscsi.iscsiInterface", "default"],
  [
    volume,
    "has a pool and a user",
    volumeOf({ rbd: {} }),
    "spec.rbd",
    { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" },
  ],
  [
    volume,
    "has a mode and a file system",
    volumeOf({ scaleIO: {} }),
    "spec.scaleIO",
    {
      storageMode: "ThinProvisioned",
      fsType: "xfs",
    },
  ],
  [
    volume,
    "has the settings of its disk",
    volumeOf({ azureDisk: {} }),
    "spec.azureDisk",
    {
      cachingMode: "ReadWrite",
      fsType: "ext4",
      readOnly: false,
      kind: "Shared",
    },
  ],
  [claim, "holds files", {}, "spec.volumeMode", "Filesystem"],
  [claim, "is pending", { status: { phase: "Bound" } }, "status", { phase: "Pending" }],
  [claim, "rounds its size up", claimOf(sized("1u")), "spec.resources.requests.storage", "1m"],
  [claim, "tells its source in both fields", claimOf({ dataSource: snapshot }), "spec.dataSourceRef", snapshot],
  [claim, "tells its reference in both fields", claimOf({ dataSourceRef: populator }), "spec.dataSource", populator],
  [claim, "drops a source that only references know", claimOf({ dataSource: populator }), "spec.dataSource", undefined],
  [
    claim,
    "keeps a source elsewhere in one field",
    claimOf({ dataSourceRef: { ...snapshot, namespace: "other" } }),
    "spec.dataSource",
    undefined,
  ],
];
testValues(kit, values);

const parts: readonly PartRow[] = [
  [
    `${claim}/status`,
    "that has its volume",
    { ...claimOf({}), status: { phase: "Bound", capacity: { storage: "1Gi" } } },
    claimOf({}),
    [],
  ],
  [
    `${claim}/status`,
    "of odd amounts",
    {
      ...claimOf({}),
      status: {
        capacity: { storage: "-1" },
        allocatedResources: { storage: "-1", cpu: "1", "example.com/a": "1" },
        allocatedResourceStatuses: { storage: "NodeResizePending", cpu: "X" },
      },
    },
    claimOf({}),
    [
      "status.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
      'status.allocatedResourceStatus: Unsupported value: "cpu": supported values: "storage"',
      'status.allocatedResourceStatus: Unsupported value: cpu: supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
      "status.allocatedResources[storage]: Invalid value: -1: must be a valid resource quantity",
      'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
    ],
  ],
];
testParts(kit, parts);

const then = "2025-01-01T00:00:00Z";
for (const [what, given, expected] of [
  ["of another phase", { phase: "Bound" }, testContext.now],
  ["of another phase that repeats the time", { phase: "Bound", lastPhaseTransitionTime: then }, testContext.now],
  [
    "of another phase since some time",
    { phase: "Bound", lastPhaseTransitionTime: "2025-02-02T00:00:00Z" },
    "2025-02-02T00:00:00Z",
  ],
  ["of the same phase", { phase: "Available" }, then],
] as const) {
  test(`a status of a volume ${what} tells when`, () => {
    const stored = kit.created(volume, good);
    const old = { ...stored, status: { phase: "Available", lastPhaseTransitionTime: then } };
    const write = { name: "status", object: { ...stored, spec: {}, status: given }, old };
    const next = prepareForPart(kit.kind(volume), write, testContext);
    assert.deepEqual(next["spec"], stored["spec"]);
    assert.equal(valueAt(next, "status.phase"), given.phase);
    assert.equal(valueAt(next, "status.lastPhaseTransitionTime"), expected);
  });
}
