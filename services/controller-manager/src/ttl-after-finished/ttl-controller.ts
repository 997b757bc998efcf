import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import type { Controller } from "../controller.js";
import type { Job } from "../jobs/types.js";
import { createReconciler } from "../rim/reconciler.js";
import { workloadKinds } from "../rim/workload-kinds.js";
import type { ControllerTools } from "../tools.js";
import { expiryOf } from "./expiry.js";

/** Deletes jobs some time after they are over, where they say so. */
export function createTtlController({ workers }: { readonly workers: number }, tools: ControllerTools): Controller {
  const { client, clock, informers } = tools;
  const jobs = informers.of("jobs");
  return createReconciler(
    {
      ...{ name: "ttl-after-finished-controller", queue: "ttl_jobs_to_delete", workers },
      follows: (owners) => {
        const look = (job: ApiObject): void => {
          if (expiryOf(job) !== undefined) owners.add(keyOf(job));
        };
        return [{ informer: jobs, handlers: { added: look, modified: look } }];
      },
      async sync(key, signal) {
        const job = jobs.store.get(key);
        const seen = job === undefined ? undefined : expiryOf(job);
        if (job === undefined || seen === undefined) return "done";
        if (seen > clock.now()) return { againAfterMs: seen - clock.now() };
        const { namespace = "", name = "" } = job.metadata;
        const place = { ...workloadKinds.job.collection, namespace };
        // It may have been given longer meanwhile.
        const live: Job | undefined = await client.get(place, name, { signal }).catch(unlessPast);
        const expiry = live === undefined ? undefined : expiryOf(live);
        if (live === undefined || expiry === undefined) return "done";
        if (expiry > clock.now()) return { againAfterMs: expiry - clock.now() };
        const { uid = "", resourceVersion = "" } = live.metadata;
        const how = { propagationPolicy: "Foreground", preconditions: { uid, resourceVersion }, signal } as const;
        await client.delete(place, name, how).catch(unlessPast);
        return "done";
      },
    },
    tools,
  );
}
