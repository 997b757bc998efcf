import { extensionPoints, type Plugin, type PluginSet, type SchedulerProfile } from "./scheduler-configuration.js";

/** Plugins that run unless a profile says otherwise, in their order; they are enabled at `multiPoint` alone. */
export const defaultPlugins: readonly Plugin[] = (
  [
    ["SchedulingGates"],
    ["PrioritySort"],
    ["NodeUnschedulable"],
    ["NodeName"],
    ["TaintToleration", 3],
    ["NodeAffinity", 2],
    ["NodePorts"],
    ["NodeResourcesFit", 1],
    ["VolumeRestrictions"],
    ["NodeVolumeLimits"],
    ["VolumeBinding"],
    ["VolumeZone"],
    ["PodTopologySpread", 2],
    ["InterPodAffinity", 2],
    ["DefaultPreemption"],
    ["NodeResourcesBalancedAllocation", 1],
    ["ImageLocality", 1],
    ["DefaultBinder"],
  ] as const
).map(([name, weight]) => (weight === undefined ? { name } : { name, weight }));

/** What gates that are on add to the default set. */
export interface SchedulerGates {
  readonly dynamicResources?: boolean;
}

/** The default set of a release with these gates. */
export function defaultPluginsWith({ dynamicResources = false }: SchedulerGates): readonly Plugin[] {
  if (!dynamicResources) return defaultPlugins;
  const at = defaultPlugins.findIndex(({ name }) => name === "DefaultPreemption");
  return defaultPlugins.toSpliced(at, 0, { name: "DynamicResources" });
}

/**
 * Defaults that the set does not disable, those that it enables in their place with its weight, then what else it
 * enables, in its order. Twice is as once.
 *
 * defaults [A B C], {enabled: [B:5 X], disabled: [A]}   →   [B:5 C X]
 */
export function mergedSet(defaults: readonly Plugin[], { enabled, disabled }: PluginSet): PluginSet {
  const without = new Set(disabled.map(({ name }) => name));
  const kept = without.has("*") ? [] : defaults.filter(({ name }) => !without.has(name));
  const placed = new Set<Plugin>();
  const inPlace = kept.map((plugin) => {
    const own = enabled.find(({ name }) => name === plugin.name);
    if (own === undefined) return plugin;
    placed.add(own);
    return own;
  });
  return { enabled: [...inPlace, ...enabled.filter((plugin) => !placed.has(plugin))], disabled };
}

/** Names of all that a profile enables anywhere, sorted. */
export function enabledPlugins({ plugins }: SchedulerProfile): readonly string[] {
  return [...new Set(extensionPoints.flatMap((point) => plugins[point].enabled.map(({ name }) => name)))].sort();
}
