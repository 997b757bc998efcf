import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "./catalog.js";
import type { AnyObject } from "./object.js";
import { objectWarnings } from "./warnings.js";

const catalog = loadCatalog(createNaming("kubernetes"));

function warningsOf(kind: string, object: object, old?: object): readonly string[] {
  const slash = kind.lastIndexOf(" ");
  const found = catalog.kind(kind.slice(0, slash), kind.slice(slash + 1));
  assert.ok(found !== undefined, kind);
  const named = (given: object): AnyObject => {
    const { metadata, ...rest }: { readonly metadata?: object } = given;
    return { ...rest, metadata: { name: "a", ...metadata } };
  };
  const given = named(object);
  return objectWarnings(found, given, { old: old === undefined ? undefined : named(old), given });
}

const podOf = (container: object, spec: object = {}, metadata: object = {}) => ({
  metadata,
  spec: { containers: [{ name: "c", ...container }], ...spec },
});
const dots = (use: string): string =>
  `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]`;
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const apply = "which may be dropped when using apply";
const noMatch = "a null labelSelector results in matching no pod";
const leading = (text: string): string =>
  `IP address was accepted, but will be invalid in a future Kubernetes release: ParseAddr("${text}"): IPv4 field has octet with leading zero`;
const loops = "which may cause controller apply-loops";
const items = (...paths: string[]) => paths.map((path) => ({ key: "k", path }));
const storage = (size: string) => ({ resources: { requests: { storage: size } } });
const beta = 'deprecated since v1.14; use "kubernetes.io/os" instead';
const terms = [{ matchExpressions: [{ key: "beta.kubernetes.io/os", operator: "Exists" }] }];
const volume = (source: object) => podOf({}, { volumes: [{ name: "v", ...source }] });
const ports = (...list: object[]) => podOf({ ports: list });

type Row = readonly [what: string, kind: string, object: object, warnings: readonly string[]];
const rows: readonly Row[] = [
  ["nothing", "v1 Pod", podOf({}), []],
  ["dots in the name", "v1 Pod", { metadata: { name: "a.b" } }, [dots("the Pod's hostname")]],
  [
    "a name that is no label and too long",
    "v1 Pod",
    { metadata: { name: `${"a".repeat(64)}` } },
    [dots("the Pod's hostname").replace("must not contain dots", "must be no more than 63 characters")],
  ],
  [
    "dots in a Deployment's name",
    "apps/v1 Deployment",
    { metadata: { name: "a.b" } },
    [dots("Pod names and hostnames")],
  ],
  ["dots in a Job's name", "batch/v1 Job", { metadata: { name: "a.b" } }, [dots("Pod names and hostnames")]],
  [
    "a variable twice",
    "v1 Pod",
    podOf({
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "$(A)2" },
        { name: "A", value: "$(A)" },
        { name: "A", value: "3" },
        { name: "A", valueFrom: {} },
      ],
    }),
    [2, 3, 4].map((i) => `spec.containers[0].env[${i}]: hides previous definition of "A", ${apply}`),
  ],
  [
    "parts of bytes",
    "v1 Pod",
    podOf(
      { resources: { limits: { memory: "1500m", cpu: "1500m" }, requests: { "ephemeral-storage": "100m" } } },
      { overhead: { memory: "1m" } },
    ),
    [
      'spec.overhead[memory]: fractional byte value "1m" is invalid, must be an integer',
      'spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
      'spec.containers[0].resources.requests[ephemeral-storage]: fractional byte value "100m" is invalid, must be an integer',
    ],
  ],
  [
    "a port twice",
    "v1 Pod",
    ports(
      { containerPort: 80, protocol: "TCP" },
      { containerPort: 80, protocol: "TCP" },
      { containerPort: 80, protocol: "UDP" },
    ),
    ["spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]"],
  ],
  [
    "a port with and without one of the host",
    "v1 Pod",
    ports({ containerPort: 80, hostPort: 80, protocol: "TCP" }, { containerPort: 80, protocol: "TCP" }),
    ["spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]"],
  ],
  [
    "a port of one address of the host and of all",
    "v1 Pod",
    ports(
      { containerPort: 80, hostPort: 80, hostIP: "10.0.0.1", protocol: "TCP" },
      { containerPort: 80, hostPort: 80, protocol: "TCP" },
    ),
    ["spec.containers[0].ports[1]: dangerously ambiguous port definition with spec.containers[0].ports[0]"],
  ],
  [
    "an address without a port of the host",
    "v1 Pod",
    ports({ containerPort: 80, hostIP: "10.0.0.1", protocol: "UDP" }),
    [
      "spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:UDP HostIP:10.0.0.1}",
    ],
  ],
  [
    "annotations that became fields",
    "v1 Pod",
    podOf(
      {},
      {},
      {
        annotations: {
          "scheduler.alpha.kubernetes.io/critical-pod": "",
          "seccomp.security.alpha.kubernetes.io/pod": "x",
          "container.seccomp.security.alpha.kubernetes.io/c": "x",
          "container.apparmor.security.beta.kubernetes.io/c": "unconfined",
        },
      },
    ),
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
      'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
      'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
  ],
  [
    "an annotation of a template that became a field",
    "apps/v1 DaemonSet",
    { spec: { template: podOf({}, {}, { annotations: { "container.apparmor.security.beta.kubernetes.io/c": "x" } }) } },
    [
      'spec.template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
    ],
  ],
  ["a repository of git", "v1 Pod", volume({ gitRepo: {} }), ["spec.volumes[0].gitRepo: deprecated in v1.11"]],
  ["rbd", "v1 Pod", volume({ rbd: {} }), ["spec.volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+"]],
  [
    "StorageOS",
    "v1 Pod",
    volume({ storageos: {} }),
    ["spec.volumes[0].storageOS: deprecated in v1.22, non-functional in v1.25+"],
  ],
  [
    "a claim of parts of bytes inside a pod",
    "v1 Pod",
    volume({ ephemeral: { volumeClaimTemplate: { spec: storage("1m") } } }),
    [
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "1m" is invalid, must be an integer',
    ],
  ],
  [
    "files that hide each other",
    "v1 Pod",
    volume({ configMap: { name: "m", items: items("test/app", "test", "other", "test") } }),
    [
      'volume "v" (ConfigMap "m"): overlapping paths: "test" with "test/app"',
      'volume "v" (ConfigMap "m"): overlapping paths: "test" with "test"',
    ],
  ],
  [
    "files of several sources that hide each other",
    "v1 Pod",
    volume({
      projected: {
        sources: [
          { configMap: { name: "Test", items: items("test") } },
          { serviceAccountToken: { path: "test/file" } },
          {},
        ],
      },
    }),
    [
      'volume "v" (Projected) has no sources provided',
      'volume "v" (Projected): overlapping paths: "test/file" (ServiceAccountToken) with "test" (ConfigMap "Test")',
    ],
  ],
  [
    "names that were said before",
    "v1 Pod",
    podOf(
      {},
      { hostAliases: [{ ip: "1.1.1.1" }, { ip: "1.1.1.1" }], imagePullSecrets: [{ name: "s" }, { name: "s" }, {}] },
    ),
    [
      'spec.hostAliases[1].ip: duplicate ip "1.1.1.1"',
      'spec.imagePullSecrets[1].name: duplicate name "s"',
      'spec.imagePullSecrets[2].name: invalid empty name ""',
    ],
  ],
  [
    "labels of nodes that were replaced",
    "v1 Pod",
    podOf(
      {},
      {
        nodeSelector: { "beta.kubernetes.io/os": "linux" },
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
        topologySpreadConstraints: [{ topologyKey: "failure-domain.beta.kubernetes.io/zone" }],
      },
    ),
    [
      `spec.nodeSelector[beta.kubernetes.io/os]: ${beta}`,
      `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is ${beta}`,
      'spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
      `spec.topologySpreadConstraints[0].labelSelector: ${noMatch}`,
    ],
  ],
  [
    "an affinity to no pods, a negative time to end",
    "v1 Pod",
    podOf(
      {},
      {
        terminationGracePeriodSeconds: -1,
        affinity: {
          podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] },
          podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: {} }] },
        },
      },
    ),
    [
      "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
      `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: ${noMatch}`,
      `spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: ${noMatch}`,
    ],
  ],
  [
    "a policy that went out of use",
    "v1 PersistentVolume",
    {
      metadata: { annotations: { "volume.beta.kubernetes.io/storage-class": "c" } },
      spec: {
        persistentVolumeReclaimPolicy: "Recycle",
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
        cephfs: {},
      },
    },
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
      `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is ${beta}`,
      "spec.cephfs: deprecated in v1.28, non-functional in v1.31+",
    ],
  ],
  [
    "a claim of parts of bytes",
    "v1 PersistentVolumeClaim",
    { spec: storage("1500m") },
    ['spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer'],
  ],
  [
    "topologies of nodes",
    "storage.k8s.io/v1 StorageClass",
    { allowedTopologies: [{ matchLabelExpressions: [{ key: "beta.kubernetes.io/os", values: ["a"] }] }] },
    [`allowedTopologies[0].matchLabelExpressions[0].key: ${beta}`],
  ],
  [
    "capacities of nodes",
    "storage.k8s.io/v1 CSIStorageCapacity",
    { nodeTopology: { matchLabels: { "beta.kubernetes.io/os": "a" } } },
    [`nodeTopology.matchLabels.beta.kubernetes.io/os: ${beta}`],
  ],
  [
    "nodes of a runtime",
    "node.k8s.io/v1 RuntimeClass",
    { scheduling: { nodeSelector: { "beta.kubernetes.io/os": "a" } } },
    [`scheduling.nodeSelector: ${beta}`],
  ],
  [
    "fields of a node that went out of use",
    "v1 Node",
    { spec: { configSource: {}, externalID: "x" } },
    [
      "spec.configSource: the feature is removed",
      "spec.externalID: this field is deprecated, and is unused by Kubernetes",
    ],
  ],
  [
    "a headless service",
    "v1 Service",
    {
      spec: {
        ...{ type: "ClusterIP", clusterIP: "None", clusterIPs: ["None"], sessionAffinity: "ClientIP" },
        ...{ loadBalancerIP: "10.0.0.1", externalIPs: ["010.0.0.1"] },
      },
    },
    [`spec.externalIPs[0]: ${leading("010.0.0.1")}`],
  ],
  [
    "addresses of a service that others write otherwise",
    "v1 Service",
    {
      metadata: { annotations: { "service.kubernetes.io/topology-aware-hints": "auto" } },
      spec: {
        ...{
          type: "LoadBalancer",
          clusterIP: "2001:db8:0:0::2",
          clusterIPs: ["2001:db8:0:0::2"],
          sessionAffinity: "None",
        },
        ...{ loadBalancerSourceRanges: ["010.0.0.0/8", "2001:db8:0:0::/64", "10.0.0.0/8"], externalName: "x" },
      },
    },
    [
      "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead",
      `spec.clusterIPs[0]: IPv6 address "2001:db8:0:0::2" is not in RFC 5952 canonical format ("2001:db8::2"), ${loops}`,
      'spec.loadBalancerSourceRanges[0]: IP prefix was accepted, but will be invalid in a future Kubernetes release: netip.ParsePrefix("010.0.0.0/8"): ParseAddr("010.0.0.0"): IPv4 field has octet with leading zero',
      `spec.loadBalancerSourceRanges[1]: IPv6 prefix "2001:db8:0:0::/64" is not in RFC 5952 canonical format ("2001:db8::/64"), ${loops}`,
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
  ],
  [
    "a class of an ingress in its annotation",
    "networking.k8s.io/v1 Ingress",
    { metadata: { annotations: { "kubernetes.io/ingress.class": "c" } } },
    ["annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead"],
  ],
  [
    "more than there may be used",
    "v1 ResourceQuota",
    { spec: { hard: { cpu: "2", "limits.cpu": "1", "requests.memory": "1Gi", "limits.memory": "1Gi" } } },
    ["ResourceQuota cpu (2) should be less than limits.cpu (1)"],
  ],
  [
    "an account whose pods use its secrets alone",
    "v1 ServiceAccount",
    { metadata: { annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } } },
    [
      "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets",
    ],
  ],
  [
    "names as endpoints",
    "discovery.k8s.io/v1 EndpointSlice",
    { addressType: "FQDN" },
    ["spec.addressType: FQDN endpoints are deprecated"],
  ],
  [
    "claims of parts of a byte, and nothing of a history without an end",
    "apps/v1 StatefulSet",
    { spec: { revisionHistoryLimit: -1, volumeClaimTemplates: [{ spec: storage("1m") }] } },
    [
      'spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "1m" is invalid, must be an integer',
    ],
  ],
  [
    "very many pods of a job",
    "batch/v1 Job",
    { spec: { completionMode: "Indexed", completions: 100_001, parallelism: 10_001 } },
    [
      "spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail",
    ],
  ],
];
for (const [what, kind, object, warnings] of rows) {
  test(`${kind}: ${what}`, () => assert.deepEqual(warningsOf(kind, object), warnings));
}

test("a name that is no label at all is told so", () => {
  const [told = ""] = warningsOf("v1 Pod", { metadata: { name: "A_" } });
  assert.ok(told.endsWith(`[${label}]`), told);
});

test("domains of endpoints are told to whoever creates the slice alone", () => {
  const slice = { addressType: "FQDN", endpoints: [] };
  assert.equal(warningsOf("discovery.k8s.io/v1 EndpointSlice", slice).length, 1);
  assert.deepEqual(warningsOf("discovery.k8s.io/v1 EndpointSlice", slice, slice), []);
});

test("an update is told of what changes what is asked for; pods, ingresses and quotas are not looked at again", () => {
  const template = podOf({ env: [{ name: "A" }, { name: "A" }] });
  const told = (generation: number) =>
    warningsOf(
      "apps/v1 Deployment",
      { metadata: { name: "a.b", generation }, spec: { template } },
      { metadata: { generation: 1 } },
    );
  assert.deepEqual(told(1), []);
  assert.deepEqual(told(2), [`spec.template.spec.containers[0].env[1]: hides previous definition of "A", ${apply}`]);
  assert.deepEqual(warningsOf("v1 Pod", { metadata: { name: "a.b" } }, {}), []);
  const annotations = { "kubernetes.io/ingress.class": "c" };
  assert.deepEqual(warningsOf("networking.k8s.io/v1 Ingress", { metadata: { annotations } }, {}), []);
  const schedule = { metadata: { generation: 1 }, spec: { schedule: "TZ=UTC 0 0 * * *" } };
  assert.deepEqual(warningsOf("batch/v1 CronJob", schedule, schedule), [
    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
  ]);
});

test("very many warnings, long texts and pairs of ports or files end somewhere", () => {
  const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const env = many(20_000, () => ({ name: "A" }));
  assert.equal(warningsOf("v1 Pod", podOf({ env })).length, 1000);
  const long = "a/".repeat(50_000);
  const told = warningsOf("v1 Pod", volume({ configMap: { name: "m", items: many(30, () => ({ path: long })) } }));
  assert.ok(told.length < 10 && told.every((text) => text.length <= 2048), String(told.length));
  let reads = 0;
  const counted = many(20_000, (i) => ({
    ...{ containerPort: 80, hostIP: "10.0.0.1", protocol: "TCP" },
    get hostPort() {
      reads++;
      return i + 1;
    },
  }));
  assert.deepEqual(warningsOf("v1 Pod", ports(...counted)), []);
  assert.ok(reads <= 20_000, String(reads));
});
