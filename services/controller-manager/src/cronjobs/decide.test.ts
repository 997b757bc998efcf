import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "../jobs/types.js";
import { jobOf, shownTime } from "./cronjob-controller.js";
import { decide, withActive } from "./decide.js";
import type { CronJob } from "./types.js";
import { createZones } from "./zones.js";

const zones = createZones();
const now = Date.UTC(2026, 0, 2, 10, 30, 20);
const cronJob = (spec: CronJob["spec"] = {}, status: CronJob["status"] = {}): CronJob => ({
  metadata: { name: "c", namespace: "ns", uid: "u", creationTimestamp: "2026-01-02T10:25:10Z" },
  spec: { schedule: "*/10 * * * *", successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1, ...spec },
  status,
});
const job = (name: string, end?: "Complete" | "Failed", started = 0): Job => ({
  metadata: { name, uid: name },
  status: {
    startTime: new Date(now - 3_600_000 + started * 1000).toISOString(),
    ...(end === "Complete" ? { completionTime: "2026-01-02T10:00:00Z" } : {}),
    ...(end === undefined ? {} : { conditions: [{ type: end, status: "True" }] }),
  },
});
const planOf = (given: CronJob, jobs: readonly Job[] = []) =>
  decide({ cronJob: given, jobs, zones, ownZone: "UTC" }, now);
const active = (...names: readonly string[]) => ({ active: names.map((name) => ({ name, uid: name })) });
const reasons = (given: CronJob, jobs: readonly Job[] = []) => planOf(given, jobs).news.map(({ reason }) => reason);
const time = Date.UTC(2026, 0, 2, 10, 30);

test("a deadline longer than a number holds exactly is one", () => {
  assert.equal(planOf(cronJob({ startingDeadlineSeconds: 9_000_000_000_000_000_000n })).start, time);
});

test("a job is made once its time has come, and it is looked at again just after the next", () => {
  const plan = planOf(cronJob());
  assert.deepEqual([plan.start, plan.againAfterMs], [time, 9 * 60_000 + 40_000 + 100]);
  assert.equal(planOf(cronJob({}, { lastScheduleTime: "2026-01-02T10:30:00Z" })).start, undefined);
  assert.equal(planOf(cronJob({ schedule: "0 12 * * *" })).start, undefined);
  assert.equal(planOf(cronJob({ suspend: true })).start, undefined);
});

test("one that is too late is missed", () => {
  assert.equal(planOf(cronJob({ startingDeadlineSeconds: 30 })).start, time);
  assert.equal(planOf(cronJob({ startingDeadlineSeconds: 10 })).start, undefined);
});

test("more than a hundred that were missed are told of, and the latest is made still", () => {
  const plan = planOf(cronJob({ schedule: "* * * * *" }, { lastScheduleTime: "2026-01-01T10:00:00Z" }));
  assert.deepEqual([plan.start, plan.news.map(({ reason }) => reason)], [time, ["TooManyMissedTimes"]]);
});

test("what runs still forbids, or gives way", () => {
  const running = job("a");
  assert.equal(planOf(cronJob({ concurrencyPolicy: "Allow" }, active("a")), [running]).start, time);
  const forbidden = planOf(cronJob({ concurrencyPolicy: "Forbid" }, active("a")), [running]);
  assert.deepEqual([forbidden.start, forbidden.news.map(({ reason }) => reason)], [undefined, ["JobAlreadyActive"]]);
  const replacing = planOf(cronJob({ concurrencyPolicy: "Replace" }, active("a")), [running]);
  assert.deepEqual([replacing.start, replacing.replace], [time, [running]]);
});

test("jobs that are over leave the status, and their success is noted", () => {
  const plan = planOf(cronJob({}, active("a", "b", "gone")), [job("a", "Complete"), job("b"), job("strange")]);
  assert.deepEqual(plan.status, { active: [{ name: "b", uid: "b" }], lastSuccessfulTime: "2026-01-02T10:00:00Z" });
  assert.deepEqual(
    plan.news.map(({ reason, message }) => `${reason}: ${message}`),
    [
      "SawCompletedJob: Saw completed job: a, condition: Complete",
      "MissingJob: Active job went missing: gone",
      "UnexpectedJob: Saw a job that the controller did not create or forgot: strange",
    ],
  );
});

test("of jobs that are over the youngest are kept", () => {
  const jobs = [
    ...[4, 3, 2, 1, 0].map((i) => job(`s${i}`, "Complete", i)),
    ...[0, 1].map((i) => job(`f${i}`, "Failed", i)),
  ];
  assert.deepEqual(
    planOf(cronJob(), jobs).past.map(({ metadata }) => metadata.name),
    ["s0", "s1", "f0"],
  );
});

test("a schedule or a zone that cannot be read is told of", () => {
  assert.deepEqual(reasons(cronJob({ schedule: "61 * * * *" })), ["UnparseableSchedule"]);
  const [news] = planOf(cronJob({ schedule: "61 * * * *" })).news;
  assert.equal(news?.message, 'unparseable schedule: "61 * * * *" : end of range (61) above maximum (59): 61');
  assert.deepEqual(reasons(cronJob({ timeZone: "Mars/Base" })), ["UnknownTimeZone"]);
  // There is no thirty-first of February.
  assert.deepEqual(reasons(cronJob({ schedule: "0 0 31 2 *" })), ["InvalidSchedule"]);
});

test("a job has the name of its minute, the time in the schedule's zone, and its owner", () => {
  const template = { metadata: { labels: { a: "b" }, annotations: { x: "y" } }, spec: { completions: 2 } };
  const given = cronJob({ jobTemplate: template });
  const made = jobOf(given, time, { key: "at", offsetAt: zones("Europe/Berlin") });
  assert.equal(made.metadata.name, `c-${time / 60_000}`);
  assert.deepEqual(made.metadata.annotations, { x: "y", at: "2026-01-02T11:30:00+01:00" });
  assert.deepEqual([made.metadata.labels, made.spec], [{ a: "b" }, { completions: 2 }]);
  assert.equal(made.metadata.ownerReferences[0]?.uid, "u");
  assert.equal(shownTime(time, -9_000_000), "2026-01-02T08:00:00-02:30");
  const status = withActive({}, { name: "c-1", uid: "j" }, time);
  assert.deepEqual(status, { active: [{ name: "c-1", uid: "j" }], lastScheduleTime: "2026-01-02T10:30:00Z" });
});
