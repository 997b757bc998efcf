import { framedAt } from "./frames.js";

/** What was written last is kept in memory for readers who are not behind. */
const recentBytes = 4 * 1024 * 1024;

/** The records that were written last. */
export interface Recent {
  /** Records as they were written, and how many. */
  add(bytes: Buffer, count: number): void;
  /** The records from a number on, at most so many; undefined where it is not among them. */
  from(number: number, most: number): readonly Buffer[] | undefined;
}

/** What one write has written. A buffer for each record would outlive V8's young generation and be collected with everything. */
interface Group {
  readonly bytes: Buffer;
  readonly first: number;
  readonly count: number;
}

export function createRecent(start: number): Recent {
  let bytes = 0;
  let groups: Group[] = [];
  let next = start;
  return {
    add(written, count) {
      groups.push({ bytes: written, first: next, count });
      next += count;
      bytes += written.length;
      let gone = 0;
      while (bytes > recentBytes && gone < groups.length) bytes -= groups[gone++]?.bytes.length ?? 0;
      if (gone > 0) groups = groups.slice(gone);
    },
    from(number, most) {
      if (number < (groups[0]?.first ?? next) || number >= next) return undefined;
      const found: Buffer[] = [];
      for (let i = groups.findLastIndex((group) => group.first <= number); i < groups.length; i++) {
        const group = groups[i];
        if (group === undefined) break;
        const from = Math.max(0, number - group.first);
        found.push(...framedAt(group.bytes, { from, most: Math.min(group.count - from, most - found.length) }));
        if (found.length >= most) break;
      }
      return found;
    },
  };
}
