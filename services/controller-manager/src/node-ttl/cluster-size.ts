/** How long agents may keep what they have read, by how many they are; sizes overlap, so that few changes change nothing. */
const steps = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1000, seconds: 30 },
  { from: 900, to: 2000, seconds: 60 },
  { from: 1800, to: 10_000, seconds: 300 },
  { from: 9000, to: Number.POSITIVE_INFINITY, seconds: 600 },
] as const;

/** The step of a cluster of so many nodes that was at `before`: 0 for one that is new. */
export function stepAt(nodes: number, before: number): number {
  let step = before;
  while (nodes > (steps[step]?.to ?? 0) && step < steps.length - 1) step += 1;
  while (nodes < (steps[step]?.from ?? 0) && step > 0) step -= 1;
  return step;
}

export const secondsOf = (step: number): number => steps[step]?.seconds ?? 0;
