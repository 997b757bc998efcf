import type { ArgumentsOf, PluginWithArguments } from "@orch/component-config/scheduler/arguments.js";
import { argumentsOf } from "@orch/component-config/scheduler/scheduler.js";
import type { SchedulerProfile } from "@orch/component-config/scheduler/scheduler-configuration.js";
import type { Naming } from "@orch/naming/naming.js";
import type { ClusterView } from "../cluster/view.js";
import type { Plugin } from "../framework/plugin.js";
import type { Factory, Registry } from "../framework/profile.js";
import { defaultPreemption } from "../preemption/default-preemption.js";
import { balancedAllocation } from "./balanced-allocation.js";
import { defaultBinder } from "./default-binder.js";
import { type DynamicResourcesOptions, dynamicResources } from "./devices/dynamic-resources.js";
import { imageLocality } from "./image-locality.js";
import { nodeAffinity } from "./node-affinity.js";
import { nodeName } from "./node-name.js";
import { nodePorts } from "./node-ports.js";
import { nodeUnschedulable } from "./node-unschedulable.js";
import { podAffinity } from "./pod-affinity.js";
import { prioritySort } from "./priority-sort.js";
import { resourcesFit } from "./resources-fit.js";
import { schedulingGates } from "./scheduling-gates.js";
import { taintToleration } from "./taint-toleration.js";
import { topologySpread } from "./topology-spread.js";
import { type CarryOut, volumeBinding } from "./volumes/volume-binding.js";
import { volumeLimits } from "./volumes/volume-limits.js";
import { volumeRestrictions } from "./volumes/volume-restrictions.js";
import { volumeZone } from "./volumes/volume-zone.js";

export interface RegistryOptions {
  readonly naming: Naming;
  readonly cluster: ClusterView;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly bind: NonNullable<Plugin["bind"]>;
  /** Binds claims, within the time that the configuration gives. */
  readonly bindVolumes: (timeoutSeconds: number) => CarryOut;
  /** With the gate DynamicResourceAllocation alone: how selectors are read and claims are written. */
  readonly devices?: Omit<DynamicResourcesOptions, "cluster">;
  /** Resources that an extender looks after alone (`ignoredByScheduler`). */
  readonly unwatchedResources?: ReadonlySet<string>;
}

/** Every plugin that there is without others' code, by its name. */
export function defaultRegistry(options: RegistryOptions): Registry {
  const { naming, cluster, random, bind, bindVolumes, devices, unwatchedResources } = options;
  // Of old: claims and volumes named their class here.
  const classAnnotation = `volume.beta.${naming.key("storage-class")}`;
  const unwatched = unwatchedResources === undefined ? {} : { unwatched: unwatchedResources };
  return new Map<string, Factory>([
    ["SchedulingGates", () => schedulingGates],
    ["PrioritySort", () => prioritySort],
    ["NodeUnschedulable", () => nodeUnschedulable(naming)],
    ["NodeName", () => nodeName],
    ["TaintToleration", taintToleration],
    ["NodeAffinity", (profile) => nodeAffinity(given(profile, "NodeAffinity"))],
    ["NodePorts", () => nodePorts],
    ["NodeResourcesFit", (profile) => resourcesFit(given(profile, "NodeResourcesFit"), { naming, ...unwatched })],
    [
      "NodeResourcesBalancedAllocation",
      (profile) => balancedAllocation(given(profile, "NodeResourcesBalancedAllocation")),
    ],
    ["VolumeRestrictions", () => volumeRestrictions],
    ["NodeVolumeLimits", () => volumeLimits(classAnnotation)],
    [
      "VolumeBinding",
      (profile) => {
        const { bindTimeoutSeconds } = given(profile, "VolumeBinding");
        return volumeBinding({ naming, cluster, classAnnotation, carryOut: bindVolumes(bindTimeoutSeconds) });
      },
    ],
    ["VolumeZone", () => volumeZone(naming, classAnnotation)],
    ["PodTopologySpread", (profile) => topologySpread(given(profile, "PodTopologySpread"), naming)],
    ["InterPodAffinity", (profile) => podAffinity(given(profile, "InterPodAffinity"), cluster.namespaceLabels)],
    ["DefaultPreemption", (profile) => defaultPreemption(given(profile, "DefaultPreemption"), random)],
    ["ImageLocality", () => imageLocality],
    ["DefaultBinder", () => defaultBinder(bind)],
    ...(devices === undefined ? [] : [["DynamicResources", () => dynamicResources({ ...devices, cluster })] as const]),
  ]);
}

function given<P extends PluginWithArguments>(profile: SchedulerProfile, plugin: P): ArgumentsOf<P> {
  const args = argumentsOf(profile, plugin);
  if (args === undefined) throw new Error(`no arguments of ${plugin}: the configuration was not defaulted`);
  return args;
}
