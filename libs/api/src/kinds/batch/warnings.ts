import type { Naming } from "@orch/naming/naming.js";
import type { Was } from "../../behavior.js";
import { podWarnings } from "../core/pod/warning/warnings.js";
import { nameWarnings, podNamesUse, productName } from "../shared/warnings/text.js";
import type { CronJob, Job, JobSpec } from "./types.js";

const mostCompletions = 100_000;
const mostAtOnce = 10_000;

function jobSpecWarnings(naming: Naming): (spec: JobSpec, at: string) => Iterable<string> {
  const { ofTemplate } = podWarnings(naming);
  return function* (spec, at) {
    const { completionMode, completions = 0, parallelism = 0, template } = spec;
    if (completionMode === "Indexed" && completions > mostCompletions && parallelism > mostAtOnce) {
      yield `${at}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, ${productName(naming)} might not be able to track completedIndexes when a big number of indexes fail`;
    }
    yield* ofTemplate(template, `${at}.template`);
  };
}

export function jobWarnings(naming: Naming) {
  const ofSpec = jobSpecWarnings(naming);
  return function* (job: Job, { old }: Was<Job>): Iterable<string> {
    if (old === undefined) yield* nameWarnings(job.metadata.name ?? "", podNamesUse);
    if (changed(job, old)) yield* ofSpec(job.spec ?? {}, "spec");
  };
}

export function cronJobWarnings(naming: Naming) {
  const ofSpec = jobSpecWarnings(naming);
  const site = naming.dialect === "kubernetes" ? naming.keyDomain : undefined;
  const more =
    site === undefined ? "" : `, see https://${site}/docs/concepts/workloads/controllers/cron-jobs/ for more details`;
  return function* (cron: CronJob, { old }: Was<CronJob>): Iterable<string> {
    if (old === undefined) yield* nameWarnings(cron.metadata.name ?? "", podNamesUse);
    if (changed(cron, old)) yield* ofSpec(cron.spec?.jobTemplate?.spec ?? {}, "spec.jobTemplate.spec");
    // A new one is refused.
    if (old !== undefined && cron.spec?.schedule?.includes("TZ")) {
      yield `cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead${more}`;
    }
  };
}

function changed({ metadata }: Job | CronJob, old: Job | CronJob | undefined): boolean {
  return metadata.generation !== old?.metadata.generation || old === undefined;
}
