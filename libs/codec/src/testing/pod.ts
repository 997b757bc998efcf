import { type Field, field, type MessageType, message, type ScalarKind, type Type } from "@orch/schema/descriptor.js";

/**
 * Part of the reference's Pod as a type made by hand: whole messages, but only those that {@link pod} has. A field:
 * name (`~` for an inline message), number, type with `*` for a pointer, `[]` a list, `{}` a map, `!` always written.
 */
const table = `
Pod: metadata 1 ObjectMeta, spec 2 PodSpec, status 3 PodStatus
ObjectMeta: name 1 string, generateName 2 string, namespace 3 string, selfLink 4 string, uid 5 string,
  resourceVersion 6 string, generation 7 int64, creationTimestamp 8 Time, deletionTimestamp 9 *Time,
  deletionGracePeriodSeconds 10 *int64, labels 11 {}string, annotations 12 {}string,
  ownerReferences 13 []OwnerReference, finalizers 14 []string, managedFields 17 []Other
OwnerReference: apiVersion 5 string!, kind 1 string!, name 3 string!, uid 4 string!, controller 6 *bool,
  blockOwnerDeletion 7 *bool
PodSpec: volumes 1 []Volume, initContainers 20 []Container, containers 2 []Container!,
  ephemeralContainers 34 []Other, restartPolicy 3 string, terminationGracePeriodSeconds 4 *int64,
  activeDeadlineSeconds 5 *int64, dnsPolicy 6 string, nodeSelector 7 {}string, serviceAccountName 8 string,
  serviceAccount 9 string, automountServiceAccountToken 21 *bool, nodeName 10 string, hostNetwork 11 bool,
  hostPID 12 bool, hostIPC 13 bool, shareProcessNamespace 27 *bool, securityContext 14 *PodSecurityContext,
  imagePullSecrets 15 []LocalObjectReference, hostname 16 string, subdomain 17 string, affinity 18 *Other,
  schedulerName 19 string, tolerations 22 []Toleration, hostAliases 23 []Other, priorityClassName 24 string,
  priority 25 *int32, dnsConfig 26 *Other, readinessGates 28 []Other, runtimeClassName 29 *string,
  enableServiceLinks 30 *bool, preemptionPolicy 31 *string, overhead 32 {}Quantity,
  topologySpreadConstraints 33 []Other, setHostnameAsFQDN 35 *bool, os 36 *Other, hostUsers 37 *bool,
  schedulingGates 38 []Other, resourceClaims 39 []Other, resources 40 *ResourceRequirements
Volume: name 1 string!, ~ 2 VolumeSource
VolumeSource: hostPath 1 *Other, emptyDir 2 *EmptyDirVolumeSource, gcePersistentDisk 3 *Other, awsElasticBlockStore 4 *Other,
  gitRepo 5 *Other, secret 6 *Other, nfs 7 *Other, iscsi 8 *Other, glusterfs 9 *Other,
  persistentVolumeClaim 10 *Other, rbd 11 *Other, flexVolume 12 *Other, cinder 13 *Other, cephfs 14 *Other,
  flocker 15 *Other, downwardAPI 16 *Other, fc 17 *Other, azureFile 18 *Other, configMap 19 *ConfigMapVolumeSource,
  vsphereVolume 20 *Other, quobyte 21 *Other, azureDisk 22 *Other, photonPersistentDisk 23 *Other,
  projected 26 *Other, portworxVolume 24 *Other, scaleIO 25 *Other, storageos 27 *Other, csi 28 *Other,
  ephemeral 29 *Other, image 30 *Other
ConfigMapVolumeSource: ~ 1 LocalObjectReference, items 2 []Other, defaultMode 3 *int32, optional 4 *bool
LocalObjectReference: name 1 string
Container: name 1 string!, image 2 string, command 3 []string, args 4 []string, workingDir 5 string,
  ports 6 []ContainerPort, envFrom 19 []Other, env 7 []EnvVar, resources 8 ResourceRequirements,
  resizePolicy 23 []Other, restartPolicy 24 *string, volumeMounts 9 []VolumeMount, volumeDevices 21 []Other,
  livenessProbe 10 *Probe, readinessProbe 11 *Probe, startupProbe 22 *Probe, lifecycle 12 *Other,
  terminationMessagePath 13 string, terminationMessagePolicy 20 string, imagePullPolicy 14 string,
  securityContext 15 *Other, stdin 16 bool, stdinOnce 17 bool, tty 18 bool
ContainerPort: name 1 string, hostPort 2 int32, containerPort 3 int32!, protocol 4 string, hostIP 5 string
EnvVar: name 1 string!, value 2 string, valueFrom 3 *EnvVarSource
EnvVarSource: fieldRef 1 *ObjectFieldSelector, resourceFieldRef 2 *Other, configMapKeyRef 3 *Other,
  secretKeyRef 4 *Other
ObjectFieldSelector: apiVersion 1 string, fieldPath 2 string!
ResourceRequirements: limits 1 {}Quantity, requests 2 {}Quantity, claims 3 []Other
VolumeMount: name 1 string!, readOnly 2 bool, recursiveReadOnly 7 *string, mountPath 3 string!, subPath 4 string,
  mountPropagation 5 *string, subPathExpr 6 string
Probe: ~ 1 ProbeHandler, initialDelaySeconds 2 int32, timeoutSeconds 3 int32, periodSeconds 4 int32,
  successThreshold 5 int32, failureThreshold 6 int32, terminationGracePeriodSeconds 7 *int64
ProbeHandler: exec 1 *Other, httpGet 2 *HTTPGetAction, tcpSocket 3 *Other, grpc 4 *Other
HTTPGetAction: path 1 string, port 2 IntOrString!, host 3 string, scheme 4 string, httpHeaders 5 []Other
PodSecurityContext: seLinuxOptions 1 *Other, windowsOptions 8 *Other, runAsUser 2 *int64, runAsGroup 6 *int64,
  runAsNonRoot 3 *bool, supplementalGroups 4 []int64, supplementalGroupsPolicy 12 *string, fsGroup 5 *int64,
  sysctls 7 []Other, fsGroupChangePolicy 9 *string, seccompProfile 10 *Other, appArmorProfile 11 *Other,
  seLinuxChangePolicy 13 *string
Toleration: key 1 string, operator 2 string, value 3 string, effect 4 string, tolerationSeconds 5 *int64
PodStatus: phase 1 string, conditions 2 []PodCondition, message 3 string, reason 4 string,
  nominatedNodeName 11 string, hostIP 5 string, hostIPs 16 []Other, podIP 6 string, podIPs 12 []PodIP,
  startTime 7 *Time, initContainerStatuses 10 []Other, containerStatuses 8 []Other, qosClass 9 string,
  ephemeralContainerStatuses 13 []Other, resize 14 string, resourceClaimStatuses 15 []Other
PodCondition: type 1 string!, status 2 string!, lastProbeTime 3 Time, lastTransitionTime 4 Time, reason 5 string,
  message 6 string
PodIP: ip 1 string!
EmptyDirVolumeSource: medium 1 string, sizeLimit 2 *Quantity
Other:
`;

const scalars: ReadonlyMap<string, ScalarKind> = new Map([
  ["string", "string"],
  ["int32", "int32"],
  ["int64", "int64"],
  ["bool", "bool"],
  ["Time", "time"],
  ["Quantity", "quantity"],
  ["IntOrString", "intOrString"],
]);

/** Message types by name, from a table like the one above. */
export function typesOf(text: string): (name: string) => MessageType {
  const types = new Map<string, MessageType>();
  const typeOf = (word: string): Type => {
    if (word.startsWith("[]")) {
      return { kind: "list", item: typeOf(word.slice(2)), listType: "atomic", keys: [], wrapped: false };
    }
    if (word.startsWith("{}")) return { kind: "map", value: typeOf(word.slice(2)), mapType: "granular" };
    const kind = scalars.get(word);
    return kind === undefined ? named(word) : { kind };
  };
  const fieldOf = (row: string): Field => {
    const [name = "", number, word = ""] = row.trim().split(" ");
    return field({
      name: name === "~" ? "" : name,
      inline: name === "~",
      number: Number(number),
      type: typeOf(word.replace(/^\*|!$/g, "")),
      pointer: word.startsWith("*"),
      omitempty: !word.endsWith("!"),
    });
  };
  const named = (name: string): MessageType => {
    const type = types.get(name);
    if (type === undefined) throw new TypeError(`no type ${name}`);
    return type;
  };
  for (const line of text.trim().replace(/,\n/g, ",").split("\n")) {
    const [name = "", rows = ""] = line.split(":");
    const fields = rows.split(",").filter((row) => row.trim() !== "");
    types.set(name, message({ name, object: name === "Pod", fields: () => fields.map(fieldOf) }));
  }
  return named;
}

export const podType: MessageType = typesOf(table)("Pod");

/** What a Pod of one container looks like when it runs: 2.2 KiB of JSON. */
export const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web-7d4b9c6f5d-x2x7k",
    generateName: "web-7d4b9c6f5d-",
    namespace: "default",
    uid: "0b0cf6ec-4c1c-4e5d-8a5c-0a6f2c3c1d11",
    resourceVersion: "123456",
    creationTimestamp: "2024-05-01T10:00:00Z",
    labels: {
      app: "web",
      "pod-template-hash": "7d4b9c6f5d",
      tier: "frontend",
    },
    annotations: {
      "example.com/config-hash": "9f86d081884c7d659a2feaa0c55ad015",
    },
    ownerReferences: [
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "web-7d4b9c6f5d",
        uid: "3a6b7d1e-51a4-4bd0-9f0c-7a1d2c3b4e5f",
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  spec: {
    volumes: [
      {
        name: "config",
        configMap: {
          name: "web-config",
          defaultMode: 420,
        },
      },
      {
        name: "kube-api-access",
        emptyDir: {},
      },
    ],
    containers: [
      {
        name: "web",
        image: "registry.example.com/team/web:1.2.3",
        ports: [
          {
            name: "http",
            containerPort: 8080,
            protocol: "TCP",
          },
        ],
        env: [
          {
            name: "MODE",
            value: "production",
          },
          {
            name: "POD_NAME",
            valueFrom: {
              fieldRef: {
                apiVersion: "v1",
                fieldPath: "metadata.name",
              },
            },
          },
        ],
        resources: {
          limits: {
            cpu: "500m",
            memory: "256Mi",
          },
          requests: {
            cpu: "100m",
            memory: "128Mi",
          },
        },
        volumeMounts: [
          {
            name: "config",
            mountPath: "/etc/web",
            readOnly: true,
          },
          {
            name: "kube-api-access",
            mountPath: "/var/run/secrets",
          },
        ],
        livenessProbe: {
          httpGet: {
            path: "/healthz",
            port: "http",
            scheme: "HTTP",
          },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: "default",
    serviceAccount: "default",
    nodeName: "node-17",
    securityContext: {},
    schedulerName: "default-scheduler",
    tolerations: [
      {
        key: "node.kubernetes.io/not-ready",
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      },
    ],
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: "PreemptLowerPriority",
  },
  status: {
    phase: "Running",
    conditions: [
      {
        type: "Initialized",
        status: "True",
        lastTransitionTime: "2024-05-01T10:00:01Z",
      },
      {
        type: "Ready",
        status: "True",
        lastTransitionTime: "2024-05-01T10:00:05Z",
      },
    ],
    hostIP: "10.0.0.17",
    podIP: "10.244.3.21",
    podIPs: [
      {
        ip: "10.244.3.21",
      },
    ],
    startTime: "2024-05-01T10:00:00Z",
    qosClass: "Burstable",
  },
};

/** {@link pod} as release 1.32 of the reference writes it, with its envelope. */
export const podFromReference = Buffer.from(
  [
    "azhzAAoJCgJ2MRIDUG9kEqMICrkCChR3ZWItN2Q0YjljNmY1ZC14Mng3axIPd2ViLTdkNGI5YzZmNWQtGgdkZWZhdWx0IgAqJDBiMGNmNmVjLTRj",
    "MWMtNGU1ZC04YTVjLTBhNmYyYzNjMWQxMTIGMTIzNDU2OABCCAigpcixBhAAWgoKA2FwcBIDd2ViWh8KEXBvZC10ZW1wbGF0ZS1oYXNoEgo3ZDRi",
    "OWM2ZjVkWhAKBHRpZXISCGZyb250ZW5kYjsKF2V4YW1wbGUuY29tL2NvbmZpZy1oYXNoEiA5Zjg2ZDA4MTg4NGM3ZDY1OWEyZmVhYTBjNTVhZDAx",
    "NWpPCgpSZXBsaWNhU2V0Gg53ZWItN2Q0YjljNmY1ZCIkM2E2YjdkMWUtNTFhNC00YmQwLTlmMGMtN2ExZDJjM2I0ZTVmKgdhcHBzL3YxMAE4ARLQ",
    "BAoeCgZjb25maWcSFJoBEQoMCgp3ZWItY29uZmlnGKQDChcKD2t1YmUtYXBpLWFjY2VzcxIEEgIKABLmAgoDd2ViEiNyZWdpc3RyeS5leGFtcGxl",
    "LmNvbS90ZWFtL3dlYjoxLjIuMyoAMhIKBGh0dHAQABiQPyIDVENQKgA6EgoETU9ERRIKcHJvZHVjdGlvbjojCghQT0RfTkFNRRIAGhUKEwoCdjES",
    "DW1ldGFkYXRhLm5hbWVCRAoNCgNjcHUSBgoENTAwbQoRCgZtZW1vcnkSBwoFMjU2TWkSDQoDY3B1EgYKBDEwMG0SEQoGbWVtb3J5EgcKBTEyOE1p",
    "ShgKBmNvbmZpZxABGggvZXRjL3dlYiIAMgBKKQoPa3ViZS1hcGktYWNjZXNzEAAaEC92YXIvcnVuL3NlY3JldHMiADIAUiwKIBIeCggvaGVhbHRo",
    "ehIKCAEQABoEaHR0cBoAIgRIVFRQEAAYASAKKAEwA2oUL2Rldi90ZXJtaW5hdGlvbi1sb2dyDElmTm90UHJlc2VudIABAIgBAJABAKIBBEZpbGUa",
    "BkFsd2F5cyAeMgxDbHVzdGVyRmlyc3RCB2RlZmF1bHRKB2RlZmF1bHRSB25vZGUtMTdYAGAAaAByAIIBAIoBAJoBEWRlZmF1bHQtc2NoZWR1bGVy",
    "sgE2Chxub2RlLmt1YmVybmV0ZXMuaW8vbm90LXJlYWR5EgZFeGlzdHMaACIJTm9FeGVjdXRlKKwCwgEAyAEA8AEB+gEUUHJlZW1wdExvd2VyUHJp",
    "b3JpdHkakQEKB1J1bm5pbmcSIwoLSW5pdGlhbGl6ZWQSBFRydWUaACIICKGlyLEGEAAqADIAEh0KBVJlYWR5EgRUcnVlGgAiCAilpcixBhAAKgAy",
    "ABoAIgAqCTEwLjAuMC4xNzILMTAuMjQ0LjMuMjE6CAigpcixBhAASglCdXJzdGFibGVaAGINCgsxMC4yNDQuMy4yMXIAGgAiAA==",
  ].join(""),
  "base64",
);
