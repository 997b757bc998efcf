import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import type { Outcome } from "@orch/client/work-queue.js";
import type { Naming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Controller } from "../controller.js";
import { claimChildren } from "../rim/adoption.js";
import { childHandlers, ownerHandlers } from "../rim/children.js";
import { createExpectations } from "../rim/expectations.js";
import type { InformerHandlers } from "../rim/informers.js";
import { controllerOf } from "../rim/objects.js";
import { createPodControl } from "../rim/pod-control.js";
import type { Pod } from "../rim/pods.js";
import { createReconciler, type Owners } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import { sameJson } from "../rim/same-json.js";
import { slowStart } from "../rim/slow-start.js";
import { workloadKinds } from "../rim/workload-kinds.js";
import { writeStatus } from "../rim/write-status.js";
import type { ControllerTools } from "../tools.js";
import { decide, isFinished, type JobPlan, type NewPod } from "./decide.js";
import { jobPod } from "./job-pod.js";
import { hasFinalizer } from "./pods.js";
import type { Job, JobCondition, JobKeys } from "./types.js";

const name = "job-controller";
const kind = workloadKinds.job;
const pods = { group: "", version: "v1", resource: "pods" };
/** Each attempt to make pods that are refused is told in an Event. */
const delays = { firstDelayMs: 1_000, longestDelayMs: 60_000 };
/** Before the key of a pod that no job counts: it is let go. */
const podMark = "/";

export interface JobConfig {
  /** Jobs that are looked at at once. */
  readonly workers: number;
}

export function jobKeys(naming: Naming): JobKeys {
  const key = (word: string): string => `batch.${naming.key(word)}`;
  return {
    finalizer: key("job-tracking"),
    index: key("job-completion-index"),
    failureCount: key("job-index-failure-count"),
    ignoredFailureCount: key("job-index-ignored-failure-count"),
  };
}

/** Runs pods until as many have succeeded as a job asks for. */
export function createJobController({ workers }: JobConfig, tools: ControllerTools): Controller {
  const { client, clock, informers, naming } = tools;
  const keys = jobKeys(naming);
  const jobs = informers.of("jobs");
  const allPods = informers.of("pods");
  const expectations = createExpectations(clock);
  const events = recorderOf(tools, name, name);
  const control = createPodControl({ client, kind, events });
  const own = `${naming.key(name)}`;

  const release = async (pod: ApiObject, signal: AbortSignal): Promise<void> => {
    const { namespace = "", name: podName = "", uid } = pod.metadata;
    const body = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [keys.finalizer] } };
    await client.patch({ ...pods, namespace }, podName, { type: patchTypes.strategic, body, signal }).catch(unlessPast);
  };
  const create = async (job: Job, wanted: readonly NewPod[], signal: AbortSignal): Promise<unknown> => {
    const key = keyOf(job);
    expectations.expectCreations(key, wanted.length);
    const { failures, skipped } = await slowStart(wanted, async (each) => {
      try {
        if ((await control.create(jobPod(job, each, keys), job, signal)) === undefined) expectations.creationSeen(key);
      } catch (error) {
        expectations.creationSeen(key);
        throw error;
      }
    });
    for (let i = 0; i < skipped; i++) expectations.creationSeen(key);
    return failures[0];
  };
  const remove = async (job: Job, { remove: gone, forgets }: JobPlan, signal: AbortSignal): Promise<void> => {
    const key = keyOf(job);
    expectations.expectDeletions(
      key,
      gone.map(({ metadata }) => metadata.uid ?? ""),
    );
    await Promise.all(
      gone.map(async (pod) => {
        try {
          if (forgets) await release(pod, signal);
          await control.delete(pod, job, signal);
        } catch (error) {
          expectations.deletionSeen(key, pod.metadata.uid ?? "");
          throw error;
        }
      }),
    );
  };
  const tell = (job: Job, news: readonly JobCondition[]): void => {
    for (const { type, status, reason = "", message = "" } of news) {
      const say = (kindOf: "Normal" | "Warning", why: string, what: string): void =>
        events.tell({ about: job, kind, type: kindOf, reason: why, message: what });
      if (type === "Complete") say("Normal", "Completed", "Job completed");
      else if (type === "Failed") say("Warning", reason, message);
      else if (type === "Suspended") say("Normal", status === "True" ? "Suspended" : "Resumed", message);
    }
  };
  const carryOut = async (job: Job, plan: JobPlan, signal: AbortSignal): Promise<Outcome> => {
    const { status } = plan;
    if (plan.remove.length > 0) await remove(job, plan, signal);
    const failed = plan.create.length > 0 ? await create(job, plan.create, signal) : undefined;
    if (!sameJson(status, job.status)) {
      const stored = await writeStatus(client, kind, job, status, signal);
      // Somebody else was faster: what was decided is old.
      if (stored === undefined) return "retry";
      tell(job, plan.news);
    }
    await Promise.all(plan.release.map((pod) => release(pod, signal)));
    if (failed !== undefined) return "retry";
    return plan.againAfterMs === undefined ? "done" : { againAfterMs: plan.againAfterMs };
  };
  /** A pod with our finalizer whose job does not count it any more, or is gone. */
  const letGo = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const pod: Pod | undefined = allPods.store.get(key);
    if (pod === undefined || !hasFinalizer(pod, keys)) return "done";
    const owner = controllerOf(pod);
    if (owner !== undefined && owner.kind !== kind.kind) return "done";
    const job = jobs.store.get(`${pod.metadata.namespace}/${owner?.name ?? ""}`);
    const isCounted = job !== undefined && job.metadata.uid === owner?.uid && !isFinished(job);
    if (isCounted) return "done";
    if (owner !== undefined && job?.metadata.uid !== owner.uid && (await isThere(pod, signal))) return "retry";
    await release(pod, signal);
    return "done";
  };
  /** The job that was not shown yet. */
  const isThere = async (pod: Pod, signal: AbortSignal): Promise<boolean> => {
    const { name: jobName = "", uid } = controllerOf(pod) ?? {};
    const place = { ...kind.collection, namespace: pod.metadata.namespace ?? "" };
    try {
      return (await client.get(place, jobName, { signal })).metadata.uid === uid;
    } catch (error) {
      if (error instanceof ApiError && error.reason === "NotFound") return false;
      throw error;
    }
  };
  const sync = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const job: Job | undefined = jobs.store.get(key);
    const { managedBy } = job?.spec ?? {};
    if (job === undefined || isFinished(job) || (managedBy !== undefined && managedBy !== own)) return "done";
    const how = { client, kind, informer: allPods, selector: job.spec?.selector, finalizer: keys.finalizer };
    const owned: readonly Pod[] = await claimChildren(job, how, signal);
    const plan = decide({ job, pods: owned, keys, isShown: expectations.isMet(key) }, clock.now());
    return await carryOut(job, plan, signal);
  };

  return createReconciler(
    {
      ...{ name, queue: "job", workers, delays },
      follows: (owners) => [
        { informer: jobs, handlers: jobHandlers(owners) },
        { informer: allPods, handlers: podHandlers(owners) },
      ],
      sync: (key, signal) => (key.startsWith(podMark) ? letGo(key.slice(podMark.length), signal) : sync(key, signal)),
    },
    tools,
  );

  function jobHandlers(owners: Owners): InformerHandlers {
    const letAllGo = (job: ApiObject): void => {
      for (const pod of allPods.managedBy(job.metadata.uid ?? "")) {
        if (hasFinalizer(pod, keys)) owners.add(`${podMark}${keyOf(pod)}`);
      }
    };
    const base = ownerHandlers(owners, (key, job) => {
      expectations.forget(key);
      letAllGo(job);
    });
    return {
      ...base,
      modified(job, before) {
        base.modified?.(job, before);
        if (isFinished(job)) letAllGo(job);
      },
    };
  }

  function podHandlers(owners: Owners): InformerHandlers {
    const selectorOf = (object: ApiObject) => {
      const { spec }: Job = object;
      return spec?.selector;
    };
    const children = childHandlers({ kind, informer: jobs, owners, expectations, selectorOf });
    /** Decided once the jobs are known. */
    const look = (pod: Pod): void => {
      if (!hasFinalizer(pod, keys)) return;
      const owner = controllerOf(pod);
      const job = jobs.store.get(`${pod.metadata.namespace}/${owner?.name ?? ""}`);
      if (job?.metadata.uid !== owner?.uid || owner === undefined || (job !== undefined && isFinished(job))) {
        owners.add(`${podMark}${keyOf(pod)}`);
      }
    };
    return {
      added(pod) {
        children.added?.(pod);
        look(pod);
      },
      modified(pod, before) {
        children.modified?.(pod, before);
        look(pod);
      },
      deleted: (pod) => children.deleted?.(pod),
    };
  }
}
