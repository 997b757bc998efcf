import { scheduleProblem } from "@orch/api/kinds/batch/schedule.js";
import { durationMs } from "@orch/schema/formats/duration.js";
import { type Field, fieldBounds, parseField } from "./fields.js";
import type { OffsetAt } from "./zones.js";

/** When something is to be done. */
export interface Schedule {
  /** The first time after a moment; undefined where there is none within five years. Milliseconds since 1970. */
  next(after: number): number | undefined;
}

export type ParsedSchedule =
  | { readonly ok: true; readonly schedule: Schedule }
  | { readonly ok: false; readonly problem: string };

const named: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const every = "@every ";

/**
 * `30 2 * * *` by the clocks of a zone: a time that they skip is left out, one that they show twice comes twice. `@every`
 * counts from the moment that is asked about.
 */
export function parseSchedule(text: string, offsetAt: OffsetAt): ParsedSchedule {
  const problem = scheduleProblem(text);
  if (problem !== undefined) return { ok: false, problem };
  if (text.startsWith(every)) {
    const ms = durationMs(text.slice(every.length)) ?? 0;
    return { ok: true, schedule: everySchedule(Math.max(1000, Math.floor(ms / 1000) * 1000)) };
  }
  const fields = (named[text] ?? text).split(/\s+/).filter((field) => field !== "");
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  const times: Times = {
    minute: parseField(minute, fieldBounds.minute),
    hour: parseField(hour, fieldBounds.hour),
    day: parseField(day, fieldBounds.day),
    month: parseField(month, fieldBounds.month),
    weekday: parseField(weekday, fieldBounds.weekday),
  };
  return { ok: true, schedule: { next: (after) => nextOf(times, after, offsetAt) } };
}

function everySchedule(ms: number): Schedule {
  return { next: (after) => Math.floor(after / 1000) * 1000 + ms };
}

type Times = Readonly<Record<keyof typeof fieldBounds, Field>>;

const dayMs = 86_400_000;
const years = 5;

/** Looks at each day once, at its times only where the day is one of the schedule's. */
function nextOf(times: Times, after: number, offsetAt: OffsetAt): number | undefined {
  const local = new Date(after + offsetAt(after));
  const lastYear = local.getUTCFullYear() + years;
  const start = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate());
  // What the clocks show twice may belong to the day before.
  for (let date = new Date(start - dayMs); date.getUTCFullYear() <= lastYear; ) {
    if (!times.month.has(date.getUTCMonth() + 1)) {
      date = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
      continue;
    }
    const found = isDay(times, date) ? firstOfDay(times, date.getTime(), { after, offsetAt }) : undefined;
    if (found !== undefined) return found;
    date = new Date(date.getTime() + dayMs);
  }
  return undefined;
}

/** Where both kinds of days are restricted, either is enough. */
function isDay({ day, weekday }: Times, date: Date): boolean {
  const [byDay, byWeekday] = [day.has(date.getUTCDate()), weekday.has(date.getUTCDay())];
  return day.isAny || weekday.isAny ? byDay && byWeekday : byDay || byWeekday;
}

/** `midnight`: of the day as the clocks show it, as if they showed UTC. */
function firstOfDay(
  { hour, minute }: Times,
  midnight: number,
  { after, offsetAt }: { readonly after: number; readonly offsetAt: OffsetAt },
): number | undefined {
  const offsets = [...new Set([offsetAt(midnight - dayMs), offsetAt(midnight + 2 * dayMs)])];
  // A day on which clocks do not change.
  const [only] = offsets;
  const isEven = offsets.length === 1;
  let first: number | undefined;
  for (const h of hour.values) {
    for (const m of minute.values) {
      const shown = midnight + (h * 60 + m) * 60_000;
      if (isEven && only !== undefined) {
        if (shown - only > after) return shown - only;
        continue;
      }
      for (const each of offsets) {
        const at = shown - each;
        const isShown = offsetAt(at) === each;
        if (isShown && at > after && (first === undefined || at < first)) first = at;
      }
    }
  }
  return first;
}
