import { withMetadata } from "@orch/api/object.js";
import { countName } from "@orch/api/quota/evaluators.js";
import { wholeObject } from "@orch/client/mirror.js";
import { keyOf } from "@orch/client/object-store.js";
import { pause } from "@orch/client/pause.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Controller } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import { createQuotaCounter, isCountedOut, quotaCollection, type Served } from "./count-quota.js";
import type { Freed } from "./freed.js";
import { createQuotaIndex, resourcesOf } from "./quota-index.js";
import { createQuotaMonitors } from "./quota-monitors.js";

const name = "resourcequota-controller";

export interface QuotaConfig {
  /** Quotas that are counted at once. */
  readonly workers: number;
  /** After which every quota is counted again, whatever was heard of. */
  readonly syncPeriodMs: number;
  /** Of {@link createQuotaCounter}. */
  readonly settleMs: number;
}

/** How long a count waits for the first list of what it will follow. */
const longestSyncMs = 10_000;
/** What is freed at once is counted at once. */
const gatherMs = 100;
/** A count is made again after this many times as long as it took, at the earliest. */
const restFactor = 20;

/** Counts what quotas limit: when they come or change, when something is freed, and now and then. */
export function createQuotaController(config: QuotaConfig, tools: ControllerTools): Controller {
  const { clock, mirror, naming, discovery, telemetry } = tools;
  const failed = failureTeller(tools, name);
  return {
    async run(signal) {
      /** When a quota may be counted again, by its key. */
      const rested = new Map<string, number>();
      /** What has gone and is not taken off yet, by the keys of quotas. */
      const pending = new Map<string, Freed[]>();
      const index = createQuotaIndex(naming);
      const counter = createQuotaCounter(config.settleMs, tools);
      const monitors = createQuotaMonitors({
        tools,
        freed(namespace, resource, gone) {
          for (const key of index.concerned(namespace, resource)) {
            if (gone !== undefined) {
              const others = pending.get(key);
              if (others === undefined) pending.set(key, [gone]);
              else others.push(gone);
              freeing.addAfter(key, gatherMs);
            }
            queue.addAfter(key, Math.max(gatherMs, (rested.get(key) ?? 0) - clock.monotonic()));
          }
        },
        onError: failed,
      });
      const served = async (working: AbortSignal): Promise<Served> => {
        const { preferred, stale } = await discovery.read(working);
        const watched = preferred.filter((each) => each.namespaced && each.verbs.includes("watch"));
        const named = watched.map((each) => [countName({ ...each, plural: each.resource }), each] as const);
        const resources = new Map(named.filter(([each]) => index.isWanted(each)));
        monitors.follow([...resources.values()], signal);
        return { resources, stale: new Set(stale.map((version) => version.slice(0, version.indexOf("/")))) };
      };
      const work = async (key: string, working: AbortSignal): Promise<Outcome> => {
        const quota = quotas.store.get(key);
        if (quota === undefined) {
          rested.delete(key);
          return "done";
        }
        const all = await served(working);
        const wanted = resourcesOf(withMetadata(quota), naming).flatMap(
          (each) => all.resources.get(countName(each)) ?? [],
        );
        // What cannot be followed now must not keep others from being counted: its count fails, and is tried again.
        await Promise.race([monitors.synced(wanted), pause(longestSyncMs, { clock, signal: working })]);
        const began = clock.monotonic();
        const counted = await counter.count(quota, all, working);
        if (counted.type === "gone") return "done";
        if (counted.type === "later") return { againAfterMs: counted.ms };
        const restMs = restFactor * Math.max(gatherMs, clock.monotonic() - began);
        rested.set(key, clock.monotonic() + restMs);
        return { againAfterMs: counted.exact ? config.syncPeriodMs : restMs };
      };
      const queue = createWorkQueue<string>({
        ...{ workers: config.workers, work, clock, observer: telemetry.queue("resourcequota_primary") },
        onError: (error, key) => failed(error, { key }),
      });
      /** A count is due as well, and puts right what this cannot: nothing is tried again. */
      const free = async (key: string, working: AbortSignal): Promise<Outcome> => {
        const freed = pending.get(key) ?? [];
        pending.delete(key);
        const quota = quotas.store.get(key);
        if (quota === undefined) return "done";
        await counter.free(quota, freed, working).catch((error: unknown) => {
          if (!(error instanceof ApiError && error.reason === "Conflict")) failed(error, { key });
        });
        return "done";
      };
      const freeing = createWorkQueue<string>({
        ...{ workers: config.workers, work: free, clock },
        onError: (error, key) => failed(error, { key }),
      });
      const quotas = mirror.view({
        ...{ collection: quotaCollection, sees: "objects", keep: wholeObject, onError: failed },
        handlers: {
          added(quota) {
            index.put(quota);
            queue.add(keyOf(quota));
          },
          modified(quota) {
            index.put(quota);
            if (!isCountedOut(quota)) queue.add(keyOf(quota));
          },
          deleted(quota) {
            index.drop(quota);
            counter.forget(quota);
          },
        },
      });
      const following = quotas.run(signal);
      await Promise.race([quotas.synced, following]);
      await Promise.all([following, queue.run(signal), freeing.run(signal)]);
      await monitors.ended();
    },
  };
}
