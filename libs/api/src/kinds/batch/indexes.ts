/**
 * Sets of completion indexes as texts: `1,3-5,7` are 1, 3, 4, 5 and 7, in growing order.
 */
export interface Interval {
  readonly first: number;
  readonly last: number;
}

/** The intervals of a text, every index below `completions`; or what is wrong with it. */
export function parseIndexes(text: string, completions: number): readonly Interval[] | string {
  if (text === "") return [];
  const intervals: Interval[] = [];
  for (const part of text.split(",")) {
    const interval = parseInterval(part, completions);
    if (typeof interval === "string") return interval;
    const before = intervals.at(-1);
    if (before !== undefined && before.last >= interval.first) return disorder(before.last, interval.first);
    intervals.push(interval);
  }
  return intervals;
}

function parseInterval(text: string, completions: number): Interval | string {
  const limits = text.split("-");
  if (limits.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const [first = "", last = first] = limits;
  for (const limit of [first, last]) {
    if (!/^\+?[0-9]+$/.test(limit)) return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
    if (Number(limit) >= completions) return `too large index: ${JSON.stringify(limit)}`;
  }
  if (limits.length === 2 && Number(first) >= Number(last)) return disorder(Number(first), Number(last));
  return { first: Number(first), last: Number(last) };
}

function disorder(before: number, here: number): string {
  return `non-increasing order, previous: ${before}, current: ${here}`;
}

/** How many indexes the intervals hold. */
export function countOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** The first index that both have; both are in growing order. */
export function sharedIndex(a: readonly Interval[], b: readonly Interval[]): number | undefined {
  let i = 0;
  let j = 0;
  for (let x = a[i], y = b[j]; x !== undefined && y !== undefined; x = a[i], y = b[j]) {
    if (x.first <= y.last && y.first <= x.last) return Math.max(x.first, y.first);
    if (x.first <= y.first) i++;
    else j++;
  }
  return undefined;
}
