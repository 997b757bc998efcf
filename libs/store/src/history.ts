/** What the newest revision was at a moment: a line of the journal that time based compaction reads. */
export interface Moment {
  /** Milliseconds of the wall clock. */
  readonly time: number;
  readonly revision: number;
}

/**
 * The revision to compact to so that everything of the last `historyMs` stays readable: the newest
 * revision known to be at least that old, 0 when none is.
 *
 * ```
 * journal  (t=0, r=5) (t=60, r=9) (t=120, r=9)   now=360 history=300   →  9: it was the newest at t=60
 * ```
 */
export function compactionTarget(journal: readonly Moment[], now: number, historyMs: number): number {
  let target = 0;
  for (const moment of journal) {
    if (moment.time <= now - historyMs && moment.revision > target) target = moment.revision;
  }
  return target;
}

/** The journal without what the next compactions cannot need: all older than the newest outdated line. */
export function trimmed(journal: readonly Moment[], now: number, historyMs: number): readonly Moment[] {
  const firstRecent = journal.findIndex((moment) => moment.time > now - historyMs);
  const keepFrom = firstRecent === -1 ? journal.length - 1 : firstRecent - 1;
  return journal.slice(Math.max(0, keepFrom));
}
