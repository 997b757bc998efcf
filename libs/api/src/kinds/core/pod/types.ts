import type { ApiObject } from "../../../object.js";
import type { Requirements } from "../resources.js";

/** The parts of a pod that rules look at. */
export interface Pod extends ApiObject {
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}

export interface PodStatus {
  readonly phase?: string;
  readonly qosClass?: string;
  readonly conditions?: readonly object[];
}

export interface PodSpec {
  readonly volumes?: readonly Volume[];
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly ephemeralContainers?: readonly Container[];
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly dnsPolicy?: string;
  readonly dnsConfig?: {
    readonly nameservers?: readonly string[];
    readonly searches?: readonly string[];
  };
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly serviceAccountName?: string;
  readonly serviceAccount?: string;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: object;
  readonly schedulingGates?: readonly { readonly name?: string }[];
  readonly topologySpreadConstraints?: readonly {
    readonly topologyKey?: string;
    readonly whenUnsatisfiable?: string;
    readonly minDomains?: number;
  }[];
}

export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly ports?: readonly ContainerPort[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly { readonly configMapRef?: object; readonly secretRef?: object }[];
  readonly resources?: Requirements;
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeDevices?: readonly { readonly name?: string; readonly devicePath?: string }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: { readonly postStart?: Handler; readonly preStop?: Handler };
  readonly restartPolicy?: string;
  readonly securityContext?: { readonly privileged?: boolean; readonly allowPrivilegeEscalation?: boolean };
  readonly targetContainerName?: string;
}

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

export interface EnvVar {
  readonly name?: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

export interface VolumeMount {
  readonly name?: string;
  readonly mountPath?: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: string;
  readonly subPath?: string;
  readonly subPathExpr?: string;
  readonly mountPropagation?: string;
}

export interface Handler {
  readonly exec?: object;
  readonly httpGet?: object;
  readonly tcpSocket?: object;
  readonly grpc?: object;
  readonly sleep?: object;
}

export interface Probe extends Handler {
  readonly successThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

/** Its source is the one field besides the name. */
export interface Volume {
  readonly name?: string;
  readonly configMap?: { readonly name?: string };
  readonly projected?: { readonly sources?: readonly Projection[] };
  readonly persistentVolumeClaim?: object;
  readonly ephemeral?: object;
}

export interface Projection {
  readonly configMap?: { readonly name?: string };
  readonly secret?: { readonly name?: string };
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

/** Every container of a pod with its path, in the order of the reference's checks. */
export function containersOf(spec: PodSpec): readonly { readonly container: Container; readonly at: string }[] {
  const list = (containers: readonly Container[] | undefined, at: string) =>
    (containers ?? []).map((container, i) => ({ container, at: `${at}[${i}]` }));
  return [
    ...list(spec.containers, "containers"),
    ...list(spec.initContainers, "initContainers"),
    ...list(spec.ephemeralContainers, "ephemeralContainers"),
  ];
}
