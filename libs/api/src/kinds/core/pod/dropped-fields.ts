import type { Features, FieldGate } from "../../../features.js";
import type { SecurityContext } from "./security/security-types.js";
import type { ContainerStatus } from "./status-types.js";
import { type Container, containersOf, type PodSpec, type PodStatus } from "./types.js";
import type { Projection, Volume } from "./volume/volume-types.js";

/** Fields of a pod's spec that come with a feature. */
interface FieldsOfGate {
  readonly gate: FieldGate;
  readonly isUsed: (spec: PodSpec) => boolean;
  readonly drop: (spec: PodSpec) => PodSpec;
}

const fieldsOfGates: readonly FieldsOfGate[] = [
  {
    gate: "UserNamespacesSupport",
    isUsed: ({ hostUsers }) => hostUsers !== undefined,
    drop: ({ hostUsers: _, ...spec }) => spec,
  },
  {
    gate: "SupplementalGroupsPolicy",
    isUsed: ({ securityContext }) => securityContext?.supplementalGroupsPolicy !== undefined,
    drop: ({ securityContext: { supplementalGroupsPolicy: _, ...securityContext } = {}, ...spec }) => ({
      ...spec,
      securityContext,
    }),
  },
  {
    gate: "SELinuxChangePolicy",
    isUsed: ({ securityContext }) => securityContext?.seLinuxChangePolicy !== undefined,
    drop: ({ securityContext: { seLinuxChangePolicy: _, ...securityContext } = {}, ...spec }) => ({
      ...spec,
      securityContext,
    }),
  },
  {
    gate: "PodLevelResources",
    isUsed: ({ resources }) => resources !== undefined,
    drop: ({ resources: _, ...spec }) => spec,
  },
  {
    // Not dropped, since there was a release that gave every container the usual one.
    gate: "ProcMountType",
    isUsed: (spec) => someContainer(spec, ({ securityContext }) => isUnusualProcMount(securityContext)),
    drop: (spec) =>
      withContainers(spec, (container) =>
        isUnusualProcMount(container.securityContext)
          ? { ...container, securityContext: { ...container.securityContext, procMount: "Default" } }
          : container,
      ),
  },
  {
    gate: "DynamicResourceAllocation",
    isUsed: (spec) =>
      (spec.resourceClaims ?? []).length > 0 || someContainer(spec, ({ resources }) => resources?.claims !== undefined),
    drop: ({ resourceClaims: _, ...spec }) => withContainers(spec, withoutClaims),
  },
  {
    gate: "ClusterTrustBundleProjection",
    isUsed: ({ volumes = [] }) => volumes.some(({ projected }) => (projected?.sources ?? []).some(isOfBundle)),
    drop: ({ volumes = [], ...spec }) => ({ ...spec, volumes: volumes.map(withoutBundles) }),
  },
  {
    gate: "InPlacePodVerticalScaling",
    isUsed: (spec) => someContainer(spec, ({ resizePolicy = [] }) => resizePolicy.length > 0),
    drop: (spec) => withContainers(spec, ({ resizePolicy: _, ...container }) => container),
  },
  {
    gate: "ImageVolume",
    isUsed: ({ volumes = [] }) => volumes.some(({ image }) => image !== undefined),
    drop: withoutImages,
  },
];

/** The spec of a pod or of a template without the fields of features that are off and that the stored state does not use. */
export function withoutDisabledFields(spec: PodSpec, old: PodSpec | undefined, features: Features): PodSpec {
  let kept = spec;
  for (const { gate, isUsed, drop } of fieldsOfGates) {
    if (features.has(gate) || !isUsed(kept)) continue;
    if (old === undefined || !isUsed(old)) kept = drop(kept);
  }
  return kept;
}

/** The same of a status; `old` is the stored spec, by which the reference goes here, too. */
export function withoutDisabledStatus(status: PodStatus, old: PodSpec | undefined, features: Features): PodStatus {
  const isOff = (gate: FieldGate): boolean => {
    if (features.has(gate)) return false;
    const fields = fieldsOfGates.find((f) => f.gate === gate);
    return old === undefined || fields?.isUsed(old) !== true;
  };
  const dropped = new Set<keyof ContainerStatus>([
    ...(isOff("InPlacePodVerticalScaling") ? (["resources"] as const) : []),
    ...(features.has("InPlacePodVerticalScaling") ? [] : (["allocatedResources"] as const)),
    ...(isOff("ResourceHealthStatus") ? (["allocatedResourcesStatus"] as const) : []),
    ...(isOff("SupplementalGroupsPolicy") ? (["user"] as const) : []),
  ]);
  const { resize, resourceClaimStatuses, ...others } = status;
  return {
    ...others,
    ...(resize === undefined || isOff("InPlacePodVerticalScaling") ? {} : { resize }),
    ...(resourceClaimStatuses === undefined || isOff("DynamicResourceAllocation") ? {} : { resourceClaimStatuses }),
    ...withStatuses(others, dropped),
  };
}

const statusLists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;

function withStatuses(status: PodStatus, dropped: ReadonlySet<keyof ContainerStatus>): PodStatus {
  const without = (container: ContainerStatus): ContainerStatus =>
    Object.fromEntries(Object.entries(container).filter(([name]) => !hasName(dropped, name)));
  return Object.fromEntries(
    statusLists.flatMap((list) => {
      const containers = status[list];
      return containers === undefined ? [] : [[list, containers.map(without)] as const];
    }),
  );
}

function hasName(names: ReadonlySet<string>, name: string): boolean {
  return names.has(name);
}

function isUnusualProcMount({ procMount }: SecurityContext = {}): boolean {
  return procMount !== undefined && procMount !== "Default";
}

function someContainer(spec: PodSpec, holds: (container: Container) => boolean): boolean {
  return containersOf(spec).some(({ container }) => holds(container));
}

function withContainers(spec: PodSpec, change: (container: Container) => Container): PodSpec {
  const { containers, initContainers, ephemeralContainers } = spec;
  return {
    ...spec,
    ...(containers === undefined ? {} : { containers: containers.map(change) }),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(change) }),
    ...(ephemeralContainers === undefined ? {} : { ephemeralContainers: ephemeralContainers.map(change) }),
  };
}

function withoutClaims(container: Container): Container {
  const { claims: _, ...resources } = container.resources ?? {};
  return container.resources === undefined ? container : { ...container, resources };
}

function isOfBundle({ clusterTrustBundle }: Projection): boolean {
  return clusterTrustBundle !== undefined;
}

function withoutBundles(volume: Volume): Volume {
  const { sources } = volume.projected ?? {};
  if (sources === undefined) return volume;
  return {
    ...volume,
    projected: { ...volume.projected, sources: sources.map(({ clusterTrustBundle: _, ...source }) => source) },
  };
}

/** The volumes go, and with them what mounts them. */
function withoutImages({ volumes = [], ...spec }: PodSpec): PodSpec {
  const kept = volumes.filter(({ image }) => image === undefined);
  const gone = new Set(volumes.filter(({ image }) => image !== undefined).map(({ name }) => name));
  return withContainers(
    { ...spec, ...(kept.length === 0 ? {} : { volumes: kept }) },
    ({ volumeMounts, ...container }) => {
      const mounts = volumeMounts?.filter(({ name }) => !gone.has(name)) ?? [];
      return { ...container, ...(mounts.length === 0 ? {} : { volumeMounts: mounts }) };
    },
  );
}
