import assert from "node:assert/strict";
import { test } from "node:test";
import { latestDue } from "./due.js";
import { parseSchedule } from "./schedule.js";
import { createZones } from "./zones.js";

const zones = createZones();
const scheduleOf = (text: string, zone = "UTC") => {
  const parsed = parseSchedule(text, zones(zone) ?? (() => 0));
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.problem);
  return parsed.schedule;
};
const written = (ms: number | undefined): string =>
  ms === undefined ? "never" : new Date(ms).toISOString().slice(0, 19);

const rows: readonly (readonly [schedule: string, zone: string, from: string, ...times: readonly string[]])[] = [
  ["*/15 * * * *", "UTC", "2024-05-01T10:07:00Z", "2024-05-01T10:15:00", "2024-05-01T10:30:00"],
  ["0 9 * * 1-5", "UTC", "2024-05-03T10:00:00Z", "2024-05-06T09:00:00", "2024-05-07T09:00:00"],
  ["0 9 * * MON-fri", "UTC", "2024-05-03T10:00:00Z", "2024-05-06T09:00:00"],
  ["0 0 29 2 *", "UTC", "2024-03-01T00:00:00Z", "2028-02-29T00:00:00", "2032-02-29T00:00:00"],
  ["0 0 13 * 5", "UTC", "2024-05-01T00:00:00Z", "2024-05-03T00:00:00", "2024-05-10T00:00:00", "2024-05-13T00:00:00"],
  ["0 0 13 * ?", "UTC", "2024-05-01T00:00:00Z", "2024-05-13T00:00:00", "2024-06-13T00:00:00"],
  ["5/20 * * * *", "UTC", "2024-05-01T10:07:00Z", "2024-05-01T10:25:00", "2024-05-01T10:45:00", "2024-05-01T11:05:00"],
  ["@every 1h30m", "UTC", "2024-05-01T10:07:13Z", "2024-05-01T11:37:13", "2024-05-01T13:07:13"],
  ["@hourly", "UTC", "2024-05-01T10:07:13Z", "2024-05-01T11:00:00"],
  ["@weekly", "UTC", "2024-05-01T10:07:13Z", "2024-05-05T00:00:00"],
  ["0 0 31 2 *", "UTC", "2024-05-01T00:00:00Z", "never"],
  // The hour that does not exist is skipped, the one that comes twice runs twice.
  ["30 2 * * *", "Europe/Berlin", "2024-03-30T12:00:00Z", "2024-04-01T00:30:00", "2024-04-02T00:30:00"],
  [
    "30 2 * * *",
    "Europe/Berlin",
    "2024-10-26T12:00:00Z",
    "2024-10-27T00:30:00",
    "2024-10-27T01:30:00",
    "2024-10-28T01:30:00",
  ],
  ["0 0 * * *", "Asia/Kolkata", "2024-05-01T00:00:00Z", "2024-05-01T18:30:00"],
  ["0 12 * * *", "America/St_Johns", "2024-05-01T00:00:00Z", "2024-05-01T14:30:00"],
];
for (const [text, zone, from, ...times] of rows) {
  test(`${text} in ${zone} after ${from}`, () => {
    const schedule = scheduleOf(text, zone);
    let at: number | undefined = Date.parse(from);
    for (const time of times) {
      at = schedule.next(at ?? 0);
      assert.equal(written(at), time);
    }
  });
}

for (const [text, problem] of [
  ["0 0 * * 7", "end of range (7) above maximum (6): 7"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
] as const) {
  test(`${text} is refused`, () =>
    assert.deepEqual(
      parseSchedule(text, () => 0),
      { ok: false, problem },
    ));
}

const due: readonly (readonly [schedule: string, since: string, now: string, at: string, missed: number])[] = [
  ["0 * * * *", "2024-05-01T10:00:00Z", "2024-05-01T10:59:59Z", "never", 0],
  ["0 * * * *", "2024-05-01T10:00:00Z", "2024-05-01T11:00:00Z", "2024-05-01T11:00:00", 1],
  ["0 * * * *", "2024-05-01T10:00:00Z", "2024-05-01T14:30:00Z", "2024-05-01T14:00:00", 4],
  ["* * * * *", "2020-05-01T10:00:00Z", "2024-05-01T14:30:30Z", "2024-05-01T14:30:00", 2_104_110],
  ["0 9,10 * * *", "2024-05-01T00:00:00Z", "2024-05-03T12:00:00Z", "2024-05-03T10:00:00", 52],
  ["0 0 31 2 *", "2024-05-01T10:00:00Z", "2024-05-01T14:30:00Z", "never", 0],
];
for (const [text, since, now, at, missed] of due) {
  test(`of ${text} after ${since} ${at} is the latest at ${now}`, () => {
    const found = latestDue(scheduleOf(text), Date.parse(since), Date.parse(now));
    assert.equal(written(found.at), at);
    assert.equal(found.missed, missed);
  });
}
