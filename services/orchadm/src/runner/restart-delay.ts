/** Of the first start after an end. */
export const shortestDelayMs = 1000;
export const longestDelayMs = 5 * 60_000;
/** Who ran for less than this has not run well, however short the last delay was. */
const leastSteadyMs = 10_000;

/**
 * How long the next start waits, given how long the last one waited (0: not at all) and how long the process then ran.
 *
 * 1 s, 2 s, 4 s … 5 min for what ends again and again; 1 s for what ran for twice its delay, and ten seconds at least.
 */
export function restartDelay(beforeMs: number, ranMs: number): number {
  if (beforeMs === 0 || ranMs >= Math.max(leastSteadyMs, 2 * beforeMs)) return shortestDelayMs;
  return Math.min(2 * beforeMs, longestDelayMs);
}
