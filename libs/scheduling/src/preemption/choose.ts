import type { Nomination } from "../framework/plugin.js";
import type { PodInfo } from "../model/pod-info.js";

/** Priorities may be negative: raised by so much, more victims are never better than fewer. */
const raise = 2 ** 31;

/**
 * Measures by which candidates are told apart, each only among those that the ones before leave equal; the lowest is the
 * best.
 */
const measures: readonly ((candidate: Nomination, now: number) => number)[] = [
  ({ violations }) => violations,
  ({ victims }) => victims[0]?.priority ?? Number.NEGATIVE_INFINITY,
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + raise, 0),
  ({ victims }) => victims.length,
  // The later the oldest of the most important victims began, the less is lost.
  ({ victims }, now) => -earliestStart(victims, now),
];

function earliestStart(victims: readonly PodInfo[], now: number): number {
  const highest = victims[0]?.priority;
  let earliest = Number.POSITIVE_INFINITY;
  for (const { priority, startTime = now } of victims) {
    if (priority === highest && startTime < earliest) earliest = startTime;
  }
  return earliest;
}

export function bestCandidate(candidates: readonly Nomination[], now: number): Nomination | undefined {
  let left = candidates;
  for (const measure of measures) {
    if (left.length <= 1) break;
    const values = left.map((candidate) => measure(candidate, now));
    const lowest = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
    left = left.filter((_, i) => values[i] === lowest);
  }
  return left[0];
}
