import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../../../catalog.js";
import { expectErrors, type Wanted } from "../../../../testing/error-rows.js";
import { createKindKit, type Tree } from "../../../../testing/kind-kit.js";

const { createErrors } = createKindKit(loadCatalog(createNaming("kubernetes")));
const containers = [{ name: "c", image: "nginx:1" }];
const at = "spec.volumes[0]";
const mode = "must be a number between 0 and 0777 (octal), both inclusive";
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const fieldRef = { fieldPath: "metadata.name" };

type Row = readonly [what: string, volume: Tree, wanted: readonly Wanted[]];

const rows: readonly Row[] = [
  ["nothing", {}, []],
  [
    "a name that is no label",
    { name: "A" },
    [/^spec.volumes\[0\].name: Invalid value: "A": a lowercase RFC 1123 label/],
  ],
  [
    "three sources",
    { emptyDir: {}, csi: { driver: "d" }, hostPath: { path: "/a" } },
    [
      `${at}.hostPath: Forbidden: may not specify more than 1 volume type`,
      `${at}.csi: Forbidden: may not specify more than 1 volume type`,
    ],
  ],
  [
    "less than nothing",
    { emptyDir: { sizeLimit: "-1" } },
    [`${at}.emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity`],
  ],
  [
    "a path above",
    { hostPath: { path: "/a/../b", type: "X" } },
    [
      `${at}.hostPath.path: Invalid value: "/a/../b": must not contain '..'`,
      /^spec.volumes\[0\].hostPath.type: Unsupported value: "X": supported values: "", "BlockDevice"/,
    ],
  ],
  ["a host's path of nothing", { hostPath: { path: "" } }, [`${at}.hostPath.path: Required value`]],
  [
    "a repository of nothing, above",
    { gitRepo: { repository: "", directory: "../a" } },
    [
      `${at}.gitRepo.repository: Required value`,
      `${at}.gitRepo.directory: Invalid value: "../a": must not contain '..'`,
    ],
  ],
  [
    "a disk's part out of range",
    { gcePersistentDisk: { pdName: "", partition: 256 } },
    [
      `${at}.gcePersistentDisk.pdName: Required value`,
      `${at}.gcePersistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive`,
    ],
  ],
  [
    "a block store's part out of range",
    { awsElasticBlockStore: { volumeID: "v", partition: -1 } },
    [`${at}.awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive`],
  ],
  [
    "a secret without a name",
    { secret: { defaultMode: 512, items: [{ key: "", path: "/a", mode: -1 }] } },
    [
      `${at}.secret.secretName: Required value`,
      `${at}.secret.items[0].key: Required value`,
      `${at}.secret.items[0].path: Invalid value: "/a": must be a relative path`,
      `${at}.secret.items[0].mode: Invalid value: -1: ${mode}`,
      `${at}.secret.defaultMode: Invalid value: 512: ${mode}`,
    ],
  ],
  [
    "keys without a name",
    { configMap: { items: [{ key: "k", path: "..a" }] } },
    [
      `${at}.configMap.items[0].path: Invalid value: "..a": must not start with '..'`,
      `${at}.configMap.name: Required value`,
    ],
  ],
  [
    "a share of no server",
    { nfs: { server: "", path: "a" } },
    [`${at}.nfs.server: Required value`, `${at}.nfs.path: Invalid value: "a": must be an absolute path`],
  ],
  ["a good target", { iscsi: { targetPortal: "p", iqn: "iqn.2015-02.example.com:test", lun: 0 } }, []],
  [
    "a bad target",
    { iscsi: { targetPortal: "", iqn: "x", lun: 256, chapAuthSession: true, initiatorName: "y" } },
    [
      `${at}.iscsi.targetPortal: Required value`,
      `${at}.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive`,
      /^spec.volumes\[0\].iscsi.iqn: Invalid value: "x": must be valid format/,
      `${at}.iscsi.secretRef: Required value`,
      'spec.volumes[0].iscsi.initiatorname: Invalid value: "y": must be valid format starting with iqn, eui, or naa',
    ],
  ],
  [
    "a cluster's share of nothing",
    { glusterfs: { endpoints: "", path: "" } },
    [`${at}.glusterfs.endpoints: Required value`, `${at}.glusterfs.path: Required value`],
  ],
  [
    "a data set of no name",
    { flocker: {} },
    [`${at}.flocker: Required value: one of datasetName and datasetUUID is required`],
  ],
  [
    "a claim of no name",
    { persistentVolumeClaim: { claimName: "" } },
    [`${at}.persistentVolumeClaim.claimName: Required value`],
  ],
  [
    "a device of no monitor",
    { rbd: { monitors: [], image: "" } },
    [`${at}.rbd.monitors: Required value`, `${at}.rbd.image: Required value`],
  ],
  [
    "a secret of no name beside it",
    { cinder: { volumeID: "v", secretRef: {} } },
    [`${at}.cinder.secretRef.name: Required value`],
  ],
  ["a file system of no monitor", { cephfs: { monitors: [] } }, [`${at}.cephfs.monitors: Required value`]],
  [
    "a registry of no port",
    { quobyte: { registry: "a:1,b", volume: "" } },
    [
      `${at}.quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas`,
      `${at}.quobyte.volume: Required value`,
    ],
  ],
  [
    "a tenant of a long name",
    { quobyte: { registry: "a:1", volume: "v", tenant: "x".repeat(65) } },
    [`${at}.quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters`],
  ],
  [
    "a channel to nothing",
    { fc: {} },
    [`${at}.fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both`],
  ],
  [
    "a channel without a unit",
    { fc: { targetWWNs: ["a"] } },
    [`${at}.fc.lun: Required value: lun is required if targetWWNs is specified`],
  ],
  [
    "options that are the product's",
    { flexVolume: { driver: "d", options: { "a.kubernetes.io/b": "c" } } },
    [/^spec.volumes\[0\].flexVolume.options\[a.kubernetes.io\/b\]: Invalid value: .* namespaces are reserved$/],
  ],
  [
    "a file share of no name",
    { azureFile: { secretName: "", shareName: "" } },
    [`${at}.azureFile.secretName: Required value`, `${at}.azureFile.shareName: Required value`],
  ],
  [
    "a disk of another kind than its address",
    { azureDisk: { diskName: "d", diskURI: "https://a", kind: "Managed", cachingMode: "X" } },
    [
      /cachingMode: Unsupported value: "X": supported values: "None", "ReadOnly", "ReadWrite"/,
      /^spec.volumes\[0\].azureDisk.diskURI: Unsupported value: "https:\/\/a": supported values: "\/subscriptions\//,
    ],
  ],
  [
    "a volume path of nothing",
    { vsphereVolume: { volumePath: "" } },
    [`${at}.vsphereVolume.volumePath: Required value`],
  ],
  [
    "a store's volume of no form",
    { storageos: { volumeName: "A", volumeNamespace: "B", secretRef: {} } },
    [
      /storageos.volumeName: Invalid value: "A": a lowercase RFC 1123 label/,
      /storageos.volumeNamespace: Invalid value: "B"/,
      `${at}.storageos.secretRef.name: Required value`,
    ],
  ],
  [
    "a scaled volume of nothing",
    { scaleIO: { gateway: "", system: "", secretRef: { name: "s" } } },
    [
      `${at}.scaleIO.gateway: Required value`,
      `${at}.scaleIO.system: Required value`,
      `${at}.scaleIO.volumeName: Required value`,
    ],
  ],
  [
    "no driver",
    { csi: { driver: "", nodePublishSecretRef: {} } },
    [`${at}.csi.driver: Required value`, `${at}.csi.nodePublishSecretRef.name: Required value`],
  ],
  [
    "a driver of no form",
    { csi: { driver: "a_b" } },
    [/^spec.volumes\[0\].csi.driver: Invalid value: "a_b": a lowercase RFC 1123 subdomain/],
  ],

  [
    "fields of the pod",
    {
      downwardAPI: {
        items: [
          { path: "a", fieldRef },
          { path: "b", fieldRef: { fieldPath: "metadata.labels" } },
          { path: "c", resourceFieldRef: { containerName: "c", resource: "limits.cpu" } },
        ],
      },
    },
    [],
  ],
  [
    "fields of the pod that it has not",
    {
      downwardAPI: {
        items: [
          { path: "a" },
          { path: "b", fieldRef, resourceFieldRef: { containerName: "c", resource: "limits.cpu" } },
          { path: "../c", fieldRef: { fieldPath: "status.podIP" } },
          { path: "d", resourceFieldRef: { resource: "limits.cpu" } },
        ],
      },
    },
    [
      `${at}.downwardAPI.items[2].path: Invalid value: "../c": must not contain '..'`,
      `${at}.downwardAPI: Required value: one of fieldRef and resourceFieldRef is required`,
      `${at}.downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously`,
      /^spec.volumes\[0\].downwardAPI.fieldRef.fieldPath: Unsupported value: "status.podIP": supported values: "metadata.annotations", "metadata.labels"/,
      `${at}.downwardAPI.resourceFieldRef.containerName: Required value`,
    ],
  ],

  ["a claim of its own", { ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: "b" } }, spec: claim } } }, []],
  ["a claim of its own without a template", { ephemeral: {} }, [`${at}.ephemeral.volumeClaimTemplate: Required value`]],
  [
    "a claim of its own that says too much",
    {
      ephemeral: {
        volumeClaimTemplate: { metadata: { name: "x", labels: { "-": "" } }, spec: { accessModes: ["ReadWriteOnce"] } },
      },
    },
    [
      /^spec.volumes\[0\].ephemeral.volumeClaimTemplate.metadata.labels: Invalid value: "-"/,
      `${at}.ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set`,
      /^spec.volumes\[0\].ephemeral.volumeClaimTemplate.spec.resources.*Required value/,
    ],
  ],
];

const projected = (...sources: readonly Tree[]): Tree => ({ projected: { sources } });
const token = { serviceAccountToken: { path: "t" } };
const projections: readonly Row[] = [
  [
    "secrets, keys, fields and a token together",
    projected(
      { secret: { name: "s" } },
      { configMap: { name: "m" } },
      { downwardAPI: { items: [{ path: "n", fieldRef }] } },
      token,
    ),
    [],
  ],
  [
    "two sources in one",
    projected({ secret: { name: "s" }, configMap: { name: "m" } }),
    [`${at}.projected.sources[0].configMap: Forbidden: may not specify more than 1 volume type`],
  ],
  [
    "secrets and keys without names",
    projected({ secret: {} }, { configMap: {} }),
    [
      `${at}.projected.sources[0].secret.name: Required value`,
      `${at}.projected.sources[1].configMap.name: Required value`,
    ],
  ],
  [
    "one file from two sources",
    projected(
      { secret: { name: "s", items: [{ key: "k", path: "p" }] } },
      { configMap: { name: "m", items: [{ key: "k", path: "p" }] } },
      { downwardAPI: { items: [{ path: "p", fieldRef }] } },
    ),
    [
      `${at}.projected: Invalid value: "m": conflicting duplicate paths`,
      `${at}.projected: Invalid value: "p": conflicting duplicate paths`,
    ],
  ],
  [
    "a short token above",
    projected({ serviceAccountToken: { path: "../t", expirationSeconds: 599 } }),
    [
      `${at}.projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes`,
      `${at}.projected.path: Invalid value: "../t": must not contain '..'`,
    ],
  ],
  [
    "an endless token nowhere",
    projected({ serviceAccountToken: { path: "", expirationSeconds: 4294967297 } }),
    [
      `${at}.projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds`,
      `${at}.projected.path: Required value`,
    ],
  ],
  ["trust by name", projected({ clusterTrustBundle: { name: "b", path: "p" } }), []],
  [
    "trust of nobody",
    projected({ clusterTrustBundle: { path: "" } }),
    [
      `${at}.projected.sources[0].clusterTrustBundle: Required value: either name or signerName must be specified`,
      `${at}.projected.sources[0].clusterTrustBundle.path: Required value`,
    ],
  ],
  [
    "trust by name and signer",
    projected({ clusterTrustBundle: { name: "b", signerName: "a.b/c", path: "p" } }),
    [/clusterTrustBundle: Invalid value: .*: only one of name and signerName may be used$/],
  ],
  [
    "trust by name and labels",
    projected({ clusterTrustBundle: { name: "b", labelSelector: {}, path: "p" } }),
    [/clusterTrustBundle.labelSelector: Invalid value: \{\}: labelSelector must be unset if name is specified$/],
  ],
  [
    "trust by wrong labels",
    projected({
      clusterTrustBundle: {
        signerName: "a.b/c",
        labelSelector: { matchExpressions: [{ key: "a", operator: "X" }] },
        path: "p",
      },
    }),
    [
      /clusterTrustBundle.labelSelector.matchExpressions\[0\].operator: Invalid value: "X": not a valid selector operator$/,
    ],
  ],
];

for (const [what, volume, wanted] of [...rows, ...projections]) {
  expectErrors(`a volume of ${what}`, wanted, () =>
    createErrors("Pod", { spec: { serviceAccountName: "a", containers, volumes: [{ name: "v", ...volume }] } }),
  );
}

expectErrors(
  "a token without an account",
  [
    `${at}.projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set`,
  ],
  () => createErrors("Pod", { spec: { containers, volumes: [{ name: "v", ...projected(token) }] } }),
);

const own = { name: "v", ephemeral: { volumeClaimTemplate: { spec: claim } } };

expectErrors(
  "volumes of one name, and a claim that is made for the pod",
  [
    'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "x-v": must not reference a PVC that gets created for an ephemeral volume',
    'spec.volumes[1].name: Duplicate value: "v"',
  ],
  () =>
    createErrors("Pod", {
      spec: { containers, volumes: [own, { name: "v", persistentVolumeClaim: { claimName: "x-v" } }] },
    }),
);

expectErrors(
  "a claim whose name is too long",
  [/^spec.volumes\[0\].name: Invalid value: "v": PVC name "a+-v": must be no more than 253 characters$/],
  () => createErrors("Pod", { metadata: { name: "a".repeat(252) }, spec: { containers, volumes: [own] } }),
);
