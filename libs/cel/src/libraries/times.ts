import { t } from "../check/types.js";
import { inZone } from "../values/time.js";
import { CelError, Duration, noSuchOverload, Timestamp, type Value } from "../values/value.js";
import { type LibraryFunction, type LibraryOverload, member } from "./library.js";

const { int, string, duration, timestamp } = t;

const dayMilliseconds = 86_400_000;

/** The field of a time that a function gives, of a date whose UTC fields are the zone's. */
const fields: readonly (readonly [name: string, id: string, read: (date: Date) => number])[] = [
  ["getFullYear", "year", (date) => date.getUTCFullYear()],
  ["getMonth", "month", (date) => date.getUTCMonth()],
  ["getDayOfYear", "day_of_year", dayOfYear],
  ["getDayOfMonth", "day_of_month", (date) => date.getUTCDate() - 1],
  ["getDate", "day_of_month_1_based", (date) => date.getUTCDate()],
  ["getDayOfWeek", "day_of_week", (date) => date.getUTCDay()],
  ["getHours", "hours", (date) => date.getUTCHours()],
  ["getMinutes", "minutes", (date) => date.getUTCMinutes()],
  ["getSeconds", "seconds", (date) => date.getUTCSeconds()],
];

function dayOfYear(date: Date): number {
  const start = new Date(date.getTime());
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / dayMilliseconds);
}

const perUnit: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
  getMilliseconds: 1_000_000n,
};

function accessor(name: string, id: string, read: (time: Timestamp, zone: string) => Value): LibraryFunction {
  const withZone = id === "seconds" ? "timestamp_to_seconds_tz" : `timestamp_to_${id}_with_tz`;
  const unit = perUnit[name];
  const ofDuration: readonly LibraryOverload[] =
    unit === undefined
      ? []
      : [
          {
            ...member(`duration_to_${id}`, [duration], int),
            run: ([x = null]) => (x instanceof Duration ? Number(x.nanos / unit) : noSuchOverload),
          },
        ];
  return {
    name,
    overloads: [
      {
        ...member(`timestamp_to_${id}`, [timestamp], int),
        run: ([x = null]) => (x instanceof Timestamp ? read(x, "UTC") : noSuchOverload),
      },
      {
        ...member(withZone, [timestamp, string], int),
        run: ([x = null, zone = null]) =>
          x instanceof Timestamp && typeof zone === "string" ? read(x, zone) : noSuchOverload,
      },
      ...ofDuration,
    ],
  };
}

export const timeFunctions: readonly LibraryFunction[] = [
  ...fields.map(([name, id, read]) =>
    accessor(name, id, (time, zone) => {
      const date = inZone(time, zone);
      return date instanceof CelError ? date : read(date);
    }),
  ),
  accessor("getMilliseconds", "milliseconds", (time, zone) => {
    const date = inZone(time, zone);
    return date instanceof CelError ? date : Math.floor(time.nanos / 1_000_000);
  }),
];
