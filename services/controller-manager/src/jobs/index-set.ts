import { type Interval, parseIndexes } from "@orch/api/kinds/batch/indexes.js";

/** Completion indexes in growing order, without repeats. */
export type IndexSet = readonly Interval[];

/** What a status says; a text that cannot be read is no index. */
export function indexesOf(text: string | undefined, completions: number): IndexSet {
  const parsed = parseIndexes(text ?? "", completions);
  return typeof parsed === "string" ? [] : parsed;
}

/** `0-2,4,7,8`: three neighbours or more are written as a range. */
export function indexText(set: IndexSet): string {
  return set
    .map(({ first, last }) => {
      if (first === last) return String(first);
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
    })
    .join(",");
}

/** Both. `more` in any order. */
export function withIndexes(set: IndexSet, more: Iterable<number>): IndexSet {
  const intervals = [...set, ...[...more].map((index) => ({ first: index, last: index }))];
  intervals.sort((a, b) => a.first - b.first);
  const joined: { first: number; last: number }[] = [];
  for (const { first, last } of intervals) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else joined.push({ first, last });
  }
  return joined;
}

export function hasIndex(set: IndexSet, index: number): boolean {
  return set.some(({ first, last }) => first <= index && index <= last);
}

/** The lowest indexes below `completions` that none of the sets has, so many of them at most. */
export function missingIndexes(taken: IndexSet, completions: number, count: number): readonly number[] {
  const missing: number[] = [];
  let next = 0;
  for (const { first, last } of [...taken, { first: completions, last: completions }]) {
    for (; next < Math.min(first, completions) && missing.length < count; next++) missing.push(next);
    next = Math.max(next, last + 1);
  }
  return missing;
}
