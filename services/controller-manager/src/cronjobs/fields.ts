/** Values that a field of a schedule takes; `isAny` where one of its parts is `*` or `?`. */
export interface Field {
  readonly has: (value: number) => boolean;
  readonly values: readonly number[];
  readonly isAny: boolean;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Names of values, the first that of `min`. */
  readonly names?: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

export const fieldBounds = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  day: { min: 1, max: 31 },
  month: { min: 1, max: 12, names: months },
  weekday: { min: 0, max: 6, names: days },
} as const satisfies Readonly<Record<string, Bounds>>;

/** A field of a schedule that validation has let through: `1-5,10/20`. */
export function parseField(text: string, bounds: Bounds): Field {
  const values = new Set<number>();
  let isAny = false;
  for (const part of text.split(",")) {
    if (part === "") continue;
    const [range = "", stepText = "1"] = part.split("/");
    const [low = "", high] = range.split("-");
    const step = Math.max(1, Number(stepText));
    const all = low === "*" || low === "?";
    if (all && step === 1) isAny = true;
    const first = all ? bounds.min : placeOf(low, bounds);
    const isOpen = all || (high === undefined && part.includes("/"));
    const last = isOpen ? bounds.max : placeOf(high ?? low, bounds);
    for (let value = first; value <= Math.min(last, bounds.max); value += step) values.add(value);
  }
  const sorted = [...values].sort((a, b) => a - b);
  return { has: (value) => values.has(value), values: sorted, isAny };
}

function placeOf(text: string, { min, names = [] }: Bounds): number {
  const named = names.indexOf(text.toLowerCase());
  return named < 0 ? Number(text) : named + min;
}
