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
  return joined(
    set,
    [...more].map((index) => ({ first: index, last: index })),
  );
}

/** All indexes of both sets; the second may be in any order. */
export function joined(set: IndexSet, more: IndexSet): IndexSet {
  const intervals = [...set, ...more];
  intervals.sort((a, b) => a.first - b.first);
  const all: { first: number; last: number }[] = [];
  for (const { first, last } of intervals) {
    const before = all.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else all.push({ first, last });
  }
  return all;
}

export function hasIndex(set: IndexSet, index: number): boolean {
  let [low, high] = [0, set.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((set[middle]?.last ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  const found = set[low];
  return found !== undefined && found.first <= index;
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
