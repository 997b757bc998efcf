import { parseDuration } from "@orch/schema/formats/duration.js";

/**
 * Schedules in the standard form of cron: minute, hour, day of month, month, day of week; or a name (`@daily`,
 * `@every 1h30m`). Only their form is told here; when they fire is the business of the controller.
 */
interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Names of values, the first that of `min`. */
  readonly names?: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const fieldBounds: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];

const descriptors = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);
const every = "@every ";

/** What is wrong with a schedule; undefined for a good one. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule === "") return "empty spec string";
  const zone = /^(?:CRON_)?TZ=([^ ]*) +/.exec(schedule);
  if (zone !== null && !isTimeZone(zone[1] ?? "")) {
    return `provided bad location ${zone[1]}: unknown time zone ${zone[1]}`;
  }
  const text = zone === null ? schedule : schedule.slice(zone[0].length).trim();
  if (text.startsWith("@")) return descriptorProblem(text);
  const fields = text.split(/\s+/).filter((f) => f !== "");
  if (fields.length !== fieldBounds.length) {
    return `expected exactly ${fieldBounds.length} fields, found ${fields.length}: [${fields.join(" ")}]`;
  }
  return firstOf(
    fieldBounds.flatMap((bounds, i) =>
      (fields[i] ?? "")
        .split(",")
        .filter((e) => e !== "")
        .map((e) => rangeProblem(e, bounds)),
    ),
  );
}

function firstOf(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((p) => p !== undefined);
}

function descriptorProblem(text: string): string | undefined {
  if (descriptors.has(text)) return undefined;
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  const duration = text.slice(every.length);
  return parseDuration(duration) === undefined
    ? `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`
    : undefined;
}

/** `*`, `*` + `/5`, `3`, `3/5`, `mon-fri`, `1-20/2`. */
function rangeProblem(expression: string, bounds: Bounds): string | undefined {
  const [range = "", step, ...more] = expression.split("/");
  const ends = range.split("-");
  const [low = "", high] = ends;
  const all = low === "*" || low === "?";
  const start = all ? bounds.min : placeOf(low, bounds, expression);
  if (typeof start === "string") return start;
  if (!all && ends.length > 2) return `too many hyphens: ${expression}`;
  const given = all || high === undefined ? undefined : placeOf(high, bounds, expression);
  if (typeof given === "string") return given;
  if (more.length > 0) return `too many slashes: ${expression}`;
  const width = step === undefined ? 1 : numberOf(step, expression);
  if (typeof width === "string") return width;
  const open = all || (ends.length === 1 && step !== undefined);
  return orderProblem({ start, end: given ?? (open ? bounds.max : start), step: width }, bounds, expression);
}

function orderProblem(
  { start, end, step }: { readonly start: number; readonly end: number; readonly step: number },
  { min, max }: Bounds,
  expression: string,
): string | undefined {
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${expression}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${expression}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${expression}`;
  return step === 0 ? `step of range should be a positive number: ${expression}` : undefined;
}

/** A number or a name; or what is wrong with it. */
function placeOf(text: string, { min, names = [] }: Bounds, expression: string): number | string {
  const named = names.indexOf(text.toLowerCase());
  return named < 0 ? numberOf(text, expression) : named + min;
}

function numberOf(text: string, expression: string): number | string {
  if (!/^[+-]?[0-9]+$/.test(text)) {
    return `failed to parse int from ${expression}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${expression}` : value;
}

const zones = new Map(Intl.supportedValuesOf("timeZone").map((name) => [name.toLowerCase(), name]));

/** Whether the time zone database has this name; its letters' case counts. */
export function isTimeZone(name: string): boolean {
  const known = zones.get(name.toLowerCase());
  if (known !== undefined) return known === name;
  // Offsets are no names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    // What is listed leaves out names that are links to others.
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
