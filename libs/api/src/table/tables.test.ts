import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import fc from "fast-check";
import { loadCatalog } from "../catalog.js";
import { withMetadata } from "../object.js";
import { arbitraryObject } from "../testing/arbitrary.js";
import type { Tree } from "../testing/kind-kit.js";
import { ago, createTableKit, testNow } from "../testing/table-kit.js";
import { cellsAt } from "./row-text.js";

const catalog = loadCatalog(createNaming("orch"));
const kit = createTableKit(catalog);

const template = {
  spec: {
    containers: [
      { name: "a", image: "i:1" },
      { name: "b", image: "j" },
    ],
  },
};
const selector = {
  matchLabels: { b: "2", a: "1" },
  matchExpressions: [
    { key: "tier", operator: "In", values: ["y", "x"] },
    { key: "old", operator: "DoesNotExist" },
    { key: "d", operator: "NotIn", values: ["z"] },
    { key: "c", operator: "Exists" },
  ],
};
const selectorText = "a=1,b=2,c,d notin (z),!old,tier in (x,y)";
const annotated = (key: string, value: string) => ({ metadata: { annotations: { [key]: value } } });
const condition = (type: string, status = "True", reason = "") => ({ type, status, reason });
const inCondition = (...conditions: Tree[]) => ({ status: { conditions } });
const deleted = { metadata: { deletionTimestamp: ago(9) } };

const group = {
  admission: "admissionregistration.orch",
  rbac: "rbac.authorization.orch",
  flow: "flowcontrol.apiserver.orch",
};

/** A kind, an object of it and its whole row, five minutes after the object was created. */
const rows: readonly [kind: string, tree: Tree, cells: readonly unknown[]][] = [
  ["ComponentStatus", {}, ["x", "Unknown", "", ""]],
  ["ComponentStatus", { conditions: [{ type: "Healthy", status: "True", message: "ok" }] }, ["x", "Healthy", "ok", ""]],
  [
    "ComponentStatus",
    { conditions: [{ type: "Healthy", status: "False", error: "refused" }] },
    ["x", "Unhealthy", "", "refused"],
  ],
  ["ConfigMap", {}, ["x", 0, "5m"]],
  ["ConfigMap", { data: { a: "1", b: "2" }, binaryData: { c: "AA==" } }, ["x", 3, "5m"]],
  ["ConfigMap", { metadata: { creationTimestamp: null } }, ["x", 0, "<unknown>"]],
  ["Endpoints", {}, ["x", "<none>", "5m"]],
  [
    "Endpoints",
    { subsets: [{ addresses: [{ ip: "1.1.1.1" }, { ip: "fd00::1" }], ports: [{ port: 80 }] }] },
    ["x", "1.1.1.1:80,[fd00::1]:80", "5m"],
  ],
  [
    "Endpoints",
    {
      subsets: [
        { addresses: [{ ip: "1.1.1.1" }] },
        { addresses: [{ ip: "1.1.1.2" }, { ip: "1.1.1.3" }], ports: [{ port: 80 }, { port: 81 }] },
      ],
    },
    ["x", "1.1.1.1,1.1.1.2:80,1.1.1.3:80 + 2 more...", "5m"],
  ],
  ["Endpoints", { subsets: [{ notReadyAddresses: [{ ip: "1.1.1.1" }], ports: [{ port: 80 }] }] }, ["x", "", "5m"]],
  ["Event", {}, ["<unknown>", "", "", "", "", "", "", "<unknown>", 1, "x"]],
  [
    "Event",
    {
      involvedObject: { kind: "Pod", name: "p", fieldPath: "spec" },
      type: "Normal",
      reason: "Pulled",
      message: "  done\n",
      source: { component: "agent", host: "n1" },
      firstTimestamp: ago(7200),
      lastTimestamp: ago(60),
      count: 7,
    },
    ["60s", "Normal", "Pulled", "pod/p", "spec", "agent, n1", "done", "120m", 7, "x"],
  ],
  [
    "Event",
    {
      involvedObject: { kind: "Node" },
      eventTime: ago(90),
      series: { count: 3, lastObservedTime: ago(5) },
      reportingComponent: "c",
      reportingInstance: "c-1",
    },
    ["5s", "", "", "node", "", "c, c-1", "", "90s", 3, "x"],
  ],
  ["Event", { eventTime: ago(90), reportingComponent: "c" }, ["90s", "", "", "", "", "c", "", "90s", 1, "x"]],
  ["LimitRange", {}, ["x", ago(300)]],
  ["Namespace", { status: { phase: "Active" } }, ["x", "Active", "5m"]],
  ["Node", {}, ["x", "Unknown", "<none>", "5m", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"]],
  [
    "Node",
    {
      metadata: { labels: { "node-role.orch/worker": "", "node-role.orch/control-plane": "", "orch/role": "edge" } },
      spec: { unschedulable: true },
      status: {
        conditions: [condition("Ready")],
        addresses: [
          { type: "Hostname", address: "h" },
          { type: "ExternalIP", address: "8.8.8.8" },
          { type: "InternalIP", address: "10.0.0.1" },
          { type: "InternalIP", address: "10.0.0.2" },
        ],
        nodeInfo: {
          kubeletVersion: "v1.32.0",
          osImage: "Debian",
          kernelVersion: "6.1",
          containerRuntimeVersion: "r://2",
        },
      },
    },
    [
      "x",
      "Ready,SchedulingDisabled",
      "control-plane,edge,worker",
      "5m",
      "v1.32.0",
      "10.0.0.1",
      "8.8.8.8",
      "Debian",
      "6.1",
      "r://2",
    ],
  ],
  [
    "Node",
    { metadata: { labels: { "node-role.orch/": "", "orch/role": "" } }, ...inCondition(condition("Ready", "Unknown")) },
    ["x", "NotReady", "<none>", "5m", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"],
  ],
  ["PersistentVolume", {}, ["x", "0", "", "", "", "", "", "<unset>", "", "5m", "<unset>"]],
  [
    "PersistentVolume",
    {
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOncePod", "ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce", "ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Delete",
        claimRef: { namespace: "n", name: "c" },
        storageClassName: "fast",
        volumeAttributesClassName: "gold",
        volumeMode: "Block",
      },
      status: { phase: "Failed", reason: "Lost" },
    },
    ["x", "1Gi", "RWO,ROX,RWX,RWOP", "Delete", "Failed", "n/c", "fast", "gold", "Lost", "5m", "Block"],
  ],
  [
    "PersistentVolume",
    {
      metadata: { deletionTimestamp: ago(1), annotations: { "volume.beta.orch/storage-class": "old" } },
      spec: { storageClassName: "new" },
      status: { phase: "Bound" },
    },
    ["x", "0", "", "", "Terminating", "", "old", "<unset>", "", "5m", "<unset>"],
  ],
  ["PersistentVolumeClaim", {}, ["x", "", "", "", "", "", "<unset>", "5m", "<unset>"]],
  [
    "PersistentVolumeClaim",
    {
      ...annotated("volume.beta.orch/storage-class", ""),
      spec: { volumeName: "v", storageClassName: "new", volumeMode: "Filesystem", volumeAttributesClassName: "gold" },
      status: { phase: "Bound", capacity: { storage: "5Gi" }, accessModes: ["ReadWriteMany"] },
    },
    ["x", "Bound", "v", "5Gi", "RWX", "", "gold", "5m", "Filesystem"],
  ],
  [
    "PersistentVolumeClaim",
    { ...deleted, status: { phase: "Pending", capacity: { storage: "5Gi" }, accessModes: ["ReadWriteMany"] } },
    ["x", "Terminating", "", "", "", "", "<unset>", "5m", "<unset>"],
  ],
  ["Pod", {}, ["x", "0/0", "", "0", "5m", "<none>", "<none>", "<none>", "<none>"]],
  [
    "Pod",
    {
      spec: {
        nodeName: "n1",
        containers: [{ name: "a" }],
        readinessGates: [{ conditionType: "up" }, { conditionType: "down" }, { conditionType: "away" }],
      },
      status: {
        phase: "Pending",
        podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }],
        nominatedNodeName: "n2",
        conditions: [condition("up"), condition("down", "False")],
      },
    },
    ["x", "0/1", "Pending", "0", "5m", "10.0.0.1", "n1", "n2", "1/3"],
  ],
  [
    "PodTemplate",
    { template: { ...template, metadata: { labels: { b: "2", a: "1" } } } },
    ["x", "a,b", "i:1,j", "a=1,b=2"],
  ],
  ["PodTemplate", {}, ["x", "", "", "<none>"]],
  ["ReplicationController", {}, ["x", 0, 0, 0, "5m", "", "", "<none>"]],
  [
    "ReplicationController",
    { spec: { replicas: 3, selector: { a: "1" }, template }, status: { replicas: 2, readyReplicas: 1 } },
    ["x", 3, 2, 1, "5m", "a,b", "i:1,j", "a=1"],
  ],
  ["ResourceQuota", {}, ["x", "5m", "", ""]],
  [
    "ResourceQuota",
    {
      status: {
        hard: { pods: "10", cpu: "2", "limits.cpu": "4", "limits.memory": "1Gi" },
        used: { pods: "3", cpu: "500m", "limits.cpu": "1" },
      },
    },
    ["x", "5m", "cpu: 500m/2, pods: 3/10", "limits.cpu: 1/4, limits.memory: 0/1Gi"],
  ],
  ["Secret", { type: "Opaque", data: { a: "AA==" } }, ["x", "Opaque", 1, "5m"]],
  ["Service", {}, ["x", "", "<none>", "<unknown>", "<none>", "5m", "<none>"]],
  [
    "Service",
    {
      spec: {
        type: "ClusterIP",
        clusterIPs: ["10.0.0.1", "fd00::1"],
        ports: [
          { port: 80, protocol: "TCP" },
          { port: 53, protocol: "UDP", nodePort: 30053 },
        ],
        selector: { b: "2", a: "1" },
      },
    },
    ["x", "ClusterIP", "10.0.0.1", "<none>", "80/TCP,53:30053/UDP", "5m", "a=1,b=2"],
  ],
  [
    "Service",
    { spec: { type: "NodePort", clusterIPs: ["None"], externalIPs: ["8.8.8.8", "9.9.9.9"] } },
    ["x", "NodePort", "None", "8.8.8.8,9.9.9.9", "<none>", "5m", "<none>"],
  ],
  [
    "Service",
    { spec: { type: "LoadBalancer" } },
    ["x", "LoadBalancer", "<none>", "<pending>", "<none>", "5m", "<none>"],
  ],
  [
    "Service",
    {
      spec: { type: "LoadBalancer", externalIPs: ["1.1.1.1"] },
      status: { loadBalancer: { ingress: [{ hostname: "b" }, { ip: "2.2.2.2", hostname: "no" }, { hostname: "b" }] } },
    },
    ["x", "LoadBalancer", "<none>", "2.2.2.2,b,1.1.1.1", "<none>", "5m", "<none>"],
  ],
  [
    "Service",
    { spec: { type: "ExternalName", externalName: "e.x" } },
    ["x", "ExternalName", "<none>", "e.x", "<none>", "5m", "<none>"],
  ],
  ["ServiceAccount", { secrets: [{ name: "s" }] }, ["x", 1, "5m"]],

  [`${group.admission}/v1.MutatingWebhookConfiguration`, { webhooks: [{ name: "a" }, { name: "b" }] }, ["x", 2, "5m"]],
  [`${group.admission}/v1.ValidatingWebhookConfiguration`, {}, ["x", 0, "5m"]],
  [`${group.admission}/v1.ValidatingAdmissionPolicy`, {}, ["x", 0, "<unset>", "5m"]],
  [
    `${group.admission}/v1.ValidatingAdmissionPolicy`,
    { spec: { validations: [{ expression: "true" }], paramKind: { apiVersion: "v1", kind: "ConfigMap" } } },
    ["x", 1, "v1/ConfigMap", "5m"],
  ],
  [
    `${group.admission}/v1.ValidatingAdmissionPolicyBinding`,
    { spec: { policyName: "p" } },
    ["x", "p", "<unset>", "5m"],
  ],
  [
    `${group.admission}/v1.ValidatingAdmissionPolicyBinding`,
    { spec: { paramRef: { name: "a", namespace: "n" } } },
    ["x", "", "n/a", "5m"],
  ],
  [
    `${group.admission}/v1.ValidatingAdmissionPolicyBinding`,
    { spec: { paramRef: { name: "a" } } },
    ["x", "", "*/a", "5m"],
  ],
  [
    `${group.admission}/v1alpha1.MutatingAdmissionPolicy`,
    {
      spec: { mutations: [{ patchType: "JSONPatch" }], paramKind: { apiVersion: "g/v1", kind: "K" } },
    },
    ["x", 1, "g/v1/K", "5m"],
  ],
  [
    `${group.admission}/v1alpha1.MutatingAdmissionPolicyBinding`,
    { spec: { policyName: "p", paramRef: { selector } } },
    ["x", "p", selectorText, "5m"],
  ],

  ["apiextensions.orch/v1beta1.CustomResourceDefinition", {}, ["x", ago(300)]],
  ["apiregistration.orch/v1.APIService", {}, ["x", "Local", "Unknown", "5m"]],
  [
    "apiregistration.orch/v1.APIService",
    { spec: { service: { namespace: "n", name: "s" } }, ...inCondition(condition("Available", "False", "Missing")) },
    ["x", "n/s", "False (Missing)", "5m"],
  ],
  [
    "apiregistration.orch/v1.APIService",
    inCondition(condition("Available", "True", "Passed")),
    ["x", "Local", "True", "5m"],
  ],
  ["internal.apiserver.orch/v1alpha1.StorageVersion", {}, ["x", "<unset>", "<unset>", "5m"]],
  [
    "internal.apiserver.orch/v1alpha1.StorageVersion",
    {
      status: {
        commonEncodingVersion: "v1",
        storageVersions: ["a", "b", "c", "d"].map((apiServerID) => ({ apiServerID, encodingVersion: "v1" })),
      },
    },
    ["x", "v1", "a=v1,b=v1,c=v1 + 1 more...", "5m"],
  ],

  ["apps/v1.ControllerRevision", {}, ["x", "<none>", 0, "5m"]],
  [
    "apps/v1.ControllerRevision",
    {
      metadata: {
        ownerReferences: [
          { apiVersion: "v1", kind: "Pod", name: "p", uid: "1" },
          { apiVersion: "apps/v1", kind: "DaemonSet", name: "ds", uid: "2", controller: true },
        ],
      },
      revision: 4,
    },
    ["x", "daemonset.apps/ds", 4, "5m"],
  ],
  [
    "apps/v1.ControllerRevision",
    { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "1", controller: true }] } },
    ["x", "pod/p", 0, "5m"],
  ],
  ["apps/v1.DaemonSet", {}, ["x", 0, 0, 0, 0, 0, "<none>", "5m", "", "", "<none>"]],
  [
    "apps/v1.DaemonSet",
    {
      spec: { selector, template: { spec: { ...template.spec, nodeSelector: { disk: "ssd" } } } },
      status: {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
      },
    },
    ["x", 5, 4, 3, 2, 1, "disk=ssd", "5m", "a,b", "i:1,j", selectorText],
  ],
  [
    "apps/v1.Deployment",
    {
      spec: { replicas: 3, template, selector },
      status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
    },
    ["x", "1/3", 2, 1, "5m", "a,b", "i:1,j", selectorText],
  ],
  ["apps/v1.Deployment", { spec: { replicas: 0 } }, ["x", "0/0", 0, 0, "5m", "", "", "<none>"]],
  [
    "apps/v1.ReplicaSet",
    { spec: { replicas: 3, template, selector }, status: { replicas: 2, readyReplicas: 1 } },
    ["x", 3, 2, 1, "5m", "a,b", "i:1,j", selectorText],
  ],
  ["apps/v1.StatefulSet", { spec: { replicas: 3, template } }, ["x", "0/3", "5m", "a,b", "i:1,j"]],
  ["apps/v1beta1.Scale", { spec: { replicas: 3 }, status: { replicas: 2 } }, ["x", 3, 2, "5m"]],
  ["apps/v1beta2.Scale", { spec: { replicas: 3 }, status: { replicas: 2 } }, ["x", 3, 2, "5m"]],
  ["autoscaling/v1.Scale", { spec: { replicas: 3 }, status: { replicas: 2 } }, ["x", 3, 2, "5m"]],
  ["extensions/v1beta1.Scale", {}, ["x", 0, 0, "5m"]],

  ["autoscaling/v2.HorizontalPodAutoscaler", {}, ["x", "", "<none>", "<unset>", 0, 0, "5m"]],
  [
    "autoscaling/v2.HorizontalPodAutoscaler",
    {
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "d" },
        minReplicas: 0,
        maxReplicas: 9,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
          { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
          { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "10" } } },
        ],
      },
      status: {
        currentReplicas: 2,
        currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 10 } } }],
      },
    },
    ["x", "Deployment/d", "cpu: 10%/80%, memory: <unknown>/1Gi + 1 more...", "0", 9, 2, "5m"],
  ],
  [
    "autoscaling/v2.HorizontalPodAutoscaler",
    {
      spec: {
        metrics: [
          { type: "External", external: { metric: { name: "m" }, target: { type: "Value", value: "5" } } },
          {
            type: "Object",
            object: {
              metric: { name: "m" },
              describedObject: { kind: "K", name: "k" },
              target: { type: "AverageValue", averageValue: "7" },
            },
          },
        ],
      },
      status: {
        currentMetrics: [
          { type: "External", external: { metric: { name: "m" }, current: { value: "3" } } },
          {
            type: "Object",
            object: {
              metric: { name: "m" },
              describedObject: { kind: "K", name: "k" },
              current: { averageValue: "6" },
            },
          },
        ],
      },
    },
    ["x", "", "3/5, 6/7 (avg)", "<unset>", 0, 0, "5m"],
  ],
  [
    "autoscaling/v2.HorizontalPodAutoscaler",
    {
      spec: {
        metrics: [
          { type: "ContainerResource", containerResource: { name: "cpu", container: "c", target: { type: "x" } } },
          { type: "Odd" },
        ],
      },
    },
    ["x", "", "cpu: <unknown>/<auto>, <unknown type>", "<unset>", 0, 0, "5m"],
  ],

  ["batch/v1.CronJob", {}, ["x", "", "<none>", "<unset>", 0, "<none>", "5m", "", "", "<none>"]],
  [
    "batch/v1.CronJob",
    {
      spec: {
        schedule: "* * * * *",
        timeZone: "Etc/UTC",
        suspend: false,
        jobTemplate: { spec: { template, selector } },
      },
      status: { active: [{ name: "j" }], lastScheduleTime: ago(30) },
    },
    ["x", "* * * * *", "Etc/UTC", "False", 1, "30s", "5m", "a,b", "i:1,j", selectorText],
  ],
  ["batch/v1.CronJob", { spec: { suspend: true } }, ["x", "", "<none>", "True", 0, "<none>", "5m", "", "", "<none>"]],
  ["batch/v1.Job", {}, ["x", "Running", "0/1", "", "5m", "", "", "<none>"]],
  [
    "batch/v1.Job",
    {
      spec: { completions: 3, template, selector },
      status: {
        ...inCondition(condition("SuccessCriteriaMet"), condition("Complete")).status,
        succeeded: 3,
        startTime: ago(250),
        completionTime: ago(50),
      },
    },
    ["x", "Complete", "3/3", "3m20s", "5m", "a,b", "i:1,j", selectorText],
  ],
  [
    "batch/v1.Job",
    { spec: { parallelism: 4 }, status: { startTime: ago(60) } },
    ["x", "Running", "0/1 of 4", "60s", "5m", "", "", "<none>"],
  ],
  [
    "batch/v1.Job",
    { spec: { parallelism: 1 }, ...deleted, ...inCondition(condition("Failed")) },
    ["x", "Failed", "0/1", "", "5m", "", "", "<none>"],
  ],
  [
    "batch/v1.Job",
    { ...deleted, ...inCondition(condition("Suspended")) },
    ["x", "Terminating", "0/1", "", "5m", "", "", "<none>"],
  ],
  ...(["Suspended", "FailureTarget", "SuccessCriteriaMet"] as const).map((type): (typeof rows)[number] => [
    "batch/v1.Job",
    inCondition(condition(type), condition("Complete", "False")),
    ["x", type, "0/1", "", "5m", "", "", "<none>"],
  ]),

  ["certificates.orch/v1.CertificateSigningRequest", {}, ["x", "5m", "<none>", "", "<none>", "Pending"]],
  [
    "certificates.orch/v1.CertificateSigningRequest",
    {
      spec: { signerName: "s/a", username: "ann", expirationSeconds: 3600 },
      status: { conditions: [condition("Approved"), condition("Failed")], certificate: "AA==" },
    },
    ["x", "5m", "s/a", "ann", "60m", "Approved,Failed,Issued"],
  ],
  [
    "certificates.orch/v1.CertificateSigningRequest",
    inCondition(condition("Approved"), condition("Denied")),
    ["x", "5m", "<none>", "", "<none>", "Denied"],
  ],
  ["certificates.orch/v1alpha1.ClusterTrustBundle", {}, ["x", "<none>"]],
  ["certificates.orch/v1alpha1.ClusterTrustBundle", { spec: { signerName: "s/a" } }, ["x", "s/a"]],
  ["coordination.orch/v1.Lease", { spec: { holderIdentity: "h" } }, ["x", "h", "5m"]],
  [
    "coordination.orch/v1alpha2.LeaseCandidate",
    { spec: { leaseName: "l", binaryVersion: "1.32.0", emulationVersion: "1.31.0" } },
    ["x", "l", "1.32.0", "1.31.0", "5m"],
  ],
  ["discovery.orch/v1.EndpointSlice", { addressType: "IPv4" }, ["x", "IPv4", "<unset>", "<unset>", "5m"]],
  [
    "discovery.orch/v1.EndpointSlice",
    {
      addressType: "IPv4",
      ports: [{ port: 80 }, { name: "web" }, {}],
      endpoints: [{ addresses: ["1.1.1.1", "1.1.1.2"] }, { addresses: ["1.1.1.3", "1.1.1.4", "1.1.1.5"] }],
    },
    ["x", "IPv4", "80,web,*", "1.1.1.1,1.1.1.2,1.1.1.3 + 2 more...", "5m"],
  ],

  [`${group.flow}/v1.FlowSchema`, {}, ["x", "", 0, "<none>", "5m", "?"]],
  [
    `${group.flow}/v1.FlowSchema`,
    {
      spec: {
        priorityLevelConfiguration: { name: "p" },
        matchingPrecedence: 9,
        distinguisherMethod: { type: "ByUser" },
      },
      ...inCondition(condition("Dangling", "False")),
    },
    ["x", "p", 9, "ByUser", "5m", "False"],
  ],
  [
    `${group.flow}/v1.PriorityLevelConfiguration`,
    { spec: { type: "Exempt" } },
    ["x", "Exempt", "<none>", "<none>", "<none>", "<none>", "5m"],
  ],
  [
    `${group.flow}/v1.PriorityLevelConfiguration`,
    {
      spec: {
        type: "Limited",
        limited: {
          nominalConcurrencyShares: 0,
          limitResponse: { type: "Queue", queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
        },
      },
    },
    ["x", "Limited", 0, 64, 8, 50, "5m"],
  ],

  ["networking.orch/v1.Ingress", {}, ["x", "<none>", "*", "", "80", "5m"]],
  [
    "networking.orch/v1.Ingress",
    {
      spec: { ingressClassName: "c", tls: [{}], rules: [{ host: "a" }, {}, { host: "b" }] },
      status: { loadBalancer: { ingress: [{ ip: "2.2.2.2" }, { hostname: "1.h" }] } },
    },
    ["x", "c", "a,b", "1.h,2.2.2.2", "80, 443", "5m"],
  ],
  [
    "networking.orch/v1.Ingress",
    { spec: { rules: ["a", "b", "c", "d", "e"].map((host) => ({ host })) } },
    ["x", "<none>", "a,b,c + 2 more...", "", "80", "5m"],
  ],
  ["networking.orch/v1.IngressClass", { spec: { controller: "c" } }, ["x", "c", "<none>", "5m"]],
  [
    "networking.orch/v1.IngressClass",
    {
      ...annotated("ingressclass.orch/is-default-class", "true"),
      spec: { parameters: { apiGroup: "g", kind: "K", name: "k" } },
    },
    ["x (default)", "", "K.g/k", "5m"],
  ],
  ["networking.orch/v1.IngressClass", { spec: { parameters: { kind: "K", name: "k" } } }, ["x", "", "K/k", "5m"]],
  ["networking.orch/v1.NetworkPolicy", { spec: { podSelector: selector } }, ["x", selectorText, "5m"]],
  ["networking.orch/v1.NetworkPolicy", { spec: { podSelector: {} } }, ["x", "<none>", "5m"]],
  ["networking.orch/v1beta1.IPAddress", {}, ["x", "<none>"]],
  [
    "networking.orch/v1beta1.IPAddress",
    { spec: { parentRef: { resource: "services", namespace: "n", name: "s" } } },
    ["x", "services/n/s"],
  ],
  [
    "networking.orch/v1beta1.IPAddress",
    { spec: { parentRef: { group: "G.x", resource: "gateways", name: "s" } } },
    ["x", "gateways.g.x/s"],
  ],
  [
    "networking.orch/v1beta1.ServiceCIDR",
    { spec: { cidrs: ["10.0.0.0/16", "fd00::/64"] } },
    ["x", "10.0.0.0/16,fd00::/64", "5m"],
  ],
  ["node.orch/v1.RuntimeClass", { handler: "runc" }, ["x", "runc", "5m"]],
  ["policy/v1.PodDisruptionBudget", {}, ["x", "N/A", "N/A", 0, "5m"]],
  [
    "policy/v1.PodDisruptionBudget",
    { spec: { minAvailable: 0, maxUnavailable: "30%" }, status: { disruptionsAllowed: 2 } },
    ["x", "0", "30%", 2, "5m"],
  ],
  ["policy/v1beta1.PodSecurityPolicy", {}, ["x", false, "", "", "", "", "", false, ""]],
  [
    "policy/v1beta1.PodSecurityPolicy",
    {
      spec: {
        privileged: true,
        allowedCapabilities: ["A", "B"],
        seLinux: { rule: "RunAsAny" },
        runAsUser: { rule: "MustRunAs" },
        fsGroup: { rule: "MayRunAs" },
        supplementalGroups: { rule: "RunAsAny" },
        readOnlyRootFilesystem: true,
        volumes: ["secret", "configMap"],
      },
    },
    ["x", true, "A,B", "RunAsAny", "MustRunAs", "MayRunAs", "RunAsAny", true, "secret,configMap"],
  ],

  [`${group.rbac}/v1.ClusterRole`, {}, ["x", ago(300)]],
  [`${group.rbac}/v1.Role`, {}, ["x", ago(300)]],
  ...(["ClusterRoleBinding", "RoleBinding"] as const).map((kind): (typeof rows)[number] => [
    `${group.rbac}/v1.${kind}`,
    {
      roleRef: { kind: "ClusterRole", name: "view" },
      subjects: [
        { kind: "User", name: "ann" },
        { kind: "User", name: "bob" },
        { kind: "Group", name: "devs" },
        { kind: "ServiceAccount", namespace: "n", name: "s" },
        { kind: "ServiceAccount", name: "t" },
      ],
    },
    ["x", "ClusterRole/view", "5m", "ann, bob", "devs", "n/s, t"],
  ]),

  ["resource.orch/v1beta1.DeviceClass", {}, ["x", "5m"]],
  ["resource.orch/v1beta1.ResourceClaimTemplate", {}, ["x", "5m"]],
  ["resource.orch/v1beta1.ResourceClaim", {}, ["x", "pending", "5m"]],
  ["resource.orch/v1beta1.ResourceClaim", deleted, ["x", "deleted", "5m"]],
  ["resource.orch/v1beta1.ResourceClaim", { status: { allocation: {} } }, ["x", "allocated", "5m"]],
  [
    "resource.orch/v1beta1.ResourceClaim",
    { ...deleted, status: { allocation: {}, reservedFor: [{ resource: "pods", name: "p", uid: "1" }] } },
    ["x", "deleted,allocated,reserved", "5m"],
  ],
  [
    "resource.orch/v1beta1.ResourceSlice",
    { spec: { nodeName: "n", driver: "d", pool: { name: "p" } } },
    ["x", "n", "d", "p", "5m"],
  ],
  ["scheduling.orch/v1.PriorityClass", {}, ["x", 0, false, "5m", ""]],
  [
    "scheduling.orch/v1.PriorityClass",
    { value: -5, globalDefault: true, preemptionPolicy: "Never" },
    ["x", -5, true, "5m", "Never"],
  ],

  ["storage.orch/v1.CSIDriver", {}, ["x", true, false, false, "<unset>", false, "<none>", "5m"]],
  [
    "storage.orch/v1.CSIDriver",
    {
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        storageCapacity: true,
        tokenRequests: [{ audience: "a" }, { audience: "b" }],
        requiresRepublish: true,
        volumeLifecycleModes: ["Persistent", "Ephemeral"],
      },
    },
    ["x", false, true, true, "a,b", true, "Persistent,Ephemeral", "5m"],
  ],
  ["storage.orch/v1.CSINode", { spec: { drivers: [{ name: "a", nodeID: "n" }] } }, ["x", 1, "5m"]],
  ["storage.orch/v1.CSIStorageCapacity", { storageClassName: "c" }, ["x", "c", "<unset>"]],
  ["storage.orch/v1.CSIStorageCapacity", { storageClassName: "c", capacity: "1Gi" }, ["x", "c", "1Gi"]],
  [
    "storage.orch/v1.StorageClass",
    { ...annotated("storageclass.beta.orch/is-default-class", "true"), provisioner: "p" },
    ["x (default)", "p", "Delete", "Immediate", false, "5m"],
  ],
  [
    "storage.orch/v1.StorageClass",
    {
      ...annotated("storageclass.orch/is-default-class", "false"),
      reclaimPolicy: "Retain",
      volumeBindingMode: "WaitForFirstConsumer",
      allowVolumeExpansion: true,
    },
    ["x", "", "Retain", "WaitForFirstConsumer", true, "5m"],
  ],
  [
    "storage.orch/v1.VolumeAttachment",
    {
      spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } },
      status: { attached: true },
    },
    ["x", "a", "v", "n", true, "5m"],
  ],
  ["sets.orch/v1alpha1.Set", {}, ["x", "", 0, "5m"]],
  [
    "sets.orch/v1alpha1.ClusterSet",
    { status: { phase: "Applied", members: [{ name: "a" }] } },
    ["x", "Applied", 1, "5m"],
  ],
  ["storage.orch/v1beta1.VolumeAttributesClass", { driverName: "d" }, ["x", "d", "5m"]],
  ["storagemigration.orch/v1alpha1.StorageVersionMigration", {}, ["x", "", "Unknown"]],
  [
    "storagemigration.orch/v1alpha1.StorageVersionMigration",
    {
      spec: { resource: { group: "apps", resource: "deployments" } },
      ...inCondition(condition("Running"), condition("Failed", "False")),
    },
    ["x", "apps.deployments", "Running"],
  ],
  [
    "storagemigration.orch/v1alpha1.StorageVersionMigration",
    { spec: { resource: { resource: "pods" } }, ...inCondition(condition("Running"), condition("Succeeded")) },
    ["x", "pods", "Succeeded"],
  ],
];

for (const [index, [kind, tree, cells]] of rows.entries()) {
  test(`row ${index}, ${kind}: ${JSON.stringify(cells)}`, () => {
    assert.deepEqual(kit.cells(kind, tree), cells);
    assert.equal(kit.kind(kind).table.columns.length, cells.length);
  });
}

test("every kind that is stored has a row above", () => {
  const tested = new Set(rows.map(([kind]) => kit.kind(kind)));
  const missing = catalog.storedKinds().filter((kind) => !tested.has(kind));
  assert.deepEqual(
    missing.map((kind) => `${kind.apiVersion}.${kind.kind}`),
    [],
  );
});

test("every column is described", () => {
  for (const kind of catalog.storedKinds()) {
    for (const { name, description } of kind.table.columns) assert.match(description, /\.$/, `${kind.kind} ${name}`);
  }
});

test("labels and annotations that columns read are those of the dialect", () => {
  const kubernetes = createTableKit(loadCatalog(createNaming("kubernetes")));
  const labels = { "node-role.kubernetes.io/edge": "", "node-role.orch/worker": "", "kubernetes.io/role": "r" };
  assert.equal(kubernetes.cells("Node", { metadata: { labels } })[2], "edge,r");
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  assert.equal(kubernetes.cells("storage.k8s.io/v1.StorageClass", { metadata: { annotations } })[0], "x (default)");
});

test("any object of a kind has a row of plain values", () => {
  for (const kind of catalog.storedKinds()) {
    fc.assert(
      fc.property(arbitraryObject(kind.type), (tree) => {
        for (const cell of cellsAt(kind.table.row(withMetadata(tree)), testNow)) {
          assert.ok(["string", "number", "bigint", "boolean"].includes(typeof cell), `${kind.kind}: ${typeof cell}`);
          assert.doesNotMatch(String(cell), /undefined|NaN|\[object/);
        }
      }),
      { numRuns: 30 },
    );
  }
});
