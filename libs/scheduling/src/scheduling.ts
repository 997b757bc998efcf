/**
 * The scheduler's decisions, without I/O and without a clock. Whoever drives it (a service with a mirror of objects and a
 * client) does three things, all on one thread:
 *
 * 1. **It feeds changes** ({@link Feed}): nodes, pods, namespaces and the other kinds of `cluster/objects.ts`, as its mirror
 *    has them, each with the time. The feed keeps the cluster and tells the queue what happened. Lists come first, in any
 *    order: a pod whose node is not known yet waits for it.
 * 2. **It runs cycles**, one after the other:
 *    ```
 *    waiting = queue.pop(now)                              nothing: wait for a change, or until queue.nextFlush()
 *    reasonToSkip(waiting.pod, cluster)                    told, then queue.done(key): nothing to decide
 *    profile = profiles.get(waiting.pod.schedulerName)
 *    decision = cycles.schedule(profile, waiting.pod, now)     an extender between? cycles.candidates, then .choose or .refuse
 *    placed   → cluster.assume(pod, node); reserve(profile, pod, node); permit(profile, pod, node); go on with 3, and do not
 *               wait for it before the next pop
 *    refused  → nomination: cluster.nominations.set(pod, node), make the victims go, write status.nominatedNodeName;
 *               clearNomination: nominations.clear(key) and empty the field; write the condition with `message`;
 *               queue.requeue(waiting, decision, now); queue.done(key)
 *    failed   → queue.requeue(waiting, no plugins, now); queue.done(key)
 *    ```
 * 3. **It binds**, beside the next cycles: wait for permit, `preBindPod(profile, pod, node, signal)`, `bindPod(…)`,
 *    `queue.done(key)`, `postBind(…)`. When anything fails on the way: `release(...)` (unreserve, forget, tell the queue that the pod is gone from the node), then
 *    as for a failed decision. The mirror confirms the assumed pod.
 *
 * `queue.flush(now)` once a second ends backoffs and lets pods go that waited for too long.
 *
 * A cycle costs the nodes that it looks at; what it asks about pods elsewhere (spread, affinity, images, claims) is kept up
 * with each change by counters (`cluster/domain-counts.ts`, `cluster/term-index.ts`), so that no cycle looks at all pods.
 */
import type { SchedulerConfiguration } from "@orch/component-config/scheduler/scheduler-configuration.js";
import type { Naming } from "@orch/naming/naming.js";
import { type Cluster, createCluster } from "./cluster/cluster.js";
import { gateOf } from "./cycle/gate.js";
import { type CycleMeasure, type Cycles, createCycles } from "./cycle/schedule.js";
import { createFeed, type Feed } from "./feed.js";
import { type Profile, type Registry, resolveProfile } from "./framework/profile.js";
import { defaultRegistry, type RegistryOptions } from "./plugins/registry.js";
import { createSchedulingQueue, type QueueOptions, type SchedulingQueue } from "./queue/scheduling-queue.js";

export interface Scheduling {
  readonly cluster: Cluster;
  readonly queue: SchedulingQueue;
  readonly cycles: Cycles;
  /** By the scheduler name that pods ask for. */
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly feed: Feed;
}

export interface SchedulingOptions {
  readonly config: SchedulerConfiguration;
  readonly naming: Naming;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly bind: RegistryOptions["bind"];
  readonly bindVolumes: RegistryOptions["bindVolumes"];
  /** With the gate DynamicResourceAllocation, which the configuration was read with too. */
  readonly devices?: RegistryOptions["devices"];
  /** Plugins of others, by name. */
  readonly more?: Registry;
  /** For metrics. */
  readonly entered?: QueueOptions["entered"];
  readonly measure?: CycleMeasure;
}

const second = 1000;
/** After so long a pod that nothing happened to is tried again. */
const maxUnschedulableMs = 5 * 60 * second;

/** Builds everything from a configuration that was read. @throws ProfileError what a profile cannot be built from */
export function createScheduling(options: SchedulingOptions): Scheduling {
  const { config, naming, random, bind, bindVolumes, devices, more, entered, measure } = options;
  const cluster = createCluster({ naming });
  const unwatchedResources = new Set(
    config.extenders.flatMap(({ managedResources }) =>
      managedResources.filter(({ ignoredByScheduler }) => ignoredByScheduler).map(({ name }) => name),
    ),
  );
  const own = defaultRegistry({
    naming,
    cluster,
    random,
    bind,
    bindVolumes,
    unwatchedResources,
    ...(devices === undefined ? {} : { devices }),
  });
  const registry: Registry = new Map([...own, ...(more ?? [])]);
  const profiles = new Map(
    config.profiles.map((profile) => {
      const resolved = resolveProfile(profile, registry);
      return [resolved.schedulerName, resolved] as const;
    }),
  );
  const [first] = profiles.values();
  const queue = createSchedulingQueue({
    // All profiles sort alike: the configuration is refused otherwise.
    compare: (a, b) => first?.queueSort.queueSort(a, b) ?? 0,
    preEnqueue: (pod) => gateOf(profiles.get(pod.schedulerName), pod),
    eventsOf: ({ schedulerName }, plugin) => profiles.get(schedulerName)?.plugins.get(plugin)?.events,
    backoff: {
      initialMs: config.podInitialBackoffSeconds * second,
      maxMs: config.podMaxBackoffSeconds * second,
    },
    maxUnschedulableMs,
    ...(entered === undefined ? {} : { entered }),
  });
  const cycles = createCycles({
    cluster,
    random,
    percentageOfNodesToScore: config.percentageOfNodesToScore,
    othersFilter: config.extenders.some(({ filterVerb }) => filterVerb !== ""),
    ...(measure === undefined ? {} : { measure }),
  });
  return { cluster, queue, cycles, profiles, feed: createFeed({ cluster, queue, profiles }) };
}
