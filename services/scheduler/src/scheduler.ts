import type { Client } from "@orch/client/client.js";
import type { Mirror } from "@orch/client/mirror.js";
import { isOrdinary } from "@orch/client/passing.js";
import type { SchedulerConfiguration } from "@orch/component-config/scheduler/scheduler-configuration.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { OpsPage } from "@orch/runtime/service.js";
import type { Rejection } from "@orch/scheduling/framework/status.js";
import type { PodInfo } from "@orch/scheduling/model/pod-info.js";
import { createScheduling } from "@orch/scheduling/scheduling.js";
import type { Clock } from "@orch/status/clock.js";
import { createDevices } from "./devices.js";
import { createDriver } from "./driver.js";
import { createEvents } from "./events.js";
import { createAsk } from "./extenders/call.js";
import { createExtender } from "./extenders/extender.js";
import { createPodKeeper } from "./kept-pod.js";
import { schedulerPages } from "./pages.js";
import type { OwnPlugins } from "./plugins.js";
import { sourcesOf } from "./sources.js";
import { createTelemetry, type Telemetry } from "./telemetry.js";
import { createVolumeBinding } from "./volumes.js";
import { watchAll } from "./watched.js";
import { createWrites } from "./writes.js";

export interface SchedulerDeps {
  /** Whoever made it closes it. */
  readonly client: Client;
  readonly mirror: Mirror;
  readonly naming: Naming;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Tells this process from others in events. */
  readonly instance: string;
  /** Plugins that users wrote. */
  readonly plugins: OwnPlugins;
  /** With the gate DynamicResourceAllocation, with which the configuration was read. */
  readonly hasDevices: boolean;
}

export interface Scheduler {
  /** Follows what decisions depend on until the signal aborts. */
  watch(signal: AbortSignal): Promise<void>;
  /** Gives pods nodes until the signal aborts; not before everything has been listed. Only while {@link watch} runs. */
  schedule(signal: AbortSignal): Promise<void>;
  /** What it tells beside its metrics. */
  readonly pages: readonly OpsPage[];
  /** Of connections to extenders. */
  close(): Promise<void>;
}

/** As many writes are under way at once as suits a worker of the reference: the server answers several while one is decided. */
const writesPerWorker = 8;

/** A scheduler as the configuration has it. @throws ProfileError what a profile cannot be built from */
export function createScheduler(config: SchedulerConfiguration, deps: SchedulerDeps): Scheduler {
  const { client, mirror, naming, clock, random, log, instance } = deps;
  const onError = (err: unknown): void => {
    if (isOrdinary(err)) log.debug({ err }, "the scheduler tries again");
    else log.warn({ err }, "the scheduler failed at something; it tries again");
  };
  const writes = createWrites({ client, naming, now: clock.now });
  let telemetry: Telemetry | undefined;
  const scheduling = createScheduling({
    ...{ config, naming, random, more: deps.plugins.registry },
    bind: (pod, node, signal) => bind(pod, node, signal),
    bindVolumes: createVolumeBinding({ client, naming, clock, objects: () => scheduling.cluster.objects }),
    ...(deps.hasDevices ? { devices: createDevices({ client, naming, onError }) } : {}),
    entered: (part, event) => telemetry?.entered(part, event),
    measure: {
      seconds: () => clock.monotonic() / 1000,
      took: (...what) => telemetry?.took(...what),
    },
  });
  const { queue, cluster } = scheduling;
  telemetry = createTelemetry(deps.metrics, [...scheduling.profiles.keys()], () => {
    const { nodes, pods, assumed } = cluster.sizes();
    return { pending: queue.sizes(), cache: { nodes, pods, assumed_pods: assumed }, refused: queue.refused() };
  });
  const events = createEvents({ client, naming, now: clock.now, random, instance, onError });
  const asking = config.extenders.map((each) => ({ each, ...createAsk(each, { clock }) }));
  const extenders = asking.map(({ each, ask }) =>
    createExtender(each, {
      ...{ ask, nodeObject: (name) => watched.node(name) },
      podsOn: (name) => cluster.node(name)?.pods,
    }),
  );
  async function bind(pod: PodInfo, node: string, signal: AbortSignal): Promise<Rejection | undefined> {
    const binder = extenders.find((extender) => extender.binds && extender.isInterested(pod));
    if (binder === undefined) return writes.bind(pod, node, signal);
    await binder.bind(pod, node, signal);
    return undefined;
  }
  const driver = createDriver({
    ...{ scheduling, extenders, writes, events, telemetry, clock, onError },
    permits: deps.plugins.permits,
    mostUnderWay: config.parallelism * writesPerWorker,
  });
  const watched = watchAll({
    ...{ mirror, onError },
    keepPod: createPodKeeper({ whole: config.extenders.length > 0 || deps.plugins.registry.size > 0 }),
    keepsNodes: config.extenders.some(({ nodeCacheCapable }) => !nodeCacheCapable),
    sources: sourcesOf(scheduling.feed, { naming, now: clock.monotonic, devices: deps.hasDevices }),
    changed: driver.wake,
    podGone: driver.podGone,
  });
  return {
    watch: (signal) => watched.run(signal),
    async schedule(signal) {
      await Promise.race([watched.synced, aborted(signal)]);
      if (!signal.aborted) await driver.run(signal);
    },
    pages: schedulerPages({ scheduling, now: clock.monotonic, debugs: config.enableProfiling }),
    async close() {
      await Promise.all(asking.map(({ close }) => close()));
    },
  };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
