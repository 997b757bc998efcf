import type { ApiObject } from "@orch/client/objects.js";
import { createShare, defined } from "@orch/client/shared-values.js";
import { type OwnerReference, type Seen, timeOf } from "./objects.js";

/** What controllers see of a pod. */
export interface Pod extends Seen {
  readonly spec?: {
    readonly nodeName?: string;
    readonly restartPolicy?: string;
    readonly hostname?: string;
    readonly subdomain?: string;
    readonly hostNetwork?: boolean;
    readonly tolerations?: readonly object[];
    readonly terminationGracePeriodSeconds?: number;
    readonly containers?: readonly SeenContainer[];
    readonly initContainers?: readonly SeenContainer[];
    readonly volumes?: readonly SeenVolume[];
    readonly affinity?: { readonly nodeAffinity?: object };
    readonly resourceClaims?: readonly PodClaim[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip?: string }[];
    readonly startTime?: string;
    readonly conditions?: readonly PodCondition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly resourceClaimStatuses?: readonly PodClaimStatus[];
  };
}

export interface SeenContainer {
  readonly name?: string;
  readonly restartPolicy?: string;
  readonly ports?: readonly object[];
  readonly resources?: { readonly requests?: Readonly<Record<string, string | number>> };
}

export interface SeenVolume {
  readonly name?: string;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
  readonly ephemeral?: object;
}

/** A claim of devices that a pod names, or has made of a template. */
export interface PodClaim {
  readonly name?: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

/** What became of one that names a template. */
export interface PodClaimStatus {
  readonly name?: string;
  /** Absent where no claim is needed. */
  readonly resourceClaimName?: string;
}

export interface PodCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly lastTransitionTime?: string;
}

export interface ContainerStatus {
  readonly name?: string;
  readonly restartCount?: number;
  readonly state?: { readonly terminated?: { readonly exitCode?: number; readonly finishedAt?: string } };
}

/** What is kept of pods, of which there are very many: neither who manages its fields, nor what its containers are told. */
export function createPodKeeper(): (object: ApiObject) => Pod {
  const time = createShare<string>();
  const labels = createShare<Readonly<Record<string, string>>>();
  const owners = createShare<readonly OwnerReference[]>();
  const containers = createShare<readonly SeenContainer[]>();
  const tolerations = createShare<readonly object[]>();
  const conditions = createShare<PodCondition>();
  const statuses = createShare<readonly ContainerStatus[]>();
  return (object) => {
    const { metadata, spec = {}, status = {} }: Pod = object;
    const { managedFields: _fields, generateName: _prefix, ...meta } = metadata;
    const volumes = spec.volumes?.filter(
      (volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined,
    );
    const { phase, reason, podIP, podIPs } = status;
    const { nodeName, restartPolicy, hostname, subdomain, hostNetwork, affinity } = spec;
    return {
      metadata: defined({
        ...meta,
        creationTimestamp: time(meta.creationTimestamp),
        labels: labels(meta.labels),
        ownerReferences: owners(meta.ownerReferences),
      }),
      spec: defined({
        ...{ nodeName, restartPolicy, hostname, subdomain, hostNetwork },
        tolerations: tolerations(spec.tolerations),
        terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds,
        containers: containers(spec.containers?.map(containerOf)),
        initContainers: containers(spec.initContainers?.map(containerOf)),
        volumes: volumes?.length === 0 ? undefined : volumes,
        affinity: affinity?.nodeAffinity === undefined ? undefined : { nodeAffinity: affinity.nodeAffinity },
        resourceClaims: spec.resourceClaims,
      }),
      status: defined({
        ...{ phase, reason, podIP, podIPs, startTime: time(status.startTime) },
        conditions: status.conditions?.flatMap((condition) => conditions(conditionFields(condition)) ?? []),
        containerStatuses: statuses(status.containerStatuses?.map(statusOf)),
        initContainerStatuses: statuses(status.initContainerStatuses?.map(statusOf)),
        resourceClaimStatuses: status.resourceClaimStatuses,
      }),
    };
  };
}

const containerOf = ({ name, restartPolicy, ports, resources }: SeenContainer): SeenContainer =>
  defined({ name, restartPolicy, ports, resources });
const conditionFields = ({ type, status, reason, lastTransitionTime }: PodCondition): PodCondition =>
  defined({ type, status, reason, lastTransitionTime });
const statusOf = ({ name, restartCount, state }: ContainerStatus): ContainerStatus =>
  defined({ name, restartCount, state: state?.terminated === undefined ? undefined : state });

export function hasEnded({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** It runs or will, and is not on its way out. */
export function isActive(pod: Pod): boolean {
  return !hasEnded(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function conditionOf({ status }: Pod, type: string): PodCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function isReady(pod: Pod): boolean {
  return conditionOf(pod, "Ready")?.status === "True";
}

/** Milliseconds since 1970 at which it became ready; undefined while it is not. */
export function readySince(pod: Pod): number | undefined {
  const ready = conditionOf(pod, "Ready");
  return ready?.status === "True" ? timeOf(ready.lastTransitionTime) : undefined;
}

/** Ready for long enough. `now`: milliseconds since 1970. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (minReadySeconds === 0) return isReady(pod);
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** Milliseconds until the first of them that is ready becomes available; undefined where there is nothing to wait for. */
export function availableInMs(pods: Iterable<Pod>, minReadySeconds: number, now: number): number | undefined {
  let first: number | undefined;
  if (minReadySeconds === 0) return undefined;
  for (const pod of pods) {
    const since = readySince(pod);
    const left = since === undefined ? 0 : since + minReadySeconds * 1000 - now;
    if (left > 0) first = Math.min(first ?? left, left);
  }
  return first;
}

/** Restarts of all its containers. */
export function restartsOf({ status }: Pod): number {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}

/** Restarts of the container that was restarted most often. */
export function mostRestarts({ status }: Pod): number {
  return mostOf(status?.containerStatuses ?? []);
}

/** The same of containers that begin before the others and stay. */
export function mostSidecarRestarts({ spec, status }: Pod): number {
  const stays = new Set(
    (spec?.initContainers ?? []).flatMap(({ name, restartPolicy }) => (restartPolicy === "Always" ? [name] : [])),
  );
  return mostOf((status?.initContainerStatuses ?? []).filter(({ name }) => stays.has(name)));
}

const mostOf = (statuses: readonly ContainerStatus[]): number =>
  statuses.reduce((most, { restartCount = 0 }) => Math.max(most, restartCount), 0);
