import type { ApiObject } from "../../../object.js";
import type { LabelSelector } from "../../shared/label-selector.js";
import type { Requirements, Resources } from "../resources.js";
import type { Affinity } from "./affinity-types.js";
import type { PodSecurityContext, SecurityContext } from "./security/security-types.js";
import type { ContainerStatus, PodCondition } from "./status-types.js";
import type { FieldRef, ResourceFieldRef, Volume } from "./volume/volume-types.js";

/** The parts of a pod that rules look at. */
export interface Pod extends ApiObject {
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}

export interface PodStatus {
  readonly phase?: string;
  readonly qosClass?: string;
  readonly resize?: string;
  readonly nominatedNodeName?: string;
  readonly conditions?: readonly PodCondition[];
  readonly hostIP?: string;
  readonly hostIPs?: readonly { readonly ip?: string }[];
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip?: string }[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  readonly resourceClaimStatuses?: readonly { readonly name?: string; readonly resourceClaimName?: string }[];
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
    readonly options?: readonly { readonly name?: string }[];
  };
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly serviceAccountName?: string;
  readonly serviceAccount?: string;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly hostUsers?: boolean;
  readonly hostname?: string;
  readonly shareProcessNamespace?: boolean;
  readonly securityContext?: PodSecurityContext;
  readonly enableServiceLinks?: boolean;
  readonly hostAliases?: readonly { readonly ip?: string; readonly hostnames?: readonly string[] }[];
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: Affinity;
  readonly readinessGates?: readonly { readonly conditionType?: string }[];
  readonly schedulingGates?: readonly { readonly name?: string }[];
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly resourceClaims?: readonly PodResourceClaim[];
  readonly overhead?: Resources;
  readonly os?: { readonly name?: string };
  readonly resources?: Requirements;
}

export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly ports?: readonly ContainerPort[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly resources?: Requirements;
  readonly resizePolicy?: readonly ResizePolicy[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: { readonly postStart?: Handler; readonly preStop?: Handler };
  readonly restartPolicy?: string;
  readonly securityContext?: SecurityContext;
  /** Only of containers for debugging. */
  readonly targetContainerName?: string;
}

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

export interface ResizePolicy {
  readonly resourceName?: string;
  readonly restartPolicy?: string;
}

export interface EnvVar {
  readonly name?: string;
  readonly value?: string;
  readonly valueFrom?: EnvVarSource;
}

export interface EnvVarSource {
  readonly fieldRef?: FieldRef;
  readonly resourceFieldRef?: ResourceFieldRef;
  readonly configMapKeyRef?: { readonly name?: string; readonly key?: string };
  readonly secretKeyRef?: { readonly name?: string; readonly key?: string };
}

export interface EnvFromSource {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name?: string };
  readonly secretRef?: { readonly name?: string };
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

export interface VolumeDevice {
  readonly name?: string;
  readonly devicePath?: string;
}

/** An action of a probe or of a hook. */
export interface Handler {
  readonly exec?: object;
  readonly httpGet?: HttpGet;
  readonly tcpSocket?: { readonly port?: number | string };
  readonly grpc?: { readonly port?: number };
  readonly sleep?: { readonly seconds?: number };
}

export interface HttpGet {
  readonly port?: number | string;
  readonly httpHeaders?: readonly { readonly name?: string }[];
}

export interface Probe extends Handler {
  readonly successThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export interface TopologySpreadConstraint {
  readonly maxSkew?: number;
  readonly topologyKey?: string;
  readonly whenUnsatisfiable?: string;
  readonly labelSelector?: LabelSelector;
  readonly minDomains?: number;
  readonly matchLabelKeys?: readonly string[];
}

export interface PodResourceClaim {
  readonly name?: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

/** A container with its path below the spec: `initContainers[0]`. */
export interface PlacedContainer {
  readonly container: Container;
  readonly at: string;
}

/** What the containers of a pod are checked against, by name. */
export interface PodNames {
  /** Claims of devices. */
  readonly claims: ReadonlySet<string>;
  readonly containers: ReadonlySet<string | undefined>;
  /** Without those for debugging. */
  readonly lastingContainers: ReadonlySet<string | undefined>;
}

const knownNames = new WeakMap<PodSpec, PodNames>();

/** The names in a spec, worked out once: there may be as many containers as volumes. */
export function namesIn(spec: PodSpec): PodNames {
  let names = knownNames.get(spec);
  if (names === undefined) {
    const nameOf = ({ container }: PlacedContainer): string => container.name ?? "";
    names = {
      claims: new Set((spec.resourceClaims ?? []).map((c) => c.name ?? "")),
      containers: new Set(containersOf(spec).map(nameOf)),
      lastingContainers: new Set(containersOf(spec, ["containers", "initContainers"]).map(nameOf)),
    };
    knownNames.set(spec, names);
  }
  return names;
}

const containerLists = ["containers", "initContainers", "ephemeralContainers"] as const;

/** Every container of a pod with its path, in the order of the reference's checks. */
export function containersOf(
  spec: PodSpec,
  lists: readonly (typeof containerLists)[number][] = containerLists,
): readonly PlacedContainer[] {
  return lists.flatMap((list) => (spec[list] ?? []).map((container, i) => ({ container, at: `${list}[${i}]` })));
}
