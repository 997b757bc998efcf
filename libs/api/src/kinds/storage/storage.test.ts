import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
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

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const v1 = "storage.k8s.io/v1";
const beta = "storage.k8s.io/v1beta1";
const className = `${v1}.StorageClass`;
const attachment = `${v1}.VolumeAttachment`;
const driver = `${v1}.CSIDriver`;
const node = `${v1}.CSINode`;
const capacity = `${v1}.CSIStorageCapacity`;
const attributes = `${beta}.VolumeAttributesClass`;

const classOf = (tree: Tree): Tree => ({ provisioner: "disk.example.com", ...tree });
const topologyOf = (...requirements: readonly Tree[]): Tree =>
  classOf({ allowedTopologies: [{ matchLabelExpressions: requirements }] });
const attachmentOf = (spec: Tree): Tree => ({
  spec: { attacher: "disk.example.com", source: { persistentVolumeName: "v" }, nodeName: "n1", ...spec },
});
const inlineOf = (spec: Tree): Tree => attachmentOf({ source: { inlineVolumeSpec: spec } });
const csi = { driver: "disk.example.com", volumeHandle: "h" };
const nodeOf = (...drivers: readonly Tree[]): Tree => ({ spec: { drivers } });
const entry = { name: "disk.example.com", nodeID: "n1", topologyKeys: [] };
const subdomain = /a lowercase RFC 1123 subdomain must/;

const creates: readonly CreateRow[] = [
  [className, "good", classOf({ parameters: { a: "" }, allowVolumeExpansion: true }), []],
  [className, "without provisioner", {}, ["provisioner: Required value"]],
  [className, "of an odd provisioner", { provisioner: "A b" }, [/^provisioner: Invalid value: "a b": name part must/]],
  [
    className,
    "with a parameter of no name",
    classOf({ parameters: { "": "x" } }),
    ['parameters: Invalid value: "": field can not be empty.'],
  ],
  [
    className,
    "with big parameters",
    classOf({ parameters: { a: "x".repeat(262_144) } }),
    ["parameters: Too long: may not be more than 262144 bytes"],
  ],
  [
    className,
    "with many parameters",
    classOf({ parameters: Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`p${i}`, ""])) }),
    ["parameters: Too long: may not be more than 512 bytes"],
  ],
  [
    className,
    "that recycles",
    classOf({ reclaimPolicy: "Recycle" }),
    ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
  ],
  [
    className,
    "that binds in an unknown way",
    classOf({ volumeBindingMode: "X" }),
    ['volumeBindingMode: Unsupported value: "X": supported values: "Immediate", "WaitForFirstConsumer"'],
  ],
  [className, "of a zone", topologyOf({ key: "zone", values: ["a", "b"] }), []],
  [
    className,
    "of odd zones",
    topologyOf({ key: "zone", values: ["a", "a"] }, { key: "zone", values: ["b"] }, { key: "a b" }),
    [
      'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
      'allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"',
      "allowedTopologies[0].matchLabelExpressions[2].values: Required value",
      /^allowedTopologies\[0\].matchLabelExpressions\[2\].key: Invalid value: "a b": name part must/,
    ],
  ],
  [
    className,
    "of one topology twice",
    classOf({
      allowedTopologies: [
        { matchLabelExpressions: [{ key: "zone", values: ["a", "b"] }] },
        { matchLabelExpressions: [{ key: "zone", values: ["b", "a"] }] },
      ],
    }),
    ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'],
  ],
  [
    className,
    "of a topology that says nothing",
    classOf({ allowedTopologies: [{}] }),
    ['allowedTopologies[0].matchLabelExpressions: Duplicate value: ""'],
  ],
  [attachment, "good", attachmentOf({}), []],
  [attachment, "of a volume of its own", inlineOf({ csi, accessModes: ["ReadWriteOnce"] }), []],
  [
    attachment,
    "of nothing",
    { spec: {} },
    [
      "spec.attacher: Required value",
      "spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName",
      /^spec.nodeName: Invalid value: "": a lowercase RFC 1123 subdomain must/,
      // A request of this version wants a driver's name besides.
      "spec.attacher: Required value",
      /^spec.attacher: Invalid value: "": a lowercase RFC 1123 subdomain must/,
    ],
  ],
  [
    attachment,
    "of a volume without name",
    attachmentOf({ source: { persistentVolumeName: "" } }),
    [
      "spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName",
      /^spec.source.persistentVolumeName: Invalid value: "": a lowercase/,
    ],
  ],
  [
    attachment,
    "of odd names",
    attachmentOf({ attacher: "a b", source: { persistentVolumeName: "A" } }),
    [
      /^spec.attacher: Invalid value: "a b": a lowercase RFC 1123 subdomain must/,
      /^spec.source.persistentVolumeName: Invalid value: "A": a lowercase RFC 1123 subdomain must/,
    ],
  ],
  [
    `${beta}.VolumeAttachment`,
    "of odd names, which the version took",
    attachmentOf({ attacher: "a b", source: { persistentVolumeName: "A" } }),
    [],
  ],
  [
    attachment,
    "of two volumes",
    attachmentOf({ source: { persistentVolumeName: "v", inlineVolumeSpec: { csi, accessModes: ["ReadWriteOnce"] } } }),
    ["spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName"],
  ],
  [
    attachment,
    "of a volume of its own that is no driver's",
    inlineOf({
      claimRef: { name: "c" },
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      nfs: { server: "s", path: "/" },
      persistentVolumeReclaimPolicy: "Delete",
      nodeAffinity: { required: { nodeSelectorTerms: [{}] } },
      storageClassName: "c",
      volumeMode: "Block",
    }),
    [
      "spec.source.inlineVolumeSpec.claimRef: Forbidden: may not be specified in the context of inline volumes",
      "spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes",
      "spec.source.inlineVolumeSpec.nodeAffinity: Forbidden: may not be specified in the context of inline volumes",
      "spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified in the context of inline volumes",
      "spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes",
      "spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes",
      "spec.source.inlineVolumeSpec.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes",
    ],
  ],
  [driver, "good", { spec: {} }, []],
  [
    driver,
    "of unknown ways",
    { spec: { fsGroupPolicy: "X", volumeLifecycleModes: ["Y"] } },
    [
      'spec.fsGroupPolicy: Unsupported value: "X": supported values: "File", "None", "ReadWriteOnceWithFSType"',
      'spec.volumeLifecycleModes: Unsupported value: "Y": supported values: "Persistent", "Ephemeral"',
    ],
  ],
  [
    driver,
    "with odd tokens",
    {
      spec: {
        tokenRequests: [
          { audience: "a", expirationSeconds: 599 },
          { audience: "b", expirationSeconds: 4_294_967_297 },
          { audience: "a", expirationSeconds: 1 },
          { audience: "" },
        ],
      },
    },
    [
      "spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
      "spec.tokenRequests[1].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds",
      'spec.tokenRequests[2].audience: Duplicate value: "a"',
    ],
  ],
  [node, "good", nodeOf({ ...entry, allocatable: { count: 0 }, topologyKeys: ["zone", "example.com/rack"] }), []],
  [
    node,
    "with odd drivers",
    nodeOf(
      { ...entry, nodeID: "", allocatable: { count: -1 } },
      { ...entry, nodeID: "x".repeat(257) },
      { ...entry, name: "d".repeat(64), topologyKeys: ["a", "a", "b c"] },
    ),
    [
      "spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0",
      "spec.drivers[0].nodeID: Required value",
      /^spec.drivers\[1\].nodeID: Invalid value: "x+": must be 256 characters or less$/,
      'spec.drivers[1].name: Duplicate value: "disk.example.com"',
      "spec.drivers[2].name: Too long: may not be more than 63 bytes",
      'spec.drivers[2]: Duplicate value: "a"',
      /^spec.drivers\[2\]: Invalid value: "b c": name part must/,
    ],
  ],
  [capacity, "good", { storageClassName: "c", capacity: "1Gi", nodeTopology: { matchLabels: { a: "b" } } }, []],
  [
    capacity,
    "with odd values",
    {
      storageClassName: "A",
      capacity: "-1",
      maximumVolumeSize: "-2",
      nodeTopology: { matchExpressions: [{ key: "a", operator: "In" }] },
    },
    [
      "nodeTopology.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      subdomain,
      'capacity: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [attributes, "good", { driverName: "d", parameters: { a: "b" } }, []],
  [
    attributes,
    "of nothing",
    {},
    ["driverName: Required value", "parameters: Required value: must contain at least one key/value pair"],
  ],
];
testCreates(kit, creates);

const versioned = (tree: Tree): Tree => ({ ...tree, metadata: { resourceVersion: "1" } });
const updates: readonly UpdateRow[] = [
  [className, "that lets volumes grow", classOf({ allowVolumeExpansion: true }), classOf({}), []],
  [
    className,
    "that changes what it is",
    {
      provisioner: "other",
      parameters: { a: "b" },
      reclaimPolicy: "Retain",
      volumeBindingMode: "WaitForFirstConsumer",
    },
    classOf({}),
    [
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
      "parameters: Forbidden: updates to parameters are forbidden.",
      "provisioner: Forbidden: updates to provisioner are forbidden.",
      "reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.",
    ],
  ],
  [attachment, "that changes nothing", versioned(attachmentOf({})), attachmentOf({}), []],
  [
    attachment,
    "to another node",
    versioned(attachmentOf({ nodeName: "n2" })),
    attachmentOf({}),
    [/^spec: Invalid value: \{.*"nodeName":"n2".*\}: field is immutable$/],
  ],
  [driver, "of other tokens", versioned({ spec: { tokenRequests: [{ audience: "a" }] } }), { spec: {} }, []],
  [
    driver,
    "of other volumes",
    versioned({ spec: { attachRequired: false, volumeLifecycleModes: ["Ephemeral"] } }),
    { spec: {} },
    [
      "spec.attachedRequired: Invalid value: false: field is immutable",
      'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
    ],
  ],
  [
    driver,
    "without its version",
    { spec: {} },
    { spec: {} },
    [/^metadata.resourceVersion: Invalid value: "": must be/],
  ],
  [node, "that loses a driver", versioned(nodeOf()), nodeOf(entry), []],
  [
    node,
    "that changes a driver",
    versioned(nodeOf({ ...entry, nodeID: "n2" })),
    nodeOf(entry),
    [/^CSINodeDriver: Invalid value: \{.*"nodeID":"n2".*\}: field is immutable$/],
  ],
  [capacity, "that is less", versioned({ storageClassName: "c", capacity: "1" }), { storageClassName: "c" }, []],
  [
    capacity,
    "of something else",
    versioned({ storageClassName: "d", nodeTopology: {} }),
    { storageClassName: "c" },
    ["nodeTopology: Invalid value: {}: field is immutable", 'storageClassName: Invalid value: "d": field is immutable'],
  ],
  [
    attributes,
    "that changes what it is",
    { driverName: "e", parameters: { a: "c" } },
    { driverName: "d", parameters: { a: "b" } },
    [
      "driverName: Forbidden: updates to driverName are forbidden.",
      "parameters: Forbidden: updates to parameters are forbidden.",
    ],
  ],
];
testUpdates(kit, updates);

const defaults = { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" };
const driverDefaults = {
  attachRequired: true,
  podInfoOnMount: false,
  volumeLifecycleModes: ["Persistent"],
  storageCapacity: false,
  fsGroupPolicy: "ReadWriteOnceWithFSType",
  requiresRepublish: false,
  seLinuxMount: false,
};
const values: readonly ValueRow[] = [
  ...[v1, beta].flatMap((version): ValueRow[] => [
    ...Object.entries(defaults).map(
      ([path, value]): ValueRow => [`${version}.StorageClass`, `has a ${path}`, classOf({}), path, value],
    ),
    [`${version}.CSIDriver`, "has its defaults", { spec: {} }, "spec", driverDefaults],
  ]),
  [driver, "without a spec has its defaults", {}, "spec", driverDefaults],
  [driver, "keeps what it says", { spec: { attachRequired: false } }, "spec.attachRequired", false],
  [driver, "has no generation", { spec: {} }, "metadata.generation", undefined],
  [attachment, "is not attached", { ...attachmentOf({}), status: { attached: true } }, "status", undefined],
  [
    attachment,
    "rounds the size of its volume up",
    inlineOf({ csi, accessModes: ["ReadWriteOnce"], capacity: { storage: "1u" } }),
    "spec.source.inlineVolumeSpec.capacity",
    { storage: "1m" },
  ],
];
testValues(kit, values);

const parts: readonly PartRow[] = [
  [`${attachment}/status`, "attached", { ...attachmentOf({}), status: { attached: true } }, attachmentOf({}), []],
  [
    `${attachment}/status`,
    "with long texts",
    {
      ...attachmentOf({}),
      status: {
        attached: false,
        attachmentMetadata: { a: "x".repeat(262_144) },
        attachError: { message: "x".repeat(1025) },
        detachError: { message: "x".repeat(1025) },
      },
    },
    attachmentOf({}),
    [
      "status.attachmentMetadata: Too long: may not be more than 262144 bytes",
      "status.attachError.message: Too long: may not be more than 1024 bytes",
      "status.detachError.message: Too long: may not be more than 1024 bytes",
    ],
  ],
];
testParts(kit, parts);

test("a write of an attachment's status changes neither its spec nor its labels", () => {
  const tree = { metadata: { labels: { a: "b" } }, ...attachmentOf({ nodeName: "n2" }), status: { attached: true } };
  const before = { metadata: { labels: { c: "d" }, finalizers: ["example.com/f"] }, ...attachmentOf({}) };
  const written = kit.part(attachment, "status", { tree, before });
  assert.deepEqual(written["spec"], attachmentOf({})["spec"]);
  assert.deepEqual(written["status"], { attached: true });
  assert.deepEqual(written.metadata, { name: "x", ...before.metadata });
});

test("a driver's generation counts its updates", () => {
  const old = kit.created(driver, { spec: {} });
  const next = kit.updated(driver, { spec: { podInfoOnMount: true } }, old);
  assert.equal(next.metadata.generation, 1);
  assert.equal(kit.updated(driver, { spec: { podInfoOnMount: true } }, next).metadata.generation, 1);
});
