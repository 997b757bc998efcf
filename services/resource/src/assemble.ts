import { randomUUID } from "node:crypto";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { Store } from "@orch/store/store.js";
import { besidesUnreachable } from "@orch/store/unreachable.js";
import { bucketsIn, type ConnectedBuckets } from "./admission/event-rate-limit/shared.js";
import { createResource, type Resource, type ResourceConfig, type ResourceDeps } from "./service.js";
import type { ResourceSettings } from "./settings.js";

/** What differs between a process of its own and one with other services. */
export interface AssemblyDeps
  extends Pick<
    ResourceDeps,
    | "catalog"
    | "naming"
    | "services"
    | "webhooks"
    | "permissions"
    | "postStartHook"
    | "noteWork"
    | "encryption"
    | "conversionObserver"
  > {
  readonly store: Store & { readonly condition: { readonly full: boolean } };
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The API groups that are this process's; all of them where absent. */
  readonly groups?: ResourceConfig["groups"];
  readonly recentBytes?: number;
  /** Of which the catalog was made: threads make one of their own. */
  readonly runtimeConfig: readonly string[];
}

/** A resource service with its metrics, on the clock and the log of its process. */
export function assembleResource(settings: ResourceSettings, deps: AssemblyDeps): Resource {
  const { clock, log, groups, recentBytes, runtimeConfig, ...rest } = deps;
  deps.metrics.observed(
    {
      name: "orch_store_full",
      help: "1 while the store takes nothing but deletions, lease renewals and the server's own writes, for want of room.",
      stability: "ALPHA",
    },
    () => Number(deps.store.condition.full),
  );
  const limitsEvents = settings.admission.configurations.eventRateLimit.limits.length > 0;
  const shared = limitsEvents && settings.redis !== "" ? bucketsIn(settings.redis, log) : undefined;
  const resource = createResource(
    { ...settings, groups, ...(recentBytes === undefined ? {} : { recentBytes }), thread: { runtimeConfig } },
    {
      ...rest,
      sharedBuckets: shared,
      log: besidesUnreachable((what, err) => log.error({ err }, what)),
      storeIsFull: () => deps.store.condition.full,
      now: () => clock.now(),
      newUid: randomUUID,
      random: Math.random,
    },
  );
  return shared === undefined ? resource : sharing(resource, shared);
}

/** The same, which is connected while it runs. */
function sharing(resource: Resource, shared: ConnectedBuckets): Resource {
  return {
    ...resource,
    async start() {
      await shared.start();
      await resource.start();
    },
    async stop() {
      await resource.stop();
      shared.stop();
    },
  };
}
