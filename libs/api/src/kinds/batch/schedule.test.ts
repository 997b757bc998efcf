import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isTimeZone, scheduleProblem } from "./schedule.js";

const good = [
  "* * * * *",
  "*/5 0-23/2 1,15 jan-DEC mon-fri",
  "? ? ? ? ?",
  "5/10 * * * 0",
  "  0  0 * * 6 ",
  "0,30 * * * *",
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
  "@every 1h30m",
  "TZ=Europe/Berlin 0 0 * * *",
  "CRON_TZ=UTC 0 0 * * *",
];

for (const schedule of good) {
  test(`${schedule} is a schedule`, () => assert.equal(scheduleProblem(schedule), undefined));
}

const bad: readonly (readonly [string, string])[] = [
  ["", "empty spec string"],
  ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
  ["* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"],
  ["error", "expected exactly 5 fields, found 1: [error]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* 24 * * *", "end of range (24) above maximum (23): 24"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["* * 32 * *", "end of range (32) above maximum (31): 32"],
  ["* * * 13 *", "end of range (13) above maximum (12): 13"],
  ["* * * * 7", "end of range (7) above maximum (6): 7"],
  ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["*/-5 * * * *", "negative number (-5) not allowed: */-5"],
  ["x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ["1-x * * * *", 'failed to parse int from 1-x: strconv.Atoi: parsing "x": invalid syntax'],
  ["-5 * * * *", 'failed to parse int from -5: strconv.Atoi: parsing "": invalid syntax'],
  ["@fortnightly", "unrecognized descriptor: @fortnightly"],
  ["@every day", 'failed to parse duration @every day: time: invalid duration "day"'],
  ["TZ=Mars/Base 0 0 * * *", "provided bad location Mars/Base: unknown time zone Mars/Base"],
];

for (const [schedule, problem] of bad) {
  test(`${JSON.stringify(schedule)} is no schedule: ${problem}`, () =>
    assert.equal(scheduleProblem(schedule), problem));
}

test("any text is a schedule or has its problem told", () => {
  const parts = fc.constantFrom("*", "?", "-", "/", ",", " ", "5", "99", "mon", "@", "TZ=", "every");
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 14 }), (text) => {
      const problem = scheduleProblem(text.join(""));
      assert.ok(problem === undefined || problem.length > 10);
    }),
  );
});

for (const [name, known] of [
  ["Europe/Berlin", true],
  ["UTC", true],
  ["Etc/UTC", true],
  ["US/Pacific", true],
  ["europe/berlin", false],
  ["Mars/Base", false],
  ["+01:00", false],
  ["", false],
] as const) {
  test(`${JSON.stringify(name)} is ${known ? "a" : "no"} time zone`, () => assert.equal(isTimeZone(name), known));
}
