import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import type { Outcome } from "@orch/client/work-queue.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { wireTime } from "@orch/status/wire-time.js";
import type { Controller } from "../controller.js";
import type { Job } from "../jobs/types.js";
import { childHandlers, ownerHandlers } from "../rim/children.js";
import { controllerOf, referenceTo } from "../rim/objects.js";
import { createOwnWrites } from "../rim/own-writes.js";
import { isNamespaceEnding } from "../rim/pod-control.js";
import { createReconciler } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import { sameJson } from "../rim/same-json.js";
import { workloadKinds } from "../rim/workload-kinds.js";
import { writeStatus } from "../rim/write-status.js";
import type { ControllerTools } from "../tools.js";
import { type CronPlan, decide, jobNameOf, type News, withActive } from "./decide.js";
import type { CronJob, JobReference } from "./types.js";
import { createZones, type OffsetAt } from "./zones.js";

const name = "cronjob-controller";
const kind = workloadKinds.cronJob;
const jobKind = workloadKinds.job;

export interface CronJobConfig {
  /** Cron jobs that are looked at at once. */
  readonly workers: number;
}

/** Makes a job each time that a schedule comes round. */
export function createCronJobController({ workers }: CronJobConfig, tools: ControllerTools): Controller {
  const { client, clock, informers, naming } = tools;
  const cronJobs = informers.of("cronjobs");
  const jobs = informers.of("jobs");
  const zones = createZones();
  const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const scheduledAt = `batch.${naming.key("cronjob-scheduled-timestamp")}`;
  const events = recorderOf(tools, name, name);
  const ownStatus = createOwnWrites(cronJobs.store, clock);
  const ownJobs = createOwnWrites(jobs.store, clock);

  const tell = (cronJob: CronJob, { type, reason, message }: News): void =>
    events.tell({ about: cronJob, kind, type, reason, message });
  const jobsIn = ({ metadata }: CronJob) => ({ ...jobKind.collection, namespace: metadata.namespace ?? "" });

  const remove = async (cronJob: CronJob, { metadata }: Job, signal: AbortSignal): Promise<void> => {
    const { name: jobName = "", uid = "" } = metadata;
    const how = { propagationPolicy: "Background", preconditions: { uid }, signal } as const;
    try {
      await client.delete(jobsIn(cronJob), jobName, how).catch(unlessPast);
      tell(cronJob, { type: "Normal", reason: "SuccessfulDelete", message: `Deleted job ${jobName}` });
    } catch (error) {
      tell(cronJob, { type: "Warning", reason: "FailedDelete", message: `Deleted job: ${messageOf(error)}` });
      throw error;
    }
  };
  /** A job of that name that is there already was made before this process was stopped. */
  const create = async (cronJob: CronJob, at: number, signal: AbortSignal): Promise<ApiObject | undefined> => {
    const job = jobOf(cronJob, at, { key: scheduledAt, offsetAt: zones(cronJob.spec?.timeZone ?? "UTC") });
    try {
      const made = await client.create(jobsIn(cronJob), job, { signal });
      if (!jobs.store.has(keyOf(made))) ownJobs.wrote(keyOf(cronJob), keyOf(made), undefined);
      tell(cronJob, { type: "Normal", reason: "SuccessfulCreate", message: `Created job ${made.metadata.name}` });
      return made;
    } catch (error) {
      if (isNamespaceEnding(error)) return undefined;
      if (error instanceof ApiError && error.reason === "AlreadyExists") {
        const there = await client.get(jobsIn(cronJob), job.metadata.name, { signal });
        if (controllerOf(there)?.uid === cronJob.metadata.uid) return there;
      }
      tell(cronJob, { type: "Warning", reason: "FailedCreate", message: `Error creating job: ${messageOf(error)}` });
      throw error;
    }
  };
  const carryOut = async (cronJob: CronJob, plan: CronPlan, signal: AbortSignal): Promise<Outcome> => {
    for (const news of plan.news) tell(cronJob, news);
    for (const job of [...plan.past, ...plan.replace]) await remove(cronJob, job, signal);
    const replaced = new Set(plan.replace.map(({ metadata }) => metadata.uid));
    const active = plan.status.active?.filter(({ uid }) => !replaced.has(uid));
    let status = replaced.size === 0 || active === undefined ? plan.status : { ...plan.status, active };
    if (plan.start !== undefined) {
      const made = await create(cronJob, plan.start, signal);
      if (made !== undefined) status = withActive(status, referenceOf(made), plan.start);
    }
    if (!sameJson(status, cronJob.status ?? {})) {
      const stored = await writeStatus(client, kind, cronJob, status, signal);
      if (stored === undefined) return "retry";
      const before = cronJob.metadata.resourceVersion;
      if (stored.metadata.resourceVersion !== before) ownStatus.wrote(keyOf(cronJob), keyOf(cronJob), before);
    }
    return plan.againAfterMs === undefined ? "done" : { againAfterMs: plan.againAfterMs };
  };

  return createReconciler(
    {
      ...{ name, queue: "cronjob", workers },
      follows: (owners) => [
        { informer: cronJobs, handlers: ownerHandlers(owners, (key) => ownJobs.forget(key)) },
        { informer: jobs, handlers: childHandlers({ kind, informer: cronJobs, owners, selectorOf: () => undefined }) },
      ],
      async sync(key, signal) {
        const cronJob: CronJob | undefined = cronJobs.store.get(key);
        if (cronJob === undefined) return "done";
        const waitMs = ownStatus.waitMs(key) ?? ownJobs.waitMs(key);
        if (waitMs !== undefined) return { againAfterMs: waitMs };
        const owned: readonly Job[] = [...jobs.managedBy(cronJob.metadata.uid ?? "")];
        return await carryOut(cronJob, decide({ cronJob, jobs: owned, zones, ownZone }, clock.now()), signal);
      },
    },
    tools,
  );
}

function referenceOf({ metadata }: ApiObject): JobReference {
  const { namespace = "", name: jobName = "", uid = "", resourceVersion = "" } = metadata;
  const { apiVersion, kind: word } = jobKind;
  return { apiVersion, kind: word, namespace, name: jobName, uid, resourceVersion };
}

/** A job for a time, which it carries as the clocks of the schedule's zone show it. */
export function jobOf(
  cronJob: CronJob,
  at: number,
  { key, offsetAt }: { readonly key: string; readonly offsetAt: OffsetAt | undefined },
) {
  const { metadata = {}, spec = {} } = cronJob.spec?.jobTemplate ?? {};
  return {
    apiVersion: jobKind.apiVersion,
    kind: jobKind.kind,
    metadata: {
      name: jobNameOf(cronJob, at),
      namespace: cronJob.metadata.namespace ?? "",
      ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: { ...metadata.annotations, [key]: shownTime(at, offsetAt?.(at) ?? 0) },
      ownerReferences: [referenceTo(kind, cronJob)],
    },
    spec,
  };
}

/** RFC 3339 with the zone's offset: `2024-05-01T12:00:00+02:00`. */
export function shownTime(at: number, offsetMs: number): string {
  if (offsetMs === 0) return wireTime(at);
  const minutes = Math.abs(offsetMs) / 60_000;
  const two = (number: number): string => String(Math.floor(number)).padStart(2, "0");
  const shown = wireTime(at + offsetMs).replace("Z", "");
  return `${shown}${offsetMs < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}
