import { wireTime } from "@orch/status/wire-time.js";
import type { Job } from "../jobs/types.js";
import { millisecondsOf, timeOf } from "../rim/objects.js";
import { sameJson } from "../rim/same-json.js";
import { latestDue, tooMany } from "./due.js";
import { type ParsedSchedule, parseSchedule } from "./schedule.js";
import type { CronJob, CronJobStatus, JobReference } from "./types.js";
import type { Zones } from "./zones.js";

export interface News {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface CronPlan {
  /** What its jobs tell; a job that is made is added once it is. */
  readonly status: CronJobStatus;
  /** Jobs that give way to the next one. */
  readonly replace: readonly Job[];
  /** Jobs that are over and of which there are enough. */
  readonly past: readonly Job[];
  /** The time for which a job is to be made, in milliseconds since 1970. */
  readonly start: number | undefined;
  readonly news: readonly News[];
  readonly againAfterMs: number | undefined;
}

export interface CronState {
  readonly cronJob: CronJob;
  /** Jobs that it has made. */
  readonly jobs: readonly Job[];
  readonly zones: Zones;
  /** Of schedules that name no zone. */
  readonly ownZone: string;
}

/** A little later than the time itself, which must have come. */
const slackMs = 100;

/** What a cron job needs next. `now`: milliseconds since 1970. */
export function decide(state: CronState, now: number): CronPlan {
  const { cronJob, jobs } = state;
  const { spec = {}, metadata } = cronJob;
  const seen = statusOf(cronJob, jobs);
  const past = pastOf(cronJob, jobs);
  const plan: CronPlan = { ...seen, past, replace: [], start: undefined, againAfterMs: undefined };
  if (metadata.deletionTimestamp !== undefined) return { ...plan, past: [] };
  const parsed = scheduleOf(state);
  if (!parsed.ok) return { ...plan, news: [...plan.news, parsed.news] };
  if (spec.suspend === true) return plan;
  return started(state, { plan, next: parsed.next, due: parsed.due(now) }, now);
}

interface Timing {
  readonly plan: CronPlan;
  readonly next: (after: number) => number | undefined;
  readonly due: ReturnType<typeof latestDue>;
}

function started({ cronJob, jobs }: CronState, { plan, next, due }: Timing, now: number): CronPlan {
  const { spec = {}, status = {} } = cronJob;
  const upcoming = next(now);
  const again = upcoming === undefined ? undefined : upcoming - now + slackMs;
  const warn = (reason: string, message: string): News => ({ type: "Warning", reason, message });
  const text = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
  const news = due.missed > tooMany ? [...plan.news, warn("TooManyMissedTimes", text)] : plan.news;
  const waiting: CronPlan = { ...plan, news, againAfterMs: again };
  if (due.at === undefined || timeOf(status.lastScheduleTime) === due.at) return waiting;
  const deadline = spec.startingDeadlineSeconds;
  if (deadline !== undefined && due.at + millisecondsOf(deadline) < now) {
    const message = `Missed scheduled time to start a job: ${new Date(due.at).toUTCString()}`;
    return { ...waiting, news: [...news, warn("MissSchedule", message)] };
  }
  const active = jobs.filter((job) => plan.status.active?.some(({ uid }) => uid === job.metadata.uid) === true);
  if (active.some(({ metadata }) => metadata.name === jobNameOf(cronJob, due.at ?? 0))) return waiting;
  if (spec.concurrencyPolicy === "Forbid" && active.length > 0) {
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    return { ...waiting, news: [...news, { type: "Normal", reason: "JobAlreadyActive", message }] };
  }
  return { ...waiting, start: due.at, replace: spec.concurrencyPolicy === "Replace" ? active : [] };
}

/** Different for each time, and the same whoever makes it. */
export function jobNameOf({ metadata }: CronJob, at: number): string {
  return `${metadata.name}-${Math.floor(at / 60_000)}`;
}

function scheduleOf({ cronJob, zones, ownZone }: CronState) {
  const { spec = {}, status = {}, metadata } = cronJob;
  const text = spec.schedule ?? "";
  const zone = spec.timeZone ?? ownZone;
  const refuse = (reason: string, message: string) => ({
    ok: false as const,
    news: { type: "Warning" as const, reason, message },
  });
  const offsetAt = zones(zone);
  if (offsetAt === undefined) {
    return refuse("UnknownTimeZone", `invalid timeZone: ${JSON.stringify(zone)}: unknown time zone ${zone}`);
  }
  const parsed: ParsedSchedule = parseSchedule(text, offsetAt);
  if (!parsed.ok) {
    return refuse("UnparseableSchedule", `unparseable schedule: ${JSON.stringify(text)} : ${parsed.problem}`);
  }
  const { schedule } = parsed;
  const last = timeOf(status.lastScheduleTime ?? metadata.creationTimestamp);
  if (schedule.next(last) === undefined) {
    const problem = "time difference between two schedules is less than 1 second";
    return refuse("InvalidSchedule", `invalid schedule: ${text} : ${problem}`);
  }
  return {
    ok: true as const,
    next: schedule.next,
    due(now: number) {
      const deadline = spec.startingDeadlineSeconds;
      const since = deadline === undefined ? last : Math.max(last, now - millisecondsOf(deadline));
      return latestDue(schedule, since, now);
    },
  };
}

export function endOf({ status }: Job): "Complete" | "Failed" | undefined {
  const end = status?.conditions?.find(
    ({ type, status: is }) => (type === "Complete" || type === "Failed") && is === "True",
  );
  if (end === undefined) return undefined;
  return end.type === "Complete" ? "Complete" : "Failed";
}

/** What jobs have become since they were last looked at. */
function statusOf({ status = {} }: CronJob, jobs: readonly Job[]): Pick<CronPlan, "status" | "news"> {
  const news: News[] = [];
  const byUid = new Map(jobs.map((job) => [job.metadata.uid, job]));
  const listed = status.active ?? [];
  const active = listed.filter(({ uid, name }) => {
    const job = byUid.get(uid);
    if (job === undefined) {
      news.push({ type: "Normal", reason: "MissingJob", message: `Active job went missing: ${name}` });
      return false;
    }
    const end = endOf(job);
    if (end === undefined) return true;
    const message = `Saw completed job: ${name}, condition: ${end}`;
    news.push({ type: "Normal", reason: "SawCompletedJob", message });
    return false;
  });
  const known = new Set(listed.map(({ uid }) => uid));
  for (const job of jobs) {
    if (known.has(job.metadata.uid) || endOf(job) !== undefined) continue;
    const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`;
    news.push({ type: "Warning", reason: "UnexpectedJob", message });
  }
  const completions = jobs
    .filter((job) => endOf(job) === "Complete")
    .map(({ status: of }) => timeOf(of?.completionTime));
  const lastSuccess = Math.max(timeOf(status.lastSuccessfulTime), 0, ...completions);
  const next: CronJobStatus = {
    ...(active.length === 0 ? {} : { active }),
    ...(status.lastScheduleTime === undefined ? {} : { lastScheduleTime: status.lastScheduleTime }),
    ...(lastSuccess === 0 ? {} : { lastSuccessfulTime: wireTime(lastSuccess) }),
  };
  return { status: sameJson(next, status) ? status : next, news };
}

/** Jobs beyond the history, the oldest first. */
function pastOf({ spec = {} }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const beyond = (end: "Complete" | "Failed", limit: number | undefined): readonly Job[] => {
    if (limit === undefined) return [];
    const over = jobs.filter((job) => endOf(job) === end && job.metadata.deletionTimestamp === undefined);
    over.sort((a, b) => timeOf(a.status?.startTime) - timeOf(b.status?.startTime));
    return over.slice(0, Math.max(0, over.length - limit));
  };
  return [...beyond("Complete", spec.successfulJobsHistoryLimit), ...beyond("Failed", spec.failedJobsHistoryLimit)];
}

export function withActive(status: CronJobStatus, reference: JobReference, at: number): CronJobStatus {
  const others = (status.active ?? []).filter(({ uid }) => uid !== reference.uid);
  return { ...status, active: [...others, reference], lastScheduleTime: wireTime(at) };
}
