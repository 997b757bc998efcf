import type { Schedule } from "./schedule.js";

/** The latest time that has come; `missed`: how many had. */
export interface Due {
  readonly at: number | undefined;
  readonly missed: number;
}

/**
 * Of times after `since` and not after `now`, in milliseconds since 1970. Where very many have passed they are not looked
 * at one by one: the first two tell how far apart they are.
 */
export function latestDue(schedule: Schedule, since: number, now: number): Due {
  const first = schedule.next(since);
  if (first === undefined || first > now) return { at: undefined, missed: 0 };
  const second = schedule.next(first);
  if (second === undefined || second > now) return { at: first, missed: 1 };
  const apart = Math.max(1000, second - first);
  const missed = Math.floor((now - first) / apart) + 1;
  // As many steps back from now as it takes to find one: they may be unevenly apart.
  let from = first;
  for (let back = 1; ; back *= 2) {
    from = first + Math.max(0, missed - 1 - back) * apart;
    const found = schedule.next(from);
    if (from === first || (found !== undefined && found <= now)) break;
  }
  let at = first;
  for (let next = schedule.next(from); next !== undefined && next <= now; next = schedule.next(next)) at = next;
  return { at, missed };
}

/** More than that many: somebody is told. */
export const tooMany = 100;
